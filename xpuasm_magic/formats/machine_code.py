"""Raw machine code: whether it is all that a binary's section holds, and how much of it a listing spells out."""

from __future__ import annotations

import re

from xpuasm_magic.formats.gen_isa import COMPACTED_SIZE, NATIVE_SIZE

# {Compacted,A@1,$0.dst}         {Atomic,Compacted}
_COMPACTED = re.compile(rb"[{,]Compacted[,}]")
_MOST_PADDING = 1024
"""Sections are padded with zeros for the instruction prefetcher: 128 to 191 bytes, measured."""


def fills(code: bytes, section: bytes) -> bool:
    """Whether the section is this code and padding: code that was cut short is part of another's section too."""
    if not code or len(code) % COMPACTED_SIZE or not section.startswith(code):
        return False
    padding = section[len(code) :]
    return len(padding) <= _MOST_PADDING and not any(padding)


def spells_out(listing: bytes, instructions: int, size: int) -> bool:
    """Whether a listing, whose header counts the instructions, has all of a code of that size."""
    saved, odd = divmod(instructions * NATIVE_SIZE - size, NATIVE_SIZE - COMPACTED_SIZE)
    if odd:
        return False
    # The word alone is quick to count; a line of source in a comment may have it too.
    return saved == listing.count(b"Compacted") or saved == len(_COMPACTED.findall(listing))
