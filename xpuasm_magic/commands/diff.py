"""`xpuasm diff`: two captures, or two kernels, compared."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from xpuasm_magic.errors import UsageError

if TYPE_CHECKING:
    from xpuasm_magic.compare import Diff
    from xpuasm_magic.compare.fail_on import Failure
    from xpuasm_magic.model import Capture, Kernel


def add_diff(commands: Any) -> None:
    """Add the command to the sub-parsers of `xpuasm`."""
    command: argparse.ArgumentParser = commands.add_parser(
        "diff",
        help="compare two captures, or two kernels",
        description="Compare two captures: which kernel became which, what changed in each, and why where that is "
        "proven. With --a and --b, compare two kernels, of one capture or of two.",
    )
    add = command.add_argument
    add("first", metavar="A", help="a capture folder or zip, a shader dump, or a Triton cache")
    add("second", metavar="B", nargs="?", help="another; left out: the same, with --a and --b")
    add("--kernel", metavar="GLOB", help="only kernels whose name matches")
    add("--a", metavar="KERNEL", help="this kernel of A: a name, or a key or its unique beginning")
    add("--b", metavar="KERNEL", help="this kernel of B")
    add(
        "--stage",
        metavar="STAGE",
        help="also print what differs in a stage: isa, visa, visa_ll, llir, ttgir, ttir, …",
    )
    add("--format", choices=("text", "json", "markdown"), default="text")
    add(
        "--fail-on",
        action="append",
        default=[],
        metavar="EXPR",
        help="exit status 1 when it holds for a kernel, or cannot be told: 'spill_bytes>0' is of B, "
        "'instructions>+5%%' and 'grf>+0' are of the change against A; may be given several times",
    )
    add("--color", action="store_true", help="colour even where the output is no terminal")
    command.set_defaults(do=run_diff)


def run_diff(args: argparse.Namespace) -> int:
    """Print the comparison; 1 where a condition failed. Raises UsageError."""
    from xpuasm_magic.compare.fail_on import failures, parse_condition
    from xpuasm_magic.compare.failed_text import failed_lines

    conditions = [parse_condition(text) for text in args.fail_on]
    found = _compared(args)
    failed = failures(found, conditions)
    _print(found, failed, args)
    for line in failed_lines(failed):
        print(line, file=sys.stderr)
    return 1 if failed else 0


def _print(found: Diff, failed: tuple[Failure, ...], args: argparse.Namespace) -> None:
    if args.format == "json":
        from xpuasm_magic.compare.record import diff_record

        print(json.dumps(diff_record(found, failed, args.stage), indent=1))
    elif args.format == "markdown":
        from xpuasm_magic.compare.markdown import markdown

        print(_safe(markdown(found, failed, stage=args.stage)), end="")
    else:
        from xpuasm_magic.compare.text import diff_text

        print(diff_text(found, stage=args.stage, color=args.color or sys.stdout.isatty()))


def _compared(args: argparse.Namespace) -> Diff:
    from xpuasm_magic.analysis.verdict import verdict
    from xpuasm_magic.catalog import read_capture
    from xpuasm_magic.compare import diff
    from xpuasm_magic.view.columns import matching

    if (args.a is None) != (args.b is None):
        raise UsageError("--a and --b go together: they name the two kernels to compare")
    if args.second is None and args.a is None:
        raise UsageError("name a second capture, or two kernels of the one with --a and --b")
    first = read_capture(args.first)
    second = first if args.second is None else read_capture(args.second)
    if args.a is not None:
        return diff(_kernel(first, args.a), _kernel(second, args.b))
    for label, capture in (("A", first), ("B", second)):
        if not capture.kernels:
            print(f"xpuasm: {label}, {_safe(str(capture.folder))}: {_safe(verdict(capture))}", file=sys.stderr)
    first, second = (matching(capture, args.kernel) for capture in (first, second))
    if args.kernel and not first.kernels and not second.kernels:
        raise UsageError(f"neither capture has a kernel whose name matches {args.kernel!r}")
    return diff(first, second)


def _kernel(capture: Capture, name: str) -> Kernel:
    try:
        return capture[name]
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error


def _safe(text: str) -> str:
    from xpuasm_magic.view.highlight import visible

    return visible(text)
