"""Every kernel of the corpus that has a listing, read once per session."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Kernel


@lru_cache(maxsize=1)
def corpus_kernels(corpus: Path) -> dict[str, Kernel]:
    """By `<igc>/<device>/<case>`, and the kernel's name where a case has several."""
    found = {}
    for case in sorted(path for path in corpus.glob("*/*/*") if path.is_dir()):
        kernels = [kernel for kernel in read_capture(case).kernels if "isa" in kernel.stages]
        for kernel in kernels:
            name = str(case.relative_to(corpus))
            found[name if len(kernels) == 1 else f"{name} {kernel.name}"] = kernel
    return found


def corpus_kernel(corpus: Path, case: str) -> Kernel:
    return corpus_kernels(corpus)[case]
