"""Run a source in a fresh process and keep what its GPU compilers made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xpuasm_magic.errors import SetupError, UsageError

if TYPE_CHECKING:
    from xpuasm_magic.capture.device import Target
    from xpuasm_magic.capture.process import Output
    from xpuasm_magic.capture.runner import Job, Watch
    from xpuasm_magic.capture.source import Source
    from xpuasm_magic.model import Capture
    from xpuasm_magic.options import RunOptions

__all__ = ["capture", "prepare", "run"]


def run(
    path_or_source: str | Path,
    device: str = "auto",
    *,
    args: Sequence[str] = (),
    kernel: str | None = None,
    grf: str | None = None,
    python: str | None = None,
    toolchain: str | None = None,
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
    output: str | Path | None = None,
    quiet: bool = True,
) -> Capture:
    """Run a script, or source text, in a fresh process and read what was compiled.

    Args:
        path_or_source: a path of a Python script, or source text (anything with a line break).
        device: as `--device`: auto, a family (pvc, bmg, …) or a card (max1100, b570, …).
        args: the script's own arguments.
        kernel: build only kernels whose name matches this glob.
        grf: a GRF mode for every kernel (128, 256, 512, auto) instead of its own.
        python: the interpreter that runs the code; it needs torch and triton-xpu.
        toolchain: a name from `xpuasm toolchain list`, or a path.
        timeout: seconds after which the code is ended.
        env: variables to set in the code's environment.
        output: the capture folder; by default a new one under the user's cache.
        quiet: False: pass on what the code prints.

    Returns:
        The capture, whatever became of the code: see `capture.info.state` and `capture.notes`.

    Raises:
        UsageError: an argument that cannot be meant.
        SetupError: no Python with torch and triton-xpu.
    """
    from xpuasm_magic.capture.source import from_cell
    from xpuasm_magic.options import RunOptions
    from xpuasm_magic.relay import Relay

    options = RunOptions(
        device=device,
        kernel=kernel,
        grf=grf,
        python=python,
        toolchain=toolchain,
        timeout=timeout,
        env=env or {},
        output=Path(output) if output else None,
    )
    if isinstance(path_or_source, str) and "\n" in path_or_source:
        job = prepare(options, source=from_cell(path_or_source, "source"), label="source")
    else:
        job = prepare(options, script=Path(path_or_source), args=args)
    return capture(job, output=_discard if quiet else Relay(limit=None))


def prepare(
    options: RunOptions,
    *,
    source: Source | None = None,
    script: Path | None = None,
    args: Sequence[str] = (),
    label: str = "",
) -> Job:
    """Find what a run needs: the interpreter, the device, the compiler.

    Raises:
        UsageError: the script does not exist, or an option's value is not known.
        SetupError: no Python with torch and triton-xpu.
    """
    from xpuasm_magic import toolchain
    from xpuasm_magic.capture.device import choose
    from xpuasm_magic.capture.runner import Job
    from xpuasm_magic.childenv import find_child

    if script is not None:
        script = script.expanduser().absolute()
        if not script.is_file():
            raise UsageError(f"{script}: no such script")
    python = find_child(options.python)
    target = choose(options.device, python)
    if options.grf:
        _check_grf(options.grf, target)
    found, missing = None, None
    if not target.real:
        try:
            found = toolchain.find(options.toolchain)
        except SetupError as error:
            if options.toolchain:
                raise
            missing = str(error)
    return Job(
        source=source,
        script=script,
        args=tuple(args),
        label=label or (script.name if script else ""),
        python=python,
        target=target,
        toolchain=found,
        toolchain_missing=missing,
        kernel=options.kernel,
        grf=options.grf,
        timeout_s=options.timeout,
        env=options.env,
        output=options.output,
    )


def capture(job: Job, *, output: Output | None = None, watch: Watch | None = None) -> Capture:
    """Run a prepared job and read its folder."""
    from xpuasm_magic.capture.runner import run_job
    from xpuasm_magic.catalog import read_capture

    return read_capture(run_job(job, output=output or _discard, watch=watch or (lambda _: None)))


def _check_grf(mode: str, target: Target) -> None:
    if target.real or mode == "auto":
        return
    from xpuasm_magic.offline.devices import find_device

    counts = find_device(target.card).threads_per_eu
    if int(mode) not in counts:
        raise UsageError(f"--grf {mode}: {target.name} has {', '.join(map(str, counts))} registers to choose from")


def _discard(stream: str, text: str) -> None:
    del stream, text
