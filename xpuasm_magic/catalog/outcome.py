"""Which of a module's listings is a kernel's, and what else its binary says: the proof of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from xpuasm_magic.backends import INTEL
from xpuasm_magic.backends.disassembly import disassembled
from xpuasm_magic.backends.intel import device_of_product, zeinfo_in
from xpuasm_magic.backends.spirv_tools import disassembled_module, find_spirv_dis
from xpuasm_magic.catalog.dump import Module, Trial
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.zebin import Zebin
from xpuasm_magic.formats.zeinfo import parse_zeinfo
from xpuasm_magic.model import Attempt, ExecutionEnv, ListingHeader, Match, Note, StageFile, Status

Proof = Literal["code", "only", "last", "several", "other", "none"]
"""`code`: its machine code is in the binary. `only`: the one listing of that kernel, and no binary to compare
with. `last`: the last attempt of one compilation, no binary to compare with. `several`: more than one
compilation, no binary. `other`: there is a binary, and no listing is of it. `none`: there is no listing."""


@dataclass(frozen=True)
class Outcome:
    """What became of a variant's SPIR-V."""

    match: Match
    status: Status
    stages: Mapping[str, StageFile] = field(default_factory=dict)
    header: ListingHeader | None = None
    env: ExecutionEnv | None = None
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[Note, ...] = ()
    device: str | None = None
    isa_bytes: int | None = None
    error: str | None = None
    repro: str | None = None
    binaries: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Binary:
    """A zebin and where it lies."""

    zebin: Zebin
    path: Path
    dumped: bool
    """Whether the module's dump is of the compilation that made it (not a zebin from elsewhere)."""

    def is_of_another(self, spirv: bytes | None) -> bool:
        """Whether it was compiled from another module than this one."""
        return spirv is not None and self.zebin.spirv is not None and self.zebin.spirv != spirv


def of_another_module(binary: Binary) -> Outcome:
    """Nothing that a binary of another module says is shown."""
    note = Note("error", f"{binary.path.name} was compiled from another SPIR-V module; nothing of it is shown")
    return Outcome("none", "ok", notes=(note,))


def choose_trial(
    trials: tuple[Trial, ...], binary: Zebin | None, kernel: str, *, one_compilation: bool
) -> tuple[Trial | None, Proof]:
    """The attempt that shipped. Its `.dat` is what `.text.<kernel>` of the binary begins with.

    IGC's second attempt ships even where it is worse, so where two attempts have the same code it is the
    later one; but in a folder of several compilations the last attempt need not be of the one that ran, and
    without a binary nothing is chosen.
    """
    listed = [trial for trial in trials if trial.header]
    if binary:
        text = binary.code.get(kernel)
        if text is None:
            return None, "other"
        fitting = [trial for trial in trials if trial.is_in(text)]
        if fitting:
            return fitting[-1], "code"
        if any(trial.code for trial in listed) or not listed or not one_compilation:
            return None, "other"
    if len(listed) == 1:
        return listed[0], "only"
    if not listed:
        return None, "none"
    return (listed[-1], "last") if one_compilation else (None, "several")


