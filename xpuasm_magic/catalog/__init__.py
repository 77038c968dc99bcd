"""A folder -> a Capture: which file is which, and which listing is whose."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from xpuasm_magic.catalog.archive import unpack
from xpuasm_magic.catalog.builds import built_outcome
from xpuasm_magic.catalog.dump import Module, read_dump
from xpuasm_magic.catalog.flat import FlatDumps, module_keys, own_outcome
from xpuasm_magic.catalog.kernels import grouped, module_kernel, variant_kernel
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.catalog.run import Run
from xpuasm_magic.catalog.variants import Entry, cache_entries, read_recorded, unique_keys
from xpuasm_magic.errors import ParseError, UsageError
from xpuasm_magic.formats.gen_isa import VOID_PROGRAM
from xpuasm_magic.formats.spirv import entry_points
from xpuasm_magic.model import Capture, Kernel, Note

__all__ = ["read_capture"]

_MOSTLY_OTHER = 2
"""A folder with more than this many times the files of its kernels' folders is a folder of other things."""


def read_capture(path: str | Path) -> Capture:
    """Read a capture folder, a bare IGC dump, a Triton cache or dump folder, or a zip of one of them.

    What is damaged or missing is a note of the capture; a folder with nothing readable is an empty capture
    whose notes say why.

    Raises:
        UsageError: the path does not exist, or is neither a folder nor an archive.

    """
    path = Path(path).expanduser().absolute()
    kind = _kind_of(path)
    if kind == "folder":
        return _read_folder(path)
    if kind != "file" or not zipfile.is_zipfile(path):
        raise UsageError(f"{path} is neither a folder nor a zip; name a capture folder, or a zip of one")
    try:
        folder, left_out = unpack(path)
    except ParseError as error:
        return Capture(path, (), (Note("error", f"{path.name} {error}"),))
    capture = _read_folder(folder)
    return replace(capture, notes=(*capture.notes, *(Note("warning", text, path.name) for text in left_out)))


def _kind_of(path: Path) -> Literal["folder", "file", "other"]:
    """Raises UsageError where there is nothing, or nothing that may be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
            return "folder"
        if not stat.S_ISREG(mode):
            return "other"
        path.open("rb").close()
    except FileNotFoundError as error:
        message = f"{path} does not exist; name a capture folder, a zip of one, or a dump folder"
        raise UsageError(message) from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return "file"


def _read_folder(folder: Path) -> Capture:
    reader = Reader(folder)
    record = reader.json(folder / "capture.json")
    if record is not None or reader.is_file(folder / "variants.jsonl"):
        # Inductor's files lie one folder deep: <inductor>/<two letters>/<hash>.best_config
        choices = [path for child in reader.folders(folder / "inductor") for path in _best_configs(reader.files(child))]
        return _read_run(reader, Run(reader, record or {}, choices))
    return _read_foreign(reader)


def _read_run(reader: Reader, run: Run) -> Capture:
    """A capture of ours: each variant has its builds, or (a real device) shares the driver's flat dump."""
    run.take_notes()
    entries = unique_keys(read_recorded(reader))
    live = _live_modules(reader, reader.folder / "igc" / "live")
    flat = FlatDumps(reader, live, entries, run.info.device)
    kernels = []
    for entry in entries:
        before = len(reader.notes)
        outcome = built_outcome(reader, entry, reader.folder / "igc" / entry.key) or flat.outcome(entry)
        kernels.append(_with_notes(variant_kernel(run, entry, outcome), reader, before))
    rows = grouped(run, entries, kernels) + _module_kernels(reader, flat.unclaimed())
    return Capture(reader.folder, tuple(rows), tuple(reader.notes), run.info)


