"""What an interpreter has of torch and triton, told without importing either.

Also run as a script by the interpreter in question: standard library only, and nothing that is new since 3.8.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # this file's own folder is not the interpreter's

import importlib.metadata
import importlib.util
import json
import re
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """The running interpreter's versions; absent is None."""
    torch, triton = _package("torch"), _package("triton")
    return {
        "version": ".".join(map(str, sys.version_info[:3])),
        "implementation": sys.implementation.name,
        "torch": _stated(torch, "version.py", "__version__"),
        # a build with XPU support states the version of the SYCL compiler that made it
        "xpu_build": bool(_stated(torch, "version.py", "xpu")),
        "triton": _stated(triton, "__init__.py", "__version__"),
        "triton_xpu": _distribution("triton-xpu") or _distribution("pytorch-triton-xpu"),
        "upstream_triton": _distribution("triton"),
        "intel_backend": bool(triton and (triton / "backends" / "intel" / "compiler.py").is_file()),
        "site_packages": str(triton.parent) if triton else None,
        "path": [entry for entry in sys.path if entry and Path(entry).is_dir()],
    }


def _package(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0]) if folders else None


def _stated(package: Path | None, file: str, name: str) -> str | None:
    """The value of `name: Optional[str] = 'value'` in a package's file."""
    try:
        text = (package / file).read_text(encoding="utf-8") if package else ""
    except OSError:
        return None
    match = re.search(rf"^{name}\s*(?::[^=]*)?=\s*['\"]([^'\"]+)['\"]", text, re.MULTILINE)
    return match.group(1) if match else None


def _distribution(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    print(json.dumps(describe()))
