"""What the front end asks for, answered from the capture folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from xpuasm_magic.errors import ParseError, XpuasmError
from xpuasm_magic.model import Capture, Listing, StageFile
from xpuasm_magic.view.glossary import help_payload
from xpuasm_magic.view.payload import CHUNK, kernels_by_id, listing_payload, spans_payload
from xpuasm_magic.view.search import Query, search

_KEPT = 4
"""Listings kept parsed: one that is scrolled asks again and again."""


class Answers:
    """Answers requests about one capture: a listing, the colours of some of its lines, help, a search through all.

    Every failure is an `XpuasmError` whose message the page shows.
    """

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._kernels = kernels_by_id(capture)
        self._listings: OrderedDict[tuple[str, int | None, str], Listing] = OrderedDict()

    def answer(self, kind: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if kind == "listing":
            return listing_payload(self._listing(params, fresh=True))
        if kind == "spans":
            start = int(params.get("start", 0))
            return spans_payload(self._listing(params), start, start + CHUNK)
        if kind == "help":
            return help_payload(
                str(params.get("stage", "")), str(params.get("text", "")), int(params.get("column", -1))
            )
        if kind == "search":
            query, start = Query.of(params), int(params.get("start", 0))
            return search(self._kernels, partial(read_listing, self._capture), query, start)
        raise XpuasmError(f"the page asked for {kind!r}, which this version does not know; reload the page")

    def _listing(self, params: Mapping[str, Any], *, fresh: bool = False) -> Listing:
        try:
            where = (str(params["kernel"]), params.get("attempt"), str(params["stage"]))
        except KeyError as error:
            raise XpuasmError(f"the page's request names no {error.args[0]}; reload the page") from error
        if fresh or where not in self._listings:
            self._listings[where] = read_listing(self._capture, self._stage_file(*where))
            while len(self._listings) > _KEPT:
                self._listings.popitem(last=False)
        self._listings.move_to_end(where)
        return self._listings[where]

    def _stage_file(self, id_: str, attempt: int | None, stage: str) -> StageFile:
        try:
            kernel = self._kernels[id_]
            stages = kernel.stages if attempt is None else kernel.attempts[attempt].stages
            return stages[stage]
        except (KeyError, IndexError) as error:
            raise XpuasmError(f"this capture has no {stage} of kernel {id_[:12]}; reload the page") from error


def read_listing(capture: Capture, file: StageFile) -> Listing:
    """A stage's lines. Raises XpuasmError, with words for the reader, where they cannot be had."""
    try:
        return file.parse(file.path)
    except ParseError as error:
        raise XpuasmError(f"{file.path.name} is damaged: {error}") from error
    except OSError as error:
        if not capture.folder.exists():
            raise XpuasmError(f"the capture folder {capture.folder} is no longer there; run the cell again") from error
        raise XpuasmError(f"{file.path} cannot be read: {error.strerror or error}") from error
