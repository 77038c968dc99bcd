"""A zip of a capture or dump -> a folder of our own with its files."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from xpuasm_magic import home
from xpuasm_magic.errors import ParseError

MAX_BYTES = 4 << 30
MAX_FILES = 200_000
_CHUNK = 1 << 20
_DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)
_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


_TOO_MUCH = f"it holds more than {MAX_BYTES >> 30} GB"


class _TooMuchError(Exception):
    """More came out of an archive than it says it holds."""


def unpack(archive: Path) -> tuple[Path, tuple[str, ...]]:
    """The unpacked files' folder, and sentences on what was left out.

    An archive that was unpacked before is not unpacked again. Names that lead out of the folder, links, and
    what exceeds the limits are left out.

    Raises:
        ParseError: it cannot be unpacked at all.

    """
    try:
        target = _opened_home() / _identity(archive)
        if target.is_dir():
            return _single_folder(target), ()
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".", dir=target.parent))
    except OSError as error:
        raise ParseError(f"cannot be unpacked: {error.strerror or error}") from error
    try:
        left_out = _extract(archive, draft)
        if left_out:  # keep it apart from the one that a whole archive would be unpacked into
            target = target.with_name(draft.name.lstrip("."))
        draft.rename(target)
    except _ERRORS as error:
        shutil.rmtree(draft, ignore_errors=True)
        if target.is_dir():  # another process was quicker
            return _single_folder(target), ()
        raise ParseError(f"cannot be unpacked: {getattr(error, 'strerror', None) or error}") from error
    return _single_folder(target), left_out


def _extract(archive: Path, folder: Path) -> tuple[str, ...]:
    left_out = []
    size = 0
    with zipfile.ZipFile(archive) as source:
        members = source.infolist()
        if len(members) > MAX_FILES:
            raise ValueError(f"it holds {len(members):,} files, more than {MAX_FILES:,}")
        if sum(member.file_size for member in members) > MAX_BYTES:
            raise ValueError(_TOO_MUCH)
        for member in members:
            if member.is_dir():
                continue
            if not _is_safe(member):
                left_out.append(
                    f"{member.filename[:80]!r} was left out: its name leads out of the folder, or is a link"
                )
                continue
            path = folder / member.filename
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with source.open(member) as packed, path.open("xb") as file:
                    while chunk := packed.read(_CHUNK):
                        size += len(chunk)
                        if size > MAX_BYTES:  # what the archive's own list says of sizes need not be true
                            raise _TooMuchError
                        file.write(chunk)
            except _TooMuchError:
                raise ValueError(_TOO_MUCH) from None
            except OSError as error:
                if error.errno in _DISK_IS_FULL:
                    raise
                left_out.append(f"{member.filename[:80]!r} was left out: {error.strerror or error}")
            except _ERRORS as error:
                left_out.append(f"{member.filename[:80]!r} is damaged: {error}")
    return tuple(left_out[:20]) + ((f"and {len(left_out) - 20} more",) if len(left_out) > 20 else ())


def _is_safe(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    is_link = (member.external_attr >> 16) & 0o170000 == 0o120000
    return not (is_link or path.is_absolute() or ".." in path.parts or ":" in path.parts[0])


def _opened_home() -> Path:
    """The cache, or where that cannot be written a folder of the system's for temporary files."""
    folder = home.cache_home() / "opened"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="xpuasm-opened-"))


def _identity(archive: Path) -> str:
    hasher = hashlib.sha256()
    with archive.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hasher.update(chunk)
    return hasher.hexdigest()[:32]


def _single_folder(folder: Path) -> Path:
    """The folder that an archive has all its files in, if it has."""
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else folder
