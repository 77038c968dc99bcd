"""A capture as text: for terminals, logs and `text/plain`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from pygments import format as render
from pygments.formatters import Terminal256Formatter

from xpuasm_magic.analysis.table import config_text
from xpuasm_magic.analysis.verdict import verdict
from xpuasm_magic.model import Capture, Kernel, Severity
from xpuasm_magic.styles import ListingDark
from xpuasm_magic.view.columns import ShownColumn, shown_columns, shown_text, without_losers
from xpuasm_magic.view.highlight import stage_lexer, tokens, visible

_GAP = "  "
_SAVED_WIDTH, _SAVED_LINES = 120, 80
_NAME_AT_LEAST, _CONFIG_AT_MOST = 32, 36
_BOLD, _DIM, _RED, _YELLOW, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_NOTE_COLOURS = {"error": _RED, "warning": _YELLOW, "info": _DIM}


def summary_text(capture: Capture, *, all_configs: bool = False, color: bool = False, width: int | None = None) -> str:
    """The verdict, the table, the notes, and in which ways hardware can differ.

    `all_configs`: the configs that lost an autotuning too.
    """
    head = verdict(capture)
    parts = [_paint(visible(head), _BOLD, color)]
    if capture.kernels:
        rows = capture if all_configs else without_losers(capture)
        parts.append(table_text(rows, color=color, width=width))
        if folded := len(capture) - len(rows):
            parts.append(_paint(f"{folded} slower configs are not listed (--all-configs)", _DIM, color))
    for severity, words in notes_said(capture):
        if words not in head:
            parts.append(_paint(visible(f"{severity}: {words}"), _NOTE_COLOURS[severity], color))
    parts += [_paint(f"fidelity: {visible(text)}", _DIM, color) for text in capture.info.fidelity]
    return "\n".join(parts)


def browser_text(capture: Capture, *, all_configs: bool = False, color: bool = False) -> str:
    """The summary for IPython in a terminal, which has no browser; and how a listing is read there."""
    text = summary_text(capture, all_configs=all_configs, color=color)
    kernel = next((one for one in capture.kernels if "isa" in one.stages), None)
    if kernel is None:
        return text
    hint = f"a listing, in the pager: _.page({visible(kernel.name)!r}); another stage: _.page(…, 'ttgir')"
    return f"{text}\n{_paint(hint, _DIM, color)}"


def saved_text(capture: Capture, *, all_configs: bool = False) -> str:
    """The summary as a notebook saves it: of bounded size."""
    text = summary_text(capture, all_configs=all_configs, width=_SAVED_WIDTH)
    lines = text.splitlines()
    if len(lines) <= _SAVED_LINES:
        return text
    return "\n".join((*lines[:_SAVED_LINES], f"… and {len(lines) - _SAVED_LINES:,} more lines"))


def notes_said(capture: Capture) -> Iterator[tuple[Severity, str]]:
    """The capture's notes; then why kernels have no code, and their notes, each sentence once with whose it is."""
    for note in capture.notes:
        yield note.severity, f"{note.path}: {note.message}" if note.path else note.message
    whose: dict[tuple[Severity, str], list[str]] = {}
    for kernel in capture.kernels:
        if kernel.error:
            whose.setdefault(("error", f"{kernel.status}: {kernel.error}"), []).append(_called(kernel))
        for note in kernel.notes:
            if note.severity != "info" and note not in capture.notes:
                whose.setdefault((note.severity, note.message), []).append(_called(kernel))
    for (severity, message), kernels in whose.items():
        more = f" and {len(kernels) - 3} more" if len(kernels) > 3 else ""
        yield severity, f"{'; '.join(kernels[:3])}{more}: {message}"


def _called(kernel: Kernel) -> str:
    return f"{kernel.name} ({config})" if (config := config_text(kernel)) else kernel.name


def table_text(capture: Capture, *, color: bool = False, width: int | None = None) -> str:
    """The table in the columns that fit into `width` (else the terminal's), the telling ones first."""
    room = width or shutil.get_terminal_size((120, 24)).columns
    columns = _fitting(shown_columns(capture), room)
    widths = [_width(column) for column in columns]
    spare = sum(widths) + len(_GAP) * (len(widths) - 1) - room
    if columns and spare > 0:
        widths[0] = max(_NAME_AT_LEAST, widths[0] - spare)
    lines = [_line([column.title for column in columns], columns, widths, [_BOLD] * len(columns), color)]
    for i in range(len(capture)):
        cells = [visible(shown_text(column.cells[i])) for column in columns]
        lines.append(_line(cells, columns, widths, [_colour(column, i) for column in columns], color))
    return "\n".join(lines)


def isa_text(kernel: Kernel, stage: str = "isa", color: bool = False) -> str:
    """A stage's listing as it is; with `color`, for a terminal of 256 colours on a dark ground."""
    text = kernel.listing(stage).text
    return coloured(text, stage) if color else text


def coloured(text: str, stage: str) -> str:
    return str(render(tokens(stage_lexer(stage), visible(text)), Terminal256Formatter(style=ListingDark)))


def _fitting(columns: list[ShownColumn], room: int) -> list[ShownColumn]:
    """Leaves out the last of the lowest rank until the rest fits, the name shortened if need be."""
    kept = list(columns)
    while len(kept) > 1:
        name, *others = (_width(column) for column in kept)
        if min(name, _NAME_AT_LEAST) + sum(others) + len(_GAP) * len(others) <= room:
            break
        worst = max(column.rank for column in kept)
        kept.remove([column for column in kept if column.rank == worst][-1])
    return kept


def _width(column: ShownColumn) -> int:
    width = max(len(column.title), *(len(shown_text(cell)) for cell in column.cells))
    return min(width, _CONFIG_AT_MOST) if column.name == "config" else width


def _line(cells: list[str], columns: list[ShownColumn], widths: list[int], colours: list[str], color: bool) -> str:
    parts = []
    for cell, column, width, colour in zip(cells, columns, widths, colours, strict=True):
        short = cell if len(cell) <= width else _shortened(cell, width)
        parts.append(_paint(short.rjust(width) if column.numeric else short.ljust(width), colour, color))
    return _GAP.join(parts).rstrip()


def _shortened(text: str, width: int) -> str:
    """The end tells kernels apart (`…_native_layer_norm_3`), so the middle goes."""
    tail = min(10, width // 3)
    return f"{text[: width - tail - 1]}…{text[-tail:]}"


def _colour(column: ShownColumn, index: int) -> str:
    cell = column.cells[index]
    if column.name == "status" and cell != "ok":
        return _RED
    if column.name.startswith("spill") and isinstance(cell, (int, float)) and cell > 0:
        return _RED
    return _DIM if cell is None else ""


def _paint(text: str, colour: str, color: bool) -> str:
    return f"{colour}{text}{_PLAIN}" if color and colour else text
