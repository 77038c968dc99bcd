"""The run folder: where one capture is written, and the short stable path under which compilers see it."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xpuasm_magic import home
from xpuasm_magic.errors import UsageError, XpuasmError

SCHEMA = 1
LOCK = ".lock"


def new_run_folder(output: Path | None = None) -> tuple[Path, str | None]:
    """An empty folder for one run, and a sentence on what became of an earlier capture that stood there.

    Args:
        output: where the user wants it; None: a new folder under the user's cache.

    Raises:
        UsageError: `output` exists and holds something that is not a capture of ours.
        XpuasmError: the folder cannot be made (read-only, full).
    """
    moved = None
    stamp = time.strftime("%Y%m%d-%H%M%S") + "-" + secrets.token_hex(2)
    try:
        if output is None:
            run = home.captures_home() / stamp
            run.mkdir(parents=True)
            return run, None
        run = output.expanduser().absolute()
        if run.exists() and not run.is_dir():
            raise UsageError(f"--output {run}: a file of that name exists; name a folder")
        if run.is_dir() and any(run.iterdir()):
            if not (run / "capture.json").is_file():
                raise UsageError(f"--output {run}: the folder exists and is no capture; name a new or empty one")
            with claimed(run):
                pass  # no run is writing to it
            kept = home.captures_home() / f"{stamp}-earlier"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(str(run), str(kept))
            moved = f"the earlier capture in {run} was kept as {kept}"
        run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = output or home.captures_home()
        raise XpuasmError(
            f"cannot write a capture to {where}: {error.strerror or error}; "
            "name another folder with --output, or move everything with XPUASM_HOME"
        ) from error
    return run, moved


@contextmanager
def stable_path(run: Path) -> Iterator[tuple[Path, int]]:
    """A short path that leads to `run` while the compilers work: `<cache>/live/<n>`, and the lock that holds it.

    Compilers write the paths of sources into their debug information, and so into the SPIR-V. With the same
    path in every run an unchanged kernel gives unchanged bytes, and its finished build can be used again.

    The child inherits the lock: as long as it or a process of its making lives, even after we have been killed,
    no other run is given this path, and nothing of theirs can get into that run's folder. The link stays when
    the run ends, so that what such a process still writes goes where it belongs.
    """
    live = home.cache_home() / "live"
    live.mkdir(parents=True, exist_ok=True)
    for slot in range(1000):
        link = live / str(slot)
        lock = _locked(live / f"{slot}.lock")
        if lock is None or (link.exists() and not link.is_symlink()):
            continue  # another run has this one; or a stray process made a folder of it
        try:
            draft = live / f".{slot}.{os.getpid()}"
            draft.unlink(missing_ok=True)
            draft.symlink_to(run, target_is_directory=True)
            draft.replace(link)
            yield link, lock
        finally:
            os.close(lock)
        return
    raise XpuasmError(f"1000 captures seem to run at once; remove the lock files in {live} if they do not")


@contextmanager
def claimed(run: Path) -> Iterator[None]:
    """Keep other runs from writing to the same folder until this one has ended."""
    lock = _locked(run / LOCK)
    if lock is None:
        raise UsageError(f"another run is writing to {run}; name another folder with --output")
    try:
        yield
    finally:
        os.close(lock)


def _locked(path: Path) -> int | None:
    """An open, locked file; None where another process holds it."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write so that a reader sees the old or the new text, never half of one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(value, indent=1, default=str) + "\n", encoding="utf-8")
    draft.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file that another process writes; empty where it is absent or not yet whole."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


class JsonLines:
    """Follows a file to which other processes append JSON objects, one a line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def new(self) -> list[dict[str, Any]]:
        """Objects that have come since the last call; a line still being written waits for its end."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        end = data.rfind(b"\n") + 1
        self._offset += end
        found = []
        for line in data[:end].splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue  # two processes wrote at once: the reader of the capture reports it
            if isinstance(value, dict):
                found.append(value)
        return found
