"""Intel GPU ISA text (an `.asm` of an IGC dump) -> its header, and its lines with addresses and source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.text import split_lines
from xpuasm_magic.model import Instruction, Line, ListingHeader, SourceLoc

HEADER_BYTES = 16 * 1024
"""A header is about 1 KB (`//.full_options` is its long line); this much of a file holds it."""

VOID_PROGRAM = "Intel_Symbol_Table_Void_Program"
"""IGC's dummy kernel, which carries a module's global symbols. It has a listing, and is nobody's kernel."""

COMPACTED_SIZE, NATIVE_SIZE = 8, 16

# //.spill size 15680
# //.RA type<TAB>LOCAL_FIRST_FIT_RA
# //.options_string "-emitCrossThreadOffR0Reloc -hashmovs 522417927 2808570959 -hashmovs1 0 1 "
_FIELD = re.compile(
    r"^//\.(?P<name>kernel|platform|thread_config|options_string|instCount|RA type|private memory size"
    r"|spill size|spill flag store|spill flag load)[ \t](?P<value>.*)$",
    re.MULTILINE,
)
# //.platform PVCXT
_PLATFORM = re.compile(r"//\.platform[ \t]+(?P<name>\S+)")
_HEADER_LINES = 20
# numGRF=128, numAcc=4, numSWSB=16
_THREAD_CONFIG = re.compile(r"(?P<name>num\w+)=(?P<value>\d{1,9})")

# (W)     mad (1|M0)               r127.0<1>:ud  r127.2<0;0>:ud  r127.0<0;0>:uw  0xC0:uw  {I@1} // $4
#         bfn.(s0&s1|s2) (32|M0)   r10.0<1>:ud   r5.0<1;0>:ud    r9.0<0;0>:ud  r2.0<0>:ud  {I@3} // $11
# (W&~f0.0) jmpi                               _0_073                        // $12
_INSTRUCTION = re.compile(
    r"(?:\([^)\s]+\))?[ \t]+(?P<opcode>[a-z]\w*(?:\.\S+)?)(?:[ \t]+\((?P<exec_size>\d{1,4})\|M\d+\))?"
)
# {Compacted,A@1,$0.dst}         {Atomic,Compacted}
_COMPACTED = re.compile(r"[{,]Compacted[,}]")
# … // wr:1h+1, rd:0; hword scratch block write x1 //  scratch space spill: SP_V0048 from offset[0x32]; $10
# … {Compacted,$2} // $523 R{} IR{}{O:1,O:5,O:14,},  R{} IR{}{E:2,E:6,E:15,},  {BC=2}
_VISA_ID = re.compile(r"[ ;]\$(?P<id>\d{1,9})(?=[ \t]*$| R\{)")
# // File: /src/kernels.py
_FILE = re.compile(r"// File: (?P<file>.+)$")
# // Line 17:  tl.store(o_ptr+offs, x+y, mask=m)
# // Line 17                      (the compiler did not find the source file)
_LINE = re.compile(r"// Line (?P<line>\d{1,9})(?::  |[ \t]*$)")
# // _main:                       (a label of its own, or in a comment)
_MAIN = re.compile(r"(?:// )?_main:")

# The first word of an instruction's opcode: send.ugm, load_block2d.ugm…, atomic_iadd.ugm…, dpas.8x8
_OPCODE_WORD = re.compile(rb"\n(?:\([^)\s]+\))?[ \t]+([a-z]\w*)")
# The same as above, in bytes
_INST_COUNT_BYTES = re.compile(rb"^//\.instCount (?P<count>\d{1,9})", re.MULTILINE)
_MAIN_BYTES = re.compile(rb"^" + _MAIN.pattern.encode(), re.MULTILINE)
_LINE_BYTES = re.compile(rb"^// Line \d+(?::  |[ \t]*$)", re.MULTILINE)
_INSTRUCTION_BYTES = re.compile(_OPCODE_WORD.pattern + rb"[^\n]*")
_VISA_ID_BYTES = re.compile(_VISA_ID.pattern.encode())
_DPAS = (b"dpas",)
_SENDS = (b"send", b"load", b"store", b"atomic_")
"""IGC spells memory messages in full where it can; all are sends."""


@dataclass(frozen=True)
class MixCounts:
    """Instructions of two kinds in a listing: systolic multiplies, and messages to memory or another unit."""

    dpas: int
    sends: int


