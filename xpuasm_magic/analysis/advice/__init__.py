"""Notes that an expert would write beside a kernel's code.

Each is one function that looks at a kernel and says what it saw, where, and what to do; its docstring tells why that
matters and where the knowledge comes from. A note is said only where the text proves it: a missing note means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xpuasm_magic.analysis.advice.arithmetic import div_sqrt, int64_emulation
from xpuasm_magic.analysis.advice.builds import grf_mode_disagrees, simd16_where_32
from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.loops import address_arithmetic_64, barrier_in_loop, spill_in_loop
from xpuasm_magic.analysis.advice.matrix import dot_without_dpas, no_block2d
from xpuasm_magic.analysis.advice.memory import predicated_off, scattered_loads
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.model import Kernel, Listing

__all__ = ["NOTES", "Advice", "Rule", "advise"]


@dataclass(frozen=True)
class Rule:
    """A kind of note. Its function's docstring explains it."""

    id: str
    look: Callable[[Code], Iterator[Advice]]


NOTES: tuple[Rule, ...] = (
    Rule("dot-without-dpas", dot_without_dpas),
    Rule("simd16-where-32", simd16_where_32),
    Rule("grf-mode-disagrees", grf_mode_disagrees),
    Rule("spill-in-loop", spill_in_loop),
    Rule("no-block2d", no_block2d),
    Rule("scattered-loads", scattered_loads),
    Rule("barrier-in-loop", barrier_in_loop),
    Rule("address-arithmetic-64", address_arithmetic_64),
    Rule("int64-emulation", int64_emulation),
    Rule("div-sqrt", div_sqrt),
    Rule("predicated-off", predicated_off),
)
"""In the order in which they are told: what costs most comes first."""


def advise(kernel: Kernel, isa: Listing | None = None, flow: ControlFlow | None = None) -> tuple[Advice, ...]:
    """The notes on a kernel's code; what cannot be read is not judged.

    Reads its TTIR and, unless the caller has (`isa`, and its control flow), its listing.
    """
    if kernel.status != "ok":
        return ()
    code = Code(kernel, isa, flow)
    return tuple(advice for rule in NOTES for advice in rule.look(code))
