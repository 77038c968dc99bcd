"""Finished builds kept for later runs: a second capture builds only what changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpuasm_magic import home
from xpuasm_magic.capture.folder import read_json

if TYPE_CHECKING:
    from xpuasm_magic.toolchain import Toolchain

LIMIT_BYTES = 2 << 30


class Stored:
    """Where a finished piece of work is kept: a folder with a `build.json`, found again by what it was made of."""

    def __init__(self, *parts: str) -> None:
        self.folder = home.builds_home() / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]

    def fetch(self, target: Path) -> dict[str, Any] | None:
        """Copy the build to `target` and give its `build.json`; None where there is none."""
        if not (self.folder / "build.json").is_file():
            return None
        draft = target.with_name(f".{target.name}.stored")
        try:
            shutil.copytree(self.folder, draft)
            draft.rename(target)
            self.folder.touch()
        except (OSError, shutil.Error):
            shutil.rmtree(draft, ignore_errors=True)
            return None  # damaged, or another run trimmed it just now: it is built again
        return read_json(target / "build.json")

    def keep(self, build: Path) -> None:
        """Keep a copy; losing the race to another run, or the disk's end, only costs time later."""
        draft = self.folder.with_name(f".{self.folder.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            draft.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(build, draft)
            draft.rename(self.folder)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)


class StoredBuild(Stored):
    """Where the build of one module for one device, with these flags and this compiler, is kept."""

    def __init__(self, spirv: bytes, device: str, flags: str, toolchain: Toolchain) -> None:
        module = hashlib.sha256(spirv).hexdigest()
        super().__init__(module, device, flags, toolchain.name, toolchain.igc, toolchain.version)


def trim(limit_bytes: int = LIMIT_BYTES, root: Path | None = None) -> None:
    """Drop the folders longest unused until all together are under the limit; `root`: of builds by default."""
    root = root or home.builds_home()
    if not root.is_dir():
        return
    entries = []
    for folder in root.iterdir():
        try:
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            entries.append((folder.stat().st_mtime, size, folder))
        except OSError:
            continue  # another run is trimming too
    total = sum(size for _, size, _ in entries)
    for _, size, folder in sorted(entries):
        if total <= limit_bytes:
            break
        shutil.rmtree(folder, ignore_errors=True)
        total -= size
