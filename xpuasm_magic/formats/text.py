"""Text of any stage -> Lines that stand verbatim, with nothing known beside them."""

from __future__ import annotations

from xpuasm_magic.model import Line


def split_lines(text: str) -> list[str]:
    """Lines end at line feeds only: a form feed inside a line of source ends no line of the listing."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def parse_plain(text: str) -> tuple[Line, ...]:
    return tuple(Line(line) for line in split_lines(text))
