"""What the browser tests need and a bare system lacks, beside this Python: `chromium` and `playwright-node`.

From Debian's archive, unpacked into the cache folder: no root. Elsewhere the browser is Playwright's own build.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import playwright
from playwright.sync_api import Error, sync_playwright

from xpuasm_magic import home
from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain import apt
from xpuasm_magic.toolchain.installer import unpack
from xpuasm_magic.toolchain.staging import check_room, locked, megabytes, staging

BESIDE = Path(sys.executable).parent
NODE = Path(playwright.__file__).parent / "driver" / "node"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# The machine's C library serves, and pages are drawn without a GPU's drivers.
LEFT_OUT = ("libc6", "libllvm", "libz3", "libgl1-mesa-dri", "mesa-libgallium", "libicu", "xkb-data")

CHROMIUM = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
lib=$here/root/usr/lib/x86_64-linux-gnu
LD_LIBRARY_PATH="$lib:$here/root/lib/x86_64-linux-gnu:$lib/pulseaudio:$lib/nss"
FONTCONFIG_FILE=$here/fonts.conf
export LD_LIBRARY_PATH FONTCONFIG_FILE
exec "$here/root/usr/lib/chromium/chromium-headless-shell" "$@"
"""

FONTS = """\
<?xml version="1.0"?>
<fontconfig>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""

PLAYWRIGHT_NODE = """\
#!/bin/sh
LD_LIBRARY_PATH='{libraries}' exec '{node}' "$@"
"""


def main() -> None:
    node = BESIDE / "playwright-node"
    if not node.exists():
        bring_node(node)
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(node)
    if not any(map(shutil.which, BROWSERS)) and not (BESIDE / "chromium").exists():
        bring_chromium(BESIDE / "chromium")


def bring_node(link: Path) -> None:
    """The node that drives the browser comes with Playwright; since version 26 it wants a library of GCC's."""
    link.unlink(missing_ok=True)
    if subprocess.run([NODE, "--version"], capture_output=True, check=False).returncode == 0:
        link.symlink_to(NODE)
        return
    root = packages("node-libraries", ["libatomic1"], left_out=("libc6", "libgcc", "gcc-"))
    libraries = root / "usr/lib/x86_64-linux-gnu"
    link.write_text(PLAYWRIGHT_NODE.format(libraries=libraries, node=NODE), encoding="utf-8")
    link.chmod(0o755)


def bring_chromium(link: Path) -> None:
    try:
        browser = debian_chromium()
        check(browser)
    except SetupError as error:
        say(f"{error}; fetching Playwright's own build (about 170 MB) instead")
        browser = playwright_chromium()
    link.unlink(missing_ok=True)
    link.symlink_to(browser)


def debian_chromium() -> Path:
    prefix = packages("chromium", ["chromium-headless-shell"], LEFT_OUT).parent
    (prefix / "fonts.conf").write_text(FONTS, encoding="utf-8")
    browser = prefix / "chromium"
    browser.write_text(CHROMIUM, encoding="utf-8")
    browser.chmod(0o755)
    return browser


def playwright_chromium() -> Path:
    command = [sys.executable, "-m", "playwright"]
    if subprocess.run([*command, "install", "--no-shell", "chromium"], check=False).returncode:
        raise SetupError("the browser tests need a Chromium, and none could be fetched: put a `chromium` on PATH")
    with sync_playwright() as driver:
        browser = Path(driver.chromium.executable_path)
    try:
        check(browser)
    except SetupError as error:
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        say(f"{error}; it may lack libraries, which only root can install: playwright install-deps chromium")
        if subprocess.run([*root, *command, "install-deps", "chromium"], check=False).returncode:
            raise SetupError(f"as root, run: {' '.join(command)} install-deps chromium") from error
        check(browser)
    return browser


def packages(name: str, wanted: Sequence[str], left_out: Sequence[str]) -> Path:
    """Packages of the machine's own suite and what they need, unpacked into a folder of the cache."""
    folder = home.cache_home() / "browser"
    target = folder / name
    with locked(folder / ".lock", say):
        if not target.is_dir():
            with staging(folder) as scratch:
                fetch(scratch, wanted, left_out)
                (scratch / "prefix").rename(target)
    return target / "root"


def fetch(scratch: Path, wanted: Sequence[str], left_out: Sequence[str]) -> None:
    distro = apt.machine_distribution()
    title = f"{distro.title} {distro.codename}"
    archive = apt.Archive(scratch / "apt", apt.base_source(distro), distro.codename, ("main",), title)
    archive.update()
    resolved = archive.resolve(wanted, left_out)
    download = sum(package.download_bytes for package in resolved)
    unpacked = sum(package.installed_bytes for package in resolved)
    say(
        f"the browser tests need {wanted[0]}; from {title}: {megabytes(download)} to download, "
        f"{megabytes(unpacked)} on disk in {scratch.parent}"
    )
    check_room(scratch, download + unpacked)
    for deb in archive.download(resolved, scratch / "debs"):
        unpack(deb, scratch / "prefix" / "root")


def check(browser: Path) -> None:
    """Draws a page."""
    try:
        with sync_playwright() as driver:
            opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = opened.new_page()
            page.set_content("<p>drawn</p>")
            drawn = page.evaluate("document.querySelector('p').getClientRects()[0].height")
            opened.close()
    except Error as error:
        lines = [line for line in str(error).splitlines() if "error" in line.lower()] or [str(error)]
        raise SetupError(f"{browser} does not start ({lines[-1].strip()[:300]})") from error
    if not drawn:
        raise SetupError(f"{browser} draws no text: no fonts")


def say(text: str) -> None:
    print(f"xpuasm: {text}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        sys.exit(f"xpuasm: {error}")
