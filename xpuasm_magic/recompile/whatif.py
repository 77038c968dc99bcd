"""The answer: a table with a row per cell, and a kernel for each that was compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpuasm_magic.analysis.spills import spill_bytes
from xpuasm_magic.loader import LoaderRule, recorded_rule
from xpuasm_magic.model import Capture, Kernel

if TYPE_CHECKING:
    import pandas as pd

QUESTIONS = {
    "spirv": "the same SPIR-V, compiled by IGC again",
    "source": "the same source, compiled by Triton and by IGC again",
}


@dataclass(frozen=True)
class Row:
    """One cell, ended."""

    question: str
    device: str
    grf_mode: str
    """A count of registers, `auto`, or `default` where no flag said it."""
    options: str
    """Build options beside the kernel's own."""
    toolchain: str
    triton: str | None
    """The version that compiled the source again; None: it was not asked."""
    status: str
    """`ok`; `incomplete`: the compiler did not know a builtin, the code cannot run; `refused`: the device lacks what
    the module needs, it was not compiled; `failed`, `crashed`, `timeout`: a compiler's end; `interrupted`."""
    reason: str | None
    """Why it is not ok, in the compiler's words where it has any; of an ok one what should be known of it."""
    kernel: Kernel
    asked: Mapping[str, int] = field(default_factory=dict)
    """Triton's options that were to differ."""


@dataclass(frozen=True, repr=False)
class WhatIf:
    """A matrix: what became of some kernels under other conditions, one row per cell."""

    capture: Capture
    """The cells as a capture, which every view opens; its keys are those of the table."""
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return f"<WhatIf {self.folder}: {len(self.rows)} cells, {len(self.kernels)} ok>"

    def _repr_html_(self) -> str:
        return self.table.to_html(index=False, na_rep="–")

    @property
    def folder(self) -> Path:
        """A folder of its own, readable with `read_capture` and `xpuasm report`."""
        return self.capture.folder

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the ok cells; any two of them can be compared with `diff`."""
        return tuple(row.kernel for row in self.rows if row.status == "ok")

    @property
    def interrupted(self) -> bool:
        return self.capture.info.state == "interrupted"

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per cell; the figures are those of `Capture.table`."""
        from xpuasm_magic.recompile.table import build_table  # pandas stays unloaded until asked

        return build_table(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def whatif(capture: Capture) -> WhatIf:
    """The matrix in a folder that was written for one."""
    recorded = capture.info.raw.get("cells")
    records = {
        str(record.get("key")): record
        for record in (recorded if isinstance(recorded, list) else [])
        if isinstance(record, dict)
    }
    rule = recorded_rule(capture.info.raw.get("loader_rule"))
    # the card's name: ocloc's, which the builds have, stands for several
    kernels = [replace(k, device=str(records[k.key].get("device"))) for k in capture if k.key in records]
    rows = {kernel.key: _row(records[kernel.key], kernel, rule) for kernel in kernels}
    return WhatIf(replace(capture, kernels=tuple(kernels)), tuple(rows[key] for key in records if key in rows))


def _row(record: Mapping[str, Any], kernel: Kernel, rule: LoaderRule | None) -> Row:
    status, reason = str(record.get("status")), record.get("reason")
    if status == "ok" and kernel.status != "ok":
        status = kernel.status
        reason = "; ".join(note.message for note in kernel.notes if note.severity == "error") or reason
    elif status == "ok":
        reason = "; ".join(_remarks(record, kernel, rule)) or None
    return Row(
        question=str(record.get("question")),
        device=str(record.get("device")),
        grf_mode=str(record.get("grf_mode")),
        options=str(record.get("options") or ""),
        toolchain=str(record.get("toolchain")),
        triton=record.get("triton"),
        status=status,
        reason=reason if isinstance(reason, str) else None,
        kernel=kernel,
        asked=record.get("asked") or {},
    )


def _remarks(record: Mapping[str, Any], kernel: Kernel, rule: LoaderRule | None) -> Iterator[str]:
    """What an ok cell does not show in its figures."""
    mode, grf = str(record.get("grf_mode")), kernel.env.grf_count if kernel.env else None
    if mode.isdecimal() and grf is not None and grf != int(mode):
        yield f"asked for {mode} registers, the code has {grf}"
    if record.get("uses_dpas") and kernel.env is not None and not kernel.env.has_dpas:
        yield "the code has no dpas: IGC multiplies the matrices with other instructions here"
    asked = record.get("asked") or {}
    for name in ("threads_per_warp", "num_warps"):
        got = getattr(kernel.variant, name)
        if name in asked and got is not None and got != asked[name]:
            yield f"asked for {name} {asked[name]}, Triton took {got}"
    before, now = record.get("captured_triton"), kernel.variant.metadata.get("triton_version")
    if record.get("question") == "source" and before and now and before != now:
        yield f"captured with Triton {before}, compiled again by Triton {now}"
    spill = spill_bytes(kernel)
    if rule and spill and rule.wants_retry(kernel.variant.build_flags, spill):
        yield f"Triton's loader would not stop at this build: {rule.words}"
