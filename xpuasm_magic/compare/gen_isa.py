"""Intel GPU ISA text -> statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.compare.registers import Code, Registers
from xpuasm_magic.compare.statement import Operand, Origin, Statement
from xpuasm_magic.model import Line

# (W&~f0.1) goto.b (32|M0)   _0_073   _0_073   {I@1} // $24
_INSTRUCTION = re.compile(
    r"(?P<predicate>\([^)\s]+\))?[ \t]+(?P<opcode>[a-z]\w*(?:\.\S+)?)"
    r"(?:[ \t]+\((?P<exec_size>\d{1,3})\|(?P<offset>M\d+)\))?(?P<operands>[^{]*)(?:\{(?P<options>[^}]*))?"
)
# _0_073:     L832:
_LABEL = re.compile(r"[ \t]*(?P<name>[A-Za-z_.$][\w.$]*):[ \t]*$")
# r10.0  f3.1  acc2.0  a0.2  s0.56: what the register allocator chose. r0 is the thread's own header.
_REGISTER = re.compile(r"(?<![\w.])(?P<file>r(?!0\b)|acc|[fas])\d+(?:\.\d+)?(?![\w.])")
_BRANCHES = ("goto", "join", "jmpi", "brc", "brd", "while", "if", "else", "endif", "break", "cont", "halt")
_TARGET = re.compile(r"(?<![\w.<:])[A-Za-z_.$][\w.$]*(?![\w.$])")
# ($5,$6,$7)
_TOKENS = re.compile(r"\(\$[^)]*\)")
# EOT, Atomic, …: what the instruction does; the rest of the braces is the scoreboard's and the encoding's
_OPTION = re.compile(r"[A-Z][A-Za-z]+(?![\w@.])")
# //  scratch space spill:  from offset[2x32]      //  fill from offset[3*64]
_SPILL = re.compile(r"(?:^|//)[ \t]+(?:scratch space )?(?P<kind>spill|fill)\b(?!/)")
# hword scratch block write x4
_SPILL_SIZE = re.compile(r"block (?:read|write) x\d+")
_HEX = re.compile(r"0x[0-9A-Fa-f]+")
# (W)     mov (16|M0)   null<1>:ud    0x1F237707:ud      after the end of thread: the module's hash, no code
_HASH = re.compile(r"\(W\)[ \t]+mov \(16\|M0\)[ \t]+null<1>:ud[ \t]+0x[0-9A-F]+:ud")

# //.platform DG2: its general registers have 32 bytes; those of PVC and Xe2 on have 64
_SMALL_GRF = re.compile(r"//\.platform (?:DG2|MTL|ARL)\b")
_HEADER_LINES = 10


def isa_statements(lines: Sequence[Line]) -> list[Statement]:
    """Instructions. Spill slots are names as registers are: an access is told by its kind and its size."""
    registers = Registers(_grf_bytes(lines))
    read: list[tuple[int, str, tuple[Operand, ...], list[str]]] = []
    labels: dict[str, Origin] = {}
    ended = False
    for index, line in enumerate(lines):
        text = line.text
        if text.startswith("//"):
            continue
        code_text, _, comment = text.partition("//")
        found = _INSTRUCTION.match(code_text)
        if not found:
            if label := _LABEL.match(text):
                labels[label["name"]] = (len(read), 0)
            continue
        if ended and _HASH.match(text):
            continue
        predicate, opcode, size, operands = found.group("predicate", "opcode", "exec_size", "operands")
        code = Code(predicate or "", opcode, int(size or 1), operands, comment)
        origins = registers.step(len(read), code)
        targets: list[str] = []
        if opcode.startswith(_BRANCHES):
            targets = _TARGET.findall(operands)
            operands = _TARGET.sub("label", operands)
        said = _TOKENS.sub(
            "tokens",
            _REGISTER.sub(r"\g<file>", f"{predicate or ''} {opcode} ({size}|{found['offset']}) {operands}"),
        )
        options = _options(found["options"])
        if "offset[" in comment and (spill := _SPILL.search(comment)):
            shape = _SPILL_SIZE.search(comment)
            said = f"{_HEX.sub('slot', said)} {spill['kind']} {shape[0] if shape else ''}"
        ended = (ended and opcode == "nop") or "EOT" in options
        read.append((index, " ".join(f"{said} {options}".split()), origins, targets))
    return [
        Statement(index, text, (*origins, *(_target(labels, name) for name in targets)))
        for index, text, origins, targets in read
    ]


def _grf_bytes(lines: Sequence[Line]) -> int:
    header = (line.text for line in lines[:_HEADER_LINES])
    return 32 if any(_SMALL_GRF.match(text) for text in header) else 64


def _options(text: str | None) -> str:
    return " ".join(option for option in _OPTION.findall(text) if option != "Compacted") if text else ""


def _target(labels: dict[str, Origin], name: str) -> Operand:
    return (labels[name],) if name in labels else ()
