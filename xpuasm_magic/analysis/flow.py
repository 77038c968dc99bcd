"""An Intel ISA listing -> its control-flow graph: blocks, loops, and where channels wait for others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from xpuasm_magic.analysis.branches import Exits, exits_of
from xpuasm_magic.analysis.loops import Loop, find_loops, reverse_postorder
from xpuasm_magic.formats.gen_isa import platform_of
from xpuasm_magic.formats.gen_operands import Operation, decode
from xpuasm_magic.formats.gen_registers import GRF_BYTES, grf_bytes_of
from xpuasm_magic.model import Line, Listing

# _0_073:     L832:     per_thread_prolog:
_LABEL = re.compile(r"[ \t]*(?P<name>[A-Za-z_.$][\w.$]*):[ \t]*(?://.*)?$")


@dataclass(frozen=True)
class Block:
    """Instructions that run one after another."""

    first: int
    last: int
    """Indices of lines in the listing."""
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]
    """Of the channels: the blocks that a work-item may run after and before this one."""
    thread_successors: tuple[int, ...]
    """Of the hardware thread: the blocks that its instruction pointer may go to."""
    waiting: tuple[int, ...] = ()
    """Blocks at which channels may wait, disabled, while this one runs; none: it is not in divergent flow."""


@dataclass(frozen=True)
class ControlFlow:
    """The graph of a listing. The first block is the entry."""

    blocks: tuple[Block, ...] = ()
    loops: tuple[Loop, ...] = ()
    """Outer ones before inner ones."""
    reason: str | None = None
    """Why the graph could not be closed; then no loops are claimed, and an edge may be missing."""
    operations: tuple[Operation | None, ...] = ()
    """Of each line; None where it is no instruction."""
    order: tuple[int, ...] = ()
    """The blocks that channels can reach, in reverse postorder."""
    calls_elsewhere: tuple[int, ...] = ()
    """Lines that call functions whose code is not in the listing. Their return is taken for granted."""
    grf_bytes: int = GRF_BYTES
    _block_of: dict[int, int] = field(default_factory=dict, repr=False)
    _innermost: dict[int, int] = field(default_factory=dict, repr=False)

    def block_of(self, line: int) -> int | None:
        """The block that an instruction is in, by the index of its line."""
        return self._block_of.get(line)

    def innermost(self, line: int) -> Loop | None:
        """The innermost loop that an instruction is in, by the index of its line."""
        block = self._block_of.get(line)
        loop = None if block is None else self._innermost.get(block)
        return None if loop is None else self.loops[loop]

    def depth_of(self, line: int) -> int:
        """Loops around an instruction, by the index of its line; 0: none, or it is no instruction."""
        loop = self.innermost(line)
        return loop.depth if loop else 0


def control_flow(listing: Listing) -> ControlFlow:
    """The control flow of a listing at stage `isa`. Nothing raises: what cannot be followed is the `reason`."""
    grf_bytes = grf_bytes_of(platform_of(listing.lines))
    operations = tuple(decode(line.text, grf_bytes) if line.instruction else None for line in listing.lines)
    lines = [index for index, operation in enumerate(operations) if operation]
    if not lines:
        return ControlFlow(reason="the listing has no instructions", operations=operations, grf_bytes=grf_bytes)
    code = [operation for operation in operations if operation]
    labels = _labels(listing.lines)
    exits = [
        exits_of(operation, here, labels.get, lambda target: target < len(code) and code[target].name == "while")
        if operation.is_branch or operation.ends_thread
        else None
        for here, operation in enumerate(code)
    ]
    starts = _starts(exits, labels)
    graph = _Graph(starts, exits)
    order = reverse_postorder(graph.successors)
    reason = _reason(graph, order, exits, lines)
    loops = () if reason else find_loops(graph.successors, order)
    block_of = {lines[place]: block for block, first in enumerate(starts) for place in range(first, graph.end(block))}
    waiting = _waiting(graph)
    return ControlFlow(
        blocks=tuple(
            Block(
                lines[first],
                lines[graph.end(block) - 1],
                tuple(graph.successors[block]),
                tuple(graph.predecessors[block]),
                tuple(graph.thread[block]),
                waiting[block],
            )
            for block, first in enumerate(starts)
        ),
        loops=loops,
        reason=reason,
        operations=operations,
        order=tuple(order),
        calls_elsewhere=tuple(lines[here] for here, exit_ in enumerate(exits) if exit_ and exit_.calls_elsewhere),
        grf_bytes=grf_bytes,
        _block_of=block_of,
        _innermost={block: number for number, loop in enumerate(loops) for block in loop.blocks},
    )


def _labels(lines: Sequence[Line]) -> dict[str, int]:
    """The position of the instruction that follows each label."""
    labels: dict[str, int] = {}
    position = 0
    for line in lines:
        if line.instruction:
            position += 1
        elif (line.text.endswith(":") or ":" in line.text) and (found := _LABEL.match(line.text)):
            labels[found["name"]] = position
    return labels


def _starts(exits: Sequence[Exits | None], labels: dict[str, int]) -> list[int]:
    """Positions at which blocks start: where a branch leads, and after each."""
    starts = {0}
    for here, exit_ in enumerate(exits):
        if exit_ is not None:
            starts.update((here + 1, *exit_.channels, *exit_.thread, *exit_.waits))
            if exit_.calls is not None:
                starts.add(exit_.calls)
    starts.update(labels.values())
    return sorted(start for start in starts if start < len(exits))


class _Graph:
    """Edges between blocks. The block after the last stands for the end of the text, which no thread may reach."""

    def __init__(self, starts: Sequence[int], exits: Sequence[Exits | None]) -> None:
        self._starts = starts
        self._length = len(exits)
        self._at = {start: block for block, start in enumerate(starts)}
        count = len(starts)
        self.successors: list[list[int]] = [[] for _ in range(count)]
        self.thread: list[list[int]] = [[] for _ in range(count)]
        self.waits: list[list[int]] = [[] for _ in range(count)]
        self.runs_out: set[int] = set()
        sites: dict[int, list[int]] = {}
        returns: list[int] = []
        for block in range(count):
            after = self.end(block)
            exit_ = exits[after - 1] or Exits((after,), (after,))
            if exit_.calls is not None:
                callee = self._at.get(exit_.calls)
                if callee is not None:
                    sites.setdefault(callee, []).append(block)
                    self.successors[block] = [callee]
                    self.thread[block] = [callee]
                    continue
            if exit_.returns:
                returns.append(block)
            self.successors[block] = self._blocks(block, exit_.channels)
            self.thread[block] = self._blocks(block, exit_.thread)
            self.waits[block] = self._blocks(block, exit_.waits)
        self._link_returns(sites, returns)
        self.predecessors: list[list[int]] = [[] for _ in range(count)]
        for block, targets in enumerate(self.successors):
            for target in targets:
                self.predecessors[target].append(block)

    def end(self, block: int) -> int:
        """The position after its last instruction."""
        return self._starts[block + 1] if block + 1 < len(self._starts) else self._length

    def _blocks(self, block: int, positions: Sequence[int]) -> list[int]:
        if any(position >= self._length for position in positions):
            self.runs_out.add(block)
        return [self._at[position] for position in dict.fromkeys(positions) if position < self._length]

    def _link_returns(self, sites: dict[int, list[int]], returns: Sequence[int]) -> None:
        """A return leads to the instruction after every call of its function."""
        reached = {callee: set(self._reach(callee)) for callee in sites} if returns else {}
        for block in returns:
            for callee, callers in sites.items():
                if block in reached[callee]:
                    after = [self._at[self.end(caller)] for caller in callers if self.end(caller) in self._at]
                    self.successors[block] += after
                    self.thread[block] += after

    def _reach(self, entry: int) -> list[int]:
        return reverse_postorder(self.successors, entry)


def _reason(graph: _Graph, order: Sequence[int], exits: Sequence[Exits | None], lines: Sequence[int]) -> str | None:
    for block in order:
        place = graph.end(block) - 1
        exit_ = exits[place]
        if exit_ is not None and exit_.unknown:
            return f"line {lines[place] + 1}: {exit_.unknown}"
        if block in graph.runs_out:
            return f"the listing ends at line {lines[place] + 1}, before the thread does: it may have been cut"
    return None


def _waiting(graph: _Graph) -> list[tuple[int, ...]]:
    """For each block, where channels may wait while the thread runs it.

    Channels wait from the branch that disabled them until the thread reaches the place: sets of places, which flow
    forward along the thread's edges.
    """
    count = len(graph.thread)
    bits = [sum(1 << target for target in set(graph.waits[block])) for block in range(count)]
    entering = [0] * count
    pending = list(range(count))[::-1]
    queued = set(pending)
    while pending:
        block = pending.pop()
        queued.discard(block)
        leaving = entering[block] & ~(1 << block) | bits[block]
        for target in graph.thread[block]:
            merged = entering[target] | leaving & ~(1 << target)
            if merged != entering[target]:
                entering[target] = merged
                if target not in queued:
                    queued.add(target)
                    pending.append(target)
    return [_members(bits) for bits in entering]


def _members(bits: int) -> tuple[int, ...]:
    members = []
    while bits:
        lowest = bits & -bits
        members.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(members)
