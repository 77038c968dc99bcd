"""vISA text (`.visaasm`) and IGC's last LLVM IR (`.visa.ll`) -> Lines with vISA instruction numbers."""

from __future__ import annotations

import re

from xpuasm_magic.formats.text import split_lines
from xpuasm_magic.model import Line, SourceLoc

#     shl (M1_NM, 1) V0047(0,0)<1> V0039(0,1)<0;1,0> 0xa:d      /// $6
_VISA_ID = re.compile(r"/// \$(?P<id>\d+)[ \t]*$")
#     FILE "/src/kernels.py"
_FILE = re.compile(r'[ \t]*FILE "(?P<file>.*)"[ \t]*$')
#     LOC 15
_LOC = re.compile(r"[ \t]*LOC (?P<line>\d+)[ \t]*$")
#   %6 = shl i32 %5, 10, !dbg !445		; visa id: 4
_LLVM_ID = re.compile(r"; visa id: (?P<id>\d+)[ \t]*$")


def parse_visa(text: str) -> tuple[Line, ...]:
    """`FILE` and `LOC` hold until the next one."""
    file = ""
    loc: SourceLoc | None = None
    parsed = []
    for line in split_lines(text):
        ids: tuple[int, ...] = ()
        if found := _VISA_ID.search(line):
            ids = (int(found["id"]),)
        elif found := _LOC.match(line):
            loc = SourceLoc(file, int(found["line"]))
        elif found := _FILE.match(line):
            file = found["file"]
        parsed.append(Line(line, loc if ids else None, ids))
    return tuple(parsed)


def parse_visa_llvm(text: str) -> tuple[Line, ...]:
    """Each instruction with the numbers of all vISA instructions that were made from it.

    IGC writes the number that was next when it came to the instruction. Those up to the next one's are the
    instruction's own; where the next has the same number it made none, and keeps the number it stands before.
    """
    lines = split_lines(text)
    marked = [(index, int(found["id"])) for index, line in enumerate(lines) if (found := _LLVM_ID.search(line))]
    ids: dict[int, tuple[int, ...]] = {}
    following = [*(first for _, first in marked[1:]), 0]
    for (index, first), after in zip(marked, following, strict=False):
        ids[index] = tuple(range(first, max(after, first + 1)))
    return tuple(Line(line, ids=ids.get(index, ())) for index, line in enumerate(lines))
