"""The options of a run, declared once for the magic and the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xpuasm_magic.errors import UsageError
from xpuasm_magic.loader import GRF_FLAGS


@dataclass(frozen=True)
class RunOptions:
    """How to run; the defaults are those of the options."""

    device: str = "auto"
    kernel: str | None = None
    grf: str | None = None
    python: str | None = None
    toolchain: str | None = None
    timeout: float | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    output: Path | None = None
    all_configs: bool = False
    quiet: bool = False


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Options of `%%xpu_asm`, `%xpu_asm` and `xpuasm run`."""
    add = parser.add_argument
    add(
        "--device",
        default="auto",
        metavar="NAME",
        help="device to compile for: auto (a real XPU when there is one, else pvc), a family or a card such as "
        "pvc, max1100, bmg, b570, lnl, ptl, arl-h, a770; on a machine with Intel GPUs also xpu:1",
    )
    add("--kernel", metavar="GLOB", help="build and show only kernels whose name matches, such as 'triton_red_*'")
    add(
        "--grf",
        choices=sorted(GRF_FLAGS),
        metavar="MODE",
        help=f"build every kernel with this GRF mode instead of its own: {', '.join(sorted(GRF_FLAGS))}",
    )
    add("--python", metavar="PATH", help="the Python that runs the code; it needs torch and triton-xpu")
    add("--toolchain", metavar="NAME", help="the ocloc and IGC to use: a name from `xpuasm toolchain list`, or a path")
    add("--timeout", type=float, metavar="S", help="end the code after this many seconds and show what there is")
    add(
        "--env",
        action="append",
        default=[],
        metavar="K=V",
        help="set a variable in the code's environment (may be given several times)",
    )
    add("-o", "--output", metavar="DIR", help="write the capture to this folder (default: under the user's cache)")
    add("--all-configs", action="store_true", help="list every autotuning config, not folded under its kernel")
    add("--quiet", action="store_true", help="show neither progress nor the code's own output (run.log keeps it)")


def add_notebook_options(parser: argparse.ArgumentParser) -> None:
    """Options of both magics, for what a notebook has beyond a terminal."""
    parser.add_argument("--stages", metavar="S,…", help="only these stages in the browser, such as isa,visa,ttgir")
    parser.add_argument("--name", metavar="VAR", help="bind the Capture to this variable of the notebook")


def add_cell_options(parser: argparse.ArgumentParser) -> None:
    """Options of `%%xpu_asm` alone."""
    parser.add_argument(
        "--cells", metavar="N,…", help="run these earlier input cells first, in the same process, such as 3-5,7"
    )


def stage_names(args: argparse.Namespace) -> tuple[str, ...]:
    """What `--stages` came to; empty: all."""
    return tuple(name.strip() for name in (args.stages or "").split(",") if name.strip())


def run_options(args: argparse.Namespace) -> RunOptions:
    """The parsed options as a value. Raises UsageError on one that cannot be meant."""
    env = {}
    for item in args.env:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise UsageError(f"--env {item}: write NAME=VALUE")
        env[name] = value
    if args.timeout is not None and not args.timeout > 0:
        raise UsageError(f"--timeout {args.timeout:g}: give a number of seconds above 0")
    return RunOptions(
        device=args.device,
        kernel=args.kernel,
        grf=args.grf,
        python=args.python,
        toolchain=args.toolchain,
        timeout=args.timeout,
        env=env,
        output=Path(args.output) if args.output else None,
        all_configs=args.all_configs,
        quiet=args.quiet,
    )
