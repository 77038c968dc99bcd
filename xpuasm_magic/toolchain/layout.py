"""Where ocloc, its loader and its libraries lie in a folder of unpacked packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_OCLOC = ("usr/bin/ocloc*", "usr/local/bin/ocloc*", "opt/*/bin/ocloc*", "bin/ocloc*")
_LIBRARIES = (
    "usr/lib/x86_64-linux-gnu",
    "lib/x86_64-linux-gnu",
    "usr/lib64",
    "usr/local/lib",
    "usr/lib",
    "lib",
)
_LOADER = "ld-linux-x86-64.so.2"


@dataclass(frozen=True)
class Layout:
    """What has to be known to run an unpacked ocloc where it lies."""

    ocloc: Path
    libraries: tuple[Path, ...]
    loader: Path | None
    """The prefix's own dynamic loader; None where no C library was unpacked (vendor packages)."""

    @property
    def command(self) -> tuple[str, ...]:
        """Runs ocloc with the prefix's libraries, whatever the machine's own are."""
        loader = self.loader or Path("/lib64") / _LOADER
        folders = ":".join(map(str, self.libraries))
        return (str(loader), "--library-path", folders, str(self.ocloc))


def discover(root: Path) -> Layout | None:
    """The layout below `root`, or None where there is no ocloc with a compiler library (`libigc.so.*`)."""
    programs = [path for pattern in _OCLOC for path in sorted(root.glob(pattern)) if path.is_file()]
    libraries = tuple(root / name for name in _LIBRARIES if any((root / name).glob("*.so*")))
    if not programs or not any(any(folder.glob("libigc.so.*")) for folder in libraries):
        return None
    loaders = [folder / _LOADER for folder in libraries if (folder / _LOADER).exists()]
    return Layout(
        ocloc=programs[-1],  # names end in the version, e.g. `ocloc-26.27.1`
        libraries=libraries,
        loader=loaders[0] if loaders else None,
    )
