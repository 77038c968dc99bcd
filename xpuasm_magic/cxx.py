"""A C++ compiler for the stand-in's native part: the machine's, else its archive's g++ in a private folder."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain import apt
from xpuasm_magic.toolchain.installer import unpack
from xpuasm_magic.toolchain.staging import Progress, check_room, locked, megabytes, staging

_NAMES = ("g++", "c++", "clang++")

# What g++'s packages ask for and building a shared library never uses: the C compiler proper, sanitizers,
# profilers, the C library's programs, Sun RPC with its cryptography, translations.
_LEFT_OUT = (
    "cpp", "libasan", "libhwasan", "liblsan", "libtsan", "libubsan", "libgprofng", "libc-dev-bin", "libcrypt",
    "libnsl", "libtirpc", "rpcsvc-proto", "libssl", "libgssapi", "libkrb5", "libk5crypto", "libkeyutils",
    "libcom-err", "binutils-common",
)  # fmt: skip

# The compiler's own libraries are found by LD_LIBRARY_PATH, and the C library stays the machine's: programs of
# another C library than their loader's crash. What is compiled sees this folder's headers and libraries only.
_WRAPPER = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
exec "$here/root/usr/bin/g++" --sysroot="$here/root" -B"$here/root/usr/bin/" "$@"
"""

_PROBE = """\
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
extern "C" int xpuasm_probe(int n) {
  static std::atomic<int> calls{0};
  std::string text(std::filesystem::path("a").string() + std::to_string(n));
  if (std::span(text).empty()) throw std::runtime_error(text);
  return ++calls + static_cast<int>(std::lround(std::sqrt(n)));
}
"""

_LOAD = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).xpuasm_probe(4) != 3)"


def home_folder() -> Path:
    """Where the private compiler lies, whole or not at all."""
    return home.data_home() / "cxx"


def find() -> Path | None:
    """The C++ compiler to use: `$CXX`, else g++, c++ or clang++ of PATH, else the private one; None without any."""
    for name in (_from_environment(), *_NAMES, str(_private())):
        found = shutil.which(name) if name else None
        if found:
            return Path(found)
    return None


def environment() -> dict[str, str]:
    """What a process that compiles must have set to use the compiler that `find` names; empty without one."""
    found = find()
    if not found:
        return {}
    own = _from_environment()
    if own and shutil.which(own):
        return {"CXX": os.environ["CXX"]}  # with its arguments, e.g. `ccache g++`
    return {"CXX": shlex.quote(str(found))}


def install(progress: Progress) -> Path:
    """Puts g++ of the machine's own suite into the private folder and returns it; needs no root.

    Raises:
        SetupError: it could not be installed; nothing is left behind.
    """
    target = _private()
    if ":" in str(target) or ";" in str(target):
        raise SetupError(f"{target}: the loader takes no path with `:` or `;`; set XPUASM_HOME to another folder")
    with locked(home_folder() / ".lock", progress):
        if not target.is_file():
            with staging(home_folder()) as scratch:
                prefix = _prefix(scratch, progress)
                _check_compiles(prefix / target.name, scratch)
                prefix.rename(target.parent)
    return target


def _private() -> Path:
    return home_folder() / "prefix" / "g++"


def _from_environment() -> str | None:
    words = shlex.split(os.environ.get("CXX", ""))
    return words[0] if words else None


def _prefix(scratch: Path, progress: Progress) -> Path:
    try:
        debs = _download(scratch, progress)
    except SetupError as error:
        raise SetupError(
            "the stand-in device needs a C++ compiler once, there is none, and g++ could not be fetched: "
            f"{apt.reason(error)}; where you are root, apt install g++ does as well"
        ) from error
    progress("unpacking …")
    prefix = scratch / "prefix"
    root = prefix / "root"
    sdk = [deb for deb in debs if deb.name.startswith("libc6_") or "-dev_" in deb.name]
    for deb in debs:
        if deb not in sdk:
            unpack(deb, root)
    _link_libraries(root, prefix / "lib")
    for deb in sdk:
        unpack(deb, root)
    for name in ("lib", "lib64"):  # where /usr is merged no package brings these, and linker scripts name them
        if not (root / name).exists():
            (root / name).symlink_to(f"usr/{name}")
    wrapper = prefix / _private().name
    wrapper.write_text(_WRAPPER, encoding="utf-8")
    wrapper.chmod(0o755)
    return prefix


def _download(scratch: Path, progress: Progress) -> list[Path]:
    distro = apt.machine_distribution()
    title = f"{distro.title} {distro.codename}"
    archive = apt.Archive(scratch / "apt", apt.base_source(distro), distro.codename, ("main",), title)
    progress(f"no C++ compiler here: reading the package index of {title} (10 to 25 MB) …")
    archive.update()
    packages = archive.resolve(["g++"], _LEFT_OUT)
    download = sum(package.download_bytes for package in packages)
    unpacked = sum(package.installed_bytes for package in packages)
    progress(f"g++ from {title}: {megabytes(download)} to download, {megabytes(unpacked)} on disk in {home_folder()}")
    check_room(scratch, download + unpacked)
    return archive.download(packages, scratch / "debs")


def _link_libraries(root: Path, folder: Path) -> None:
    """Collects what the compiler's programs load, wherever the packages have it."""
    folder.mkdir()
    for place in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"):
        for library in (root / place).glob("*.so*"):
            (folder / library.name).symlink_to(Path("..", "root", place, library.name))


def _check_compiles(compiler: Path, scratch: Path) -> None:
    """Builds a library and loads it, with this machine's libstdc++."""
    source, library = scratch / "probe.cpp", scratch / "probe.so"
    source.write_text(_PROBE, encoding="utf-8")
    build = [str(compiler), "-std=c++20", "-O1", "-fPIC", "-shared", str(source), "-o", str(library)]
    for command in (build, [sys.executable, "-c", _LOAD, str(library)]):
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            words = " ".join(done.stderr.split())[-300:] or f"exit status {done.returncode}"
            raise SetupError(
                f"the g++ of this system's archive does not work here ({words}); "
                "install your distribution's package g++, or set CXX to a C++20 compiler"
            )
