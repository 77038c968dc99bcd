"""What a kernel's instructions are: classes, bytes that messages move, systolic work; of the whole, and of its loops.

All counts are static: of instructions in the code, not of how often they run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.analysis.sends import ACCESSES, SEND_KINDS, SEND_OPCODES, Send, SendKind, send_of
from xpuasm_magic.analysis.waits import Waits, waits
from xpuasm_magic.formats.dpas import PER_CHANNEL, DpasShape, parse_dpas
from xpuasm_magic.formats.gen_isa import COMPACTED_SIZE
from xpuasm_magic.formats.gen_operands import BRANCHES
from xpuasm_magic.model import Instruction, Line, Listing

AluClass = Literal["integer", "integer 64-bit", "float 16-bit", "float 32-bit", "float 64-bit", "math", "dpas"]
InstructionClass = Literal["control", AluClass, SendKind, "sync", "other"]
"""Arithmetic, logic, moves and comparisons go by the type of the destination, as IGC's own notes on the pipe do.
`sync`: waits, also those at a barrier. `other`: nop, and every opcode that is not known."""

CLASSES: tuple[InstructionClass, ...] = ("control", *get_args(AluClass), *SEND_KINDS, "sync", "other")

_TYPES: Mapping[str, AluClass] = {
    **dict.fromkeys(("b", "ub", "w", "uw", "d", "ud"), "integer"),
    **dict.fromkeys(("q", "uq"), "integer 64-bit"),
    **dict.fromkeys(("hf", "bf", "bf8", "hf8"), "float 16-bit"),
    **dict.fromkeys(("f", "tf32"), "float 32-bit"),
    "df": "float 64-bit",
}
_ALU = frozenset(
    """add add3 addc and asr avg bfe bfi1 bfi2 bfn bfrev cbit cmp cmpn csel dp4a fbh fbl frc lzd mac mach macl mad madm
    madw mov movi mul mulh not or rndd rnde rndu rndz rol ror sel shl shr smov srnd subb xor""".split()  # noqa: SIM905
)
"""Operations whose destination's type decides: IGA's instruction set, Xe-HPG to Xe3P."""

# … r10.0<1>:f  r8.0<8;8,1>:f …: the destination's is the first
_TYPE = re.compile(r":(?P<type>[a-z]\w*)")
_B_OPERAND = 2
"""Place of the type of dpas' B operand, behind those of the destination and of what is accumulated."""


@dataclass(frozen=True)
class Mix:
    """Some of a kernel's instructions."""

    counts: Mapping[InstructionClass, int]
    """Every class of `CLASSES`, in that order."""
    compacted: int
    """Instructions encoded in 8 bytes instead of 16."""
    moved: Mapping[SendKind, int]
    """Bytes that the messages move when each runs once with all channels on; only kinds that occur."""
    unsized: int
    """Messages that move data, but whose text does not say how much; they are not in `moved`."""
    systolic_rows: int
    """Rows of results that dpas computes: the sum of their repeat counts."""
    multiply_adds: int | None
    """Of dpas, per hardware thread: channels * depth * repeat * products per channel. None: a type is not known."""
    waits: Waits

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def compacted_share(self) -> float | None:
        return self.compacted / self.total if self.total else None

    @property
    def systolic_rows_per_instruction(self) -> float | None:
        """Systolic work per issue slot: 8 where every instruction is a dpas of 8 rows. None: there is no dpas.

        The array takes one row per cycle once it is full, on PVC (IGC, visa/LocalScheduler/LatencyTable.cpp: a dpas
        takes its latency + repeat - 1), and an instruction takes one cycle or more to issue. So below 1 a hardware
        thread cannot keep the array busy by itself.
        """
        return self.systolic_rows / self.total if self.counts["dpas"] else None


