"""Intel GPU ISA text -> statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.compare.statement import Operand, Origin, Statement
from xpuasm_magic.model import Line

# (W&~f0.1) goto.b (32|M0)   _0_073   _0_073   {I@1} // $24
_INSTRUCTION = re.compile(
    r"(?P<predicate>\([^)\s]+\))?[ \t]+(?P<opcode>[a-z]\w*(?:\.\S+)?)(?P<operands>[^{/]*)"
    r"(?:\{(?P<options>[^}]*)\})?[^/]*(?://(?P<comment>.*))?$"
)
# _0_073:     L832:
_LABEL = re.compile(r"[ \t]*(?P<name>[A-Za-z_.$][\w.$]*):[ \t]*$")
# r10.0  f3.1  acc2.0  a0.2  s0.56: what the register allocator chose. r0 is the thread's own header.
_REGISTER = re.compile(r"(?<![\w.])(?P<file>r(?!0\b)|acc|[fas])\d+(?:\.\d+)?(?![\w.])")
_BRANCHES = ("goto", "join", "jmpi", "brc", "brd", "while", "if", "else", "endif", "break", "cont", "halt")
_TARGET = re.compile(r"(?<![\w.<:])[A-Za-z_.$][\w.$]*(?![\w.$])")
# EOT, Atomic, …: what the instruction does; the rest of the braces is the scoreboard's and the encoding's
_OPTION = re.compile(r"[A-Z][A-Za-z]+(?![\w@.])")
# //  scratch space spill:  from offset[2x32]      //  fill from offset[3*64]
_SPILL = re.compile(r"//[ \t]+(?:scratch space )?(?P<kind>spill|fill)\b(?!/).*offset\[")
# hword scratch block write x4
_SPILL_SIZE = re.compile(r"block (?:read|write) x\d+")
_HEX = re.compile(r"0x[0-9A-Fa-f]+")
# (W)     mov (16|M0)   null<1>:ud    0x1F237707:ud      after the end of thread: the module's hash, no code
_HASH = re.compile(r"\(W\)[ \t]+mov \(16\|M0\)[ \t]+null<1>:ud[ \t]+0x[0-9A-F]+:ud")


def isa_statements(lines: Sequence[Line]) -> list[Statement]:
    """Instructions. Spill slots are names as registers are: an access is told by its kind and its size."""
    read: list[tuple[int, str, list[str]]] = []
    labels: dict[str, Origin] = {}
    ended = False
    for index, line in enumerate(lines):
        text = line.text
        if text.startswith("//"):
            continue
        found = _INSTRUCTION.match(text)
        if not found:
            if label := _LABEL.match(text):
                labels[label["name"]] = (len(read), 0)
            continue
        if ended and _HASH.match(text):
            continue
        operands, targets = found["operands"], []
        if found["opcode"].split(".")[0] in _BRANCHES:
            targets = _TARGET.findall(operands)
            operands = _TARGET.sub("label", operands)
        operands = _REGISTER.sub(r"\g<file>", operands)
        if spill := _SPILL.search(text):
            size = _SPILL_SIZE.search(text)
            operands = f"{_HEX.sub('slot', operands)} {spill['kind']} {size[0] if size else ''}"
        predicate = _REGISTER.sub(r"\g<file>", found["predicate"]) if found["predicate"] else ""
        options = _options(found["options"])
        ended = (ended and found["opcode"] == "nop") or "EOT" in options
        read.append((index, " ".join(f"{predicate} {found['opcode']} {operands} {options}".split()), targets))
    return [
        Statement(index, text, tuple(_operand(labels, name) for name in names)) for index, text, names in read
    ]


def _options(text: str | None) -> str:
    return " ".join(option for option in _OPTION.findall(text) if option != "Compacted") if text else ""


def _operand(labels: dict[str, Origin], name: str) -> Operand:
    return (labels[name],) if name in labels else ()
