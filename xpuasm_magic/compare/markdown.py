"""A Diff as Markdown fit for a comment on a pull request: short, and folded where it is long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.delta import Delta
from xpuasm_magic.compare.fail_on import Failure
from xpuasm_magic.compare.hunk_text import hunk_lines
from xpuasm_magic.compare.summary import (
    because,
    cell_words,
    delta_words,
    differs,
    headline,
    isa_words,
    kernel_names,
    told_deltas,
)
from xpuasm_magic.errors import ParseError

_MOST_ROWS, _MOST_HUNK_LINES = 100, 400
"""GitHub takes comments of 65,536 characters."""
_ALWAYS = ("spill_bytes", "instructions", "simd", "grf")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_SIGNS = {"removed": "-", "added": "+", "equal": " "}


def markdown(found: Diff, failed: Sequence[Failure] = (), *, stage: str | None = None) -> str:
    """A heading, the conditions that failed, a table of the kernels that differ, and the rest folded."""
    differing = [pair for pair in found.pairs if differs(pair)]
    parts = [f"### {_plain(headline(found, len(differing)))}"]
    parts += _failed(failed)
    if differing:
        parts.append(_table(differing[:_MOST_ROWS]))
        if left := len(differing) - _MOST_ROWS:
            parts += [f"{left} more kernels differ."] if left > 0 else []
        parts.append(
            _details("Why, and where", [f"- {_code(pair.name)}: {_why(pair)}" for pair in differing[:_MOST_ROWS]])
        )
    same = [pair for pair in found.pairs if not differs(pair)]
    if same:
        names = ", ".join(_code(pair.name) for pair in same[:_MOST_ROWS])
        parts.append(_details(f"{len(same)} the same", [names]))
    for label, kernels in ((found.label_a, found.only_a), (found.label_b, found.only_b)):
        if kernels:
            parts.append(f"Only in {_plain(label)}: {_plain(kernel_names(kernels))}")
    if stage:
        parts += [block for pair in differing if (block := _hunks(pair, stage))]
    return "\n\n".join(parts) + "\n"


def _failed(failed: Sequence[Failure]) -> list[str]:
    if not failed:
        return []
    lines = [f"- `{one.condition.text}`: {_plain(str(one))}" for one in failed[:_MOST_ROWS]]
    return ["\n".join([f"**{len(failed)} failed**", "", *lines])]


def _table(pairs: Sequence[Pair]) -> str:
    """Columns that differ somewhere, and the four that everybody asks for."""
    told = {delta.column for pair in pairs for delta in told_deltas(pair)}
    columns = [name for name in pairs[0].deltas if name in told or name in _ALWAYS]
    head = ["kernel", *columns]
    rows = [[_code(pair.name), *(_cell(pair.deltas[name]) for name in columns)] for pair in pairs]
    marks = ["---", *("--:" for _ in columns)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])


def _cell(delta: Delta) -> str:
    if not delta.differs:
        return "" if delta.b is None else _plain(cell_words(delta.b))
    return f"**{_plain(delta_words(delta).removeprefix(f'{delta.column} '))}**"


def _why(pair: Pair) -> str:
    return _plain("; ".join(part for part in (because(pair), isa_words(pair)) if part))


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
    return _details(f"{pair.name}, {stage}", ["\n".join(body)])


def _details(title: str, blocks: Sequence[str]) -> str:
    body = "\n".join(blocks)
    return f"<details><summary>{_html(title)}</summary>\n\n{body}\n\n</details>"


def _code(text: str) -> str:
    """Names come from dumps of anybody: a table's bar or a back quote would end the cell or the code."""
    return f"<code>{_html(text).replace('|', '&#124;')}</code>"


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")


def _plain(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text.replace("\n", " "))
    return escaped.replace("@", "@<!-- -->")  # else it would call on people