def _read_foreign(reader: Reader) -> Capture:
    """What others made: everything that looks like a dump or like Triton's files, wherever it lies below."""
    choices: list[Path] = []
    entries: list[Entry] = []
    modules: list[Module] = []
    files_seen = files_of_kernels = captures = 0
    for folder, files in reader.walk():
        files_seen += len(files)
        captures += "capture.json" in files
        choices += _best_configs(files)
        found = cache_entries(reader, folder, files), read_dump(reader, folder, files)
        entries += found[0]
        modules += found[1]
        files_of_kernels += len(files) if any(found) else 0
    run = Run(reader, best_configs=choices)
    entries = unique_keys(entries)
    flat = FlatDumps(reader, modules, entries)
    kernels = []
    for entry in entries:
        before = len(reader.notes)
        kernel = _with_notes(variant_kernel(run, entry, flat.outcome(entry)), reader, before)
        kernels.append(_placed(kernel, reader, entry.folder))
    rows = grouped(run, entries, kernels) + _module_kernels(reader, flat.unclaimed())
    if rows and (captures or files_seen > _MOSTLY_OTHER * files_of_kernels):
        count = f"{len(rows):,} kernel{'s were' if len(rows) > 1 else ' was'}"
        inside = f"; {captures} captures lie in it, to be opened one by one" if captures > 1 else ""
        reader.notes.insert(0, Note("info", f"this is no capture: {count} found in loose files below{inside}"))
    if not rows:
        _say_why_empty(reader, files_seen, bool(modules))
    elif not modules and any(kernel.status == "not built" and "spv" in kernel.binaries for kernel in rows):
        message = "this is Triton's cache alone, with no machine code; run the code that made it with `xpuasm run`"
        reader.note("info", message)
    kind = "triton cache" if entries else "igc dump" if modules else "capture"
    return Capture(reader.folder, tuple(rows), tuple(reader.notes), run.info, kind)


def _best_configs(files: Mapping[str, Path]) -> list[Path]:
    return [path for name, path in files.items() if name.endswith(".best_config")]


def _live_modules(reader: Reader, folder: Path) -> list[Module]:
    """Modules dumped into a folder or below it: on Windows each process has a folder of its own."""
    modules = list(read_dump(reader, folder, reader.files(folder)))
    for child in reader.folders(folder):
        modules += read_dump(reader, child, reader.files(child))
    return modules


def _module_kernels(reader: Reader, modules: list[Module]) -> list[Kernel]:
    """Kernels of dumped modules that are no variant's."""
    rows = []
    taken: set[str] = set()
    for module in modules:
        before = len(reader.notes)
        names = module.kernels() or _names_in_spirv(module)
        for name, key in zip(names, module_keys(module, names), strict=True):
            outcome = own_outcome(reader, module, name, "zebin" if module.binary else "name")
            while key in taken:
                key += "+"  # the same program dumped into two folders
            taken.add(key)
            rows.append(_placed(_with_notes(module_kernel(name, key, outcome), reader, before), reader, module.folder))
    return rows


def _names_in_spirv(module: Module) -> tuple[str, ...]:
    try:
        names = entry_points(module.spirv or b"")
    except ParseError as error:
        if module.spirv is not None:
            module.reader.note("warning", str(error), module.files[".spv"])
        return ()
    return tuple(name for name in names if name != VOID_PROGRAM)


def _with_notes(kernel: Kernel, reader: Reader, before: int) -> Kernel:
    """What was found damaged while the kernel was read stands in its own notes too."""
    return replace(kernel, notes=(*kernel.notes, *reader.notes[before:]))


def _placed(kernel: Kernel, reader: Reader, folder: Path | None) -> Kernel:
    """Its notes say in which folder it was found, where that is not the one that was opened."""
    if folder is None or folder == reader.folder:
        return kernel
    where = reader.relative(folder)
    return replace(kernel, notes=tuple(note if note.path else replace(note, path=where) for note in kernel.notes))


def _say_why_empty(reader: Reader, files: int, has_modules: bool) -> None:
    if not files:
        reader.note("error", "the folder is empty")
    elif has_modules:
        reader.note("error", "the dump names no kernel: the compiler ended before it had read its input")
    else:
        reader.note(
            "error",
            f"none of the {files:,} files here is a capture.json, a file of an IGC dump (OCL_asm…), or a stage "
            "file of Triton's (.ttir, .spv)",
        )
