"""Occupied registers -> the compiler's variables that are in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.analysis.liveness import registers_of
from xpuasm_magic.analysis.register_use import RegisterUse
from xpuasm_magic.formats.gen_variables import Variable
from xpuasm_magic.model import Line

# V0094     V0041(0,0)<1;1,0>     V0094:d32
_NAME = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True)
class LiveVariable:
    """Registers in a row that hold one variable, or that the same instructions have written."""

    name: str | None
    """As vISA names it. None: several at once, or nothing tells which of those that take turns in the registers."""
    registers: tuple[int, ...]
    written: tuple[int, ...] = ()
    """Indices of the lines that may have written it last; none: the thread started with it."""
    type: str | None = None


def live_variables(
    flow: ControlFlow,
    use: RegisterUse,
    line: int,
    occupied: int,
    variables: Sequence[Variable],
    lines: Sequence[Line],
    visa: Sequence[Line] = (),
) -> tuple[LiveVariable, ...]:
    """What the bytes `occupied` at an instruction hold, in order of registers.

    Variables take turns in a register. The one that is there now is declared at that place and, where there are
    several, named by the vISA instructions (`$N`) that may have written the register last.
    """
    declared = _by_register(variables, flow.grf_bytes)
    writers = _writers(flow, use, line, occupied)
    statements = {id_: set(_NAME.findall(visa_line.text)) for visa_line in visa for id_ in visa_line.ids}
    names_of = _names(variables)
    found: list[LiveVariable] = []
    size = (1 << flow.grf_bytes) - 1
    for register in registers_of(occupied, flow.grf_bytes):
        here = occupied & size << register * flow.grf_bytes
        candidates = [each for each in declared.get(register, ()) if _holds(each, here)]
        written = tuple(sorted(writers.get(register, ())))
        if len({candidate.name for candidate in candidates}) > 1:
            ids = [id_ for writer in written for id_ in lines[writer].ids]
            said = set().union(*(statements.get(id_, set()) for id_ in ids))
            candidates = [each for each in candidates if names_of[each.name] & said]
        names = {candidate.name: candidate.type for candidate in candidates if candidate.name}
        name, type_ = next(iter(names.items())) if len(names) == 1 else (None, None)
        last = found[-1] if found else None
        if (
            last is not None
            and last.registers[-1] == register - 1
            and last.name == name
            and (name is not None or last.written == written)
        ):
            together = tuple(sorted({*last.written, *written}))
            found[-1] = LiveVariable(name, (*last.registers, register), together, type_)
        else:
            found.append(LiveVariable(name, (register,), written, type_))
    return tuple(found)


def _by_register(variables: Sequence[Variable], grf_bytes: int) -> dict[int, list[Variable]]:
    """Variables, not their other views, by the registers that they take. `%` marks what every program declares."""
    found: dict[int, list[Variable]] = {}
    for variable in variables:
        if variable.alias is None and variable.size and not variable.name.startswith("%"):
            last = (variable.first + variable.size - 1) // grf_bytes
            for register in range(variable.first // grf_bytes, last + 1):
                found.setdefault(register, []).append(variable)
    return found


def _holds(variable: Variable, bytes_: int) -> bool:
    """Whether all of them are the variable's: a register may hold several small ones."""
    return bytes_ & ~((1 << variable.size) - 1 << variable.first) == 0


def _names(variables: Sequence[Variable]) -> Mapping[str, set[str]]:
    """Of each variable, its name and those of its other views."""
    names = {variable.name: {variable.name} if variable.name else set() for variable in variables}
    for variable in variables:
        if variable.alias in names and variable.name:
            names[variable.alias].add(variable.name)
    return names


def _writers(flow: ControlFlow, use: RegisterUse, line: int, wanted: int) -> dict[int, set[int]]:
    """For each register, the lines that may have written it last before an instruction, or at it."""
    found: dict[int, set[int]] = {}
    start = flow.block_of(line)
    pending = [(start, line + 1, wanted)] if start is not None else []
    seen = [0] * len(flow.blocks)
    while pending:
        number, end, bytes_ = pending.pop()
        block = flow.blocks[number]
        for place in range(min(end, block.last + 1) - 1, block.first - 1, -1):
            step = use.uses.get(place)
            if step is not None and (written := step.writes & bytes_):
                for register in registers_of(written, flow.grf_bytes):
                    found.setdefault(register, set()).add(place)
                bytes_ ^= written
                if not bytes_:
                    break
        if bytes_:
            for predecessor in block.predecessors:
                fresh = bytes_ & ~seen[predecessor]
                if fresh:
                    seen[predecessor] |= fresh
                    pending.append((predecessor, flow.blocks[predecessor].last + 1, fresh))
    return found
