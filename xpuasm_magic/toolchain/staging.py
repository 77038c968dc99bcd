"""Folders that appear whole or not at all, one writer at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from xpuasm_magic.errors import SetupError

Progress = Callable[[str], None]

_STAGING = ".installing-"


def silent(_message: str) -> None:
    """A progress callback that says nothing."""


@contextlib.contextmanager
def locked(path: Path, progress: Progress) -> Iterator[None]:
    """Holds a lock file; says so once where another process has it, and waits for that one to end."""
    with explained(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("a")
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another installation to end …")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def staging(home: Path) -> Iterator[Path]:
    """A private folder inside `home`, removed at the end with all that was not moved out of it.

    Held under a lock: what an installation that was killed has left is removed first.
    """
    with explained(home):
        home.mkdir(parents=True, exist_ok=True)
        for leftover in home.glob(f"{_STAGING}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_STAGING, dir=home))
    try:
        with explained(home):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turns what a file system refuses into a sentence on what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise full_disk(folder) from error
        where = error.filename or folder
        raise SetupError(
            f"cannot write {where} ({error.strerror or error}); "
            "set XPUASM_HOME to a folder of yours with room, then run this again"
        ) from error


def full_disk(folder: Path, needed_bytes: int | None = None) -> SetupError:
    need = f" ({megabytes(needed_bytes)} needed)" if needed_bytes else ""
    return SetupError(
        f"the disk of {folder} is full{need}; free some space or set XPUASM_HOME to a folder on another one, "
        "then run this again"
    )


def check_room(folder: Path, needed_bytes: int) -> None:
    """Raises SetupError before anything is fetched where the disk could not hold it."""
    if shutil.disk_usage(folder).free < needed_bytes:
        raise full_disk(folder, needed_bytes)


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
