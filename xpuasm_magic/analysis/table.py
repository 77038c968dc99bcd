"""Capture -> the pandas table, one row per compiled variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from xpuasm_magic.analysis.checks import checks, failed_checks
from xpuasm_magic.analysis.spills import grf_count, simd_width, spill_bytes, spill_dwords_per_lane
from xpuasm_magic.formats.gen_isa import MixCounts, instruction_mix_counts
from xpuasm_magic.model import Capture, Kernel

Dtype = Literal["string", "Int64", "Float64", "boolean"]
"""Pandas' nullable types: what is missing is `<NA>`, never 0."""


@dataclass(frozen=True)
class Column:
    """One column: how it is called, what it holds and how a row's value is found."""

    name: str
    dtype: Dtype
    value: Callable[[Kernel], Any]
    """None stands for missing."""
    tooltip: str
    unit: str = ""


def build_table(capture: Capture) -> pd.DataFrame:
    """The table of a capture. `attrs["units"]` and `attrs["tooltips"]` explain the columns."""
    rows = [[column.value(kernel) for kernel in capture.kernels] for column in COLUMNS]
    series = {column.name: pd.array(row, dtype=column.dtype) for column, row in zip(COLUMNS, rows, strict=True)}
    table: pd.DataFrame = pd.DataFrame(series)
    table.attrs["units"] = {column.name: column.unit for column in COLUMNS if column.unit}
    table.attrs["tooltips"] = {column.name: column.tooltip for column in COLUMNS}
    return table


def config_text(kernel: Kernel) -> str:
    """What tells a variant from its siblings, e.g. `XBLOCK=256 num_warps=4 num_stages=1`."""
    variant = kernel.variant
    settings = dict(variant.constants)
    settings |= {
        "num_warps": variant.num_warps,
        "num_stages": variant.num_stages,
        "grf_mode": variant.grf_mode,
    }
    optional = ("num_warps", "num_stages", "grf_mode")
    return " ".join(f"{k}={v}" for k, v in settings.items() if v is not None or k not in optional)


def _private_bytes(kernel: Kernel) -> int | None:
    if kernel.env and kernel.env.private_size is not None:
        return kernel.env.private_size
    return kernel.header.private_size if kernel.header else None


def _launches(kernel: Kernel) -> int | None:
    return None if kernel.launches is None else sum(launch.count for launch in kernel.launches)


def _work_group(kernel: Kernel) -> int | None:
    """Triton launches `num_warps * threads_per_warp`; of other kernels the compiler may state it."""
    variant = kernel.variant
    if variant.num_warps is not None and variant.threads_per_warp is not None:
        return variant.num_warps * variant.threads_per_warp
    stated = kernel.env.required_work_group_size if kernel.env else None
    return prod(stated) if stated else None


def _checks(kernel: Kernel) -> str | None:
    if failed := failed_checks(kernel):
        return "failed: " + ", ".join(check.name for check in failed)
    return "ok" if any(check.holds for check in checks(kernel)) else None


def _mix(kernel: Kernel) -> MixCounts | None:
    """Counted in IGC's own listing only: a disassembly would have to be made first."""
    if kernel.header is None or "isa" not in kernel.stages:
        return None
    path = kernel.path("isa")
    try:
        stat = path.stat()
        return _count(path, stat.st_mtime_ns, stat.st_size)
    except OSError:  # the capture has been deleted since
        return None


@lru_cache(maxsize=4096)
def _count(path: Path, _mtime_ns: int, _size: int) -> MixCounts:
    return instruction_mix_counts(path.read_bytes())


def _dpas(kernel: Kernel) -> int | None:
    mix = _mix(kernel)
    return mix.dpas if mix else None


def _sends(kernel: Kernel) -> int | None:
    mix = _mix(kernel)
    return mix.sends if mix else None


COLUMNS: tuple[Column, ...] = (
    Column("name", "string", lambda k: k.name, "The kernel's name; several variants may share it."),
    Column("family", "string", lambda k: k.family, "Inductor's kind of fusion, or user: a @triton.jit of yours."),
    Column(
        "config",
        "string",
        lambda k: config_text(k) or None,
        "Constants and options that it was compiled with.",
    ),
    Column(
        "winner",
        "boolean",
        lambda k: k.winner,
        "Whether autotuning chose this config; true for an only one. <NA>: nothing was measured.",
    ),
    Column("time_ms", "Float64", lambda k: k.time_ms, "The autotuner's measurement, on a real device only.", "ms"),
    Column("launches", "Int64", _launches, "Launches in this run. 0: compiled only. <NA>: not recorded."),
    Column("status", "string", lambda k: k.status, "What became of the build."),
    Column("match", "string", lambda k: k.match, "How the listing was proven to be this variant's."),
    Column("device", "string", lambda k: k.device, "What the code was compiled for."),
    Column("simd", "Int64", simd_width, "Work-items per hardware thread: the sub-group size.", "work-items"),
    Column("grf", "Int64", grf_count, "General registers per hardware thread.", "registers per hardware thread"),
    Column("registers", "Int64", lambda _: None, "Registers per thread, on GPUs that allocate them one by one."),
    Column(
        "threads_per_eu",
        "Int64",
        lambda k: k.threads_per_eu,
        "Hardware threads that fit on one vector engine at this number of registers.",
        "hardware threads",
    ),
    Column(
        "instructions",
        "Int64",
        lambda k: k.header.inst_count if k.header else None,
        "Instructions in the code.",
    ),
    Column("dpas", "Int64", _dpas, "Systolic (matrix) instructions."),
    Column("sends", "Int64", _sends, "Messages to memory and other units: send, load, store, atomic."),
    Column(
        "spill_bytes",
        "Int64",
        spill_bytes,
        "Registers that did not fit and went to memory.",
        "bytes per hardware thread",
    ),
    Column(
        "spill_dwords_per_lane",
        "Float64",
        spill_dwords_per_lane,
        "The same per work-item: spill_bytes / (4 * simd). Newer Tritons count so.",
        "dwords per work-item",
    ),
    Column(
        "slm_bytes",
        "Int64",
        lambda k: k.slm_size,
        "Shared local memory: the compiler's own and what Triton asks for at launch.",
        "bytes per work-group",
    ),
    Column(
        "private_bytes",
        "Int64",
        _private_bytes,
        "Private (scratch) memory of variables.",
        "bytes per hardware thread",
    ),
    Column("barriers", "Int64", lambda k: k.env.barrier_count if k.env else None, "Hardware barriers used."),
    Column("work_group", "Int64", _work_group, "Work-items per work-group.", "work-items"),
    Column(
        "num_warps",
        "Int64",
        lambda k: k.variant.num_warps,
        "Sub-groups per work-group, as Triton calls them.",
    ),
    Column(
        "threads_per_warp",
        "Int64",
        lambda k: k.variant.threads_per_warp,
        "Triton's word for the sub-group size.",
    ),
    Column("checks", "string", _checks, "Whether Triton's metadata, the ze_info and the listing agree."),
    Column("isa_bytes", "Int64", lambda k: k.isa_bytes, "Size of the machine code.", "bytes"),
    Column("key", "string", lambda k: k.key, "What identifies the variant: Triton's cache key."),
)
"""In order; one list for all back ends."""
