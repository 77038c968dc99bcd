"""One line of Intel GPU ISA -> its operation: opcode, predicate, and the registers that it reads and writes."""

from __future__ import annotations

import re
from typing import NamedTuple

from xpuasm_magic.formats.gen_payloads import Operands, parse_message, parse_raw_message
from xpuasm_magic.formats.gen_registers import BITS, GRF_BYTES, Operand, parse_block, parse_operand

_CALLS = ("call", "callc", "calla")
BRANCHES = frozenset(
    (*_CALLS, "goto", "join", "jmpi", "brd", "brc", "if", "else", "endif", "while", "break", "cont", "halt", "ret")
)
"""Operations that may change the instruction pointer."""

_LSC = ("load", "store", "atomic", "fence", "read_state")
_SENDS = ("send", *_LSC)
"""IGC spells memory messages in full where it can; all are sends."""

# (W&~f0.1) cmp (16|M0)   (eq)f0.0   null<1>:d     r4.0<1;1,0>:d    0:w    {Compacted,I@1}  //  ALU pipe: int; $1
# (W)     load.ugm.d32x32t.a32.ca.ca (1|M0)  r1:2 bti[255][r127:1]   {A@1,$0} // ex_desc:0xFF000000; desc:0x6228E500 //
#         bfn.(s0&s1|s2) (32|M0)   r10.0<1>:ud   r5.0<1;0>:ud    r9.0<0;0>:ud  r2.0<0>:ud  {I@3} // $11
_LINE = re.compile(
    r"(?:\((?P<predicate>[^)\s]+)\))?[ \t]+(?P<opcode>[a-z]\w*(?:\.\S+)?)"
    r"(?:[ \t]+\((?P<size>\d{1,3})\|M(?P<offset>\d{1,3})\))?(?P<operands>[^{/]*)(?:\{(?P<options>[^}]*)\})?(?P<rest>.*)"
)
# (lt)f3.0     (ne)f0.1
_CONDITION = re.compile(r"\([a-z]{2}\)(?P<flag>f\d+(?:\.\d+)?)")
# dpas.8x4: systolic depth, repeat count
_DPAS = re.compile(r"b?dpas\w*\.(?P<depth>\d{1,2})x(?P<repeat>\d{1,2})")


