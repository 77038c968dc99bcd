"""Dump folders into which several compilations wrote -> what can be proven of a variant's listing there.

A dump's name covers the SPIR-V bytes alone: builds of one module with other flags overwrite each other's
files. So equal bytes prove the module, and the flags, or Triton's own binary, must prove the build.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from xpuasm_magic.backends import INTEL
from xpuasm_magic.backends.disassembly import disassembled
from xpuasm_magic.backends.intel import device_of_product, zeinfo_in
from xpuasm_magic.catalog.dump import Module, digest
from xpuasm_magic.catalog.outcome import Binary, Outcome, module_outcome
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.catalog.target import named_device, product_of
from xpuasm_magic.catalog.variants import Entry
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.igc_dump import spirv_hash
from xpuasm_magic.formats.triton_cache import grf_mode, without_grf_flags
from xpuasm_magic.formats.zeinfo import parse_zeinfo
from xpuasm_magic.model import Attempt, Match, Note

_GRF_COUNTS = {"small": 128, "large": 256, "512": 512}

_SEVERAL_BUILDS = (
    "builds of this module with several sets of flags may have written into this folder, and nothing says which "
    "is this variant's: all are kept, none is chosen"
)


class FlatDumps:
    """All modules of all flat dump folders of a capture, and the variants that may claim them."""

    def __init__(
        self,
        reader: Reader,
        modules: Sequence[Module],
        entries: Iterable[Entry],
        device: Mapping[str, Any] | None = None,
    ) -> None:
        """`device`: the device of the run, as `capture.json` records it."""
        self.reader = reader
        self._device = device or {}
        self.modules = modules
        self._entries = list(entries)
        self._claimed: set[int] = set()

    def outcome(self, entry: Entry) -> Outcome:
        """What is proven of a variant."""
        candidates = self._modules_of(entry)
        self._claimed.update(id(module) for module in candidates)
        if entry.zebin:
            return self._by_binary(entry, entry.zebin, candidates)
        if candidates:
            return self._on_its_device(entry, self._by_module(entry, candidates))
        return self._on_its_device(entry, self._by_name(entry))

    def unclaimed(self) -> list[Module]:
        """Modules that are no variant's: kernels of libraries, or of a run whose Triton cache is not here."""
        return [module for module in self.modules if id(module) not in self._claimed]

    def _modules_of(self, entry: Entry) -> list[Module]:
        """Modules of the variant's bytes; of those beside it, where there are such."""
        if entry.spirv_digest is None:
            return []
        found = list(self._by_digest.get(entry.spirv_digest, ()))
        nameless = [module for module in self.modules if module.spirv is None]
        if nameless and entry.spirv:
            hashed = spirv_hash(entry.spirv)
            found += [module for module in nameless if module.hash == hashed]
        beside = [
            module for module in found if entry.folder and entry.folder in (module.folder, *module.folder.parents)
        ]
        return beside or found

    @cached_property
    def _by_digest(self) -> Mapping[str, list[Module]]:
        found: dict[str, list[Module]] = {}
        for module in self.modules:
            if module.spirv_digest:
                found.setdefault(module.spirv_digest, []).append(module)
        return found

    def _by_binary(self, entry: Entry, binary: Binary, candidates: list[Module]) -> Outcome:
        """Triton's own zebin says which listing is of the code that it loads."""
        text = binary.zebin.code.get(entry.name, b"")
        places: tuple[tuple[Match, Sequence[Module]], ...] = (("spirv", candidates), ("zebin", self.modules))
        for match, modules in places:
            for module in modules:
                if any(trial.is_in(text) for trial in module.trials_of(entry.name)):
                    self._claimed.add(id(module))
                    return module_outcome(self.reader, module, entry.name, match, binary, one_compilation=False)
        return _binary_alone(self.reader, entry.name, binary, overwritten=bool(candidates))

    def _by_module(self, entry: Entry, candidates: list[Module]) -> Outcome:
        sharers = [other for other in self._entries if other.spirv_digest == entry.spirv_digest]
        outcomes = [(module, own_outcome(self.reader, module, entry.name, "spirv")) for module in candidates]
        if len(outcomes) == 1 and outcomes[0][1].match == "none":
            return outcomes[0][1]  # there is no code that could be another's
        agreeing = [outcome for module, outcome in outcomes if _flags_agree(entry, module, outcome)]
        others = [other for other in sharers if not _same_flags(other, entry)]
        taken = any(_flags_agree(other, module, outcome) for module, outcome in outcomes for other in others)
        if not agreeing and not taken:
            # The loader builds a kernel that spills again, with more GRF than it was asked for.
            agreeing = [outcome for module, outcome in outcomes if _is_loaders_rebuild(entry, module, outcome)]
        if len(agreeing) == 1:
            return agreeing[0]
        if agreeing or not taken or not all(outcome.header for _, outcome in outcomes):
            return _ambiguous(agreeing or [outcome for _, outcome in outcomes], _SEVERAL_BUILDS)
        message = "its listing was overwritten by another build of the same module with other flags"
        return Outcome("none", "ok", notes=(Note("warning", message),))

    def _on_its_device(self, entry: Entry, outcome: Outcome) -> Outcome:
        """The same, unless its code is for another device than the one that the variant was compiled for."""
        wanted = named_device(entry.variant.metadata, self._device)
        product = product_of(wanted) if wanted else None
        if wanted is None or product is None or outcome.match not in ("spirv", "name"):
            return outcome
        if outcome.device in (None, product):
            return outcome
        message = f"compiled for {wanted.title}, but the code in the dump is for {outcome.device}: none is chosen"
        return _ambiguous([outcome], message)

    def _by_name(self, entry: Entry) -> Outcome:
        """The last resort: the only listing of exactly that name, for the only variant of it."""
        namesakes = [other for other in self._entries if other.name == entry.name]
        modules = [] if entry.spirv is not None else [m for m in self.modules if m.trials_of(entry.name)]
        target = entry.target
        if target not in (None, INTEL.triton_target):
            note = Note("info", f"compiled for {target}, whose machine code is not read")
            return Outcome("none", "ok", notes=(note,))
        if not modules:
            return Outcome("none", "not built", notes=(Note("info", _not_built(entry, self.modules)),))
        self._claimed.update(id(module) for module in modules)
        outcomes = [own_outcome(self.reader, module, entry.name, "name") for module in modules]
        if len(outcomes) == 1 and len(namesakes) == 1:
            return outcomes[0]
        return _ambiguous(outcomes, "several kernels have this name: all listings are kept, none is chosen")


