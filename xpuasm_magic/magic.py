"""`%%xpu_asm` and `%xpu_asm`: parse the line, run or read, return the browser."""

from __future__ import annotations

import argparse
import shlex
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from IPython.core.error import UsageError as ShellUsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.options import (
    add_cell_options,
    add_notebook_options,
    add_run_options,
    run_options,
    stage_names,
)

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from xpuasm_magic.capture.runner import Job
    from xpuasm_magic.model import Capture
    from xpuasm_magic.options import RunOptions
    from xpuasm_magic.view.widget import Browser


class CodeFailed(Exception):
    """The code in the cell did not end well; its own traceback has been printed above."""

    def _render_traceback_(self) -> list[str]:
        """Shown instead of a traceback of ours."""
        return [str(self)]


class CodeInterrupted(KeyboardInterrupt):
    """The stop button, or Ctrl-C."""

    def _render_traceback_(self) -> list[str]:
        return ["interrupted; what was compiled by then is shown above"]


class _Parser(argparse.ArgumentParser):
    """An argparse that raises in a notebook rather than ending its process."""

    def error(self, message: str) -> NoReturn:
        raise ShellUsageError(f"%xpu_asm: {message} (%xpu_asm? shows the options)")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        del status
        raise _HelpShown(message or "")


class _HelpShown(Exception):
    """`-h` was given and answered."""


def cell_parser() -> argparse.ArgumentParser:
    """Options of `%%xpu_asm`."""
    parser = _Parser(
        prog="%%xpu_asm",
        description="Run the cell in a fresh process and show the GPU machine code of every kernel it compiles.",
        formatter_class=_formatter,
    )
    add_run_options(parser)
    add_notebook_options(parser)
    add_cell_options(parser)
    return parser


def line_parser() -> argparse.ArgumentParser:
    """Options of `%xpu_asm`."""
    parser = _Parser(
        prog="%xpu_asm",
        description="Run a script, or open a capture, a zip of one, a shader dump or a Triton cache.",
        formatter_class=_formatter,
    )
    add_run_options(parser)
    add_notebook_options(parser)
    parser.add_argument("target", metavar="TARGET", help="a Python script, or a folder or zip to open")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="the script's own arguments")
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, max_help_position=28, width=100)


