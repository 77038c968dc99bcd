"""Spilled vISA variables, and which of the marked instructions move them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xpuasm_magic.formats.gen_spills import SpillAccess, SpilledVariable

_CELL_BYTES = 32
"""Spill slots start and end at multiples of it: half a register, or a whole one on Xe-HPG."""


@dataclass(frozen=True)
class VariableSpills:
    """A variable in memory, and the instructions that move it, or a part of it.

    Counts are None where the text does not tell: older IGCs name the variable, newer ones only its slot, which
    several variables may take in turn.
    """

    variable: SpilledVariable
    spills: int | None
    fills: int | None


def spilled_variables(
    declared: Sequence[SpilledVariable], accesses: Sequence[SpillAccess]
) -> tuple[VariableSpills, ...]:
    """The declared variables that have a slot in memory, the largest first."""
    variables = [variable for variable in declared if variable.offset is not None]
    named = {variable.name: number for number, variable in enumerate(variables) if variable.name}
    tenants = _tenants(variables)
    counts: Counter[tuple[int, str]] = Counter()
    shared: set[int] = set()
    for access in accesses:
        if access.variable in named:
            owners = [named[access.variable]]
        else:
            owners = [] if access.in_frame else tenants.get(access.offset // _CELL_BYTES, [])
        if len(owners) == 1:
            counts[owners[0], access.kind] += 1
        else:
            shared.update(owners)
    found = [
        VariableSpills(variable, None, None)
        if number in shared
        else VariableSpills(variable, counts[number, "spill"], counts[number, "fill"])
        for number, variable in enumerate(variables)
    ]
    return tuple(sorted(found, key=lambda each: -each.variable.size))


def _tenants(variables: Sequence[SpilledVariable]) -> dict[int, list[int]]:
    """Which variables take each cell of the scratch space."""
    tenants: dict[int, list[int]] = {}
    for number, variable in enumerate(variables):
        first = (variable.offset or 0) // _CELL_BYTES
        for cell in range(first, first + max(1, -(-variable.size // _CELL_BYTES))):
            tenants.setdefault(cell, []).append(number)
    return tenants
