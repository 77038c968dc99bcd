"""The `xpuasm` command: the same verbs without a notebook."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xpuasm_magic.commands.diff import add_diff
from xpuasm_magic.commands.explain import add_explain
from xpuasm_magic.commands.recompile import add_recompile
from xpuasm_magic.commands.table import add_table
from xpuasm_magic.errors import UsageError, XpuasmError
from xpuasm_magic.options import add_run_options, run_options

if TYPE_CHECKING:
    from xpuasm_magic.model import Capture, Kernel

TIMEOUT_STATUS = 124  # as timeout(1)
INTERRUPT_STATUS = 128 + signal.SIGINT  # as shells say it
USAGE_STATUS = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    _open_streams()
    args = parser().parse_args(argv)
    try:
        status: int = args.do(args)
        sys.stdout.flush()
    except XpuasmError as error:
        print(f"xpuasm: {_safe(str(error))}", file=sys.stderr)
        return USAGE_STATUS
    except KeyboardInterrupt:
        return INTERRUPT_STATUS
    except BrokenPipeError:
        # `xpuasm isa … | head`: the reader has gone; say nothing more, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"xpuasm: cannot write the output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _open_streams() -> None:
    """A closed stream takes nothing; a character that an open one cannot encode is shown by its number."""
    if sys.stdout is None:
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="xpuasm", description="See the GPU machine code behind PyTorch and Triton kernels on Intel GPUs."
    )
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="run a script and show the kernels it compiles; its exit status is ours")
    add_run_options(run)
    run.add_argument("script", metavar="SCRIPT")
    run.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="the script's own arguments")
    run.set_defaults(do=_run)

    add_table(commands)

    isa = commands.add_parser("isa", help="print a kernel's listing")
    _capture_argument(isa)
    isa.add_argument("kernel", metavar="KERNEL", help="a name, or a key or its unique beginning")
    isa.add_argument("--stage", default="isa", help="isa (default), visa, llir, ttgir, ttir, python, …")
    isa.add_argument("--color", action="store_true", help="colour even where the output is no terminal")
    isa.set_defaults(do=_isa)

    report = commands.add_parser("report", help="write one HTML file that works with no server and no network")
    _capture_argument(report)
    report.add_argument("-o", "--output", required=True, metavar="FILE.html")
    report.set_defaults(do=_report)

    add_explain(commands)
    add_recompile(commands)
    add_diff(commands)

    setup = commands.add_parser("setup", help="make the child environment (torch + triton-xpu) and the toolchain")
    setup.add_argument("--remove", action="store_true", help="remove what setup made")
    setup.add_argument("--python", metavar="PATH", help="make the child environment with this Python (3.10-3.12)")
    setup.set_defaults(do=_setup)

    toolchain = commands.add_parser("toolchain", help="Intel's offline compiler: list, install or find it")
    verbs = toolchain.add_subparsers(metavar="VERB", dest="verb")
    verbs.add_parser("list", help="the toolchains that are here")
    install = verbs.add_parser("install", help="put one into a private folder, without root")
    install.add_argument("name", nargs="?", default="igc2", help="igc2 (current, default) or igc1 (Debian 12's)")
    install.add_argument("--from", dest="from_folder", metavar="DIR", help="a folder of vendor .deb files")
    which = verbs.add_parser("which", help="the one that a run would use")
    which.add_argument("name", nargs="?")
    toolchain.set_defaults(do=_toolchain, verb="list")

    doctor = commands.add_parser("doctor", help="what is here, what is missing, what to do")
    doctor.set_defaults(do=_doctor)
    return top


def _run(args: argparse.Namespace) -> int:
    from xpuasm_magic.capture import capture as run_capture
    from xpuasm_magic.capture import prepare
    from xpuasm_magic.progress import StatusLine, progress_line
    from xpuasm_magic.relay import Relay
    from xpuasm_magic.view.columns import matching
    from xpuasm_magic.view.text import summary_text

    options = run_options(args)
    job = prepare(options, script=Path(args.script), args=args.args)
    if options.quiet:
        capture = run_capture(job)
    else:
        progress, relay = StatusLine(progress_line), Relay(limit=None)

        def output(stream: str, text: str) -> None:
            progress.clear()
            relay(stream, text)

        capture = run_capture(job, output=output, watch=progress)
        progress.clear()
    shown = matching(capture, options.kernel)
    print(summary_text(shown, all_configs=options.all_configs, color=sys.stdout.isatty()))
    return _status(capture)


def _status(capture: Capture) -> int:
    if capture.info.state == "timeout":
        return TIMEOUT_STATUS
    if capture.info.state == "interrupted":
        return 128 + int(capture.info.raw.get("ended_by") or signal.SIGINT)
    return capture.info.exit_status or 0


def _isa(args: argparse.Namespace) -> int:
    from xpuasm_magic import pager
    from xpuasm_magic.view.text import isa_text

    capture = _read(args)
    try:
        kernel: Kernel = capture[args.kernel]
        text = isa_text(kernel, args.stage, color=args.color or sys.stdout.isatty())
    except KeyError as error:
        failed = f"; it {kernel.status}: {kernel.error}" if "kernel" in locals() and kernel.error else ""
        raise UsageError(f"{error.args[0]}{failed}") from error
    pager.show(text)
    return 0


def _report(args: argparse.Namespace) -> int:
    from xpuasm_magic.view.html import report_html

    target = Path(args.output)
    text = report_html(_read(args))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise XpuasmError(f"cannot write {target}: {error.strerror or error}; name another file with -o") from error
    print(f"{target} ({len(text.encode()) / 1e6:.1f} MB)")
    return 0


def _setup(args: argparse.Namespace) -> int:
    from xpuasm_magic import setup

    if args.remove:
        setup.remove(progress=_say)
    else:
        setup.run(python=args.python, progress=_say)
    return 0


def _toolchain(args: argparse.Namespace) -> int:
    from xpuasm_magic import toolchain

    if args.verb == "install":
        folder = Path(args.from_folder) if args.from_folder else None
        made = toolchain.install(args.name, from_folder=folder, progress=_say)
        print(f"{made.name}: IGC {made.igc}, ocloc {made.version}")
    elif args.verb == "which":
        found = toolchain.find(args.name)
        print(f"{found.name}: IGC {found.igc}, ocloc {found.version}, {found.ocloc}")
    else:
        here = toolchain.installed()
        for one in here:
            print(f"{one.name:20} IGC {one.igc:14} ocloc {one.version:16} {one.ocloc}")
        if not here:
            print("no toolchain is here; install one with: xpuasm toolchain install")
            return 1
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from xpuasm_magic import doctor

    del args
    checks = doctor.report()
    print(doctor.text(checks))
    return 1 if any(check.ok is False for check in checks) else 0


def _capture_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument("capture", metavar="CAPTURE", help="a capture folder or zip, a shader dump, or a Triton cache")


def _read(args: argparse.Namespace) -> Capture:
    from xpuasm_magic.catalog import read_capture

    return read_capture(args.capture)


def _safe(text: str) -> str:
    """Names come from dumps of anybody: what a terminal would obey is shown instead."""
    from xpuasm_magic.view.highlight import visible

    return visible(text)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _version() -> str:
    from importlib.metadata import version

    return f"xpuasm_magic {version('xpuasm_magic')}"


if __name__ == "__main__":
    raise SystemExit(main())