@dataclass(frozen=True)
class KernelMix:
    """The mix of a kernel. Of loops, None: it has none, or `reason` says why they are not known."""

    whole: Mix
    loops: Mix | None = None
    """Instructions in loops, each once."""
    innermost: Mix | None = None
    """Instructions in loops that have no loop in them."""
    reason: str | None = None

    @property
    def innermost_share(self) -> float | None:
        """Share of the kernel's instructions that are in innermost loops."""
        return self.innermost.total / self.whole.total if self.innermost and self.whole.total else None


def kernel_mix(listing: Listing, flow: ControlFlow | None = None) -> KernelMix:
    """The mix of a listing at stage `isa`; without its control flow, of the whole only."""
    whole = mix(listing.lines)
    if flow is None or flow.reason:
        return KernelMix(whole, reason=flow.reason if flow else "the control flow was not asked for")
    if not flow.loops:
        return KernelMix(whole)
    parents = {loop.parent for loop in flow.loops}
    innermost = {loop.header for number, loop in enumerate(flow.loops) if number not in parents}
    # Lines that are no instructions stay: labels end what `waits` looks at.
    around = [flow.innermost(index) for index in range(len(listing.lines))]
    pairs = list(zip(listing.lines, around, strict=True))
    return KernelMix(
        whole,
        loops=mix([line for line, loop in pairs if loop or not line.instruction]),
        innermost=mix([line for line, loop in pairs if not line.instruction or (loop and loop.header in innermost)]),
    )


def mix(lines: Sequence[Line]) -> Mix:
    """The mix of a listing's lines, or of some of them."""
    counts: Counter[InstructionClass] = Counter()
    moved: Counter[SendKind] = Counter()
    compacted = unsized = 0
    dpas = []
    for line in lines:
        if line.instruction is None:
            continue
        compacted += line.instruction.size == COMPACTED_SIZE
        class_, send = _classified(line.text, line.instruction)
        counts[class_] += 1
        if class_ == "dpas":
            dpas.append(line)
        elif send is None:
            continue
        elif send.size is not None:
            moved[send.kind] += send.size
        else:
            unsized += send.kind in ACCESSES
    return Mix(
        counts={class_: counts[class_] for class_ in CLASSES},
        compacted=compacted,
        moved={kind: moved[kind] for kind in SEND_KINDS if kind in moved},
        unsized=unsized,
        systolic_rows=sum(shape.repeat for line in dpas if (shape := _shape(line))),
        multiply_adds=_multiply_adds(dpas),
        waits=waits(lines),
    )


def class_of(line: Line) -> InstructionClass | None:
    """The class of one line's instruction; None: it has none."""
    return _classified(line.text, line.instruction)[0] if line.instruction else None


def _classified(text: str, instruction: Instruction) -> tuple[InstructionClass, Send | None]:
    known = _class_of_opcode(instruction.opcode)
    if known is not None:
        return known, None
    if send := send_of(text, instruction):
        return send.kind, send
    found = _TYPE.search(text)
    return _TYPES.get(found["type"], "other") if found else "other", None


@lru_cache(maxsize=4096)
def _class_of_opcode(opcode: str) -> InstructionClass | None:
    """None: a message, or an operation whose destination's type decides."""
    name = opcode.partition(".")[0]
    if name in BRANCHES:
        return "control"
    if name == "sync":
        return "sync"
    if name == "math":
        return "math"
    if name.startswith(("dpas", "bdpas")):
        return "dpas"
    return None if name in _ALU or name.startswith(SEND_OPCODES) else "other"


def _shape(line: Line) -> DpasShape | None:
    return parse_dpas(line.instruction.opcode) if line.instruction else None


def _multiply_adds(dpas: Sequence[Line]) -> int | None:
    total = 0
    for line in dpas:
        shape, types = _shape(line), _TYPE.findall(line.text)
        width = line.instruction.exec_size if line.instruction else None
        per_channel = PER_CHANNEL.get(types[_B_OPERAND]) if len(types) > _B_OPERAND else None
        if shape is None or width is None or per_channel is None:
            return None
        total += width * shape.depth * shape.repeat * per_channel
    return total
