"""Where things of ours lie: compilers and the child environment (data), captures and builds (cache)."""

from __future__ import annotations

import os
from pathlib import Path


def _base(variable: str, default: str) -> Path:
    own = os.environ.get("XPUASM_HOME")
    if own:
        return Path(own).expanduser().absolute()
    root = os.environ.get(variable) or str(Path.home() / default)
    return Path(root).absolute() / "xpuasm"


def data_home() -> Path:
    """Compilers and the child environment: `XPUASM_HOME`, else the user's data folder."""
    return _base("XDG_DATA_HOME", ".local/share")


def cache_home() -> Path:
    """Captures and finished builds: `XPUASM_HOME`, else the user's cache folder."""
    return _base("XDG_CACHE_HOME", ".cache")


def child_home() -> Path:
    """The child environment that `xpuasm setup` makes."""
    return data_home() / "child"


def toolchains_home() -> Path:
    """One folder per installed toolchain."""
    return data_home() / "toolchains"


def captures_home() -> Path:
    """One folder per run."""
    return cache_home() / "captures"


def builds_home() -> Path:
    """Finished builds by (SPIR-V, device, flags, compiler), so that a second run builds only what changed."""
    return cache_home() / "builds"
