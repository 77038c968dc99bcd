"""Which toolchains there are, and the one that is meant."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.toolchain.layout import discover
from xpuasm_magic.toolchain.model import Toolchain

METADATA = "toolchain.json"
SYSTEM = "system"
"""The name of the ocloc that PATH gives."""


def find(name: str | None = None) -> Toolchain:
    """The toolchain that is meant.

    Args:
        name: a path to an ocloc or to a prefix; the name of an installed one (`igc-2.40.14`), a recipe's
            (`igc2`, `igc1`), a version or its beginning (`2.40`), or `system` for the ocloc on PATH.
            None: the newest installed one, else that on PATH.

    Raises:
        SetupError: there is none, or none of that name; says which there are and how to install one.
    """
    if name and (os.sep in name or name.startswith("~")):
        return _at(Path(name).expanduser())
    if name == SYSTEM:
        return _on_path() or _missing("there is no ocloc on PATH")
    present = installed()
    if name is None:
        best = present[0] if present else _on_path()
        return best or _missing("no Intel GPU compiler (ocloc with IGC) is installed")
    answer = answering(present, name)
    if answer:
        return answer
    system = _on_path()
    if system and answering([system], name):
        return system
    have = ", ".join(t.name for t in [*present, *([system] if system else [])]) or "none"
    return _missing(f"no toolchain answers to {name!r} (installed: {have})")


def installed() -> list[Toolchain]:
    """Those in private prefixes, the newest IGC first."""
    folders = sorted(home.toolchains_home().glob(f"[!.]*/{METADATA}"))
    return sorted((prefix_toolchain(path.parent) for path in folders), key=_age, reverse=True)


def available() -> list[Toolchain]:
    """The installed ones, then the one on PATH, if any."""
    system = _on_path()
    return [*installed(), *([system] if system else [])]


def answering(toolchains: Iterable[Toolchain], name: str) -> Toolchain | None:
    """The first that has this name, this version or one that begins so, or this generation (`igc2`)."""
    known = list(toolchains)
    exact = next((t for t in known if t.name == name), None)
    wanted = re.sub(r"^igc-?", "", name)
    return exact or next((t for t in known if wanted and f"{t.igc}.".startswith(f"{wanted}.")), None)


def prefix_toolchain(prefix: Path) -> Toolchain:
    """The toolchain of a prefix that `install` made. Raises SetupError where its description is damaged."""
    try:
        fields = json.loads((prefix / METADATA).read_text(encoding="utf-8"))
        ocloc = prefix / fields["ocloc"]
        loader = str(prefix / fields["loader"]) if fields["loader"] else "/lib64/ld-linux-x86-64.so.2"
        folders = ":".join(str(prefix / folder) for folder in fields["libraries"])
        return Toolchain(
            name=fields["name"],
            ocloc=ocloc,
            command=(loader, "--library-path", folders, str(ocloc)),
            igc=fields["igc"],
            version=fields["version"],
            origin=fields["origin"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(
            f"{prefix / METADATA} is damaged ({error!r}); delete {prefix} and run: xpuasm toolchain install"
        ) from error


def _at(path: Path) -> Toolchain:
    """A toolchain by path: an installed prefix, a folder of unpacked packages, or an ocloc."""
    path = path.absolute()
    if path.is_file():
        for folder in path.parents:
            if (folder / METADATA).is_file():
                return prefix_toolchain(folder)
        return _plain(path, str(path))
    if (path / METADATA).is_file():
        return prefix_toolchain(path)
    for root in (path, path / "root"):
        layout = discover(root) if path.is_dir() else None
        if layout and root != Path("/"):
            return Toolchain(
                name=str(path),
                ocloc=layout.ocloc,
                command=layout.command,
                igc=_igc_version(tuple(layout.libraries)),
                version=_ocloc_version(layout.command, layout.ocloc.stat().st_mtime_ns),
                origin=str(path),
            )
    raise UsageError(f"{path} is neither an ocloc nor a folder with one and IGC (bin/ocloc, lib/libigc.so.*)")


def _on_path() -> Toolchain | None:
    found = shutil.which("ocloc")
    return _plain(Path(found), "PATH") if found else None


def _plain(ocloc: Path, origin: str) -> Toolchain:
    """An ocloc that runs by itself, with the libraries that the system gives it."""
    system = ("/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/usr/lib64")
    libraries = (ocloc.parent.parent / "lib", *map(Path, system))
    return Toolchain(
        name=SYSTEM if origin == "PATH" else origin,
        ocloc=ocloc,
        command=(str(ocloc),),
        igc=_igc_version(libraries),
        version=_ocloc_version((str(ocloc),), ocloc.stat().st_mtime_ns),
        origin=origin,
    )


@lru_cache(maxsize=16)
def _ocloc_version(command: tuple[str, ...], _mtime_ns: int) -> str:
    """Its own word (`26.27.039122`), or `unknown`. Asked once per program and process."""
    with tempfile.TemporaryDirectory(prefix="xpuasm-") as folder:
        try:
            query = [*command, "query", "OCL_DRIVER_VERSION"]
            subprocess.run(query, cwd=folder, capture_output=True, timeout=20, check=False)
            return Path(folder, "OCL_DRIVER_VERSION").read_text(encoding="utf-8").strip() or "unknown"
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"


# libigc.so.2.40.14+0, libigc.so.2.10.8; but libigc.so.1.0.1 is the file of every IGC 1.0
_LIBIGC = re.compile(r"^libigc\.so\.(?P<version>\d+\.\d+\.\d+)")


@lru_cache(maxsize=16)
def _igc_version(libraries: tuple[Path, ...]) -> str:
    """IGC's version: the package manager's word, else the library's file name, else `unknown`."""
    files = [path for folder in libraries for path in sorted(folder.glob("libigc.so.*.*"), reverse=True)]
    if not files:
        return "unknown"
    owner = _dpkg("-S", str(files[0].resolve())).split(":", 1)[0]
    packaged = _dpkg("-W", "--showformat=${Version}", owner) if owner else ""
    if packaged:
        return re.split(r"[-+~]", packaged.split(":", 1)[-1])[0]
    match = _LIBIGC.match(files[0].name)
    version = match["version"] if match else "unknown"
    return "1.0" if version == "1.0.1" else version


def _dpkg(*arguments: str) -> str:
    if not shutil.which("dpkg-query"):
        return ""
    done = subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _age(toolchain: Toolchain) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", toolchain.igc)]


def _missing(what: str) -> Toolchain:
    raise SetupError(f"{what}; run `xpuasm toolchain install` (30 MB, no root needed)")
