"""A Diff for terminals: its summary, and the hunks of a stage where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.hunk_text import hunk_lines
from xpuasm_magic.compare.listing_diff import Change
from xpuasm_magic.compare.summary import differs, summary_text
from xpuasm_magic.errors import ParseError
from xpuasm_magic.view.highlight import visible

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN, _PLAIN = (f"\x1b[{code}m" for code in (1, 2, 31, 32, 33, 36, 0))
_COLOURS: dict[Change | None, str] = {
    None: _CYAN,
    "equal": "",
    "removed": _RED,
    "added": _GREEN,
    "moved": _DIM,
    "rerouted": _YELLOW,
}


def diff_text(found: Diff, *, stage: str | None = None, color: bool = False) -> str:
    """With `stage`, also what differs in it, pair by pair."""
    head, *others = summary_text(found).split("\n")
    lines = [_paint(visible(head), _BOLD, color), *(visible(line) for line in others)]
    if stage:
        for pair in found.pairs:
            lines += _stage_lines(pair, stage, color)
    return "\n".join(lines)


def _stage_lines(pair: Pair, stage: str, color: bool) -> Iterator[str]:
    title = f"--- {pair.name}, {stage}"
    try:
        listing = pair.listing(stage)
    except KeyError as error:
        if differs(pair):
            yield _paint(visible(f"{title}: {error.args[0]}"), _BOLD, color)
        return
    except (ParseError, OSError) as error:
        yield _paint(visible(f"{title}: {error}"), _BOLD, color)
        return
    if not listing.hunks:
        return
    yield _paint(visible(title), _BOLD, color)
    for change, text in hunk_lines(pair, listing):
        yield _paint(visible(text), _COLOURS[change], color)


def _paint(text: str, colour: str, color: bool) -> str:
    return f"{colour}{text}{_PLAIN}" if color and colour else text
