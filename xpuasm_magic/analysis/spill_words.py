"""A report on spills, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from xpuasm_magic.analysis.spill_report import CompilerTry, SourceSpills, SpillReport
from xpuasm_magic.model import SourceLoc


def _file_and_line(loc: SourceLoc) -> str:
    return f"{PurePath(loc.file).name}:{loc.line}"


def spill_words(
    report: SpillReport, place: Callable[[SourceLoc], str] = _file_and_line, *, most: int | None = None
) -> tuple[str, ...]:
    """How much is spilled, by which source lines, and how the compiler came to it; the costliest lines first.

    `place` says a source line, e.g. `In[5]:3`. `most`: as many source lines at most.
    """
    told = [_size(report)]
    if report.spills is not None and report.fills is not None:
        told += [_source(cost, report.spills, report.fills, place) for cost in report.by_source[:most]]
        if more := len(report.by_source) - len(report.by_source[:most]):
            told.append(f"the rest is for {more:,} more source line{'s' if more > 1 else ''}")
    elif report.bytes_per_thread and report.reason:
        told.append(f"which instructions spill is not known: {report.reason}")
    if report.flag_stores or report.flag_loads:
        told.append(
            f"flags are moved to general registers {report.flag_stores or 0:,} times and back "
            f"{report.flag_loads or 0:,} times: no memory is touched"
        )
    if len(report.tries) > 1:
        told += [_try(each) for each in report.tries]
    elif report.recompiled:
        told.append("IGC compiled the kernel again, because its first attempt spilled")
    return tuple(sentence for sentence in told if sentence)


def _size(report: SpillReport) -> str:
    if report.bytes_per_thread is None:
        return "whether it spills is not known"
    if not report.bytes_per_thread:
        return "no register is spilled to memory"
    lanes = "" if report.dwords_per_lane is None else f", {report.dwords_per_lane:g} dwords per work-item"
    counts = "" if report.spills is None else f": {report.spills:,} spills and {report.fills:,} fills in the code"
    return f"{report.bytes_per_thread:,} bytes per hardware thread{lanes}{counts}"


def _source(cost: SourceSpills, spills: int, fills: int, place: Callable[[SourceLoc], str]) -> str:
    where = place(cost.loc) if cost.loc else "code of no known line"
    shares = (("spills", cost.spills, spills), ("fills", cost.fills, fills))
    return f"{where} costs {' and '.join(f'{part:,} of {whole:,} {what}' for what, part, whole in shares if part)}"


def _try(each: CompilerTry) -> str:
    grf = "" if each.grf_count is None else f" {each.grf_count} GRF,"
    spill = "spill not known" if each.spill_bytes is None else f"{each.spill_bytes:,} bytes of spill"
    launched = "; it is what this Triton launches" if each.launched and not each.shipped else ""
    return f"{each.label}:{grf} {spill}{f' ({each.reason})' if each.reason else ''}{launched}"
