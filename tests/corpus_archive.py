"""The corpus of real IGC dumps, packed in `data/`; tests and benchmarks unpack it here."""

from __future__ import annotations

import tarfile
from pathlib import Path

DATA = Path(__file__).parent / "data"


def unpack_corpus(folder: Path) -> Path:
    """Unpacks into `folder`; returns where `<igc>/<device>/<case>` lies."""
    with tarfile.open(DATA / "igc-corpus.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python 3.11.2 has none
        archive.extractall(folder)
    return next(path.parent for path in sorted(folder.rglob("2.40")))
