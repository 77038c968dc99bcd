"""What `import xpuasm_magic` adds to an interpreter's start, and that it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from benchmarks.result import Result

HEAVY = ("pandas", "torch", "IPython", "anywidget")


def measure(rounds: int = 15) -> list[Result]:
    bare = []
    ours = []
    for _ in range(rounds):  # alternating, so that a busy machine weighs on both
        bare.append(_seconds("pass"))
        ours.append(_seconds("import xpuasm_magic"))
    added_ms = (median(ours) - median(bare)) * 1000
    code = f"import sys, xpuasm_magic; print(sum(m in sys.modules for m in {HEAVY}))"
    heavy = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    return [
        Result("import xpuasm_magic adds", added_ms, 60, " ms", f"(bare start {median(bare) * 1000:.0f} ms)"),
        Result(f"heavy modules loaded ({', '.join(HEAVY)})", heavy, 0, ""),
    ]


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start
