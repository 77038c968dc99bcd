"""The one wire format: what Python sends to the front end, in a notebook and in a report alike.

Plain JSON types only; what is missing is null. `static/types.js` has the same shapes as JSDoc types.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypedDict

from pygments.lexer import Lexer
from pygments.token import _TokenType

from xpuasm_magic.analysis.links import coverage
from xpuasm_magic.analysis.places import cell_sources, place
from xpuasm_magic.analysis.verdict import verdict
from xpuasm_magic.lexers import GenIsaLexer
from xpuasm_magic.model import Attempt, Capture, Kernel, Listing, Note, SourceLoc, StageFile
from xpuasm_magic.view.columns import FAMILIES, PRIMARY_RANK, Cell, shown_columns
from xpuasm_magic.view.highlight import css_class, stage_lexer, tokens
from xpuasm_magic.view.matrix import MatrixPayload, stored_matrix
from xpuasm_magic.view.stages import stage_view

CHUNK = 400
"""Lines coloured by one request: a few screens."""


class NotePayload(TypedDict):
    """Something the reader should know."""

    severity: str
    message: str
    path: str | None


class ColumnPayload(TypedDict):
    """A column of the table; `primary`: shown before all are asked for."""

    name: str
    title: str
    tooltip: str
    numeric: bool
    primary: bool


class FamilyPayload(TypedDict):
    """A heading of the kernel list."""

    name: str
    title: str


class StagePayload(TypedDict):
    """A stage that exists for a kernel; its text is asked for with `listing`."""

    name: str
    title: str
    suffix: str


class AttemptPayload(TypedDict):
    """A build or a try that did not ship, and why."""

    label: str
    reason: str
    status: str
    simd: int | None
    grf: int | None
    spill_bytes: int | None
    launched: bool
    """The installed Triton launches this build, not the row's."""
    stages: list[StagePayload]


class CellPayload(TypedDict):
    """Lines of the file that the compilers saw as the cell's: line `first + i` of it is line `start + i` of `label`."""

    file: str
    first: int
    count: int
    start: int
    label: str


class OriginPayload(TypedDict):
    """What a fusion is made of: operators, and the user's lines as places (`In[2]:5`, `model.py:31`)."""

    ops: list[str]
    lines: list[str]


class KernelPayload(TypedDict):
    """One row of the table and what can be opened from it."""

    id: str
    family: str
    group: str
    """Kernels with one value differ only in config: they fold under the one that won, or the first."""
    cells: list[Cell]
    """In the order of `columns`."""
    stages: list[StagePayload]
    attempts: list[AttemptPayload]
    notes: list[NotePayload]
    error: str | None
    repro: str | None
    origin: OriginPayload | None
    line: int | None
    """Where its function begins in the Python stage, from 1."""
    coverage: float | None
    """Share of the ISA's instructions that link to another stage."""


class CapturePayload(TypedDict):
    """Everything but the listings."""

    title: str
    state: str | None
    verdict: str
    folder: str
    columns: list[ColumnPayload]
    families: list[FamilyPayload]
    kernels: list[KernelPayload]
    notes: list[NotePayload]
    cells: list[CellPayload]
    fidelity: list[str]
    versions: dict[str, str]
    matrix: MatrixPayload | None
    """Of a capture that is one of what-ifs."""


class ListingPayload(TypedDict):
    """One listing: the text as the compiler wrote it, and what is known of its lines beside."""

    text: str
    chunk: int
    files: list[str]
    locs: list[list[int]]
    """`[line index, file index, line]` wherever the source line changes; file index -1: none from here on."""
    calls: list[list[int]]
    """The same for where an inlined function was called from the kernel."""
    ids: list[list[int]]
    """vISA instruction numbers of each line."""
    pcs: list[int | None]
    """Byte offset of each line's instruction."""


class SpansPayload(TypedDict):
    """Colours of the lines from `start` on, per line `[length, class, length, class, …]`.

    Lengths are in UTF-16 units, as JavaScript counts; class 0 is none.
    """

    start: int
    classes: list[str]
    lines: list[list[int]]


def capture_payload(capture: Capture, stages: Collection[str] = ()) -> CapturePayload:
    """Everything but the listings: they travel when they are opened. `stages`: only these; empty: all."""
    present = {kernel.family for kernel in capture.kernels}
    columns = shown_columns(capture)
    kernels = kernels_by_id(capture)
    return CapturePayload(
        title=str(capture.info.source.get("label") or capture.folder.name),
        state=capture.info.state,
        verdict=verdict(capture),
        folder=str(capture.folder),
        columns=[
            ColumnPayload(
                name=column.name,
                title=column.title,
                tooltip=column.tooltip,
                numeric=column.numeric,
                primary=column.rank <= PRIMARY_RANK,
            )
            for column in columns
        ],
        families=[FamilyPayload(name=name, title=FAMILIES[name]) for name in FAMILIES if name in present],
        kernels=[
            _kernel(capture, id_, kernel, [column.cells[i] for column in columns], stages)
            for i, (id_, kernel) in enumerate(kernels.items())
        ],
        notes=_notes(capture.notes),
        cells=[
            CellPayload(file=cell.file, first=cell.first, count=cell.count, start=cell.start, label=cell.label)
            for cell in cell_sources(capture)
        ],
        fidelity=list(capture.info.fidelity),
        versions={name: str(version) for name, version in capture.info.versions.items()},
        matrix=stored_matrix(capture, kernels),
    )


