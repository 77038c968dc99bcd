"""Which arguments a Triton kernel writes to, read from its TTIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Example: tt.store %5, %3, %2 : tensor<256x!tt.ptr<f32>> loc(#loc9)
# Example: %9 = tt.atomic_rmw fadd, acq_rel, gpu, %7, %8, %true : (!tt.ptr<f32>, f32, i1) -> f32
_WRITE = re.compile(r"\btt\.(?:store|atomic_rmw|atomic_cas|(?:experimental_)?descriptor_store)\b[^%\n]*(%[\w.#]+)")
# Example: %4 = tt.addptr %arg1, %3 : !tt.ptr<f32>, i32 loc(#loc5)
_POINTER = re.compile(
    r"(%[\w.#]+) = tt\.(?:addptr|splat|broadcast|expand_dims|make_tensor_ptr|advance|bitcast|reshape|"
    r"make_tensor_descriptor)\b[^%\n]*(%[\w.#]+)"
)
# Example: %20:3 = scf.for %arg9 = %c0 to %18 step %c32 iter_args(%arg10 = %cst, %arg11 = %12) -> (i32)
_CARRIED = re.compile(r"(%[\w.#]+) = (%[\w.#]+)(?=[,)])")
# Example: tt.func public @add_kernel(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(unknown), %n: i32)
_PARAMETER = re.compile(r"(%[\w.#]+): !tt\.ptr")
# Example: %arg2, where TTIR numbers the arguments that are no constants
_NUMBERED = re.compile(r"arg(\d+)")


def written_arguments(ttir: str) -> list[str]:
    """The kernel's pointer arguments that it stores to, in order; what cannot be traced is left out."""
    lines = ttir.splitlines()
    parameters = {name for line in lines if "tt.func public" in line for name in _PARAMETER.findall(line)}
    origin = dict(_POINTER.findall(ttir))
    for line in lines:
        if "iter_args(" in line:
            origin |= dict(_CARRIED.findall(line[line.index("iter_args(") :]))
    bases = (_base(pointer, origin, parameters) for pointer in _WRITE.findall(ttir))
    return list(dict.fromkeys(base[1:] for base in bases if base))


def _base(pointer: str, origin: dict[str, str], parameters: set[str]) -> str | None:
    for _ in range(len(origin) + 1):
        if pointer in parameters:
            return pointer
        if pointer not in origin:
            return None
        pointer = origin[pointer]
    return None


class Targets:
    """The arguments that a compiled kernel writes, by the names of its source; read when first asked for."""

    def __init__(self, source: Any, folder: Path) -> None:
        self._source, self._folder = source, folder
        self._names: list[str] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            self._names = [self._own_name(name) for name in written_arguments(self._ttir())]
        return iter(self._names)

    def _ttir(self) -> str:
        try:
            return next(self._folder.glob("*.ttir")).read_text(encoding="utf-8")
        except (StopIteration, OSError):
            return ""

    def _own_name(self, name: str) -> str:
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None or name in self._source.signature:
            return name
        passed = [own for own, kind in self._source.signature.items() if kind != "constexpr"]
        index = int(numbered[1])
        return str(passed[index]) if index < len(passed) else name
