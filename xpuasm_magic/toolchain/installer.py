"""Puts a compiler into a folder of its own, from the machine's archive or from a folder of `.deb` files."""

from __future__ import annotations

import errno
import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.toolchain import apt
from xpuasm_magic.toolchain.layout import discover
from xpuasm_magic.toolchain.model import Toolchain
from xpuasm_magic.toolchain.probe import check_compiles
from xpuasm_magic.toolchain.recipes import COMPONENTS, LEFT_OUT, RECIPES, Recipe
from xpuasm_magic.toolchain.search import METADATA, answering, installed, prefix_toolchain
from xpuasm_magic.toolchain.sources import Source
from xpuasm_magic.toolchain.staging import Progress, check_room, locked, megabytes, silent, staging


def install(
    name: str = "igc2",
    from_folder: str | Path | None = None,
    progress: Progress = silent,
    *,
    upgrade: bool = False,
) -> Toolchain:
    """Puts a toolchain into its own private prefix; needs no root and changes nothing of the system.

    Args:
        name: `igc2`, a current one, or `igc1`, Debian 12's 1.0.12504.
        from_folder: take the `.deb` files of this folder instead (a vendor's release of ocloc and IGC).
        progress: told what is going on, sizes before they are downloaded.
        upgrade: ask the archive for a newer one even where one is installed.

    Raises:
        SetupError: it could not be installed; nothing is left behind.
        UsageError: no such recipe or folder.
    """
    recipe = _recipe(name) if from_folder is None else None
    _check_machine()
    prefixes = home.toolchains_home()
    if ":" in str(prefixes) or ";" in str(prefixes):
        raise SetupError(f"{prefixes}: the loader takes no path with `:` or `;`; set XPUASM_HOME to another folder")
    with locked(prefixes / ".lock", progress):
        if recipe and not upgrade:
            present = answering(installed(), recipe.name)
            if present:
                progress(f"{present.name} is installed already")
                return present
        with staging(prefixes) as scratch:
            if recipe:
                return _install_recipe(recipe, scratch, progress)
            return _install_folder(Path(from_folder or ""), scratch, progress)


def remove(name: str) -> Path:
    """Deletes an installed toolchain and returns where it was. Raises UsageError for an unknown name."""
    prefix = home.toolchains_home() / name
    if not name or prefix.parent != home.toolchains_home() or not (prefix / METADATA).is_file():
        have = ", ".join(t.name for t in installed()) or "none"
        raise UsageError(f"no installed toolchain is named {name!r}; installed: {have}")
    shutil.rmtree(prefix)
    return prefix


def _recipe(name: str) -> Recipe:
    for recipe in RECIPES:
        if recipe.name == name:
            return recipe
    raise UsageError(f"unknown toolchain {name!r}; to install are: {', '.join(r.name for r in RECIPES)}")


def _check_machine() -> None:
    if sys.platform != "linux":
        raise SetupError(f"the compiler runs on Linux only, not on {sys.platform}; captures made on Linux open here")
    if platform.machine() not in {"x86_64", "AMD64"}:
        raise SetupError(
            f"the compiler exists for x86-64 processors only, and this machine is {platform.machine()}; "
            "make the capture on an x86-64 machine and open it here: a capture folder is portable"
        )


def _install_recipe(recipe: Recipe, scratch: Path, progress: Progress) -> Toolchain:
    distro = apt.machine_distribution()
    suites = recipe.suites.get(distro.family)
    if not suites:
        raise SetupError(
            f"{recipe.title} is in Debian's archive only, and this is {distro.title}; install igc2, or take "
            "it from a folder of .deb files: xpuasm toolchain install --from FOLDER"
        )
    source = apt.base_source(distro)
    archive, packages = _first_suite(recipe, suites, distro, source, scratch, progress)
    versions = {package.name: package.version for package in packages}
    target = home.toolchains_home() / f"igc-{upstream(versions[recipe.compiler])}"
    if (target / METADATA).is_file():
        progress(f"{target.name} is installed already, and {archive.title} has nothing newer")
        return prefix_toolchain(target)
    download = sum(package.download_bytes for package in packages)
    unpacked = sum(package.installed_bytes for package in packages)
    progress(
        f"{target.name} with ocloc {upstream(versions[recipe.ocloc])} from {archive.title}: "
        f"{megabytes(download)} to download, {megabytes(unpacked)} on disk in {target}"
    )
    check_room(scratch, download + unpacked)
    debs = archive.download(packages, scratch / "debs")
    progress("unpacking …")
    return _publish(debs, versions, (recipe.compiler, recipe.ocloc), archive.title, scratch)


