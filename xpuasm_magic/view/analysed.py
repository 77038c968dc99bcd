"""All analyses of one code, each made once and only when a figure asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xpuasm_magic.analysis.advice import Advice, advise
from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.mix import KernelMix, kernel_mix
from xpuasm_magic.analysis.occupancy import Occupancy, occupancy
from xpuasm_magic.analysis.pressure import Pressure, pressure
from xpuasm_magic.analysis.spill_report import SpillReport, spill_report
from xpuasm_magic.model import Kernel, Listing


@dataclass(frozen=True)
class Analysed:
    """A kernel that has a listing at stage `isa`. Reading it raises ParseError or OSError."""

    kernel: Kernel

    @cached_property
    def isa(self) -> Listing:
        return self.kernel.listing("isa")

    @cached_property
    def flow(self) -> ControlFlow:
        return control_flow(self.isa)

    @cached_property
    def pressure(self) -> Pressure:
        return pressure(self.kernel, self.isa, self.flow)

    @cached_property
    def mix(self) -> KernelMix:
        return kernel_mix(self.isa, self.flow)

    @cached_property
    def occupancy(self) -> Occupancy:
        return occupancy(self.kernel)

    @cached_property
    def spills(self) -> SpillReport:
        return spill_report(self.kernel, self.isa)

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        return advise(self.kernel, self.isa, self.flow)
