"""Raw machine code: whether it is all that a binary's section holds, and how much of it a listing spells out."""

from __future__ import annotations

from xpuasm_magic.formats.gen_isa import COMPACTED_SIZE, NATIVE_SIZE

_MOST_PADDING = 1024
"""Sections are padded with zeros for the instruction prefetcher: 128 to 191 bytes, measured."""


def fills(code: bytes, section: bytes) -> bool:
    """Whether the section is this code and padding: code that was cut short is part of another's section too."""
    if not code or len(code) % COMPACTED_SIZE or not section.startswith(code):
        return False
    padding = section[len(code) :]
    return len(padding) <= _MOST_PADDING and not any(padding)


def listed_size(listing: bytes, instructions: int) -> int:
    """Bytes of code that a listing spells out, whose header counts the instructions."""
    compacted = sum(listing.count(sign) for sign in (b"{Compacted}", b"{Compacted,", b",Compacted}", b",Compacted,"))
    return instructions * NATIVE_SIZE - compacted * (NATIVE_SIZE - COMPACTED_SIZE)
