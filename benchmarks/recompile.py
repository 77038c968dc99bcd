"""A what-if matrix of 40 cells of one matmul: on all cores, and asked again in the same process."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.result import Result
from tests.capture_builder import CaptureBuilder
from tests.corpus_archive import unpack_corpus
from xpuasm_magic import home, read_capture
from xpuasm_magic.model import Capture
from xpuasm_magic.recompile import WhatIf, recompile

DEVICES = ("pvc", "bmg", "b70", "lnl", "ptl")
GRF = ("128", "256")
OPTIONS = ("", "-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-opt-disable")


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch, _own_home(Path(scratch, "home")):
        capture = _matmul(Path(scratch))
        seconds, found = _ask(capture)
        again, _ = _ask(capture)
        builds_s = sum(json.loads(path.read_text())["seconds"] for path in found.folder.glob("igc/*/*/build.json"))
    cores = os.cpu_count() or 1
    ratio = seconds / (builds_s / cores)
    detail = f"({len(found)} cells in {seconds:.1f} s on {cores} cores; their builds took {builds_s:.1f} s together)"
    return [
        Result("what-if matrix against its builds spread over all cores", ratio, 1.4, "×", detail),
        Result("the same matrix asked again", again, 0.3, " s"),
    ]


def _ask(capture: Capture) -> tuple[float, WhatIf]:
    """The time of a matrix with its table."""
    start = time.perf_counter()
    found = recompile(capture, device=DEVICES, grf=GRF, options=OPTIONS)
    rows = len(found.table)
    seconds = time.perf_counter() - start
    if len(found.kernels) != rows or rows != len(DEVICES) * len(GRF) * len(OPTIONS):
        raise SystemExit(f"{len(found.kernels)} of {rows} cells are ok: {[row.reason for row in found][:5]}")
    return seconds, found


def _matmul(root: Path) -> Capture:
    builder = CaptureBuilder(root / "capture", unpack_corpus(root))
    builder.kernel("2.40/pvc/matmul_bp_w16_default")
    return read_capture(root / "capture")


@contextmanager
def _own_home(private: Path) -> Iterator[None]:
    """No build of an earlier run is found: compilers as they are, all else new."""
    private.mkdir()
    (private / "toolchains").symlink_to(home.toolchains_home().resolve(), target_is_directory=True)
    before = os.environ.get("XPUASM_HOME")
    os.environ["XPUASM_HOME"] = str(private)
    try:
        yield
    finally:
        if before is None:
            del os.environ["XPUASM_HOME"]
        else:
            os.environ["XPUASM_HOME"] = before
