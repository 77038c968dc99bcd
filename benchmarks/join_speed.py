"""Reading and joining a capture of 300 variants, how it grows, and the recipe's grep for each name beside it."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.result import Result
from tests.capture_builder import CaptureBuilder
from tests.corpus_archive import unpack_corpus
from xpuasm_magic import read_capture

CASES = ("2.40/pvc/add", "2.40/pvc/softmax_w4", "2.40/pvc/trans", "2.40/pvc/spill_large")


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch:
        root = Path(scratch)
        corpus = unpack_corpus(root)
        small, large = (growing_capture(root / str(count), corpus, count) for count in (300, 600))
        _read(small, 300)  # imports, once
        pairs = [(_read(small, 300), _read(large, 600)) for _ in range(3)]
        few, many = (min(times) for times in zip(*pairs, strict=True))
        grep = _grep(small)
    detail = f"({few:.2f} s, 600: {many:.2f} s, the recipe's greps alone {grep:.2f} s)"
    return [
        Result("reading and joining 300 variants", few, 1.5, " s", detail),
        Result("600 variants against 300", many / few, 2.2, "×", detail),
        Result("reading 300 against the recipe's grep for each name", few / grep, 1.0, "×", detail),
    ]


def growing_capture(folder: Path, corpus: Path, count: int) -> Path:
    builder = CaptureBuilder(folder, corpus)
    for number in range(count):
        case = CASES[number % len(CASES)]
        key = builder.variant(case, seed=str(number))
        build = builder.build(key, case)
        builder.decision(key, build.name)
        # Each module gets bytes of its own, as different kernels have: the last word of its header.
        (module,) = build.glob("dump/*.spv")
        old = module.read_bytes()
        new = old[:16] + number.to_bytes(4, "little") + old[20:]
        binaries = (build / "kernel.bin", *build.glob("dump/*.progbin"))
        for path in (module, *binaries, *(folder / "triton" / key).glob("*.spv")):
            path.write_bytes(path.read_bytes().replace(old, new))
    return folder


def _read(folder: Path, count: int) -> float:
    start = time.perf_counter()
    capture = read_capture(folder)
    seconds = time.perf_counter() - start
    matched = sum(kernel.match == "spirv" for kernel in capture)
    if matched != count:
        raise SystemExit(f"{matched} of {count} variants were matched: {[n.message for n in capture.notes][:5]}")
    return seconds


def _grep(folder: Path) -> float:
    """`grep -l NAME *.asm | head -1` for every variant, with all listings in reach of one glob."""
    names = [kernel.name for kernel in read_capture(folder)]
    start = time.perf_counter()
    for name in names:
        subprocess.run(
            f"grep -l {name} igc/*/*/dump/*.asm | head -1", shell=True, cwd=folder, capture_output=True, check=True
        )
    return time.perf_counter() - start
