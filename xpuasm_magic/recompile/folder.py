"""The folder of a matrix: a capture like any other, each cell a variant of it, so that every reader opens it."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from xpuasm_magic import home
from xpuasm_magic.capture.folder import LOCK, SCHEMA, claimed, read_json, write_json
from xpuasm_magic.childenv import find_child
from xpuasm_magic.errors import ParseError, UsageError
from xpuasm_magic.model import Kernel
from xpuasm_magic.recompile.cells import Cell
from xpuasm_magic.recompile.source import Module, Origin, captured_module, place

FINAL = frozenset(("ok", "incomplete", "failed", "crashed", "refused"))
"""What a second try would not change."""


def results_home() -> Path:
    """One folder per matrix that was asked for."""
    return home.cache_home() / "recompiled"


def matrix_folder(origin: Origin, cells: Sequence[Cell]) -> Path:
    """The place of the matrix with these cells of this capture: asked again, it is found again.

    Raises:
        SetupError: Triton is to be asked, and there is no Python that has it.
    """
    made_of = json.dumps([str(origin.folder), origin.record.get("created"), *_parts(cells)])
    return results_home() / hashlib.sha256(made_of.encode()).hexdigest()[:16]


def _parts(cells: Sequence[Cell]) -> list[list[str]]:
    """What shapes the code of each cell."""
    made_by = []
    if any(cell.question == "source" for cell in cells):
        python = find_child()
        made_by = [python.triton_xpu or python.triton, str(python.site_packages)]
    kernels = {id(cell.kernel): cell.kernel for cell in cells}
    digests = {one: hashlib.sha256(captured_module(kernels[one]).spirv or b"").hexdigest() for one in kernels}
    found = []
    for cell in cells:
        chain = cell.toolchain
        found.append(
            [
                cell.key,
                cell.kernel.key,
                digests[id(cell.kernel)],
                cell.device.card,
                cell.flags,
                chain.name,
                chain.igc,
                chain.version,
                *made_by,
            ]
        )
    return found


def is_complete(folder: Path) -> bool:
    """Whether all its cells have ended, so that it need only be read."""
    record = read_json(folder / "capture.json")
    rows = record.get("cells")
    return (
        record.get("state") == "finished"
        and isinstance(rows, list)
        and all(isinstance(row, dict) and row.get("status") in FINAL and not row.get("killed") for row in rows)
    )


@contextmanager
def emptied(folder: Path) -> Iterator[Path]:
    """The folder, made or emptied, and nobody else's meanwhile; another one where somebody writes to it."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(claimed(folder))
        except UsageError:  # a second process asks the same just now
            folder = folder.with_name(f"{folder.name}-{secrets.token_hex(2)}")
            folder.mkdir()
            stack.enter_context(claimed(folder))
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()
        yield folder


def write_variant(folder: Path, cell: Cell, module: Module) -> None:
    """Triton's files of a cell, and its line in `variants.jsonl`."""
    entry, stem = folder / "triton" / cell.key, cell.kernel.name[:150]
    entry.mkdir(parents=True, exist_ok=True)
    for path in module.files:
        place(path, entry / f"{stem}{path.suffix}")
    if module.spirv is not None:
        (entry / f"{stem}.spv").write_bytes(module.spirv)
    mode = {"build_flags": cell.flags, "grf_mode": cell.triton_mode}
    if module.metadata:
        numbers = {name: value for name, value in module.numbers.items() if name in module.metadata}
        write_json(entry / f"{stem}.json", {**module.metadata, **numbers, **mode})
    variant = cell.kernel.variant
    line = {
        "key": cell.key,
        "name": cell.kernel.name,
        "build_flags": cell.flags,
        **module.numbers,
        "signature": dict(variant.signature),
        "constants": dict(variant.constants),
        **_python(cell.kernel),
        "autotuned": False,
        "device": cell.device.card,
        "toolchain": cell.toolchain.name,
    }
    with (folder / "variants.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({k: v for k, v in line.items() if v is not None}, default=str) + "\n")


def _python(kernel: Kernel) -> dict[str, Any]:
    """The kernel's source file, as its compilers saw it."""
    try:
        first = kernel.listing("python").lines[0].loc
    except (KeyError, LookupError, OSError, ParseError):
        return {}
    return {"fn_file": first.file, "fn_line": 0} if first else {}


def write_sources(folder: Path, origin: Origin) -> None:
    """The Python files of the kernels, at the places where the capture has them."""
    for kernel in origin.kernels:
        path = kernel.stages["python"].path if "python" in kernel.stages else None
        if path is not None and origin.folder in path.parents and path.is_file():
            place(path, folder / path.relative_to(origin.folder))


def write_outcome(folder: Path, cell: Cell, status: str, error: str | None, kept: str | None) -> None:
    """`loader.json` of a cell: its one build, or why there is none."""
    target = folder / "igc" / cell.key
    target.mkdir(parents=True, exist_ok=True)
    decision: dict[str, Any] = {
        "kept": kept,
        "rejected": [],
        "rule": None,
        "note": None,
        "status": status,
        "error": error,
    }
    write_json(target / "loader.json", decision)


def write_record(folder: Path, origin: Origin, state: str, elapsed_s: float, rows: Sequence[Mapping[str, Any]]) -> None:
    """`capture.json`, with the cells as `rows`."""
    captured = origin.record
    source = captured.get("source")
    label = source.get("label") if isinstance(source, dict) else None
    versions = captured.get("versions")
    kept = {k: v for k, v in versions.items() if k not in ("igc", "ocloc")} if isinstance(versions, dict) else {}
    record = {
        "schema": SCHEMA,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "state": state,
        "exit_status": 0 if state == "finished" else None,
        "elapsed_s": round(elapsed_s, 3),
        "run_path": captured.get("run_path") or str(origin.folder),
        "source": {**(source if isinstance(source, dict) else {}), "label": f"what if: {label or origin.folder.name}"},
        "recompiled": str(origin.folder),
        "versions": {**kept, "xpuasm_magic": version("xpuasm_magic")},
        "device": {},
        "fidelity": [],
        "notes": [],
        "timings": {"total_s": round(elapsed_s, 3)},
        "loader_rule": captured.get("loader_rule"),
        "cells": list(rows),
    }
    write_json(folder / "capture.json", record)
