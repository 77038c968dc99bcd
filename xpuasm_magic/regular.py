"""Reads regular files only: a capture may come from anybody, and a pipe or a device in it never ends."""

from __future__ import annotations

import stat
from pathlib import Path


def read_regular(path: Path) -> bytes:
    """The content of a file that is no link, pipe or device.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be read, or is something else.

    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError("it is no regular file")
    return path.read_bytes()
