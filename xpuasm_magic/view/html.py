"""A capture as HTML: a static table for where no script runs, and a report, one file with the front end."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from html import escape
from pathlib import Path
from typing import Any

from xpuasm_magic.analysis.verdict import verdict
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture, Kernel, StageFile
from xpuasm_magic.styles import ListingLight
from xpuasm_magic.view.answers import read_listing
from xpuasm_magic.view.columns import shown_columns, shown_text
from xpuasm_magic.view.glossary import Glossary
from xpuasm_magic.view.highlight import stage_lexer, token_lines, visible
from xpuasm_magic.view.packing import ListingPacker, PackedListing
from xpuasm_magic.view.payload import capture_payload, kernels_by_id, listing_payload, pack, to_json
from xpuasm_magic.view.script import script
from xpuasm_magic.view.stages import stage_view
from xpuasm_magic.view.stylesheet import coloured_classes, stylesheet, token_rules

_STATIC_LINES, _STATIC_WIDTH = 300, 240
_STATIC_ROWS = 200
_STATIC_RANK = 6
_NOTES = 20

# Its own ground and ink: it must be read on any page, and where a page drops the style it is plain.
_STATIC_CSS = """
.xpuasm-static{background:#fff;color:#1f2328;padding:8px;font:13px/1.45 system-ui,sans-serif}
.xpuasm-static table{border-collapse:collapse;font-size:12px;color:inherit}
.xpuasm-static td,.xpuasm-static th{padding:2px 8px;text-align:right;white-space:nowrap;background:#fff}
.xpuasm-static td:first-child,.xpuasm-static th:first-child{text-align:left;font-family:monospace}
.xpuasm-static thead th{position:sticky;top:0}
.xpuasm-static thead th{border-bottom:1px solid #d5dae0;color:#59636e}
.xpuasm-static pre{background:#fff;color:inherit;font:12px/1.45 monospace;overflow:auto;max-height:480px}
.jp-OutputArea-child:has(.xpuasm-static)+.jp-OutputArea-child .jupyter-widgets:not(:has(*)){display:none}
""".strip()
# The last rule: Jupyter's "Error displaying widget: model not found" below, in a notebook opened with no kernel.


def static_html(capture: Capture, chosen: Kernel | None = None, *, id_: str = "") -> str:
    """The table and one kernel's ISA (`chosen`, else the first), of bounded size, without scripts.

    `id_`: by which the widget that shows the same finds and hides it.
    """
    kernel = chosen or next((one for one in capture.kernels if "isa" in one.stages), None)
    return (
        f"<style>{_STATIC_CSS}\n{token_rules(ListingLight, '.xpuasm-static')}</style>"
        f'<div class="xpuasm-static" data-view="{escape(id_)}"><p><strong>{_escape(verdict(capture))}</strong></p>'
        f"{_notes_html(capture)}{_table_html(capture)}{_listing_html(capture, kernel) if kernel else ''}</div>"
    )


def report_html(capture: Capture) -> str:
    """One self-contained file: the notebook's front end and every listing, packed; nothing is fetched."""
    listings: dict[str, dict[str, str]] = {}
    glossary = Glossary()
    told: dict[tuple[str, Path], dict[str, str]] = {}  # variants of one module share its files
    same: dict[tuple[str, bytes], dict[str, str]] = {}  # and configs the text of a stage
    places = list(_places(capture))
    with ListingPacker(sum(_size(file.path) for file in {file.path: file for _, file in places}.values())) as packer:
        packed: list[tuple[str, Future[PackedListing]]] = []
        for place, file in places:
            if (where := (file.stage, file.path)) not in told:
                try:
                    listing = read_listing(capture, file)
                except XpuasmError as error:
                    told[where] = {"error": str(error)}
                else:
                    whole = to_json(listing_payload(listing))
                    what = (file.stage, hashlib.sha256(whole).digest())
                    if what not in same:
                        same[what] = {"element": f"xpuasm-listing-{len(packed)}"}
                        packed.append((file.stage, packer.pack(file.stage, whole)))
                    told[where] = same[what]
            listings[place] = told[where]
        elements = []
        for i, (stage, future) in enumerate(packed):
            elements.append(_packed_script(f"xpuasm-listing-{i}", future.result().text))
            glossary.add_tokens(stage, future.result().tokens)
    payload = capture_payload(capture)
    code = f'{script()}\nopenReport(/** @type {{HTMLElement}} */ (document.getElementById("xpuasm")));\n'
    style = stylesheet() + "\nhtml,body{margin:0}\n"
    # The page may run this script (and a worker that the script makes of itself, to search) and use this style, and
    # may reach nothing: no text of a capture can act.
    policy = (
        f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(style)}'; "
        "worker-src blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_escape(payload['title'])} · xpuasm</title>",
            f"<style>{style}</style>\n</head>\n<body>",
            f'<main id="xpuasm"></main>\n<noscript>{_table_html(capture)}</noscript>',
            f'<script type="application/json" id="xpuasm-data">'
            f"{_script_json({'capture': payload, 'listings': listings})}</script>",
            # It runs as soon as it is read: the table does not wait for the listings below.
            f'<script type="module" async>{code}</script>',
            _packed_script("xpuasm-help", base64.b64encode(pack(dict(glossary.payload()))).decode()),
            *elements,
            "</body>\n</html>\n",
        )
    )


def _packed_script(element: str, packed: str) -> str:
    return f'<script type="application/octet-stream" id="{element}">{packed}</script>'


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _places(capture: Capture) -> Iterator[tuple[str, StageFile]]:
    """Every listing, under the name by which the page asks for it."""
    for id_, kernel in kernels_by_id(capture).items():
        for attempt, stages in ((None, kernel.stages), *enumerate(one.stages for one in kernel.attempts)):
            for stage, file in stages.items():
                yield json.dumps([id_, attempt, stage], separators=(",", ":"), ensure_ascii=False), file


def _table_html(capture: Capture) -> str:
    shown = shown_columns(capture, most_rank=_STATIC_RANK)
    head = "".join(f'<th title="{escape(column.tooltip)}">{escape(column.title)}</th>' for column in shown)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_escape(shown_text(column.cells[i]))}</td>" for column in shown) + "</tr>"
        for i in range(min(len(capture), _STATIC_ROWS))
    )
    more = len(capture) - _STATIC_ROWS
    rest = f"<p>… and {more:,} more kernels</p>" if more > 0 else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    # Bounded inline too: a notebook that is not trusted drops the style sheet.
    return f'<div style="max-height:480px;overflow:auto">{table}</div>{rest}'


