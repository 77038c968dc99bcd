"""`xpuasm table`: one row per compiled variant."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xpuasm_magic.compare.fail_on import Failure
    from xpuasm_magic.model import Capture


def add_table(commands: Any) -> None:
    """Add the command to the sub-parsers of `xpuasm`."""
    command: argparse.ArgumentParser = commands.add_parser("table", help="one row per compiled variant")
    add = command.add_argument
    add("capture", metavar="CAPTURE", help="a capture folder or zip, a shader dump, or a Triton cache")
    add("--format", choices=("text", "json", "csv", "markdown"), default="text")
    add("--kernel", metavar="GLOB", help="only kernels whose name matches")
    add("--all-configs", action="store_true", help="every autotuning config, also in text and Markdown")
    add(
        "--fail-on-spill",
        action="store_true",
        help="exit status 1 when a listed kernel spills, or the build of it that the installed Triton launches",
    )
    add(
        "--fail-on",
        action="append",
        default=[],
        metavar="EXPR",
        help="exit status 1 when it holds for a listed kernel, or cannot be told: 'spill_bytes>0', 'grf==256', "
        "'status!=ok'; may be given several times",
    )
    command.set_defaults(do=run_table)


def run_table(args: argparse.Namespace) -> int:
    """Print the table; 1 where a kernel spills or a condition failed, and that was asked. Raises UsageError."""
    from xpuasm_magic.analysis.spills import launched_spill_bytes, spill_bytes
    from xpuasm_magic.catalog import read_capture
    from xpuasm_magic.compare.fail_on import capture_failures, parse_condition
    from xpuasm_magic.compare.failed_text import failed_lines
    from xpuasm_magic.view.columns import matching
    from xpuasm_magic.view.highlight import visible

    conditions = [parse_condition(text) for text in args.fail_on]
    capture = matching(read_capture(args.capture), args.kernel)
    failed = capture_failures(capture, conditions)
    _print(capture, failed, args)
    for line in failed_lines(failed):
        print(line, file=sys.stderr)
    spills = [kernel for kernel in capture if spill_bytes(kernel) or launched_spill_bytes(kernel)]
    if args.fail_on_spill and spills:
        names = ", ".join(dict.fromkeys(kernel.name for kernel in spills))
        print(f"xpuasm: {len(spills)} kernels spill: {visible(names)}", file=sys.stderr)
        return 1
    return 1 if failed else 0


def _print(capture: Capture, failed: tuple[Failure, ...], args: argparse.Namespace) -> None:
    from xpuasm_magic.view.highlight import visible

    if args.format == "json":
        print(capture.table.to_json(orient="records", indent=1))
    elif args.format == "csv":
        text = capture.table.to_csv(index=False)
        print(visible(text) if sys.stdout.isatty() else text, end="")
    elif args.format == "markdown":
        from xpuasm_magic.view.markdown import capture_markdown

        print(capture_markdown(capture, failed, all_configs=args.all_configs), end="")
    else:
        from xpuasm_magic.view.text import summary_text

        print(summary_text(capture, all_configs=args.all_configs, color=sys.stdout.isatty()))
