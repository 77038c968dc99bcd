"""`xpuasm recompile`: captured kernels under other conditions, with no GPU."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING, Any

from xpuasm_magic.errors import UsageError
from xpuasm_magic.progress import StatusLine

if TYPE_CHECKING:
    from xpuasm_magic.recompile import Progress, WhatIf

INTERRUPT_STATUS = 128 + signal.SIGINT  # as shells say it


def add_recompile(commands: Any) -> None:
    """Add the command to the sub-parsers of `xpuasm`."""
    command: argparse.ArgumentParser = commands.add_parser(
        "recompile",
        help="what if: the kernels for another device, GRF mode, compiler or number of warps",
        description="Compile captured kernels under other conditions, one row for every combination. Two questions: "
        "the same SPIR-V (the default), or, with --source or one of Triton's options, the same source, for which "
        "Triton is run again. No GPU is needed. Exit status 1: a cell failed, or none could be compiled; what a "
        "device cannot run is refused with the reason, and is no failure.",
    )
    add = command.add_argument
    add("capture", metavar="CAPTURE", help="a capture folder or zip, a shader dump, or a Triton cache")
    add("--kernel", metavar="GLOB", help="only kernels whose name matches")
    add("--device", type=_words, default=[], metavar="D,…", help="devices or cards, such as pvc,bmg,lnl,a770")
    add("--grf", type=_words, default=[], metavar="M,…", help="registers per hardware thread: 128,256,auto")
    add("--toolchain", type=_words, default=[], metavar="NAME,…", help="names from `xpuasm toolchain list`")
    add(
        "--options",
        action="append",
        default=[],
        metavar="TEXT",
        help="build options beside the kernel's own, as --options=-cl-fast-relaxed-math; may be given several times",
    )
    add("--opt-disable", action="store_true", help="also without optimization (-cl-opt-disable)")
    add("--source", action="store_true", help="the same source: run Triton again, also where only the device differs")
    add("--threads-per-warp", type=_numbers, default=[], metavar="N,…", help="Triton's sub-group size: 16,32")
    add("--num-warps", type=_numbers, default=[], metavar="N,…", help="Triton's sub-groups per work-group: 4,8")
    add("--num-stages", type=_numbers, default=[], metavar="N,…", help="Triton's depth of software pipelining")
    add("--format", choices=("text", "json", "csv"), default="text")
    command.set_defaults(do=run_recompile)


def run_recompile(args: argparse.Namespace) -> int:
    """Print the matrix. Raises UsageError."""
    from xpuasm_magic.catalog import read_capture
    from xpuasm_magic.recompile import recompile
    from xpuasm_magic.view.columns import matching

    capture = matching(read_capture(args.capture), args.kernel)
    if not capture.kernels:
        words = [note.message for note in capture.notes if note.severity != "info"] or ["it has no kernels"]
        raise UsageError(f"{args.capture}: {words[-1]}")
    show = StatusLine(progress_text)
    try:
        found = recompile(
            capture,
            device=args.device,
            grf=args.grf,
            options=args.options,
            opt_disable=args.opt_disable,
            toolchain=args.toolchain,
            question="source" if args.source else None,
            threads_per_warp=args.threads_per_warp,
            num_warps=args.num_warps,
            num_stages=args.num_stages,
            watch=show,
        )
    finally:
        show.clear()
    _print(found, args.format)
    return _status(found)


def _print(found: WhatIf, form: str) -> None:
    from xpuasm_magic.recompile.text import matrix_text
    from xpuasm_magic.view.highlight import visible

    if form == "json":
        print(found.table.to_json(orient="records", indent=1))
    elif form == "csv":
        text = found.table.to_csv(index=False)
        print(visible(text) if sys.stdout.isatty() else text, end="")
    else:
        print(matrix_text(found))


def _status(found: WhatIf) -> int:
    if found.interrupted:
        return INTERRUPT_STATUS
    bad = any(row.status not in ("ok", "refused") for row in found)
    return 1 if bad or not found.kernels else 0


def progress_text(progress: Progress) -> str:
    """`compiling, 12 of 40 cells, 2 refused, 1 failed, 8 s`."""
    parts = [progress.phase, f"{progress.done} of {progress.cells} cells"]
    parts += [f"{progress.refused} refused"] if progress.refused else []
    parts += [f"{progress.failed} failed"] if progress.failed else []
    return ", ".join([*parts, f"{progress.elapsed_s:.0f} s"])


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in _words(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: give whole numbers, such as 16,32") from None
