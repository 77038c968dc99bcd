"""What notes look at: a kernel's listing, its loops and its tensors, each read once and only if asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from xpuasm_magic.analysis.advice.tensors import Tensors, read_tensors
from xpuasm_magic.analysis.device import device_of
from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.analysis.sends import Send, SendKind, send_of
from xpuasm_magic.model import Kernel, Line, Listing, SourceLoc
from xpuasm_magic.offline.devices import Device


@dataclass(frozen=True)
class Code:
    """A kernel, as notes see it."""

    kernel: Kernel
    isa: Listing | None = None
    """Its listing, where it has been read already."""
    control_flow: ControlFlow | None = None
    """The listing's, where it is known already."""

    @cached_property
    def device(self) -> Device | None:
        return device_of(self.kernel)

    @cached_property
    def listing(self) -> Listing:
        """The ISA; empty where there is none that can be read."""
        return self.isa or read_stage(self.kernel, "isa") or Listing("isa", ())

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.listing.lines

    @cached_property
    def flow(self) -> ControlFlow:
        return self.control_flow or control_flow(self.listing)

    @cached_property
    def instructions(self) -> tuple[int, ...]:
        return tuple(index for index, line in enumerate(self.lines) if line.instruction)

    @cached_property
    def innermost_loops(self) -> tuple[tuple[int, ...], ...]:
        """The instructions of each loop that has none inside."""
        around = {loop.parent for loop in self.flow.loops}
        return tuple(
            tuple(
                index
                for block in sorted(loop.blocks)
                for index in range(self.flow.blocks[block].first, self.flow.blocks[block].last + 1)
                if self.lines[index].instruction
            )
            for number, loop in enumerate(self.flow.loops)
            if number not in around
        )

    @cached_property
    def sends(self) -> dict[int, Send]:
        """The messages, by the index of their line."""
        found = {}
        for index in self.instructions:
            line = self.lines[index]
            send = send_of(line.text, line.instruction) if line.instruction else None
            if send:
                found[index] = send
        return found

    def per_channel(self, kind: SendKind, among: Iterable[int]) -> tuple[int, ...]:
        """The messages of a kind among some instructions that have an address for each channel."""
        sends = ((index, self.sends.get(index)) for index in among)
        return tuple(index for index, send in sends if send and send.per_channel and send.kind == kind)

    @cached_property
    def tensors(self) -> Tensors:
        """The operations of Triton's first IR; none where it is missing."""
        listing = read_stage(self.kernel, "ttir")
        return read_tensors(listing.lines) if listing else Tensors()

    def with_opcode(self, *prefixes: str, among: Iterable[int] | None = None) -> tuple[int, ...]:
        """Instructions whose opcode begins with one of `prefixes`."""
        return tuple(
            index
            for index in (self.instructions if among is None else among)
            if (instruction := self.lines[index].instruction) and instruction.opcode.startswith(prefixes)
        )

    def from_source(self, loc: SourceLoc | None) -> tuple[int, ...]:
        """Instructions that come from a source line."""
        return self.from_line(loc.file, loc.line) if loc else ()

    def from_line(self, file: str, line: int) -> tuple[int, ...]:
        return self._by_source.get((file, line), ())

    @cached_property
    def _by_source(self) -> dict[tuple[str, int], tuple[int, ...]]:
        found: dict[tuple[str, int], list[int]] = {}
        for index in self.instructions:
            loc = self.lines[index].loc
            if loc:
                found.setdefault((loc.file, loc.line), []).append(index)
        return {source: tuple(lines) for source, lines in found.items()}
