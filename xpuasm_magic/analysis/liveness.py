"""Which bytes of the register file hold what is still needed, at every instruction.

Backward data flow over the blocks that a channel may run. Three things are particular to this machine:

* Two needs are told apart. What is read as a whole (by `(W)`, by another channel) ends at writes that give all channels
  a value. What each channel reads of its own ends at any write of that channel, in divergent flow too.
* Channels that wait for others (at a `join`) keep what they will need there. It occupies registers while the thread
  runs the others' blocks, although a channel's own path does not lead from these to there.
* A guarded write ends nothing: the predicate may keep a channel from it.

A second, forward pass leaves out what nothing has written yet: whole registers are copied and spilled of which a part
is never set, and what a mask left undefined may be read where it does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.analysis.register_use import Kill, RegisterUse, Use

KillRule = Callable[[Use], Kill]

_MOST_REGISTERS = 1024
"""More than any device has; an operand's number has three digits at most."""


class Occupied(NamedTuple):
    """What is occupied at one instruction."""

    line: int | None = None
    registers: int = 0
    bytes: int = 0
    """As the bits of an integer: bit i stands for byte i of the register file."""


@dataclass(frozen=True)
class Liveness:
    """Occupied registers. A register is occupied as soon as one of its bytes is."""

    registers: tuple[int | None, ...]
    """For each line of the listing: the general registers occupied before the instruction, or right after it with
    what it writes, whichever are more. None: no instruction, or one that cannot be reached."""
    peak: Occupied
    """The first instruction with the most registers."""
    before: tuple[int, ...] = field(default=(), repr=False)
    """For each block, the bytes that are needed on entering it, whether or not anything has written them."""
    undefined: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    """Lines that read bytes which nothing can have written, with those bytes."""


def liveness(flow: ControlFlow, use: RegisterUse, given: int, kill: KillRule = lambda use: use.kill) -> Liveness:
    """The liveness of a listing whose control flow and register use are known.

    `given`: bytes that hold something when the thread starts. `kill` replaces the rule of what a write ends.
    """
    blocks = [_BlockUse(flow, use, number, kill) for number in range(len(flow.blocks))]
    _solve_needs(flow, blocks)
    _solve_written(flow, blocks, given)
    count = RegisterCounter(flow.grf_bytes)
    registers: list[int | None] = [None] * len(flow.operations)
    peak = Occupied()
    undefined: list[tuple[int, int]] = []
    for number in flow.order:
        held = 0
        for place in flow.blocks[number].waiting:
            held |= blocks[place].before
        for found in blocks[number].occupied(held, count):
            assert found.line is not None
            registers[found.line] = found.registers
            if peak.line is None or (found.registers, -found.line) > (peak.registers, -peak.line):
                peak = found
        undefined += blocks[number].undefined()
    before = tuple(block.before for block in blocks)
    return Liveness(tuple(registers), peak, before, tuple(sorted(undefined)))


def registers_of(bytes_: int, grf_bytes: int) -> tuple[int, ...]:
    """The general registers that a set of bytes touches."""
    register = (1 << grf_bytes) - 1
    count = -(-bytes_.bit_length() // grf_bytes)
    return tuple(number for number in range(count) if bytes_ >> number * grf_bytes & register)


class RegisterCounter:
    """Counts the registers that a set of bytes touches, by folding each register's bits onto its first."""

    def __init__(self, grf_bytes: int) -> None:
        self._shifts = tuple(grf_bytes >> step for step in range(1, grf_bytes.bit_length()))
        self._firsts = sum(1 << register * grf_bytes for register in range(_MOST_REGISTERS))

    def __call__(self, bytes_: int) -> int:
        for shift in self._shifts:
            bytes_ |= bytes_ >> shift
        return (bytes_ & self._firsts).bit_count()


class _BlockUse:
    """A block, and the needs before and after it. `whole` and `own`: as a whole, and of each channel its own."""

    def __init__(self, flow: ControlFlow, use: RegisterUse, number: int, kill: KillRule) -> None:
        block = flow.blocks[number]
        self._steps = [
            (line, found, kill(found))
            for line in range(block.first, block.last + 1)
            if (found := use.uses.get(line)) is not None
        ]
        self.whole_before = self.own_before = self.whole_after = self.own_after = self.written_before = self.writes = 0
        whole = own = ended_whole = ended_own = 0
        for _, step, ends in reversed(self._steps):
            self.writes |= step.writes
            if ends is not Kill.NOBODY:
                own ^= own & step.writes
                ended_own |= step.writes
                if ends is Kill.ALL:
                    whole ^= whole & step.writes
                    ended_whole |= step.writes
            whole |= step.reads
            own |= step.channel_reads
        self._whole, self._own, self._ended_whole, self._ended_own = whole, own, ended_whole, ended_own

    @property
    def before(self) -> int:
        return self.whole_before | self.own_before

    def enter(self) -> bool:
        """Needs before it from those after it; whether they have grown."""
        whole = self._whole | (self.whole_after ^ (self.whole_after & self._ended_whole))
        own = self._own | (self.own_after ^ (self.own_after & self._ended_own))
        grown = (whole, own) != (self.whole_before, self.own_before)
        self.whole_before, self.own_before = whole, own
        return grown

    def undefined(self) -> Iterator[tuple[int, int]]:
        written = self.written_before
        for line, step, _ in self._steps:
            reads = step.reads | step.channel_reads
            if reads & written != reads:
                yield line, reads ^ (reads & written)
            written |= step.writes

    def occupied(self, held: int, count: RegisterCounter) -> Iterator[Occupied]:
        """What each instruction occupies, last one first. `held`: by channels that wait elsewhere."""
        written = [self.written_before]
        for _, step, _ in self._steps:
            written.append(written[-1] | step.writes)
        whole, own = self.whole_after, self.own_after
        after = (whole | own | held) & written.pop()
        registers_after = count(after)
        for line, step, ends in reversed(self._steps):
            if step.writes & after != step.writes:  # nobody needs all that it writes, but it is written
                after |= step.writes
                registers_after = count(after)
            if ends is not Kill.NOBODY:
                own ^= own & step.writes
                if ends is Kill.ALL:
                    whole ^= whole & step.writes
            whole |= step.reads
            own |= step.channel_reads
            before = (whole | own | held) & written.pop()
            registers = count(before)
            most = (registers, before) if registers >= registers_after else (registers_after, after)
            yield Occupied(line, *most)
            after, registers_after = before, registers


def _solve_needs(flow: ControlFlow, blocks: list[_BlockUse]) -> None:
    pending = dict.fromkeys(flow.order[::-1])
    while pending:
        number = next(iter(pending))
        del pending[number]
        block = blocks[number]
        for successor in flow.blocks[number].successors:
            block.whole_after |= blocks[successor].whole_before
            block.own_after |= blocks[successor].own_before
        if block.enter():
            pending.update(dict.fromkeys(flow.blocks[number].predecessors))


def _solve_written(flow: ControlFlow, blocks: list[_BlockUse], given: int) -> None:
    """Along the thread's edges: a register that one channel's path has written is written."""
    blocks[0].written_before = given
    pending = dict.fromkeys(flow.order)
    while pending:
        number = next(iter(pending))
        del pending[number]
        after = blocks[number].written_before | blocks[number].writes
        for target in (*flow.blocks[number].successors, *flow.blocks[number].thread_successors):
            if blocks[target].written_before | after != blocks[target].written_before:
                blocks[target].written_before |= after
                pending[target] = None
