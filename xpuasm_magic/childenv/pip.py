"""pip, run on the child environment with the user's own settings (index, proxy, certificates)."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain.staging import Progress, full_disk

# Where to install is ours to say; where from is the user's.
_OURS = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_PYTHON", "PYTHONPATH", "PYTHONHOME")


@dataclass(frozen=True)
class Coming:
    """One distribution that an installation would download."""

    name: str
    version: str
    size_bytes: int | None
    """None: the index does not say."""


class Pip:
    """The pip that serves one environment: its own, else the running interpreter's."""

    def __init__(self, python: Path) -> None:
        self._command = [str(python), "-m", "pip"]
        if not _has_pip(python):
            if not _has_pip(Path(sys.executable)):
                raise SetupError(
                    "there is no pip to fill the environment with; install python3-venv or python3-pip and "
                    "run `xpuasm setup` again"
                )
            self._command = [sys.executable, "-m", "pip", "--python", str(python)]

    def plan(self, requirements: Sequence[str], report: Path) -> list[Coming]:
        """What `install` would bring, asked of the index without installing."""
        self._run("install", "--dry-run", "--quiet", "--report", str(report), *_extra(), *requirements)
        entries = json.loads(report.read_text(encoding="utf-8"))["install"]
        with ThreadPoolExecutor(max_workers=8) as pool:
            sizes = list(pool.map(_size, entries))
        return [
            Coming(_normal(entry["metadata"]["name"]), entry["metadata"]["version"], size)
            for entry, size in zip(entries, sizes, strict=True)
        ]

    def install(self, requirements: Sequence[str], progress: Progress, *options: str) -> None:
        """Installs, handing pip's own words on each download to `progress`."""
        self._run("install", "--no-user", *options, *_extra(), *requirements, progress=progress)

    def uninstall(self, *names: str) -> None:
        self._run("uninstall", "-y", *names)

    def _run(self, *arguments: str, progress: Progress | None = None) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off"}
        lines: list[str] = []
        with subprocess.Popen(
            [*self._command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.rstrip())
                if progress and (told := _download(line)):
                    progress(told)
        if process.returncode:
            raise _explained(lines)


def _extra() -> list[str]:
    return shlex.split(os.environ.get("XPUASM_PIP_ARGS", ""))


def _has_pip(python: Path) -> bool:
    try:
        done = subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


# Downloading torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl (188.7 MB)
_DOWNLOAD = re.compile(r"Downloading (?:\S+/)?(?P<file>[^\s/]+\.(?:whl|tar\.gz)) \((?P<size>[^)]+)\)")


def _download(line: str) -> str | None:
    match = _DOWNLOAD.search(line)
    if match:
        file = urllib.parse.unquote(match["file"])
        return f"downloading {'-'.join(file.split('-')[:2])} ({match['size']})"
    return "installing …" if line.startswith("Installing collected") else None


def _normal(name: str) -> str:
    """A distribution's name as indexes compare it: wheels differ in how they write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _size(entry: dict[str, Any]) -> int | None:
    """Bytes of a distribution, from its file or its server's word; None where neither says."""
    url = str(entry["download_info"]["url"])
    try:
        if url.startswith("file:"):
            return Path(urllib.parse.unquote(urllib.parse.urlparse(url).path)).stat().st_size
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=5) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, ValueError, TypeError):
        return None


def _explained(lines: Sequence[str]) -> SetupError:
    text = "\n".join(lines)
    errors = [line for line in lines if line.startswith("ERROR:")] or [line for line in lines if line.strip()]
    words = errors[-1].removeprefix("ERROR: ") if errors else "no message"
    if re.search(r"No space left on device", text):
        return full_disk(home.child_home())
    if re.search(r"NewConnectionError|Max retries|Temporary failure|ConnectionError|timed out|ProxyError", text):
        return SetupError(
            f"pip could not reach its package index ({words}); check the network and pip's proxy settings, "
            "then run `xpuasm setup` again: what was downloaded is kept"
        )
    if re.search(r"No matching distribution|Could not find a version", text):
        return SetupError(
            f"pip's package index does not offer what is needed ({words}); it takes CPython 3.10 to 3.12 on "
            "x86-64 Linux, and an index that has torch and triton-xpu (PIP_EXTRA_INDEX_URL, XPUASM_PIP_ARGS)"
        )
    return SetupError(f"pip failed: {words}; run `xpuasm setup` again, or name a ready Python with --python")