def own_outcome(reader: Reader, module: Module, kernel: str, match: Match) -> Outcome:
    """The outcome of a kernel of a module by that module's own dumped program."""
    trials = module.trials_of(kernel)
    if module.binary is None and not any(trial.header for trial in trials):
        stages = INTEL.in_order(trials[-1].stages()) if trials else {}
        note = Note("error", "the dump has no code of this kernel: the compiler ended before it had written any")
        return Outcome("none", "failed", stages=stages, notes=(note,))
    binary = Binary(module.binary, module.files[".progbin"], dumped=True) if module.binary else None
    return module_outcome(reader, module, kernel, match, binary, one_compilation=False)


def module_keys(module: Module, kernels: Sequence[str]) -> list[str]:
    """What identifies kernels that no Triton entry stands for: the zebin's SHA-256, and a number in it."""
    progbin = module.files.get(".progbin")
    data = module.reader.bytes(progbin) if progbin else module.spirv
    base = digest(data if data else module.hash.encode())
    return [base if number == 1 else f"{base}-{number}" for number in range(1, len(kernels) + 1)]


def _ambiguous(outcomes: Sequence[Outcome], message: str) -> Outcome:
    """All candidates, none chosen."""
    candidates = [
        Attempt(f"candidate {number}", "one of several candidates", outcome.stages, outcome.env, outcome.header)
        for number, outcome in enumerate(outcomes, 1)
        if outcome.header
    ]
    candidates += [attempt for outcome in outcomes for attempt in outcome.attempts]
    devices = {outcome.device for outcome in outcomes}
    return Outcome(
        "ambiguous",
        "ok",
        attempts=tuple(candidates),
        notes=(Note("warning", message),),
        device=devices.pop() if len(devices) == 1 else None,
    )


def _binary_alone(reader: Reader, kernel: str, binary: Binary, *, overwritten: bool) -> Outcome:
    """A zebin of which no dump has a listing."""
    env = None
    try:
        env = parse_zeinfo(binary.zebin.ze_info or "").get(kernel) if binary.zebin.ze_info else None
    except ParseError as error:
        reader.note("warning", str(error), binary.path)
    lost = "the listing was overwritten by another build" if overwritten else "no dump has its listing"
    stages = {"isa": disassembled(binary.path, kernel)} if kernel in binary.zebin.code else {}
    if binary.zebin.ze_info:
        stages["zeinfo"] = zeinfo_in(binary.path)
    return Outcome(
        "zebin" if stages.get("isa") else "none",
        "incomplete" if binary.zebin.undefined else "ok",
        stages=stages,
        env=env,
        notes=(Note("warning", f"{lost}; shown is the binary that was loaded, disassembled"),),
        device=device_of_product(binary.zebin.product_family),
        binaries={"zebin": binary.path},
    )


def _flags_agree(entry: Entry, module: Module, outcome: Outcome) -> bool:
    """Whether all that the dump says of its last build agrees with the flags that the variant asked for."""
    asked = entry.variant.grf_mode
    return (
        _other_flags_agree(entry, module) and grf_mode({}, module.options or "") == asked and _has_grf(outcome, asked)
    )


def _is_loaders_rebuild(entry: Entry, module: Module, outcome: Outcome) -> bool:
    """Whether the last build is what the loader makes of a variant that leaves the GRF mode to it."""
    if entry.variant.grf_mode is not None or not _other_flags_agree(entry, module):
        return False
    mode = grf_mode({}, module.options or "")
    return mode in ("large", "auto") and _has_grf(outcome, mode)


def _other_flags_agree(entry: Entry, module: Module) -> bool:
    if module.options is None:
        return False
    return without_grf_flags(module.options) == without_grf_flags(entry.variant.build_flags)


def _same_flags(one: Entry, other: Entry) -> bool:
    flags = [(entry.variant.grf_mode, without_grf_flags(entry.variant.build_flags)) for entry in (one, other)]
    return flags[0] == flags[1]


def _has_grf(outcome: Outcome, mode: str | None) -> bool:
    """Whether the listing and the binary state the GRF count of a mode, as far as they state one."""
    count = _GRF_COUNTS.get(mode or "")
    stated = {
        outcome.header.num_grf if outcome.header else None,
        outcome.env.grf_count if outcome.env else None,
    } - {None}
    return len(stated) < 2 and (count is None or stated <= {count})


def _not_built(entry: Entry, modules: Sequence[Module]) -> str:
    if entry.spirv is None:
        return "no SPIR-V of this variant is here, and nothing else that ties it to a listing"
    if modules:
        return "no dump here is of this variant's SPIR-V"
    return "no compiler's dump is here; run the code that made this cache with `xpuasm run`"
