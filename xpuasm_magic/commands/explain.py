"""`xpuasm explain`: what the analyses know of each kernel, in words."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from xpuasm_magic.errors import UsageError

if TYPE_CHECKING:
    from xpuasm_magic.model import Capture, Kernel


def add_explain(commands: Any) -> None:
    """Add the command to the sub-parsers of `xpuasm`."""
    command: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="why is it slow: spills, registers, instructions, messages, waits and occupancy of kernels",
        description="Tell of each kernel what its machine code says: what is spilled and by which source lines, how "
        "full the register file is, what the instructions are and how many are in loops, what messages move, what "
        "waits, how many work-groups fit, and what an expert would note. What is not known says why.",
    )
    add = command.add_argument
    add("capture", metavar="CAPTURE", help="a capture folder or zip, a shader dump, or a Triton cache")
    add("kernels", metavar="KERNEL", nargs="*", help="a name, a pattern of names, or a key or its unique beginning")
    add("--format", choices=("text", "json"), default="text")
    command.set_defaults(do=run_explain)


def run_explain(args: argparse.Namespace) -> int:
    """Print the stories. Raises UsageError."""
    from xpuasm_magic import pager
    from xpuasm_magic.analysis.verdict import verdict
    from xpuasm_magic.catalog import read_capture
    from xpuasm_magic.view.explanation import explain

    capture = read_capture(args.capture)
    if not capture.kernels:
        raise UsageError(f"{args.capture}: {verdict(capture)}")
    stories = (explain(kernel, capture) for kernel in _chosen(capture, args.kernels))
    if args.format == "json":
        print(json.dumps([story.record for story in stories], indent=1))
    else:
        terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if terminal else None
        pager.show("\n".join(story.to_text(color=terminal, width=width) for story in stories))
    return 0


def _chosen(capture: Capture, names: Sequence[str]) -> list[Kernel]:
    """The kernels that any of the names answers to, in the capture's order; all where none is given."""
    chosen: set[str] = set()
    for name in names:
        found = [kernel for kernel in capture if fnmatchcase(kernel.name, name) or kernel.name == name]
        try:
            chosen.update(kernel.key for kernel in found or [capture[name]])
        except KeyError as error:
            raise UsageError(str(error.args[0])) from error
    return [kernel for kernel in capture if not names or kernel.key in chosen]
