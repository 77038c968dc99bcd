"""The environment that captures run in: found, or made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from xpuasm_magic.childenv.search import ChildPython, find_child
from xpuasm_magic.toolchain.staging import Progress, silent

__all__ = ["ChildPython", "find_child", "remove", "setup"]


def setup(
    progress: Progress = silent, python: str | None = None, yes: bool | Callable[[str], bool] = True
) -> ChildPython:
    """Makes the child environment, or completes it, or finds it done; see `maker.make`."""
    from xpuasm_magic.childenv.maker import make  # pip's and apt's side stays unloaded where only `find_child` is used

    return make(progress, python, yes)


def remove() -> Path | None:
    """Deletes the child environment; returns where it was, None where there was none."""
    from xpuasm_magic.childenv.maker import remove as delete

    return delete()
