"""From a kernel alone back to the capture that it is of."""

from __future__ import annotations

from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.catalog.run import Run
from xpuasm_magic.model import Capture, Kernel


def capture_around(kernel: Kernel) -> Capture | None:
    """The capture that a kernel's files lie in: what it says of its versions and its source."""
    folders = dict.fromkeys(folder for file in kernel.stages.values() for folder in file.path.parents)
    for folder in folders:
        reader = Reader(folder)
        if reader.is_file(folder / "capture.json") and (record := reader.json(folder / "capture.json")):
            return Capture(folder, (kernel,), info=Run(reader, record).info)
    return None
