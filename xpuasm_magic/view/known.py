"""All that can be known of one kernel: its analyses, its capture, and why something is not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from xpuasm_magic.analysis.occupancy import Occupancy
from xpuasm_magic.analysis.places import place
from xpuasm_magic.analysis.source_lines import source_lines
from xpuasm_magic.analysis.spill_report import SpillReport, spill_report
from xpuasm_magic.analysis.spill_rules import SpillVerdict, spill_verdicts
from xpuasm_magic.compare.side import Side
from xpuasm_magic.errors import ParseError
from xpuasm_magic.loader import recorded_rule
from xpuasm_magic.model import Capture, Kernel, SourceLoc
from xpuasm_magic.view.analysed import Analysed


@dataclass(frozen=True)
class Known:
    """`capture` is None where it is not known: then neither are the versions, and lines are those of files."""

    kernel: Kernel
    capture: Capture | None

    @cached_property
    def code(self) -> Analysed | None:
        """The analyses of the listing; None: there is none (`no_code`)."""
        return None if self.no_code else self._analysed

    @cached_property
    def no_code(self) -> str | None:
        """Why there is nothing to analyse."""
        if "isa" not in self.kernel.stages:
            return "there is no listing of its machine code"
        try:
            lines = self._analysed.isa.lines
        except (ParseError, OSError) as error:
            return f"the listing cannot be read: {error}"
        return None if any(line.instruction for line in lines) else "the listing has no instructions"

    @cached_property
    def spills(self) -> SpillReport:
        return self.code.spills if self.code else spill_report(self.kernel)

    @cached_property
    def occupancy(self) -> Occupancy:
        return self._analysed.occupancy

    @cached_property
    def rules(self) -> tuple[SpillVerdict, ...]:
        """What Triton's loader and Inductor make of its spill, as far as their rules are known."""
        info = self.capture.info if self.capture else None
        rule = recorded_rule(info.raw.get("loader_rule")) if info else None
        flags = Side(self.kernel, self.capture).build_flags  # `--grf` may have set others than the kernel's own
        built = replace(self.kernel, variant=replace(self.kernel.variant, build_flags=flags))
        return spill_verdicts(built, info.versions if info else {}, rule)

    def place(self, loc: SourceLoc) -> str:
        """A source line as its reader knows it: `In[5]:3`, `softmax.py:17`."""
        return place(self.capture, loc) if self.capture else f"{PurePath(loc.file).name}:{loc.line}"

    def sources(self, lines: Iterable[int]) -> list[SourceLoc]:
        """The source lines of instructions (indices in the ISA listing), each once, that of the most first."""
        if self.code is None:
            return []
        found = source_lines(self.kernel, self.code.isa.lines, lines).values()
        counts: dict[SourceLoc, int] = {}
        for loc in found:
            if loc is not None:
                counts[loc] = counts.get(loc, 0) + 1
        return sorted(counts, key=lambda loc: -counts[loc])

    @cached_property
    def _analysed(self) -> Analysed:
        return Analysed(self.kernel)
