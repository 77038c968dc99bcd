"""Which arguments a Triton kernel writes to, read from its TTIR."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Example: tt.store %5, %3, %2 : tensor<256x!tt.ptr<f32>> loc(#loc9)
# Example: %9 = tt.atomic_rmw fadd, acq_rel, gpu, %7, %8, %true : (!tt.ptr<f32>, f32, i1) -> f32
_WRITE = re.compile(r"\btt\.(?:store|atomic_rmw|atomic_cas|(?:experimental_)?descriptor_store)\b[^%]*(%[\w.#]+)")
# Example: %4 = tt.addptr %arg1, %3 : !tt.ptr<f32>, i32 loc(#loc5)
_POINTER = re.compile(
    r"(%[\w.#]+) = tt\.(?:addptr|splat|broadcast|expand_dims|make_tensor_ptr|advance|bitcast|reshape|"
    r"make_tensor_descriptor)\b[^%]*(%[\w.#]+)"
)
# Example: %20:3 = scf.for %arg9 = %c0 to %18 step %c32 iter_args(%arg10 = %cst, %arg11 = %12) -> (…)
_CARRIED = re.compile(r"(%[\w.#]+) = (%[\w.#]+)(?=[,)])")
# Example: tt.func public @add_kernel(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(unknown), %n: i32 loc(…))
_PARAMETER = re.compile(r"(%[\w.#]+): !tt\.ptr")


def written_arguments(ttir: str) -> list[str]:
    """Names of the pointer arguments that the kernel stores to, in order; what cannot be traced is left out."""
    entry = next((line for line in ttir.splitlines() if "tt.func public" in line), "")
    parameters = set(_PARAMETER.findall(entry))
    origin = {made: base for made, base in _POINTER.findall(ttir)}
    for line in ttir.splitlines():
        if "iter_args(" in line:
            origin.update(_CARRIED.findall(line[line.index("iter_args(") :]))
    found: dict[str, None] = {}
    for pointer in _WRITE.findall(ttir):
        seen = set()
        while pointer not in parameters and pointer in origin and pointer not in seen:
            seen.add(pointer)
            pointer = origin[pointer]
        if pointer in parameters:
            found[pointer[1:]] = None
    return list(found)


class Targets:
    """The written arguments of a compiled kernel, by the names of its source; read when iterated, once."""

    def __init__(self, source: Any, key: str) -> None:
        self._source, self._key = source, key
        self._names: list[str] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            self._names = self._read()
        return iter(self._names)

    def _read(self) -> list[str]:
        folder = Path(os.environ.get("TRITON_CACHE_DIR", "")) / self._key
        try:
            text = next(folder.glob("*.ttir")).read_text(encoding="utf-8")
        except (StopIteration, OSError):
            return []
        names = written_arguments(text)
        known = list(getattr(getattr(self._source, "fn", None), "arg_names", ()))
        # Older TTIR numbers its arguments, constants left out: %arg0, %arg1, …
        passed = [name for name in known if self._source.signature.get(name) != "constexpr"]
        return [passed[int(name[3:])] if re.fullmatch(r"arg\d+", name) and int(name[3:]) < len(passed) and name not in known else name
                for name in names]  # fmt: skip
