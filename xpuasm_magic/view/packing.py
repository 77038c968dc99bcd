"""Listings as a report holds them, with all their colours; those of a large capture are packed in several processes."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO

from xpuasm_magic.errors import ParseError
from xpuasm_magic.help import tokens
from xpuasm_magic.model import Kernel
from xpuasm_magic.view.analysed import Analysed
from xpuasm_magic.view.figures import analysis_payload
from xpuasm_magic.view.payload import all_spans, pack

_LARGE_BYTES = 6_000_000
"""From here on colouring takes longer than a process needs to start."""
_MOST_PROCESSES = 8
_FIGURES = b"!figures"
"""Asks a child for figures: no stage has such a name."""

# A script that calls us need not guard its main module, as multiprocessing would want: a child runs this alone.
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from xpuasm_magic.view import packing; packing.serve()"
)


@dataclass(frozen=True)
class PackedListing:
    """A listing in a report.

    Attributes:
        text: a `ListingPayload` in JSON, then the colours of each of its chunks; each packed, in base64, with a space
            between. The page unpacks of a long listing only what it shows.
        tokens: what in it may have help.

    """

    text: str
    tokens: Collection[str]


def packed_listing(stage: str, listing: bytes) -> PackedListing:
    """`listing`: a `ListingPayload` in JSON."""
    text = json.loads(listing)["text"]
    parts = (pack(listing), *map(pack, all_spans(stage, text)))
    return PackedListing(" ".join(base64.b64encode(part).decode() for part in parts), tokens(stage, text))


def packed_figures(kernel: Kernel) -> str | None:
    """An `AnalysisPayload`, packed, in base64; None: there is no listing that can be read."""
    try:
        return base64.b64encode(pack(dict(analysis_payload(Analysed(kernel))))).decode()
    except (KeyError, ParseError, OSError):
        return None


class ListingPacker:
    """Packs listings, and the figures beside them. Use as a context: children end with it.

    Args:
        total_bytes: of all that will be packed, about; little is packed in this process.

    """

    def __init__(self, total_bytes: int) -> None:
        # Reading them, which this process does meanwhile, keeps one processor busy.
        processes = min(os.cpu_count() or 1, _MOST_PROCESSES) if total_bytes > _LARGE_BYTES else 0
        self._own = threading.local()
        self._children: list[subprocess.Popen[bytes]] = []
        self._threads = ThreadPoolExecutor(processes) if processes > 1 else None

    def __enter__(self) -> ListingPacker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._threads:
            self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.kill()
            child.communicate()

    def pack(self, stage: str, listing: bytes) -> Future[PackedListing]:
        if self._threads:
            return self._threads.submit(self._packed, stage, listing)
        done: Future[PackedListing] = Future()
        done.set_result(packed_listing(stage, listing))
        return done

    def figures(self, kernel: Kernel) -> Future[str | None]:
        if self._threads:
            return self._threads.submit(self._figures, kernel)
        done: Future[str | None] = Future()
        done.set_result(packed_figures(kernel))
        return done

    def _packed(self, stage: str, listing: bytes) -> PackedListing:
        answer = self._asked(stage.encode(), listing)
        if answer is None:
            return packed_listing(stage, listing)
        return PackedListing(**answer)

    def _figures(self, kernel: Kernel) -> str | None:
        try:
            pickled = pickle.dumps(kernel)
        except (pickle.PicklingError, AttributeError, TypeError):  # a parser that is no function of a module
            return packed_figures(kernel)
        answer = self._asked(_FIGURES, base64.b64encode(pickled))
        return packed_figures(kernel) if answer is None else answer["text"]

    def _asked(self, what: bytes, of_what: bytes) -> dict[str, Any] | None:
        """A child's answer; None: it cannot be started, or has been ended."""
        try:
            to, of = self._pipes()
            to.write(what + b"\n" + of_what + b"\n")
            to.flush()
            answer = of.readline()
        except OSError:
            return None
        return dict(json.loads(answer)) if answer else None

    def _pipes(self) -> tuple[BinaryIO, BinaryIO]:
        if not hasattr(self._own, "child"):
            command = [sys.executable, "-c", _CHILD, json.dumps(sys.path)]
            child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=-1
            )
            self._children.append(child)
            self._own.child = child
        child = self._own.child
        assert child.stdin
        assert child.stdout
        return child.stdin, child.stdout


def serve() -> None:
    """In a child: packs what comes in, a stage's name and a listing on a line each; or a kernel, for its figures."""
    lines = iter(sys.stdin.buffer.readline, b"")
    for what, of_what in zip(lines, lines, strict=True):
        stage, data = what.rstrip(b"\n"), of_what.rstrip(b"\n")
        answer: dict[str, Any]
        if stage == _FIGURES:
            answer = {"text": packed_figures(pickle.loads(base64.b64decode(data)))}
        else:
            packed = packed_listing(stage.decode(), data)
            answer = {"text": packed.text, "tokens": sorted(packed.tokens)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