def _first_suite(
    recipe: Recipe,
    suites: Iterable[str],
    distro: apt.Distribution,
    source: Source,
    scratch: Path,
    progress: Progress,
) -> tuple[apt.Archive, list[apt.Package]]:
    """The first suite that offers the recipe's packages. The last one's refusal is the error."""
    refusal: SetupError = SetupError(f"no suite of {distro.title} is known to have {recipe.title}")
    for suite in suites:
        title = f"{distro.title} {suite or distro.codename}"
        folder = scratch / f"apt-{suite or 'own'}"
        archive = apt.Archive(folder, source, suite or distro.codename, COMPONENTS[distro.family], title)
        progress(f"reading the package index of {title} (10 to 25 MB) …")
        try:
            archive.update()
            return archive, archive.resolve(recipe.packages, LEFT_OUT)
        except apt.AptError as error:
            refusal = error
            if error.kind not in {"missing", "suite"}:
                break
    raise refusal


def _install_folder(folder: Path, scratch: Path, progress: Progress) -> Toolchain:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; give one that holds the .deb files of ocloc and IGC")
    debs = sorted(folder.glob("*.deb"))
    if not debs:
        raise SetupError(f"{folder} holds no .deb file; put those of ocloc, IGC and their libraries there")
    if not shutil.which("dpkg-deb"):
        raise SetupError("unpacking .deb files needs dpkg-deb; install your distribution's package dpkg")
    progress(f"unpacking {len(debs)} packages ({megabytes(sum(deb.stat().st_size for deb in debs))}) …")
    versions: dict[str, str] = {}
    for deb in debs:
        name, version, architecture = _fields(deb)
        if architecture not in {"amd64", "all"}:
            raise SetupError(f"{deb.name} is for {architecture}, not for amd64 (x86-64); take the amd64 one")
        versions[name] = version
    # Vendors' names: intel-igc-core-2, libigc2 | intel-ocloc, intel-ocloc-dev, intel-opencl-icd
    compiler = _first_name(versions, r"intel-igc-core|libigc\d")
    ocloc = _first_name(versions, r"intel-ocloc$|intel-opencl-icd$")
    if not compiler or not ocloc:
        raise SetupError(
            f"{folder} lacks {'IGC (intel-igc-core or libigc)' if not compiler else 'ocloc (intel-ocloc)'}; "
            f"it holds: {', '.join(versions)}"
        )
    return _publish(debs, versions, (compiler, ocloc), str(folder.absolute()), scratch)


def _first_name(versions: Iterable[str], pattern: str) -> str | None:
    return next((name for name in versions if re.match(pattern, name)), None)


def _fields(deb: Path) -> tuple[str, str, str]:
    form = "--showformat=${Package}\t${Version}\t${Architecture}"
    shown = subprocess.run(["dpkg-deb", "-W", form, str(deb)], capture_output=True, text=True, check=False)
    if shown.returncode:
        raise SetupError(f"{deb} is not a readable .deb file ({shown.stderr.strip()}); download it again")
    name, version, architecture = shown.stdout.split("\t")
    return name, version, architecture.strip()


def _publish(
    debs: Iterable[Path], versions: dict[str, str], main: tuple[str, str], origin: str, scratch: Path
) -> Toolchain:
    """Unpacks, tries the compiler, and moves the finished prefix into its place in one step."""
    prefix = scratch / "prefix"
    for deb in debs:
        unpack(deb, prefix / "root")
    compiler, ocloc = main
    igc = upstream(versions[compiler])
    target = home.toolchains_home() / f"igc-{igc}"
    layout = discover(prefix / "root")
    if layout is None:
        raise SetupError(f"the packages of {origin} hold no ocloc with an IGC library; {', '.join(versions)}")
    metadata = {
        "schema": 1,
        "name": target.name,
        "igc": igc,
        "version": upstream(versions[ocloc]),
        "origin": origin,
        "ocloc": str(layout.ocloc.relative_to(prefix)),
        "loader": str(layout.loader.relative_to(prefix)) if layout.loader else None,
        "libraries": [str(folder.relative_to(prefix)) for folder in layout.libraries],
        "packages": versions,
    }
    (prefix / METADATA).write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
    check_compiles(prefix_toolchain(prefix), scratch / "probe")
    if target.exists():  # the same version again (from another origin), or what is no toolchain
        target.rename(scratch / "replaced")
    prefix.rename(target)
    return prefix_toolchain(target)


def unpack(deb: Path, root: Path) -> None:
    """Unpacks the files of a package, running none of its scripts."""
    root.mkdir(parents=True, exist_ok=True)
    command = ["dpkg-deb", "-x", str(deb), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = " ".join(done.stderr.split())
        if "No space left" in words:
            raise OSError(errno.ENOSPC, "No space left on device", str(root))
        raise SetupError(f"{deb.name} could not be unpacked ({words}); download it again")


def upstream(version: str) -> str:
    """A package's version less what the distribution added, e.g. `2.40.14` of `1:2.40.14+ds-1`."""
    return re.split(r"[-+~]", version.split(":", 1)[-1])[0]
