"""A Diff as Markdown fit for a comment on a pull request: short, and folded where it is long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.delta import Delta
from xpuasm_magic.compare.fail_on import Failure
from xpuasm_magic.compare.failed_text import failed_block
from xpuasm_magic.compare.hunk_text import hunk_lines
from xpuasm_magic.compare.summary import (
    because,
    cell_words,
    delta_words,
    differs,
    headline,
    isa_words,
    kernel_names,
    told_columns,
)
from xpuasm_magic.errors import ParseError
from xpuasm_magic.view.markdown_text import code, details, plain

_MOST_ROWS, _MOST_HUNK_LINES = 100, 400
"""GitHub takes comments of 65,536 characters."""
_SIGNS = {"removed": "-", "added": "+", "equal": " "}


def markdown(found: Diff, failed: Sequence[Failure] = (), *, stage: str | None = None) -> str:
    """A heading, the conditions that failed, a table of the kernels that differ, and the rest folded."""
    differing = [pair for pair in found.pairs if differs(pair)]
    parts = [f"### {plain(headline(found, len(differing)))}"]
    parts += [failed_block(failed)] if failed else []
    if differing:
        parts.append(_table(differing[:_MOST_ROWS]))
        if left := len(differing) - _MOST_ROWS:
            parts += [f"{left} more kernels differ."] if left > 0 else []
        parts.append(
            details("Why, and where", [f"- {code(pair.name)}: {_why(pair)}" for pair in differing[:_MOST_ROWS]])
        )
    same = [pair for pair in found.pairs if not differs(pair)]
    if same:
        names = ", ".join(code(pair.name) for pair in same[:_MOST_ROWS])
        parts.append(details(f"{len(same)} the same", [names]))
    for label, kernels in ((found.label_a, found.only_a), (found.label_b, found.only_b)):
        if kernels:
            parts.append(f"Only in {plain(label)}: {plain(kernel_names(kernels))}")
    if stage:
        parts += [block for pair in differing if (block := _hunks(pair, stage))]
    return "\n\n".join(parts) + "\n"


def _table(pairs: Sequence[Pair]) -> str:
    columns = told_columns(pairs)
    head = ["kernel", *columns]
    rows = [[code(pair.name), *(_cell(pair.deltas[name]) for name in columns)] for pair in pairs]
    marks = ["---", *("--:" for _ in columns)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])


def _cell(delta: Delta) -> str:
    if not delta.differs:
        return "" if delta.b is None else plain(cell_words(delta.b))
    return f"**{plain(delta_words(delta).removeprefix(f'{delta.column} '))}**"


def _why(pair: Pair) -> str:
    return plain("; ".join(part for part in (because(pair), isa_words(pair)) if part))


def _hunks(pair: Pair, stage: str) -> str:
    try:
        listing = pair.listing(stage)
    except (KeyError, ParseError, OSError):
        return ""
    if not listing.hunks:
        return ""
    lines = []
    for change, text in hunk_lines(pair, listing):
        sign = "" if change is None else _SIGNS.get(change, "!")
        lines.append(text if change is None else f"{sign}{text[1:]}")
    cut = [f"… {len(lines) - _MOST_HUNK_LINES:,} more lines"] if len(lines) > _MOST_HUNK_LINES else []
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    body = [f"{fence}diff", *lines[:_MOST_HUNK_LINES], *cut, fence]
    return details(f"{pair.name}, {stage}", ["\n".join(body)])
