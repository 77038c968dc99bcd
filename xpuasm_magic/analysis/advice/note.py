"""A note on a kernel's code."""

from __future__ import annotations

from dataclasses import dataclass

from xpuasm_magic.model import Severity


@dataclass(frozen=True)
class Advice:
    """What was seen, what it costs, and what to do about it."""

    id: str
    text: str
    lines: tuple[int, ...] = ()
    """The instructions that it is about: indices in the ISA listing."""
    severity: Severity = "info"
