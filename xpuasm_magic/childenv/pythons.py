"""A CPython that triton-xpu has wheels for: one that is here, or one brought without root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.toolchain import apt
from xpuasm_magic.toolchain.installer import unpack
from xpuasm_magic.toolchain.recipes import COMPONENTS
from xpuasm_magic.toolchain.staging import Progress, check_room, megabytes, staging

VERSIONS = ("3.11", "3.12", "3.10")
"""Best first: triton-xpu 3.3.0b1 has wheels for 3.9 to 3.12, the stand-in needs 3.10."""

# The newest release of each distribution whose own Python is one of VERSIONS.
_RELEASES = {"debian": ("bookworm", "3.11"), "ubuntu": ("noble", "3.12")}

# Modules that packages and pip need, and that a broken or half-built interpreter lacks.
_TRY = "import sys, ssl, ctypes, zlib, bz2, lzma; print('%d.%d' % sys.version_info[:2], sys.implementation.name)"


def base_python(python: str | None, progress: Progress) -> Path:
    """The interpreter to make the child environment from.

    Args:
        python: the user's choice; None takes the best that is here, and brings one where there is none.
        progress: told where one is brought from.

    Raises:
        UsageError: the user's choice does not run, or is of a version without wheels.
        SetupError: there is none, and none could be brought.
    """
    if python:
        path = Path(shutil.which(python) or python).expanduser().absolute()
        version = runs_as(path)
        if version not in VERSIONS:
            raise UsageError(f"{python} is {_what(version)}; triton-xpu needs CPython {', '.join(sorted(VERSIONS))}")
        return path
    for version in VERSIONS:
        for candidate in _candidates(version):
            if candidate.is_file() and runs_as(candidate) == version:
                return candidate
    return _bring(progress)


def runs_as(python: Path) -> str | None:
    """The version of a working CPython, e.g. `3.11`; None for anything else."""
    try:
        done = subprocess.run([str(python), "-c", _TRY], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version, _, implementation = done.stdout.strip().partition(" ")
    return version if implementation == "cpython" else None


def _what(version: str | None) -> str:
    return f"CPython {version}" if version else "no working CPython"


def _candidates(version: str) -> Iterator[Path]:
    if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
        yield Path(sys.executable)
    name = f"python{version}"
    found = shutil.which(name)
    if found:
        yield Path(found)
    yield from (Path("/usr/bin", name), Path("/usr/local/bin", name))
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local/share/uv/python")
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/{name}"), reverse=True)
    yield from sorted(uv.glob(f"cpython-{version}*/bin/{name}"), reverse=True)
    yield from sorted(_brought_home().glob(f"*/usr/bin/{name}"))
    yield from sorted(_brought_home().glob(f"cpython-{version}*/bin/{name}"))


def _brought_home() -> Path:
    return home.data_home() / "pythons"


def _bring(progress: Progress) -> Path:
    refusals = []
    for bring in (_from_archive, _from_uv):
        try:
            return bring(progress)
        except SetupError as error:
            refusals.append(str(error))
    have = f"{sys.version_info.major}.{sys.version_info.minor}"
    raise SetupError(
        f"triton-xpu needs CPython 3.10, 3.11 or 3.12, this machine has {have} only, and none could be "
        f"brought ({'; '.join(refusals)}); install python3.11 or python3.12 and run `xpuasm setup` again"
    )


def _from_archive(progress: Progress) -> Path:
    """An earlier release's interpreter, unpacked: it runs with this release's newer libraries."""
    distro = apt.machine_distribution()
    suite, version = _RELEASES[distro.family]
    source = apt.base_source(distro)
    title = f"{distro.title} {suite}"
    target = _brought_home() / f"{suite}-{version}"
    with staging(_brought_home()) as scratch:
        archive = apt.Archive(scratch / "apt", source, suite, COMPONENTS[distro.family], title)
        progress(f"no Python {', '.join(sorted(VERSIONS))} here; reading the package index of {title} (10 MB) …")
        archive.update()
        packages = [p for p in archive.resolve([f"python{version}"]) if f"python{version}" in p.name]
        size = sum(package.download_bytes for package in packages)
        progress(f"Python {version} from {title}: {megabytes(size)} to download, into {target}")
        check_room(scratch, size + sum(package.installed_bytes for package in packages))
        for deb in archive.download(packages, scratch / "debs"):
            unpack(deb, scratch / "root")
        if runs_as(scratch / f"root/usr/bin/python{version}") != version:
            raise SetupError(f"Python {version} of {title} does not run with this system's libraries")
        shutil.rmtree(target, ignore_errors=True)
        (scratch / "root").rename(target)
    return target / f"usr/bin/python{version}"


def _from_uv(progress: Progress) -> Path:
    """By uv, which downloads a portable build; uv itself comes by pip where it is not installed."""
    with staging(_brought_home()) as scratch:
        uv = shutil.which("uv") or _uv_by_pip(scratch / "uv")
        progress(f"bringing Python {VERSIONS[0]} with uv (30 MB) …")
        command = [uv, "python", "install", VERSIONS[0], "--install-dir", str(_brought_home()), "--no-bin"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(_brought_home().glob(f"cpython-{VERSIONS[0]}*/bin/python{VERSIONS[0]}"))
    if done.returncode or not found:
        words = (done.stderr.strip().splitlines() or ["no message"])[-1].strip()
        raise SetupError(f"uv could not bring one: {words}")
    return found[-1]


def _uv_by_pip(folder: Path) -> str:
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), "uv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SetupError("uv is not installed and pip could not bring it")
    return str(folder / "bin" / "uv")