class Operation(NamedTuple):
    """An instruction, taken apart."""

    opcode: str
    """With its modifiers, as the listing spells it: `mad`, `dpas.8x8`, `load.ugm.d32.a64`."""
    exec_size: int | None = None
    exec_offset: int = 0
    """The first channel (`M16`: 16)."""
    predicate: str | None = None
    """The flag, after a `~` where it is inverted: `f0.0`, `~f2.1`."""
    no_mask: bool = False
    """`(W)`: runs for all channels, whether or not control flow has enabled them."""
    flag: str | None = None
    """The flag register that a condition modifier writes."""
    dst: Operand | None = None
    srcs: tuple[Operand, ...] = ()
    """Of a message: the address payload, the data payload, then what its descriptors read."""
    options: tuple[str, ...] = ()
    """The words in braces: `EOT`, `Compacted`, `$2`, `I@1` …"""
    operands: str = ""
    """As written, condition modifier and all."""

    @property
    def name(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.partition(".")[0]

    @property
    def guarded(self) -> bool:
        """Whether its predicate disables channels. (That of `sel` chooses between sources.)"""
        return self.predicate is not None and self.name != "sel"

    @property
    def is_send(self) -> bool:
        return self.opcode.startswith(_SENDS)

    @property
    def is_branch(self) -> bool:
        return self.name in BRANCHES

    @property
    def ends_thread(self) -> bool:
        return "EOT" in self.options

    @property
    def targets(self) -> tuple[str, ...]:
        """Labels of a branch as written: JIP, where the thread goes on once no channel is left, then UIP, if any."""
        return tuple(operand.text for operand in self.srcs if operand.kind == "label")

    @property
    def unresolved(self) -> Operand | None:
        """An operand in general registers that the text alone does not tell, if there is one."""
        for operand in (self.dst, *self.srcs):
            if operand is not None and operand.kind == "grf" and not operand.mask:
                return operand
        return None


def decode(text: str, grf_bytes: int = GRF_BYTES) -> Operation | None:
    """The operation of a listing's line; None where the line is no instruction.

    Nothing raises: an unknown opcode is taken for arithmetic, an operand of unknown form is `unresolved` or a label.
    """
    found = _LINE.match(text)
    if found is None:
        return None
    predicate, opcode, size, offset, operands, options, rest = found.groups()
    no_mask = False
    if predicate:
        no_mask = predicate[0] == "W"
        predicate = predicate[2:] if no_mask else predicate
    tokens = operands.split()
    flag = None
    if tokens and (condition := _CONDITION.fullmatch(tokens[0])):
        flag = condition["flag"]
        del tokens[0]
    exec_size = int(size) if size else None
    dst, srcs = _operands(opcode, exec_size or 1, tokens, rest, grf_bytes)
    words = tuple(options.split(",")) if options else ()
    return Operation(opcode, exec_size, int(offset or 0), predicate or None, no_mask, flag, dst, srcs, words, operands)


def _operands(opcode: str, exec_size: int, tokens: list[str], rest: str, grf_bytes: int) -> Operands:
    name = opcode.partition(".")[0]
    if not tokens:
        return None, ()
    if name.startswith("send"):
        return parse_raw_message(opcode, exec_size, tokens, rest, grf_bytes)
    if name.startswith(_LSC):
        return parse_message(opcode, exec_size, tokens, grf_bytes)
    if name in BRANCHES:
        return _branch(name, tokens, grf_bytes)
    if name in ("sync", "nop", "wait"):
        return None, ()
    if found := _DPAS.match(opcode):
        return _dpas(int(found["depth"]), int(found["repeat"]), exec_size, tokens, grf_bytes)
    dst = parse_operand(tokens[0], exec_size, grf_bytes)
    if name == "madw" and dst.mask:  # low halves, then from the next register on the high halves
        dst = dst._replace(mask=dst.mask | dst.mask << -(-dst.size // grf_bytes) * grf_bytes)
    return dst, tuple([parse_operand(token, exec_size, grf_bytes) for token in tokens[1:]])


def _branch(name: str, tokens: list[str], grf_bytes: int) -> Operands:
    """A call keeps the return address and mask in two dwords of its destination, `ret` reads them there."""
    if name in _CALLS:
        source = tuple(parse_operand(token, 1, grf_bytes) for token in tokens[1:])
        return parse_block(tokens[0], 8, grf_bytes), source
    size = 8 if name == "ret" else 4
    return None, tuple(parse_block(token, size, grf_bytes) for token in tokens)


def _dpas(depth: int, repeat: int, exec_size: int, tokens: list[str], grf_bytes: int) -> Operands:
    """Sizes by the PRM's "Dot Product Accumulate Systolic".

    dst and src0: `repeat` rows of one element per channel. src1: for each channel and step, the elements of a dword
    of the wider of the two types (8 elements where both have 4 bits or fewer). src2: the same for each row and step.
    """
    kinds = [token.rpartition(":")[2] for token in tokens]
    if len(tokens) < 4 or not all(kind in BITS for kind in kinds[:4]):
        return parse_block(tokens[0], None, grf_bytes), tuple(
            parse_block(token, None, grf_bytes) for token in tokens[1:]
        )
    bits = [BITS[kind] for kind in kinds[:4]]
    elements = min(32 // max(bits[2], bits[3]), 8)
    sizes = [
        repeat * exec_size * bits[0] // 8,
        repeat * exec_size * bits[1] // 8,
        depth * exec_size * elements * bits[2] // 8,
        depth * repeat * elements * bits[3] // 8,
    ]
    dst, *srcs = (parse_block(token, size, grf_bytes) for token, size in zip(tokens, sizes, strict=False))
    scales = (parse_block(token, grf_bytes, grf_bytes) for token in tokens[4:])  # bdpas: within a register each
    return dst, (*srcs, *scales)
