"""What if: captured kernels under other conditions, compiled with no GPU.

Two questions that are never mixed: *the same SPIR-V* with another GRF mode, other build options, another device or
another compiler; and *the same source* for another device or with other launch options, where Triton is asked again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.recompile.axes import axes
from xpuasm_magic.recompile.cells import cells
from xpuasm_magic.recompile.folder import emptied, is_complete, matrix_folder
from xpuasm_magic.recompile.matrix import Progress, Watch, compile_cells
from xpuasm_magic.recompile.source import of_capture, of_kernel
from xpuasm_magic.recompile.whatif import QUESTIONS, Row, WhatIf, whatif

__all__ = ["QUESTIONS", "Progress", "Row", "WhatIf", "recompile"]

_T = TypeVar("_T")
_REMEMBERED = 8
_read: dict[tuple[Path, int], WhatIf] = {}
"""The matrices that this process has read last, by folder and time of its record."""


def recompile(
    captured: Capture | Kernel,
    *,
    device: str | Sequence[str] = (),
    grf: str | int | Sequence[str | int] = (),
    options: str | Sequence[str] = (),
    opt_disable: bool = False,
    toolchain: str | Sequence[str] = (),
    question: str | None = None,
    threads_per_warp: int | Sequence[int] = (),
    num_warps: int | Sequence[int] = (),
    num_stages: int | Sequence[int] = (),
    watch: Watch | None = None,
    cancel: threading.Event | None = None,
) -> WhatIf:
    """Compile captured kernels under other conditions: one cell for every combination of the values given.

    Args:
        captured: a capture, or one kernel of one.
        device: families or cards; by default the one that the kernel was captured for.
        grf: numbers of registers, or `auto`; by default the kernel's own mode.
        options: build options of IGC's beside the kernel's own, each string one value of the axis.
        opt_disable: also with `-cl-opt-disable`.
        toolchain: names of toolchains; by default the newest.
        question: `spirv` (the same SPIR-V) or `source` (the same source: Triton is asked again). By default
            `source` where one of Triton's options is given, else `spirv`.
        threads_per_warp: Triton's sub-group sizes.
        num_warps: Triton's sub-groups per work-group.
        num_stages: Triton's depths of software pipelining.
        watch: called as cells end.
        cancel: set by another thread, it ends the compilers as an interrupt does in the main thread.

    Returns:
        A row for every cell, whatever became of it. An interrupt ends the compilers and leaves what there is.

    Raises:
        UsageError: a name that nothing answers to; the message lists the known ones.
        SetupError: there is no compiler, or for `source` no Python with Triton.
    """
    modes: list[str | int] = _several(grf)
    asked = axes(
        question=question,
        device=_several(device),
        grf=[str(mode) for mode in modes],
        options=_several(options),
        opt_disable=opt_disable,
        toolchains=_several(toolchain),
        threads_per_warp=_several(threads_per_warp),
        num_warps=_several(num_warps),
        num_stages=_several(num_stages),
    )
    origin = of_capture(captured) if isinstance(captured, Capture) else of_kernel(captured)
    wanted = cells(asked, origin.kernels, origin.record)
    folder = matrix_folder(origin, wanted)
    if is_complete(folder):
        folder.touch()  # used of late: not what is dropped first
    else:
        with emptied(folder) as folder:
            compile_cells(folder, origin, wanted, watch or (lambda _: None), cancel or threading.Event())
    return _matrix(folder)


def _matrix(folder: Path) -> WhatIf:
    from xpuasm_magic.catalog import read_capture

    stamp = folder, (folder / "capture.json").stat().st_mtime_ns
    found = _read.pop(stamp, None) or whatif(read_capture(folder))
    _read[stamp] = found
    while len(_read) > _REMEMBERED:
        del _read[next(iter(_read))]
    return found


def _several(value: _T | Sequence[_T]) -> list[_T]:
    """One value stands for a list of it; a string is one value."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
