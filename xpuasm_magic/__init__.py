"""Jupyter/IPython extension that shows the GPU machine code behind PyTorch and Triton kernels on Intel GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from xpuasm_magic.capture import run
    from xpuasm_magic.catalog import read_capture
    from xpuasm_magic.compare import diff
    from xpuasm_magic.model import Capture, Kernel

__all__ = ["Capture", "Kernel", "diff", "load_ipython_extension", "read_capture", "run"]

_HOMES = {
    "run": "xpuasm_magic.capture",
    "read_capture": "xpuasm_magic.catalog",
    "diff": "xpuasm_magic.compare",
    "Capture": "xpuasm_magic.model",
    "Kernel": "xpuasm_magic.model",
}


def __getattr__(name: str) -> Any:
    """Public names load when first used, so that the import itself is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext xpuasm_magic`: registers `%xpu_asm` and `%%xpu_asm`."""
    from xpuasm_magic.magic import XpuAsmMagics

    shell.register_magics(XpuAsmMagics)
