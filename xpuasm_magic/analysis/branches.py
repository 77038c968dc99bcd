"""Where an instruction may lead: the channels that run it, and the hardware thread that carries them.

The two differ. A `goto` disables the channels that take it; they wait at its target while the thread goes on with
the others, and are enabled again by the `join` there. Semantics: Intel's PRM, "Instruction Set Reference", of each
branch; operands are JIP (where the thread goes once no channel is left), then UIP (where the channels go).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xpuasm_magic.formats.gen_operands import Operation


@dataclass(frozen=True)
class Exits:
    """Positions of instructions. `waits`: where channels stay disabled, that this instruction has sent there."""

    channels: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()
    waits: tuple[int, ...] = ()
    returns: bool = False
    """Leads to wherever its function was called from."""
    calls: int | None = None
    """The position of the function that is called; the exits are those of the return from it."""
    calls_elsewhere: bool = False
    """Calls a function whose code is not in this listing."""
    unknown: str | None = None
    """Why where it leads cannot be told."""


def exits_of(
    operation: Operation, here: int, position: Callable[[str], int | None], is_while: Callable[[int], bool]
) -> Exits:
    """The exits of the instruction at position `here`.

    `position` of a label is None where the listing does not have it; `is_while` tells whether a position is a `while`.
    """
    after = here + 1
    name = operation.name
    if operation.ends_thread:
        return Exits()
    if not operation.is_branch:
        return Exits((after,), (after,))
    if name == "ret":
        both = (after,) if operation.predicate else ()
        return Exits(both, both, both, returns=True)
    if name == "calla":
        return Exits((after,), (after,), calls_elsewhere=True)
    found = [position(label) for label in operation.targets]
    targets = [target for target in found if target is not None]
    if len(targets) < len(found):
        missing = operation.targets[found.index(None)]
        return Exits(unknown=f"`{name}` leads to {missing}, a label that the listing does not have")
    if not targets:
        if name in ("call", "callc"):
            return Exits((after,), (after,), calls_elsewhere=True)
        return Exits(unknown=f"`{name}` leads to an address that is known only as it runs")
    return _branch(operation, after, targets[0], targets[-1], is_while)


def _branch(operation: Operation, after: int, jip: int, uip: int, is_while: Callable[[int], bool]) -> Exits:
    name = operation.name
    conditional = operation.predicate is not None
    stays = (after,) if conditional else ()
    if name == "jmpi":  # of the thread as a whole
        return Exits((*stays, jip), (*stays, jip))
    if name in ("join", "endif"):
        return Exits((after,), (after, jip))
    if name in ("call", "callc"):
        return Exits((after,), (after,), calls=jip)
    if name == "goto" and operation.opcode.endswith(".b"):  # backward: those who take it go first
        return Exits((*stays, uip), (*stays, jip, uip), stays)
    if name == "while":
        return Exits((after, jip), (after, jip), (after,))
    if name == "else":
        return Exits((after, jip), (after, jip), (jip,))
    if name == "if":
        return Exits((after, jip), (after, jip), (jip,))
    if name == "break" and is_while(uip):  # whoever has left a loop passes by the end of its body
        uip += 1
    return Exits((*stays, uip), (*stays, jip), (uip,))
