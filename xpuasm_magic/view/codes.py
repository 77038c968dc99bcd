"""What a page can name: kernels of the capture, builds that did not ship, cells of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from xpuasm_magic.compare.side import Side
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.recompile import Row, WhatIf
from xpuasm_magic.view.columns import plain, row


class CodePayload(TypedDict):
    """Names one code: a kernel by its id, one of its attempts by number, a cell by the matrix and its key."""

    kernel: str
    attempt: int | None
    matrix: str | None


@dataclass(frozen=True)
class Code:
    """A kernel, or a build as if it were one, with the words that tell it from others."""

    kernel: Kernel
    capture: Capture
    label: str

    @property
    def side(self) -> Side:
        return Side(self.kernel, self.capture)


def code_of(
    params: Mapping[str, Any], capture: Capture, kernels: Mapping[str, Kernel], matrices: Mapping[str, WhatIf]
) -> Code:
    """The code that a request names. Raises XpuasmError where there is none."""
    try:
        id_, attempt, matrix = str(params["kernel"]), params.get("attempt"), params.get("matrix")
    except KeyError as error:
        raise XpuasmError(f"the page's request names no {error.args[0]}; reload the page") from error
    if matrix is not None:
        found = next((one for one in matrices.get(str(matrix), ()) if one.kernel.key == id_), None)
        if found is None:
            raise XpuasmError("this table of what-ifs is no longer kept; compile it again")
        return Code(found.kernel, matrices[str(matrix)].capture, cell_label(found))
    try:
        kernel = kernels[id_]
        if attempt is None:
            return Code(kernel, capture, _kernel_label(kernel))
        tried = kernel.attempts[attempt]
    except (KeyError, IndexError, TypeError) as error:
        raise XpuasmError(f"this capture has no such build of kernel {id_[:12]}; reload the page") from error
    built = replace(
        kernel,
        status=tried.status,
        stages=tried.stages,
        env=tried.env,
        header=tried.header,
        attempts=(),
        threads_per_eu=None,
        isa_bytes=None,
    )
    return Code(built, capture, f"{kernel.name}, {tried.label}")


def cell_label(cell: Row) -> str:
    """What tells a cell of a matrix from others, e.g. `pvc, GRF 256, -cl-opt-disable`."""
    asked = [f"{name}={value}" for name, value in cell.asked.items()]
    return ", ".join([cell.device, f"GRF {cell.grf_mode}", *asked, *filter(None, [cell.options]), cell.toolchain])


def _kernel_label(kernel: Kernel) -> str:
    config = plain(row(kernel).get("config"))
    return f"{kernel.name} {config}" if config else kernel.name
