"""Which bytes of the register file are live at each instruction of an ISA listing.

Channels and threads are told apart. A work-item's values flow along the channels' graph, where an instruction that is
no `(W)` writes all that this channel has of a register. While the thread runs one side of a branch, the channels of
the other side wait: their values occupy registers too (`Block.waiting`).

A register occupies the file once something has been written to it: what is read of channels that no instruction has
written, as where a message spills a register that is half full, is no value.

Sets of bytes are numbers: bit `i` is byte `i` of the register file, from r0.0 on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xpuasm_magic.analysis.flow import Block, ControlFlow
from xpuasm_magic.formats.gen_operands import Operation
from xpuasm_magic.formats.gen_registers import Operand

Kill = Callable[[Operation, bool], int]
"""What a write ends: (operation, whether it is in divergent flow) -> a set of bytes."""


@dataclass(frozen=True)
class Liveness:
    """Solved by `liveness`."""

    flow: ControlFlow
    entering: tuple[int, ...] = ()
    """Per block, the bytes that its channels read before they are written."""
    defined: tuple[int, ...] = ()
    """Per block, the bytes that may have been written when the thread enters it."""
    reason: str | None = None
    """Why it is not known; the rest is then empty."""

    @property
    def at_entry(self) -> int:
        """What is read before any instruction has written it."""
        return self.entering[0] if self.entering else 0

    def counts(self) -> Iterator[tuple[int, int]]:
        """For each instruction that can be reached, its line, and the registers that it occupies.

        Those are the registers with a byte that is live before the instruction, or that it writes.
        """
        for number in self.flow.order if self.entering else ():
            yield from self._counts(number)

    def before(self, line: int) -> int:
        """The bytes that are live, and have been written, before an instruction, by the index of its line."""
        number = self.flow.block_of(line)
        if number is None or not self.entering:
            return 0
        block = self.flow.blocks[number]
        live, aside = self._leaving(block)
        for index in range(block.last, line - 1, -1):
            operation = self.flow.operations[index]
            if operation is not None:
                live = live & ~ends(operation, bool(block.waiting)) | reads(operation) | aside
        defined = self.defined[number]
        for operation in self.flow.operations[block.first : line]:
            defined |= span(operation.dst) if operation else 0
        return live & defined

    def unwritten_reads(self) -> Iterator[tuple[int, Operand]]:
        """Operands that are read, by their line, of which no byte can have been written."""
        for number in self.flow.order if self.entering else ():
            block = self.flow.blocks[number]
            defined = self.defined[number]
            for line in range(block.first, block.last + 1):
                operation = self.flow.operations[line]
                if operation is not None:
                    for operand in operation.srcs if reads(operation) else ():
                        if operand.first is not None and not span(operand) & defined:
                            yield line, operand
                    defined |= span(operation.dst)

    def _leaving(self, block: Block) -> tuple[int, int]:
        """What is live at a block's end, and the part of it that belongs to channels which wait."""
        aside = 0
        for number in block.waiting:
            aside |= self.entering[number]
        live = aside
        for number in block.successors:
            live |= self.entering[number]
        return live, aside

    def _counts(self, number: int) -> Iterator[tuple[int, int]]:
        size = self.flow.grf_bytes
        block = self.flow.blocks[number]
        fresh, defined = self._first_writes(block, self.defined[number])
        live, aside = self._leaving(block)
        words, kept, written = _words(live & defined, size), _words(aside & defined, size), _words(defined, size)
        occupied = sum(map(bool, words))
        divergent = bool(block.waiting)
        for line in range(block.last, block.first - 1, -1):
            operation = self.flow.operations[line]
            if operation is None:
                continue
            dst = operation.dst
            touched = _parts(dst.mask, dst.first, size) if dst is not None and dst.first is not None else ()
            if line in fresh:
                for register, part in _parts(fresh[line], 0, size):
                    written[register] &= ~part
                    kept[register] &= ~part
                    if words[register]:
                        words[register] &= ~part
                        occupied -= not words[register]
            if touched and ends(operation, divergent):
                for register, part in touched:
                    if words[register]:
                        words[register] = words[register] & ~part | kept[register]
                        occupied -= not words[register]
            if reads(operation):
                for operand in operation.srcs:
                    if operand.first is not None:
                        for register, part in _parts(operand.mask, operand.first, size):
                            if part := part & written[register]:
                                occupied += not words[register]
                                words[register] |= part
            yield line, occupied + sum(not words[register] for register, _ in touched)

    def _first_writes(self, block: Block, defined: int) -> tuple[dict[int, int], int]:
        """By line, the bytes that may not have been written before; and all that may have been at the block's end."""
        fresh = {}
        for line in range(block.first, block.last + 1):
            operation = self.flow.operations[line]
            if operation is not None and (new := span(operation.dst) & ~defined):
                fresh[line] = new
                defined |= new
        return fresh, defined


