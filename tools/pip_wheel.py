"""Print the path of a pip wheel that runs as it is, unpacked below a folder: Debian's python3 comes without pip."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain import apt
from xpuasm_magic.toolchain.installer import unpack
from xpuasm_magic.toolchain.recipes import COMPONENTS


def main(folder: Path) -> Path:
    distro = apt.machine_distribution()
    title = f"{distro.title} {distro.codename}"
    archive = apt.Archive(folder / "apt", apt.base_source(distro), distro.codename, COMPONENTS[distro.family], title)
    print(f"xpuasm: no pip here; taking its wheel from {title} (index and wheel: 12 MB)", file=sys.stderr)
    archive.update()
    for deb in archive.download(archive.resolve(["python3-pip-whl"]), folder / "debs"):
        unpack(deb, folder / "root")
    return next(folder.glob("root/usr/share/python-wheels/pip-*.whl"))


if __name__ == "__main__":
    try:
        print(main(Path(sys.argv[1])))
    except SetupError as error:
        sys.exit(f"xpuasm: {error}")
