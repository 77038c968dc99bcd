"""The environment that captures run in: found, or made."""

from __future__ import annotations

from xpuasm_magic.childenv.find import ChildPython, find_child
from xpuasm_magic.childenv.setup import remove, setup

__all__ = ["ChildPython", "find_child", "remove", "setup"]