def liveness(flow: ControlFlow, given: int = 0, *, kill: Kill | None = None, staying: bool = False) -> Liveness:
    """Solve liveness over the channels' graph.

    Args:
        flow: of a listing.
        given: the bytes that the thread starts with.
        kill: another rule than `ends` for what a write ends.
        staying: as if at each branch of channels forward some of them stayed, so that no thread skips a side.
    """
    if reason := flow.reason or _unknown(flow):
        return Liveness(flow, reason=reason)
    rule = kill or ends
    uses, ended = [], []
    for block in flow.blocks:
        use = end = 0
        divergent = bool(block.waiting)
        for operation in flow.operations[block.first : block.last + 1]:
            if operation is not None:
                use |= reads(operation) & ~end
                end |= rule(operation, divergent)
        uses.append(use)
        ended.append(end)
    after = [_staying(flow, number) if staying else block.successors for number, block in enumerate(flow.blocks)]
    entering = _solve(_reversed(after), lambda block, live: uses[block] | live & ~ended[block], after)
    ways = [block.thread_successors for block in flow.blocks]
    writes = [_writes(flow, block) for block in flow.blocks]
    before = _reversed(ways)
    leaving = _solve(ways, lambda block, so_far: writes[block] | so_far | (0 if block else given), before)
    defined = [_union(leaving, before[number]) | (0 if number else given) for number in range(len(before))]
    return Liveness(flow, tuple(entering), tuple(defined))


def _staying(flow: ControlFlow, number: int) -> tuple[int, ...]:
    block = flow.blocks[number]
    last = flow.operations[block.last]
    stays = last is not None and last.name in ("goto", "if") and number + 1 in block.thread_successors
    return (number + 1,) if stays else block.thread_successors


def _solve(told: Sequence[Sequence[int]], step: Callable[[int, int], int], heard: Sequence[Sequence[int]]) -> list[int]:
    """The least sets with `found[block] = step(block, union of those of heard[block])`.

    `told`: the blocks that hear of a block.
    """
    found = [0] * len(told)
    pending = list(range(len(told)))
    queued = set(pending)
    while pending:
        block = pending.pop()
        queued.discard(block)
        new = step(block, _union(found, heard[block]))
        if new != found[block]:
            found[block] = new
            for other in told[block]:
                if other not in queued:
                    queued.add(other)
                    pending.append(other)
    return found


def _union(sets: Sequence[int], members: Sequence[int]) -> int:
    found = 0
    for member in members:
        found |= sets[member]
    return found


def _reversed(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in edges]
    for start, targets in enumerate(edges):
        for target in targets:
            found[target].append(start)
    return found


def _writes(flow: ControlFlow, block: Block) -> int:
    found = 0
    for operation in flow.operations[block.first : block.last + 1]:
        found |= span(operation.dst) if operation else 0
    return found


def ends(operation: Operation, divergent: bool) -> int:
    """The bytes whose former value a write ends.

    Under a predicate channels may keep what they had. In divergent flow an instruction of one channel that is no `(W)`
    may not run at all.
    """
    if operation.guarded or (divergent and not operation.no_mask and (operation.exec_size or 1) == 1):
        return 0
    return span(operation.dst)


def span(operand: Operand | None) -> int:
    """The bytes of the register file that an operand touches; 0: none."""
    return operand.mask << operand.first if operand and operand.first is not None else 0


def registers_in(live: int, grf_bytes: int) -> list[int]:
    """The registers of which a byte is in the set."""
    return [register for register, word in enumerate(_words(live, grf_bytes)) if word]


def reads(operation: Operation) -> int:
    """The bytes of the register file that an operation reads.

    A move to nowhere needs no value: IGC puts them after messages, as a workaround for the hardware.
    """
    if (
        operation.name == "mov"
        and operation.flag is None
        and operation.dst is not None
        and operation.dst.kind == "null"
    ):
        return 0
    found = 0
    for operand in operation.srcs:
        if operand.first is not None:
            found |= operand.mask << operand.first
    return found


_MOST_REGISTERS = 512


def _words(live: int, grf_bytes: int) -> list[int]:
    """A set of bytes, register by register."""
    data = live.to_bytes(_MOST_REGISTERS * grf_bytes // 8, "little")
    return list(memoryview(data).cast("Q" if grf_bytes == 64 else "I"))


@lru_cache(maxsize=1 << 16)
def _parts(mask: int, first: int, grf_bytes: int) -> tuple[tuple[int, int], ...]:
    """The registers that an operand touches, each with its bytes."""
    register, offset = divmod(first, grf_bytes)
    mask <<= offset
    whole = (1 << grf_bytes) - 1
    found = []
    while mask and register < _MOST_REGISTERS:
        if part := mask & whole:
            found.append((register, part))
        mask >>= grf_bytes
        register += 1
    return tuple(found)


def _unknown(flow: ControlFlow) -> str | None:
    """What of the listing cannot be followed."""
    if flow.calls_elsewhere:
        return f"line {flow.calls_elsewhere[0] + 1} calls a function that is not in the listing"
    most = _MOST_REGISTERS * flow.grf_bytes
    for line, operation in enumerate(flow.operations):
        if operation is None:
            continue
        if unresolved := operation.unresolved:
            return f"line {line + 1}: which registers {unresolved.text} is becomes known only as it runs"
        for operand in (operation.dst, *operation.srcs):
            if operand is not None and operand.first is not None and operand.first + operand.size > most:
                return f"line {line + 1}: {operand.text} is beyond the register file"
    return None
