"""A matrix of what-ifs as a page shows it: one table for each question, the best and worst figures marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.recompile import QUESTIONS, Row, WhatIf
from xpuasm_magic.view.codes import CodePayload
from xpuasm_magic.view.columns import Cell, heading, plain


@dataclass(frozen=True)
class Figure:
    """A column of `Capture.table` that the matrix has too."""

    name: str
    better: Literal["less"] | None = None
    """None: of two values none is better by itself."""


FIGURES = (
    Figure("simd"),
    Figure("grf"),
    Figure("threads_per_eu"),
    Figure("spill_bytes", better="less"),
    Figure("instructions", better="less"),
    Figure("dpas"),
    Figure("sends", better="less"),
    Figure("isa_bytes", better="less"),
)


@dataclass(frozen=True)
class Axis:
    """A column that says what was asked for."""

    title: str
    tooltip: str
    value: Callable[[Row], Any]
    always: bool = False
    """Shown also where all rows have one value."""


AXES = (
    Axis("kernel", "The kernel's name", lambda one: one.kernel.name),
    Axis("device", "The card that it was compiled for", lambda one: one.device, always=True),
    Axis("GRF mode", "Registers asked for; auto: IGC chooses; default: no flag", lambda one: one.grf_mode, always=True),
    Axis("options", "Build options beside the kernel's own", lambda one: one.options or None),
    Axis("toolchain", "The ocloc and IGC that compiled it", lambda one: one.toolchain),
    Axis("warps", "Triton's num_warps", lambda one: one.kernel.variant.num_warps),
    Axis("thr/warp", "Triton's threads_per_warp", lambda one: one.kernel.variant.threads_per_warp),
    Axis("stages", "Triton's num_stages", lambda one: one.kernel.variant.num_stages),
)


class MatrixColumn(TypedDict):
    """A heading; numbers stand at the right."""

    title: str
    tooltip: str
    numeric: bool
    figure: bool
    """What came of it, not what was asked for."""


class MatrixRow(TypedDict):
    """One cell of the matrix, or the kernel as it was captured."""

    code: CodePayload
    captured: bool
    status: str
    reason: str | None
    cells: list[Cell]
    marks: list[str]
    """Per cell `best`, `worst` or nothing."""


class MatrixPart(TypedDict):
    """The cells that answer one question."""

    question: str
    words: str
    columns: list[MatrixColumn]
    rows: list[MatrixRow]


class MatrixPayload(TypedDict):
    """A whole matrix."""

    parts: list[MatrixPart]
    interrupted: bool
    folder: str


def matrix_payload(found: WhatIf, matrix: str, captured: Kernel | None = None, id_: str = "") -> MatrixPayload:
    """`captured`, known to the page as `id_`, is shown beside the cells that were made of it."""
    parts = []
    for question, words in QUESTIONS.items():
        cells = [one for one in found.rows if one.question == question]
        if cells:
            codes = [CodePayload(kernel=one.kernel.key, attempt=None, matrix=matrix) for one in cells]
            parts.append(_part(question, words, cells, codes, captured, id_))
    return MatrixPayload(parts=parts, interrupted=found.interrupted, folder=str(found.folder))


def stored_matrix(capture: Capture, kernels: dict[str, Kernel]) -> MatrixPayload | None:
    """The matrix that a capture is, its cells being the capture's kernels; None: it is none."""
    from xpuasm_magic.recompile.whatif import whatif

    if not isinstance(capture.info.raw.get("cells"), list):
        return None
    found = whatif(capture)
    ids = {kernel.key: id_ for id_, kernel in kernels.items()}
    parts = []
    for question, words in QUESTIONS.items():
        cells = [one for one in found.rows if one.question == question and one.kernel.key in ids]
        if cells:
            codes = [CodePayload(kernel=ids[one.kernel.key], attempt=None, matrix=None) for one in cells]
            parts.append(_part(question, words, cells, codes))
    return MatrixPayload(parts=parts, interrupted=found.interrupted, folder=str(found.folder)) if parts else None


def _part(
    question: str,
    words: str,
    cells: Sequence[Row],
    codes: Sequence[CodePayload],
    captured: Kernel | None = None,
    id_: str = "",
) -> MatrixPart:
    axes = [axis for axis in AXES if axis.always or len({axis.value(one) for one in cells}) > 1]
    tooltips = {column.name: column for column in COLUMNS}
    kernels = [one.kernel for one in cells]
    if captured:
        kernels.insert(0, captured)
    values = [[plain(tooltips[figure.name].value(kernel)) for kernel in kernels] for figure in FIGURES]
    marks = [_marks(column, figure) for column, figure in zip(values, FIGURES, strict=True)]
    shown = [place for place, column in enumerate(values) if any(cell is not None for cell in column)]
    rows = []
    for number, kernel in enumerate(kernels):
        cell = cells[number - bool(captured)] if number or not captured else None
        asked = [plain(axis.value(cell)) if cell else None for axis in axes]
        rows.append(
            MatrixRow(
                code=codes[number - bool(captured)] if cell else CodePayload(kernel=id_, attempt=None, matrix=None),
                captured=cell is None,
                status=cell.status if cell else kernel.status,
                reason=cell.reason if cell else None,
                cells=[*asked, *(values[place][number] for place in shown)],
                marks=[*("" for _ in axes), *(marks[place][number] for place in shown)],
            )
        )
    columns = [
        MatrixColumn(
            title=axis.title,
            tooltip=axis.tooltip,
            numeric=_numeric(axis.value(one) for one in cells),
            figure=False,
        )
        for axis in axes
    ]
    columns += [
        MatrixColumn(
            title=heading(FIGURES[place].name).title,
            tooltip=tooltips[FIGURES[place].name].tooltip,
            numeric=True,
            figure=True,
        )
        for place in shown
    ]
    return MatrixPart(question=question, words=words, columns=columns, rows=rows)


def _marks(cells: Sequence[Cell], figure: Figure) -> list[str]:
    """Of those that are known; none where all are alike."""
    known = [float(cell) for cell in cells if isinstance(cell, (int, float))]
    if figure.better is None or len(set(known)) < 2:
        return ["" for _ in cells]
    best, worst = min(known), max(known)
    return ["best" if cell == best else "worst" if cell == worst else "" for cell in cells]


def _numeric(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, int) for value in values)
