"""A Diff as static HTML, for notebooks and for pages that run no script: bounded, and nothing in it can act."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.delta import Delta
from xpuasm_magic.compare.hunk_text import hunk_lines
from xpuasm_magic.compare.listing_diff import Change
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
from xpuasm_magic.view.highlight import visible

_MOST_ROWS, _MOST_LISTINGS, _MOST_LINES, _MOST_WIDTH = 100, 8, 300, 240
_CLASSES: dict[Change | None, str] = {
    None: "h",
    "equal": "",
    "removed": "r",
    "added": "a",
    "moved": "m",
    "rerouted": "o",
}

# Its own ground and ink, as that of a capture's static table: it must be read on any page.
_CSS = """
.xpuasm-diff{background:#fff;color:#1f2328;padding:8px;font:13px/1.45 system-ui,sans-serif}
.xpuasm-diff table{border-collapse:collapse;font-size:12px;color:inherit}
.xpuasm-diff td,.xpuasm-diff th{padding:2px 8px;text-align:right;white-space:nowrap;background:#fff}
.xpuasm-diff td:first-child,.xpuasm-diff th:first-child{text-align:left;font-family:monospace}
.xpuasm-diff thead th{border-bottom:1px solid #d5dae0;color:#59636e}
.xpuasm-diff td.d{font-weight:600}
.xpuasm-diff pre{background:#fff;color:inherit;font:12px/1.45 monospace}
.xpuasm-diff .h{color:#0b4fb3;font-weight:600}.xpuasm-diff .r{background:#fdecea}.xpuasm-diff .a{background:#e8f5e9}
.xpuasm-diff .m{color:#59636e}.xpuasm-diff .o{background:#fff4e0}
""".strip()


def diff_html(found: Diff, stage: str = "isa") -> str:
    """What changed in a sentence, a table of the kernels that differ, why, and the hunks of a stage folded."""
    differing = [pair for pair in found.pairs if differs(pair)]
    parts = [f"<p><strong>{_text(headline(found, len(differing)))}</strong></p>"]
    if differing:
        parts.append(_table(differing[:_MOST_ROWS]))
        parts.append("<ul>" + "".join(map(_why, differing[:_MOST_ROWS])) + "</ul>")
        if left := len(differing) - _MOST_ROWS:
            parts += [f"<p>… and {left:,} more kernels that differ</p>"] if left > 0 else []
    for label, kernels in ((found.label_a, found.only_a), (found.label_b, found.only_b)):
        if kernels:
            parts.append(f"<p>Only in {_text(label)}: {_text(kernel_names(kernels))}</p>")
    parts += [_hunks(pair, stage) for pair in differing[:_MOST_LISTINGS]]
    return f'<style>{_CSS}</style><div class="xpuasm-diff">{"".join(parts)}</div>'


def _table(pairs: Sequence[Pair]) -> str:
    columns = told_columns(pairs)
    head = "".join(f"<th>{_text(name)}</th>" for name in ["kernel", *columns])
    rows = "".join(
        f"<tr><td>{_text(pair.name)}</td>{''.join(_cell(pair.deltas[name]) for name in columns)}</tr>" for pair in pairs
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    # Bounded inline too: a notebook that is not trusted drops the style sheet.
    return f'<div style="max-height:400px;overflow:auto">{table}</div>'


def _cell(delta: Delta) -> str:
    if not delta.differs:
        return f"<td>{'' if delta.b is None else _text(cell_words(delta.b))}</td>"
    return f'<td class="d">{_text(delta_words(delta).removeprefix(f"{delta.column} "))}</td>'


def _why(pair: Pair) -> str:
    said = "; ".join(part for part in (because(pair), isa_words(pair)) if part)
    return f"<li><code>{_text(pair.name)}</code>: {_text(said)}</li>"


def _hunks(pair: Pair, stage: str) -> str:
    try:
        listing = pair.listing(stage)
    except (KeyError, ParseError, OSError):
        return ""  # the sentence above says so
    if not listing.hunks:
        return ""
    lines = list(hunk_lines(pair, listing))
    shown = "\n".join(_line(change, text) for change, text in lines[:_MOST_LINES])
    rest = f"\n… {len(lines) - _MOST_LINES:,} more lines" if len(lines) > _MOST_LINES else ""
    pre = f'<pre style="max-height:480px;overflow:auto">{shown}{rest}</pre>'
    return f"<details><summary>{_text(pair.name)}, {_text(stage)}</summary>{pre}</details>"


def _line(change: Change | None, text: str) -> str:
    clipped = text if len(text) <= _MOST_WIDTH else f"{text[:_MOST_WIDTH]}…"
    css = _CLASSES[change]
    return f'<span class="{css}">{_text(clipped)}</span>' if css else _text(clipped)


def _text(text: str) -> str:
    return escape(visible(text))
