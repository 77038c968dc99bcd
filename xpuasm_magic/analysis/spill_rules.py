"""What Triton's loader and Inductor's autotuner do with a kernel that spills, by their own texts.

Thresholds moved between versions, and so did the unit that they count in (intel-xpu-backend-for-triton #7615,
#7896, #7950, #7959, #8115). They are read: Inductor's from the kernel's source in the capture, the loader's from
the Triton that runs it (`xpuasm_magic.loader`). What cannot be read is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.analysis.spills import launched_spill_bytes
from xpuasm_magic.loader import LoaderRule
from xpuasm_magic.model import Kernel

# inductor_meta={'grid_type': 'Grid1D', …, 'spill_threshold': 16, 'store_cubin': False},
_INDUCTOR_THRESHOLD = re.compile(r"inductor_meta=\{[^\n]*'spill_threshold': (?P<threshold>\d+)")


@dataclass(frozen=True)
class SpillVerdict:
    """What one tool makes of one kernel's spill."""

    tool: str
    words: str
    source: str
    """Where the rule was read."""
    applies: bool | None
    """Whether the tool acts on this kernel; None: what the rule compares is not known."""


def spill_verdicts(
    kernel: Kernel, versions: Mapping[str, str], loader: LoaderRule | None = None
) -> tuple[SpillVerdict, ...]:
    """The verdicts of the tools whose rules can be read.

    Args:
        kernel: its spill is that of the build that is launched.
        versions: the capture's (`capture.info.versions`).
        loader: the rule of the Triton that runs the kernel; None: not known.
    """
    return tuple(verdict for verdict in (_loader(kernel, loader), _inductor(kernel, versions, loader)) if verdict)


def _loader(kernel: Kernel, rule: LoaderRule | None) -> SpillVerdict | None:
    """A first build beside the row's is the proof that the loader's rule was met."""
    if rule is None:
        return None
    rebuilt = next((attempt for attempt in kernel.attempts if rule.words in attempt.reason), None)
    spill = launched_spill_bytes(kernel)
    applies = True if rebuilt else None if spill is None else rule.wants_retry(kernel.variant.build_flags, spill)
    return SpillVerdict("Triton's loader", rule.words, rule.source, applies)


def _inductor(kernel: Kernel, versions: Mapping[str, str], loader: LoaderRule | None) -> SpillVerdict | None:
    """Inductor drops a config unmeasured whose spill, as the loader counts it, is above its threshold.

    It does so only when it tunes a kernel of its own among several configs (`CachingAutotuner.bench`).
    """
    threshold = _inductor_threshold(kernel)
    if threshold is None:
        return None
    spill = launched_spill_bytes(kernel) if loader else None  # without the loader's text its unit is not known
    unit = "bytes per hardware thread" if loader else "in the loader's unit"
    words = f"a config that spills more than {threshold} ({unit}) is dropped without being measured"
    applies = None if spill is None or not kernel.autotuned else spill > threshold
    torch = versions.get("torch")
    source = f"inductor_meta of the kernel's source{f', torch {torch}' if torch else ''}"
    return SpillVerdict("Inductor's autotuner", words, source, applies)


def _inductor_threshold(kernel: Kernel) -> int | None:
    """Of a kernel that Inductor wrote, the threshold that it wrote into it."""
    if kernel.family in ("user", "sycl", "other"):
        return None
    source = read_stage(kernel, "python")
    found = _INDUCTOR_THRESHOLD.search(source.text) if source else None
    return int(found["threshold"]) if found else None
