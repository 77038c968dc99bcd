"""What the front end asks for, answered from the capture folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from xpuasm_magic.errors import ParseError, XpuasmError
from xpuasm_magic.model import Capture, Listing, StageFile
from xpuasm_magic.view.codes import Code, code_of
from xpuasm_magic.view.comparing import compare_payload
from xpuasm_magic.view.glossary import help_payload
from xpuasm_magic.view.payload import CHUNK, kernels_by_id, listing_payload, spans_payload
from xpuasm_magic.view.recompiling import Recompiling
from xpuasm_magic.view.search import Query, search

_KEPT = 4
"""Listings kept parsed: one that is scrolled asks again and again."""


class Answers:
    """Answers requests about one capture: a listing, the colours of some of its lines, help, a search through all.

    Every failure is an `XpuasmError` whose message the page shows. `recompiling` outlives a newer state of the capture.
    """

    def __init__(self, capture: Capture, recompiling: Recompiling | None = None) -> None:
        self._capture = capture
        self._kernels = kernels_by_id(capture)
        self._recompiling = recompiling or Recompiling()
        self._listings: OrderedDict[tuple[object, ...], Listing] = OrderedDict()

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
        if kind == "recompile":
            return self._recompile(params)
        if kind == "compare":
            a, b = (self._code(side) for side in (params.get("a"), params.get("b")))
            return compare_payload(a, b, str(params.get("stage", "isa")))
        raise XpuasmError(f"the page asked for {kind!r}, which this version does not know; reload the page")

    def _recompile(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """`do` is one of `choices`, `start`, `poll`, `cancel`."""
        do, job = params.get("do"), str(params.get("job"))
        if do == "poll":
            return self._recompiling.poll(job)
        if do == "cancel":
            return self._recompiling.cancel(job)
        kernel = self._code(params).kernel
        if do == "choices":
            return self._recompiling.choices(kernel)
        wanted = params.get("wanted")
        return self._recompiling.start(kernel, str(params["kernel"]), wanted if isinstance(wanted, dict) else {})

    def _code(self, params: Any) -> Code:
        named = params if isinstance(params, Mapping) else {}
        return code_of(named, self._capture, self._kernels, self._recompiling.matrices)

    def _listing(self, params: Mapping[str, Any], *, fresh: bool = False) -> Listing:
        where = tuple(params.get(name) for name in ("kernel", "attempt", "matrix", "stage"))
        if fresh or where not in self._listings:
            self._listings[where] = read_listing(self._capture, self._stage_file(params))
            while len(self._listings) > _KEPT:
                self._listings.popitem(last=False)
        self._listings.move_to_end(where)
        return self._listings[where]

    def _stage_file(self, params: Mapping[str, Any]) -> StageFile:
        if "stage" not in params:
            raise XpuasmError("the page's request names no stage; reload the page")
        kernel, stage = self._code(params).kernel, str(params["stage"])
        try:
            return kernel.stages[stage]
        except KeyError as error:
            raise XpuasmError(f"this capture has no {stage} of {kernel.name}; reload the page") from error


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