@magics_class
class XpuAsmMagics(Magics):
    """Registered by `%load_ext xpuasm_magic`."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        for word in ("%xpu_asm", "%%xpu_asm"):
            shell.set_hook("complete_command", complete, str_key=word)

    @line_cell_magic
    def xpu_asm(self, line: str, cell: str | None = None) -> Browser | None:
        """Show the GPU machine code behind PyTorch and Triton code."""
        try:
            return self._line(line) if cell is None else self._cell(line, cell)
        except _HelpShown:
            return None
        except XpuasmError as error:
            raise ShellUsageError(str(error)) from error

    def _cell(self, line: str, cell: str) -> Browser:
        from xpuasm_magic.capture import prepare, source

        args = cell_parser().parse_args(_split(line))
        options = run_options(args)
        label = f"In[{self._number(cell)}]"
        if args.cells:
            earlier = [(n, self._input(n)) for n in source.parse_cell_numbers(args.cells)]
            made = source.from_cells(earlier, cell, label, first_line=2)
        else:
            made = source.from_cell(cell, label, first_line=2)
        job = prepare(options, source=made, label=label)
        return self._ran(job, args, options)

    def _line(self, line: str) -> Browser:
        from xpuasm_magic.capture import prepare
        from xpuasm_magic.catalog import read_capture

        args = line_parser().parse_args(_split(line))
        options = run_options(args)
        target = Path(args.target).expanduser()
        if target.is_dir() or target.suffix == ".zip":
            if args.args:
                raise ShellUsageError(f"%xpu_asm {target}: a capture takes no arguments: {' '.join(args.args)}")
            found = read_capture(target)
            self._bind(args.name, found)
            return self._browser(found, args, options)
        job = prepare(options, script=target, args=args.args)
        return self._ran(job, args, options)

    def _ran(self, job: Job, args: argparse.Namespace, options: RunOptions) -> Browser:
        from xpuasm_magic.capture import capture
        from xpuasm_magic.progress import StatusLine, progress_line
        from xpuasm_magic.relay import Relay
        from xpuasm_magic.view.live import LiveView

        made = partial(self._browser, args=args, options=options)
        if options.quiet:
            return self._ended(made(capture(job)), args)
        relay = Relay()
        if _has_front_end(self.shell):
            with LiveView(made) as live:
                found = capture(job, output=relay, watch=live)
                relay.end()
                return self._ended(live.ended(found), args)
        progress = StatusLine(progress_line)

        def output(stream: str, text: str) -> None:
            progress.clear()
            relay(stream, text)

        found = capture(job, output=output, watch=progress)
        progress.clear()
        relay.end()
        return self._ended(made(found), args)

    def _browser(self, capture: Capture, args: argparse.Namespace, options: RunOptions) -> Browser:
        from xpuasm_magic.view.widget import Browser

        return Browser(capture, kernel_glob=options.kernel, stages=stage_names(args), all_configs=options.all_configs)

    def _ended(self, browser: Browser, args: argparse.Namespace) -> Browser:
        """The browser as the cell's value; where the code did not end well, displayed, and then the error."""
        capture = browser.capture
        self._bind(args.name, capture)
        if capture.info.state == "finished":
            return browser
        display(browser)
        ended_by = capture.info.raw.get("ended_by")
        if ended_by in (signal.SIGTERM, signal.SIGHUP):
            signal.raise_signal(ended_by)  # it was meant for this process, and has only been put off
        raise self._ending(capture)

    def _ending(self, capture: Capture) -> BaseException:
        """What the cell ends with, so that "run all" stops here: how the code itself ended."""
        if capture.info.state == "interrupted":
            return CodeInterrupted()
        words = [note.message for note in capture.notes if note.severity == "error"]
        told = capture.info.raw.get("child", {}).get("exception") or {}
        if told.get("type"):
            words.insert(0, f"{told['type']}: {told.get('message', '')}".rstrip(": "))
        advice = self._advice(told)
        if advice:
            words.append(advice)
        if not words:
            words = [f"the code ended with exit status {capture.info.exit_status}"]
        return CodeFailed("xpu_asm: " + "; ".join(words))

    def _advice(self, told: dict[str, Any]) -> str | None:
        """The earlier cell that would cure a NameError."""
        from xpuasm_magic.capture.source import cells_defining

        name = told.get("name")
        if told.get("type") != "NameError" or not name:
            return None
        cells = {n: text for n, text in enumerate(self._inputs()) if n and text}
        cells.pop(len(self._inputs()) - 1, None)  # this cell
        found = cells_defining(str(name), cells)
        if not found:
            return None
        return f"`{name}` is defined in In[{found[0]}]; run with `--cells {found[0]}`"

    def _input(self, number: int) -> str:
        cells = self._inputs()
        if not 0 < number < len(cells):
            last = len(cells) - 1
            raise ShellUsageError(f"--cells {number}: there is no In[{number}] in this session (the last is {last})")
        return cells[number]

    def _number(self, cell: str) -> int:
        """This cell's own number: its input is stored before it runs, unless it runs unstored."""
        inputs = self._inputs()
        stored = bool(inputs) and inputs[-1].rstrip().endswith(cell.rstrip())
        return len(inputs) - 1 if stored else self.shell.execution_count

    def _inputs(self) -> Sequence[str]:
        """Input cells by number, as they were typed (`In` has them with magics turned into calls)."""
        history = self.shell.history_manager
        return history.input_hist_raw if history else []

    def _bind(self, name: str | None, capture: Capture) -> None:
        if name:
            if not name.isidentifier():
                raise ShellUsageError(f"--name {name}: not a name that Python allows")
            self.shell.user_ns[name] = capture


XpuAsmMagics.xpu_asm.__doc__ = f"""{XpuAsmMagics.xpu_asm.__doc__}

{cell_parser().format_help()}
As a line magic it runs a script or opens a capture:

{line_parser().format_usage()}"""


def complete(shell: Any, event: Any) -> list[str]:
    """Completions for an option, its value, or a path."""
    del shell
    words = event.line.split()
    previous = words[-2] if len(words) > 1 and not event.line.endswith(" ") else words[-1]
    if previous == "--device":
        from xpuasm_magic.offline.devices import device_names

        return ["auto", *device_names()]
    if previous == "--grf":
        from xpuasm_magic.loader import GRF_FLAGS

        return sorted(GRF_FLAGS)
    if previous == "--toolchain":
        from xpuasm_magic.toolchain import installed

        return [toolchain.name for toolchain in installed()]
    parser = cell_parser() if event.line.lstrip().startswith("%%") else line_parser()
    return [option for action in parser._actions for option in action.option_strings]


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise ShellUsageError(f"%xpu_asm: {error} in: {line}") from error


def _has_front_end(shell: Any) -> bool:
    """A notebook or console with rich display, rather than IPython in a terminal."""
    return getattr(shell, "kernel", None) is not None