def parse_header(text: str) -> ListingHeader:
    """The `//.` header of a listing; its first `HEADER_BYTES` are enough.

    Raises:
        ParseError: there is no `//.kernel` line.

    """
    fields: dict[str, str] = {}
    for found in _FIELD.finditer(text, 0, HEADER_BYTES):
        fields.setdefault(found["name"], found["value"].strip())
    if not fields.get("kernel"):
        raise ParseError("not an IGC listing: it has no `//.kernel` line" if text else "the listing is empty")
    thread_config = _THREAD_CONFIG.finditer(fields.get("thread_config", ""))
    config = {found["name"]: int(found["value"]) for found in thread_config}
    return ListingHeader(
        kernel=fields["kernel"],
        platform=fields.get("platform"),
        num_grf=config.get("numGRF"),
        num_acc=config.get("numAcc"),
        num_swsb=config.get("numSWSB"),
        inst_count=_number(fields.get("instCount")),
        ra_type=fields.get("RA type"),
        spill_size=_number(fields.get("spill size")) or 0,
        private_size=_number(fields.get("private memory size")) or 0,
        spill_flag_store=_number(fields.get("spill flag store")) or 0,
        spill_flag_load=_number(fields.get("spill flag load")) or 0,
        options=fields.get("options_string", "").strip('"').strip(),
    )


def parse_listing(text: str) -> tuple[Line, ...]:
    """Every line of a listing. Instructions carry their address, their vISA number and their source line.

    `// File:` and `// Line` hold until the next one. The lines and numbers in the prolog, before `_main`, name
    what the prolog does not come from, and are not taken.
    """
    lines = split_lines(text)
    in_body = not any(_MAIN.match(line) for line in lines)
    file: str | None = None
    loc: SourceLoc | None = None
    parsed = []
    pc = 0
    for line in lines:
        if line.startswith("//"):
            if found := _FILE.match(line):
                file = found["file"]
            elif in_body and (found := _LINE.match(line)):
                loc = SourceLoc(file or "", int(found["line"]))
                parsed.append(Line(line, loc=loc))
                continue
            elif not in_body and _MAIN.match(line):
                in_body = True
        elif found := _INSTRUCTION.match(line):
            size = COMPACTED_SIZE if _COMPACTED.search(line) else NATIVE_SIZE
            width = found["exec_size"]
            instruction = Instruction(pc, size, found["opcode"], int(width) if width else None)
            comment = line.find("//") if in_body else -1
            visa = _VISA_ID.search(line, comment) if comment >= 0 else None
            parsed.append(Line(line, loc, (int(visa["id"]),) if visa else (), instruction))
            pc += size
            continue
        elif not in_body and _MAIN.match(line):
            in_body = True
        parsed.append(Line(line))
    return tuple(parsed)


def instruction_mix_counts(text: str | bytes) -> MixCounts:
    """How many `dpas` and how many messages a listing has, without parsing it. Bytes are quicker than text."""
    words = Counter(_OPCODE_WORD.findall(text.encode() if isinstance(text, str) else text))
    return MixCounts(dpas=_count(words, _DPAS), sends=_count(words, _SENDS))


def linked_share(text: bytes) -> float | None:
    """Share of instructions that `parse_listing` gives a source line or a vISA number, without parsing.

    None: there are no instructions.
    """
    stated = _INST_COUNT_BYTES.search(text, 0, HEADER_BYTES)
    total = int(stated["count"]) if stated else len(_OPCODE_WORD.findall(text))
    if not total:
        return None
    main = _MAIN_BYTES.search(text)
    body = main.end() if main else 0
    first = _LINE_BYTES.search(text, body)
    end = first.start() if first else len(text)  # from the first source line of the body on, all have one
    numbered = sum(
        1
        for found in _INSTRUCTION_BYTES.finditer(text, body, end)
        if _VISA_ID_BYTES.search(found[0].partition(b"//")[2])
    )
    return 1 - (len(_OPCODE_WORD.findall(text, 0, end)) - numbered) / total


def platform_of(lines: Sequence[Line]) -> str | None:
    """The platform that the header of a listing names."""
    found = (_PLATFORM.match(line.text) for line in lines[:_HEADER_LINES])
    return next((match["name"] for match in found if match), None)


def _count(words: Counter[bytes], prefixes: tuple[bytes, ...]) -> int:
    return sum(count for word, count in words.items() if word.startswith(prefixes))


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 10 else None
