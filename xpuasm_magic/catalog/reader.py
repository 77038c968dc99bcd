"""Reads the files of a folder; what is damaged becomes a note and costs nothing else."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xpuasm_magic.model import Note, Severity

MAX_DEPTH = 8
MAX_FOLDERS = 100_000


class Reader:
    """A capture folder and the notes taken while it is read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[Note] = []
        self._inside: dict[Path, bool] = {}

    def note(self, severity: Severity, message: str, path: Path | None = None) -> Note:
        """Take a note on the capture."""
        note = Note(severity, message, self.relative(path) if path else None)
        self.notes.append(note)
        return note

    def relative(self, path: Path) -> str:
        try:
            return path.relative_to(self.folder).as_posix()
        except ValueError:
            return path.as_posix()

    def bytes(self, path: Path, limit: int = -1) -> bytes | None:
        """The content; None where there is no such regular file, or (with a note) where it cannot be read."""
        try:
            if not self._is_inside(path.parent) or not stat.S_ISREG(path.lstat().st_mode):
                return None
            with path.open("rb") as file:
                return file.read(limit)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            self.note("warning", f"cannot be read: {getattr(error, 'strerror', None) or error}", path)
            return None

    def is_file(self, path: Path) -> bool:
        """Whether it is a regular file of this folder: no link, pipe or device, and behind no link."""
        try:
            return self._is_inside(path.parent) and stat.S_ISREG(path.lstat().st_mode)
        except (OSError, ValueError):
            return False

    def text(self, path: Path, limit: int = -1) -> str | None:
        data = self.bytes(path, limit)
        return None if data is None else data.decode("utf-8", "replace")

    def json(self, path: Path) -> dict[str, Any] | None:
        """The object in a json file; None where there is none, or (with a note) where it is damaged."""
        text = self.text(path)
        if text is None:
            return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.note("warning", f"damaged json: {error}", path)
            return None
        if not isinstance(value, dict):
            self.note("warning", "damaged json: not an object", path)
            return None
        return value

    def json_lines(self, path: Path) -> list[dict[str, Any]] | None:
        """The objects of a file with one a line; None where there is no file.

        A last line that does not end is still being written, and is left out without a note.
        """
        text = self.text(path)
        if text is None:
            return None
        lines = text.split("\n")
        lines.pop()
        objects = []
        damaged = 0
        for line in lines:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                objects.append(value)
            elif line.strip():
                damaged += 1
        if damaged:
            self.note("warning", f"{damaged} damaged line{'s' if damaged > 1 else ''} left out", path)
        return objects

    def files(self, folder: Path) -> Mapping[str, Path]:
        """Regular files of a folder by name; empty where there is no folder. Links are not followed."""
        return {entry.name: Path(entry.path) for entry in self._scan(folder) if entry.is_file(follow_symlinks=False)}

    def folders(self, folder: Path) -> list[Path]:
        """Folders in a folder by name, without hidden ones (builds under way are such)."""
        return sorted(
            Path(entry.path)
            for entry in self._scan(folder)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )

    def walk(self) -> Iterator[tuple[Path, Mapping[str, Path]]]:
        """Every folder below with its files, in order, to a bounded depth and number."""
        waiting = [(self.folder, 0)]
        seen = 0
        while waiting:
            folder, depth = waiting.pop()
            seen += 1
            if seen > MAX_FOLDERS:
                self.note("warning", f"more than {MAX_FOLDERS:,} folders: the rest is not read")
                return
            yield folder, self.files(folder)
            if depth < MAX_DEPTH:
                waiting.extend((child, depth + 1) for child in reversed(self.folders(folder)))

    def _is_inside(self, folder: Path) -> bool:
        """Whether a folder is this one or below it with no link on the way; a link is noted once."""
        if folder == self.folder:
            return True
        known = self._inside.get(folder)
        if known is None:
            known = self.folder in folder.parents and self._is_inside(folder.parent)
            if known and folder.is_symlink():
                known = False
                self.note("warning", "a link to elsewhere: not followed", folder)
            self._inside[folder] = known
        return known

    def _scan(self, folder: Path) -> list[os.DirEntry[str]]:
        if not self._is_inside(folder):
            return []
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.note("warning", f"cannot be read: {error.strerror or error}", folder)
            return []