def _notes_html(capture: Capture) -> str:
    notes = [note for note in capture.notes if note.severity != "info"] or list(capture.notes)
    items = "".join(f"<li>{note.severity}: {_escape(note.message)}</li>" for note in notes[:_NOTES])
    return f"<ul>{items}</ul>" if items else ""


def _listing_html(capture: Capture, kernel: Kernel) -> str:
    stage = "isa" if "isa" in kernel.stages else next(reversed(list(kernel.stages)), None)
    if stage is None:
        return ""
    title = _escape(f"{kernel.name}: {stage_view(stage).title}")
    try:
        listing = read_listing(capture, kernel.stages[stage])
    except XpuasmError as error:
        return f"<p>{title}: {_escape(str(error))}</p>"
    lines = listing.lines
    first = next((i for i, line in enumerate(lines) if line.instruction), 0)
    shown = lines[first : first + _STATIC_LINES]
    coloured = token_lines(stage_lexer(stage), "\n".join(_clipped(line.text) for line in shown))
    code = "\n".join("".join(_runs(tokens)) for tokens in coloured)
    where = f"lines {first + 1:,} to {first + len(shown):,} of {len(lines):,}"
    pre = f'<pre style="max-height:480px;overflow:auto">{code}</pre>'
    return f"<details><summary>{title}, {where}</summary>{pre}</details>"


def _runs(tokens: Iterable[tuple[str, str]]) -> Iterator[str]:
    """One line, as few elements as show its colours: space looks alike in all."""
    seen = coloured_classes(ListingLight)
    last, run = "", ""
    for css, text in tokens:
        own = last if text.isspace() else css if css in seen else ""
        if own != last and run:
            yield f'<span class="{last}">{_escape(run)}</span>' if last else _escape(run)
            run = ""
        last, run = own, run + text
    if run.rstrip():
        yield f'<span class="{last}">{_escape(run.rstrip())}</span>' if last else _escape(run.rstrip())


def _clipped(line: str) -> str:
    return line if len(line) <= _STATIC_WIDTH else f"{line[:_STATIC_WIDTH]}… {len(line) - _STATIC_WIDTH:,} more"


def _escape(text: str) -> str:
    return escape(visible(text))


def _script_json(value: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element: no `<` can end it or open a comment in it."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