def kernels_by_id(capture: Capture) -> dict[str, Kernel]:
    """A name for each kernel that stays while a capture grows: its key, made unique where need be."""
    found: dict[str, Kernel] = {}
    for kernel in capture.kernels:
        id_ = kernel.key
        if id_ in found:  # kernels of one zebin share its hash
            id_ = f"{kernel.key}/{kernel.name}"
        while id_ in found:
            id_ += "'"
        found[id_] = kernel
    return found


def listing_payload(listing: Listing) -> ListingPayload:
    files: dict[str, int] = {}
    locs = _changes((line.loc for line in listing.lines), files)
    calls = _changes((line.callers[-1] if line.callers else None for line in listing.lines), files)
    return ListingPayload(
        text="\n".join(line.text for line in listing.lines),
        chunk=CHUNK,
        files=list(files),
        locs=locs,
        calls=calls,
        ids=[list(line.ids) for line in listing.lines] if any(line.ids for line in listing.lines) else [],
        pcs=[line.instruction.pc if line.instruction else None for line in listing.lines]
        if any(line.instruction for line in listing.lines)
        else [],
    )


def _changes(locs: Iterable[SourceLoc | None], files: dict[str, int]) -> list[list[int]]:
    """`[line index, file index, line]` wherever it changes."""
    found: list[list[int]] = []
    last: tuple[int, int] = (-1, 0)
    for index, loc in enumerate(locs):
        here = (-1, 0) if loc is None else (files.setdefault(loc.file, len(files)), loc.line)
        if here != last:
            found.append([index, *here])
            last = here
    return found


def spans_payload(listing: Listing, start: int = 0, stop: int | None = None) -> SpansPayload:
    """Colours of the lines from `start` to `stop`: all that a page shows, and no more, is lexed.

    Only ISA text can be lexed from anywhere; of the others the lines before `start` are lexed too.
    """
    lexer = stage_lexer(listing.stage)
    first = start if isinstance(lexer, GenIsaLexer) else 0
    classes = {"": 0}
    runs = _runs(lexer, "\n".join(line.text for line in listing.lines[first:stop]), classes)
    lines = list(islice(runs, start - first, None))
    return SpansPayload(start=start, classes=list(classes), lines=lines)


def all_spans(stage: str, text: str) -> Iterator[SpansPayload]:
    """Colours of a whole text, `CHUNK` lines at a time."""
    classes = {"": 0}
    runs = _runs(stage_lexer(stage), text, classes)
    start = 0
    while lines := list(islice(runs, CHUNK)):
        yield SpansPayload(start=start, classes=list(classes), lines=lines)
        start += len(lines)


def to_json(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, separators=(",", ":")).encode()


def pack(payload: Mapping[str, Any] | bytes) -> bytes:
    """The JSON, gzipped: a listing shrinks to a tenth, and browsers unpack it by themselves."""
    return gzip.compress(payload if isinstance(payload, bytes) else to_json(payload), compresslevel=5, mtime=0)


def _runs(lexer: Lexer, text: str, classes: dict[str, int]) -> Iterator[list[int]]:
    """Each line as `[length, class, length, class, …]`; neighbours of one class are one run.

    `classes`: by CSS class its number; new ones are added.
    """
    length_of = len if text.isascii() else _utf16_length
    known: dict[_TokenType, int] = {}
    runs: list[int] = []
    last = -1
    for token, value in tokens(lexer, text):
        index = known.get(token)
        if index is None:
            css = css_class(token)
            index = known[token] = 0 if css == "w" else classes.setdefault(css, len(classes))
        if "\n" in value:
            *ended, value = value.split("\n")
            for part in ended:
                if part:
                    runs += (length_of(part), index)
                yield runs
                runs, last = [], -1
        if not value:
            continue
        if index == last:
            runs[-2] += length_of(value)
        else:
            runs += (length_of(value), index)
            last = index
    yield runs


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _kernel(capture: Capture, id_: str, kernel: Kernel, cells: list[Cell], only: Collection[str]) -> KernelPayload:
    return KernelPayload(
        id=id_,
        family=kernel.family,
        group=kernel.group or id_,
        cells=cells,
        stages=_stages(kernel.stages, only),
        attempts=[_attempt(attempt, only) for attempt in kernel.attempts],
        notes=_notes(kernel.notes),
        error=kernel.error,
        repro=kernel.repro,
        origin=_origin(capture, kernel),
        line=kernel.defined_at.line if kernel.defined_at else None,
        coverage=coverage(kernel),
    )


def _origin(capture: Capture, kernel: Kernel) -> OriginPayload | None:
    if kernel.origin is None:
        return None
    lines = dict.fromkeys(place(capture, loc) for loc in kernel.origin.lines)
    return OriginPayload(ops=list(kernel.origin.ops), lines=list(lines))


def _attempt(attempt: Attempt, only: Collection[str]) -> AttemptPayload:
    env, header = attempt.env, attempt.header
    return AttemptPayload(
        label=attempt.label,
        reason=attempt.reason,
        status=attempt.status,
        simd=(env and env.simd_size) or (header and header.simd) or None,
        grf=(env and env.grf_count) or (header and header.num_grf) or None,
        spill_bytes=header.spill_size if header else env.spill_size if env else None,
        launched=attempt.launched,
        stages=_stages(attempt.stages, only),
    )


def _stages(stages: Mapping[str, StageFile], only: Collection[str]) -> list[StagePayload]:
    views = [stage_view(name) for name in stages if not only or name in only]
    return [StagePayload(name=view.name, title=view.title, suffix=view.suffix) for view in views]


def _notes(notes: Sequence[Note]) -> list[NotePayload]:
    return [NotePayload(severity=note.severity, message=note.message, path=note.path) for note in notes]
