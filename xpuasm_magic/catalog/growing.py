"""The folder of a run that goes on -> a Capture of what is there by now, each finished kernel read once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.catalog.builds import built_outcome
from xpuasm_magic.catalog.kernels import grouped, variant_kernel
from xpuasm_magic.catalog.outcome import Outcome
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.catalog.run import Run
from xpuasm_magic.catalog.variants import Entry, read_recorded, unique_keys
from xpuasm_magic.model import Capture, Kernel, Note

_COMPILING = Outcome("none", "compiling")


class GrowingCapture:
    """Reads a capture folder of ours again and again while its run writes to it.

    A variant is finished once the builder has written its `loader.json`; before, its row has the status
    `compiling` and Triton's own stages. With a real device all is read each time: its driver dumps into one folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finished: dict[str, tuple[Entry, Outcome, tuple[Note, ...]]] = {}

    def read(self) -> Capture:
        reader = Reader(self._folder)
        run = Run(reader, reader.json(self._folder / "capture.json") or {})
        if run.info.device.get("real"):
            return replace(read_capture(self._folder), notes=())
        entries, kernels = [], []
        for fresh in unique_keys(read_recorded(reader)):
            entry, outcome, notes = self._finished.get(fresh.key) or self._look(reader, fresh)
            kernel = variant_kernel(run, entry, outcome)
            entries.append(entry)
            kernels.append(replace(kernel, notes=(*kernel.notes, *notes)))
        rows: list[Kernel] = grouped(run, entries, kernels)
        return Capture(self._folder, tuple(rows), info=replace(run.info, state="running"))

    def _look(self, reader: Reader, entry: Entry) -> tuple[Entry, Outcome, tuple[Note, ...]]:
        folder = reader.folder / "igc" / entry.key
        if not reader.is_file(folder / "loader.json"):
            return entry, _COMPILING, ()
        before = len(reader.notes)
        outcome = built_outcome(reader, entry, folder) or _COMPILING
        found = entry, outcome, tuple(reader.notes[before:])
        self._finished[entry.key] = found
        return found
