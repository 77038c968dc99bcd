"""Which kernels contain it: a search through a capture's listings, one slice at a time.

A page asks for slice after slice: it can show how far the search is, end it, and is answered other things between.
`static/searching.js` does the same in a report.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Kernel, Listing, StageFile
from xpuasm_magic.regular import read_regular

_SLICE_S = 0.25
_PATIENCE_S = 5.0
_LONGEST_NEEDLE = 1000
_LINES = 5
"""Lines told of one listing; the others are counted."""
_WIDTH = 200


class FoundPayload(TypedDict):
    """A listing that has it: how many lines do, and the first of them as `[line index, text]`."""

    kernel: str
    stage: str
    count: int
    lines: list[tuple[int, str]]


class UnreadPayload(TypedDict):
    """A listing that could not be searched, and why."""

    kernel: str
    stage: str
    message: str


class SearchPayload(TypedDict):
    """A slice; `next` is where the following one begins, None after the last; `total` counts listings."""

    found: list[FoundPayload]
    unread: list[UnreadPayload]
    next: int | None
    total: int


@dataclass(frozen=True)
class Query:
    """What is looked for, whatever its case."""

    text: str
    regex: bool
    whole: bool
    """Comments and declarations too; else, in a listing that has instructions, only these."""
    stages: tuple[str, ...]

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Query:
        """As a page asks. Raises XpuasmError where it asks for nothing that can be looked for."""
        text = str(params.get("text", ""))
        if not text:
            raise XpuasmError("nothing to look for")
        if len(text) > _LONGEST_NEEDLE:
            raise XpuasmError(f"what is looked for is longer than {_LONGEST_NEEDLE:,} characters")
        query = cls(text, bool(params.get("regex")), bool(params.get("whole")), tuple(params.get("stages", ())))
        if query.regex:
            try:
                re.compile(text)
            except (re.error, OverflowError, RecursionError) as error:
                raise XpuasmError(f"not a regular expression: {error}") from error
        return query


@dataclass(frozen=True)
class _Read:
    kernel: str
    stage: str
    listing: Listing


def search(
    kernels: Mapping[str, Kernel], read: Callable[[StageFile], Listing], query: Query, start: int = 0
) -> SearchPayload:
    """The slice that begins at listing `start`.

    Args:
        kernels: by the name that the page has for them.
        read: a stage's lines; raises XpuasmError with words for the reader.
        query: what is looked for.
        start: `next` of the slice before.

    """
    places = [
        (id_, kernel.stages[stage])
        for id_, kernel in kernels.items()
        for stage in query.stages
        if stage in kernel.stages
    ]
    end = time.monotonic() + _SLICE_S
    found: list[FoundPayload] = []
    unread: list[UnreadPayload] = []
    listings: list[_Read] = []
    at = max(0, start)
    while at < len(places) and (time.monotonic() < end or at == start):
        id_, file = places[at]
        at += 1
        if _lacks(file, query):
            continue
        try:
            one = _Read(id_, file.stage, read(file))
        except XpuasmError as error:
            unread.append(UnreadPayload(kernel=id_, stage=file.stage, message=str(error)))
            continue
        if query.regex:
            listings.append(one)
        else:
            found += _told(one, _plain_hits(one.listing, query))
    for one, hits in zip(listings, _regex_hits([one.listing for one in listings], query), strict=True):
        found += _told(one, hits)
    return SearchPayload(found=found, unread=unread, next=at if at < len(places) else None, total=len(places))


_VERBATIM = frozenset({".asm", ".visaasm", ".ll", ".llir", ".ttir", ".ttgir"})
"""Files whose bytes are the text that is shown."""


def _lacks(file: StageFile, query: Query) -> bool:
    """Whether it is not even in the file: parsing, which takes ten times as long, is spared."""
    if query.regex or not query.text.isascii() or file.path.suffix not in _VERBATIM:
        return False
    try:
        data = read_regular(file.path)
    except OSError:  # parsing says it in words
        return False
    return query.text.lower().encode() not in data.lower()


_Hits = list[tuple[int, int]]
"""Line index, and where in the line it begins."""


def _plain_hits(listing: Listing, query: Query) -> _Hits:
    needle = query.text.lower()
    if needle not in listing.text.lower():
        return []
    searched = _searched(listing, query)
    return [
        (i, at) for i, line in enumerate(listing.lines) if searched[i] and (at := line.text.lower().find(needle)) >= 0
    ]


def _searched(listing: Listing, query: Query) -> list[bool]:
    """Of each line whether it counts."""
    coded = [line.instruction is not None for line in listing.lines]
    return coded if not query.whole and any(coded) else [True] * len(coded)


# An expression like (a+)+$ can take for ever, and nothing in this process could end it.
_MATCHER = """
import json, re, sys
asked = json.load(sys.stdin)
find = re.compile(asked["pattern"], re.IGNORECASE).search
found = [[[i, m.start()] for i, line in lines if (m := find(line))] for lines in asked["listings"]]
json.dump(found, sys.stdout)
"""


def _regex_hits(listings: Sequence[Listing], query: Query) -> list[_Hits]:
    """The same for a regular expression, in a process of its own. Raises XpuasmError where it takes too long."""
    if not listings:
        return []
    texts = [
        [
            (i, line.text)
            for i, (line, is_searched) in enumerate(zip(one.lines, _searched(one, query), strict=True))
            if is_searched
        ]
        for one in listings
    ]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _MATCHER],
            input=json.dumps({"pattern": query.text, "listings": texts}).encode(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise XpuasmError(
            f"this regular expression takes more than {_PATIENCE_S:.0f} s for a listing; make it simpler"
        ) from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise XpuasmError(f"the regular expression could not be run: {error}") from error
    return [[(i, at) for i, at in hits] for hits in json.loads(done.stdout)]


def _told(one: _Read, hits: _Hits) -> list[FoundPayload]:
    if not hits:
        return []
    lines = [(i, _excerpt(one.listing.lines[i].text, at)) for i, at in hits[:_LINES]]
    return [FoundPayload(kernel=one.kernel, stage=one.stage, count=len(hits), lines=lines)]


def _excerpt(text: str, at: int) -> str:
    """The part of a long line where it is."""
    start = max(0, at - _WIDTH // 3) if len(text) > _WIDTH else 0
    return ("…" if start else "") + text[start : start + _WIDTH].strip() + ("…" if start + _WIDTH < len(text) else "")