def module_outcome(
    reader: Reader, module: Module, kernel: str, match: Match, binary: Binary | None, *, one_compilation: bool
) -> Outcome:
    """The outcome of a kernel whose module is known to be this one.

    Args:
        reader: takes notes of what is damaged.
        module: the dump of the kernel's module.
        kernel: its name.
        match: what ties the kernel to the module.
        binary: the zebin that was loaded; None: none, or it is damaged.
        one_compilation: the dump folder is of one compilation only.

    """
    if binary and binary.dumped and binary.is_of_another(module.spirv):
        return of_another_module(binary)
    trials = module.trials_of(kernel)
    zebin = binary.zebin if binary else None
    shipped, proof = choose_trial(trials, zebin, kernel, one_compilation=one_compilation)
    notes = []
    stages = shipped.stages() if shipped else {}
    if shipped and "isa" in stages and not module.spells_out(shipped):
        shipped = replace(shipped, header=None)
        stages = shipped.stages()
    if proof == "last":
        notes.append(Note("warning", "no whole binary to compare with: the listing is IGC's last attempt"))
    if proof == "several":
        notes.append(Note("warning", "several listings and no binary that says which one ran: none is chosen"))
    stages = _module_stages(module) | _binary_stages(module, binary) | stages
    if "isa" not in stages and zebin and kernel in zebin.code and binary:
        notes.append(Note("warning", _no_listing(trials, shipped)))
        stages["isa"] = disassembled(binary.path, kernel)
    status: Status = "ok"
    if zebin and zebin.undefined:
        status = "incomplete"
        names = ", ".join(zebin.undefined[:3]) + (" …" if len(zebin.undefined) > 3 else "")
        notes.append(Note("error", f"this compiler does not know {names}: the code cannot be linked and cannot run"))
    return Outcome(
        match=_match(match, proof, "isa" in stages),
        status=status,
        stages=INTEL.in_order(stages),
        header=shipped.header if shipped else None,
        env=_env(reader, module, binary, kernel),
        attempts=tuple(
            _attempt(trial, shipped) for trial in trials if shipped is None or trial.files is not shipped.files
        ),
        notes=tuple(notes),
        device=device_of_product(zebin.product_family) if zebin else None,
        isa_bytes=len(shipped.code) if shipped and shipped.code else None,
        binaries={"zebin": binary.path} if binary else {},
    )


def _attempt(trial: Trial, shipped: Trial | None) -> Attempt:
    if trial.header is None:
        reason = "IGC gave it up before it had written code"
    elif shipped is None:
        reason = "no binary shows whether this is the code that ran"
    else:
        reason = "IGC compiled the kernel again; this code is not in the binary"
        if trial.code and trial.code == shipped.code:
            reason = "IGC compiled the kernel again, to the same code"
    return Attempt(trial.label, reason, INTEL.in_order(trial.stages()), header=trial.header)


def _module_stages(module: Module) -> dict[str, StageFile]:
    dumped = {
        stage.name: stage.file(module.files[stage.suffix])
        for stage in INTEL.of_origin("module")
        if stage.suffix in module.files and stage.name != "zeinfo"
    }
    spirv = ".spv" in module.files and find_spirv_dis()
    return {**dumped, "spirv": disassembled_module(module.files[".spv"])} if spirv else dumped


def _binary_stages(module: Module, binary: Binary | None) -> dict[str, StageFile]:
    dumped = module.files.get(".zeinfo")
    if dumped and (binary is None or binary.dumped):
        return {"zeinfo": INTEL.stage("zeinfo").file(dumped)}
    return {"zeinfo": zeinfo_in(binary.path)} if binary and binary.zebin.ze_info else {}


def _env(reader: Reader, module: Module, binary: Binary | None, kernel: str) -> ExecutionEnv | None:
    if binary and binary.zebin.ze_info:
        try:
            return parse_zeinfo(binary.zebin.ze_info).get(kernel)
        except ParseError as error:
            reader.note("warning", str(error), binary.path)
            if not binary.dumped:
                return None
    return module.envs.get(kernel)


def _match(match: Match, proof: Proof, shown: bool) -> Match:
    if proof == "several":
        return "ambiguous"
    if not shown:
        return "none"
    return "zebin" if proof == "other" else match


def _no_listing(trials: tuple[Trial, ...], shipped: Trial | None) -> str:
    if shipped:
        return "the listing is damaged; shown is the binary, disassembled"
    if any(trial.header for trial in trials):
        return (
            "the listing was overwritten: the one in the dump is of another build of the same module, and not "
            "of the code that was loaded; shown is the binary, disassembled"
        )
    return "the dump has no listing of this kernel; shown is the binary, disassembled"
