"""The environment that captures run in: found, or made."""

from __future__ import annotations

from xpuasm_magic.childenv.maker import remove, setup
from xpuasm_magic.childenv.search import ChildPython, find_child

__all__ = ["ChildPython", "find_child", "remove", "setup"]
