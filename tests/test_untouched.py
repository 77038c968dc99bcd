"""The user's own caches are neither read, nor written, nor deleted: watched by the kernel while a capture runs."""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

import pytest
from conftest import SCRIPTS

import xpuasm_magic

IN_ALL_EVENTS = 0x00000FFF
IN_NONBLOCK = 0o4000
EVENT = struct.Struct("iIII")


class Watch:
    """inotify(7) on folders and all below them: every access is an event."""

    def __init__(self, *roots: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(IN_NONBLOCK)
        assert self._fd >= 0, os.strerror(ctypes.get_errno())
        self._folders: dict[int, Path] = {}
        for root in roots:
            for folder in [root, *(p for p in root.rglob("*") if p.is_dir())]:
                number = self._libc.inotify_add_watch(self._fd, os.fsencode(folder), IN_ALL_EVENTS)
                assert number >= 0, os.strerror(ctypes.get_errno())
                self._folders[number] = folder

    def seen(self) -> list[str]:
        try:
            data = os.read(self._fd, 1 << 20)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at < len(data):
            number, mask, _, size = EVENT.unpack_from(data, at)
            name = data[at + EVENT.size : at + EVENT.size + size].rstrip(b"\0").decode()
            found.append(f"{mask:#x} {self._folders.get(number)}/{name}")
            at += EVENT.size + size
        return found


@pytest.fixture
def lived_in_home(tmp_path, monkeypatch):
    """A home with caches of the user's in it."""
    user = tmp_path / "user"
    temp = tmp_path / "tmp"
    caches = [
        user / ".triton" / "cache" / "ABC",
        user / ".cache" / "neo_compiler_cache" / "1",
        user / ".cache" / "torch" / "kernels",
        temp / "torchinductor_root" / "aa",
        temp / "torchinductor_user" / "aa",
    ]
    for folder in caches:
        folder.mkdir(parents=True)
        (folder / "precious.bin").write_bytes(b"\0" * 100)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return [user / ".triton", user / ".cache", *(temp / n for n in ("torchinductor_root", "torchinductor_user"))]


def test_the_users_caches_are_not_touched(lived_in_home):
    watch = Watch(*lived_in_home)
    (lived_in_home[0] / "probe").touch()
    assert watch.seen(), "the watch sees nothing: this test would prove nothing"
    for script in ("gelu", "jit_add"):
        capture = xpuasm_magic.run(SCRIPTS / f"{script}.py", device="pvc")
        assert len(capture) > 0
    assert watch.seen() == []
