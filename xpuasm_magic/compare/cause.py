"""Why the code of a pair differs: what went into the two compilations, compared.

Compilers are deterministic, so a difference is proven to come from an input where that is the only input that
differs and every other one is known to be the same. Anything less is no cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from xpuasm_magic.compare.side import Side
from xpuasm_magic.compare.source import KernelSource, SourceDiff, diff_source, kernel_source
from xpuasm_magic.compare.ttir import declared_arguments, ttir_lines
from xpuasm_magic.loader import grf_label
from xpuasm_magic.model import Kernel

State = Literal["same", "changed", "unknown"]

_FIRST_LINES = 3
"""So many changed source lines are quoted; of more only the numbers are told."""

_NOT_OPTIONS = frozenset(
    (
        "hash",
        "name",
        "target",
        "triton_version",
        "extern_libs",
        "shared",
        "build_flags",
        "grf_mode",
        "cache_dir",
    )
)
"""Of Triton's metadata: results, what is an input of its own here, and paths."""


@dataclass(frozen=True)
class Input:
    """Something that a compilation was made of. `words` tell of the change, e.g. `device pvc → bmg`."""

    name: str
    state: State
    words: str = ""
    after_module: bool = False
    """Whether it acts on the SPIR-V module only, and so cannot have changed that."""


def inputs(a: Side, b: Side) -> tuple[Input, ...]:
    """Everything that decides the code, as far as captures tell of it."""
    source_a, source_b = kernel_source(a.kernel), kernel_source(b.kernel)
    rewritten = bool(source_a and source_b and source_a.digest != source_b.digest)
    return (
        _source(a, b, source_a, source_b),
        _settings("config", _options(a.kernel), _options(b.kernel)),
        _arguments(a.kernel, b.kernel, rewritten),
        _named("Triton", a.triton, b.triton),
        _named("device", a.kernel.device, b.kernel.device),
        _grf(a, b),
        _named("IGC", a.igc, b.igc, after_module=True),
    )


def cause(a: Side, b: Side, found: tuple[Input, ...]) -> Input | None:
    """The input that the whole difference is proven to come from; None: not proven."""
    same_module = _same_module(a.kernel, b.kernel)
    if same_module:  # what went into the module came to the same
        found = tuple(one for one in found if one.after_module or one.name == "device")
    changed = [one for one in found if one.state == "changed"]
    if len(changed) != 1 or any(one.state == "unknown" for one in found):
        return None
    return None if changed[0].after_module and same_module is False else changed[0]


def source_diff(a: Side, b: Side) -> SourceDiff | None:
    """Of the kernel's own Python; None where it is not known on both sides."""
    left, right = kernel_source(a.kernel), kernel_source(b.kernel)
    return diff_source(left, right) if left and right else None


def _source(a: Side, b: Side, left: KernelSource | None, right: KernelSource | None) -> Input:
    if left is None or right is None:
        said = ttir_lines(a.kernel)
        return Input("source", "same" if said and said == ttir_lines(b.kernel) else "unknown")
    if left.digest == right.digest:
        return Input("source", "same")
    return Input("source", "changed", _source_words(a, b, diff_source(left, right)))


def _source_words(a: Side, b: Side, found: SourceDiff) -> str:
    """`softmax.py:17 changed: "x * 2" → "x * 3"`; a line that only A has is named in A."""
    if len(found.removed) == len(found.added) == 1:
        old, new = found.removed[0], found.added[0]
        return f'{b.place(new.loc)} changed: "{old.text.strip()}" → "{new.text.strip()}"'
    if len(found.added) == 1 and not found.removed:
        return f'{b.place(found.added[0].loc)} was added: "{found.added[0].text.strip()}"'
    if len(found.removed) == 1 and not found.added:
        return f'{a.place(found.removed[0].loc)} of A was removed: "{found.removed[0].text.strip()}"'
    if not found.added and not found.removed:  # where a line ends, and so what it belongs to
        return "the layout of the source changed"
    side, lines = (b, found.added) if found.added else (a, found.removed)
    shown = ", ".join(side.place(line.loc) for line in lines[:_FIRST_LINES])
    more = f" and {len(lines) - _FIRST_LINES} more" if len(lines) > _FIRST_LINES else ""
    return f"source lines changed: {shown}{more}{'' if found.added else ' of A, removed'}"


def _options(kernel: Kernel) -> dict[str, Any]:
    variant = kernel.variant
    options = {name: value for name, value in variant.metadata.items() if name not in _NOT_OPTIONS}
    options |= {
        "num_warps": variant.num_warps,
        "num_stages": variant.num_stages,
        "threads_per_warp": variant.threads_per_warp,
    }
    return options | dict(variant.constants)


def _settings(name: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Input:
    differing = [key for key in dict.fromkeys([*a, *b]) if a.get(key) != b.get(key)]
    if not differing:
        return Input(name, "same")
    words = ", ".join(f"{key} {_shown(a.get(key))} → {_shown(b.get(key))}" for key in differing)
    return Input(name, "changed", words)


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def _arguments(a: Kernel, b: Kernel, rewritten: bool) -> Input:
    """Types and what Triton was told of the values. Of another source they may be others by that alone."""
    left, right = (declared_arguments(ttir_lines(kernel)) for kernel in (a, b))
    if left and right and left != right and not (rewritten and len(left) != len(right)):
        return Input("arguments", "changed", f"arguments changed: {_first_difference(left, right)}")
    if a.variant.signature == b.variant.signature or rewritten:
        return Input("arguments", "same")
    return _settings("arguments", a.variant.signature, b.variant.signature)


def _first_difference(a: Sequence[str], b: Sequence[str]) -> str:
    """The first argument that differs, by its place."""
    for number, (x, y) in enumerate(zip(a, b, strict=False), 1):
        if x != y:
            return f"{number} is {x} → {y}"
    return f"{len(a)} → {len(b)}"


def _named(name: str, a: str | None, b: str | None, *, after_module: bool = False) -> Input:
    if a is None or b is None:
        return Input(name, "unknown", after_module=after_module)
    state: State = "same" if a == b else "changed"
    return Input(name, state, f"{name} {a} → {b}" if a != b else "", after_module)


def _grf(a: Side, b: Side) -> Input:
    """What was asked for; how many registers the code has is a result."""
    if a.build_flags.split() != b.build_flags.split():
        old, new = grf_label(a.build_flags), grf_label(b.build_flags)
        words = f"GRF mode {old} → {new}" if old != new else f"build flags '{a.build_flags}' → '{b.build_flags}'"
        return Input("GRF mode", "changed", words, after_module=True)
    return _named("GRF mode", *(side.kernel.variant.grf_mode or "default" for side in (a, b)), after_module=True)


def _same_module(a: Kernel, b: Kernel) -> bool | None:
    """Whether both were compiled from the same SPIR-V; None: not known."""
    try:
        return a.binaries["spv"].read_bytes() == b.binaries["spv"].read_bytes()
    except (KeyError, OSError):
        return None
