"""Listings as a report holds them, with all their colours; those of a large capture are packed in several processes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO

from xpuasm_magic.help import tokens
from xpuasm_magic.view.payload import all_spans, pack

_LARGE_BYTES = 6_000_000
"""From here on colouring takes longer than a process needs to start."""
_MOST_PROCESSES = 8

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


class ListingPacker:
    """Packs listings. Use as a context: children end with it.

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

    def _packed(self, stage: str, listing: bytes) -> PackedListing:
        try:
            to, of = self._pipes()
            to.write(stage.encode() + b"\n" + listing + b"\n")
            to.flush()
            if answer := of.readline():
                return PackedListing(**json.loads(answer))
        except OSError:
            pass
        return packed_listing(stage, listing)  # the child cannot be started, or has been ended

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
    """In a child: packs what comes in, a stage's name and a listing on a line each."""
    lines = iter(sys.stdin.buffer.readline, b"")
    for stage, listing in zip(lines, lines, strict=True):
        packed = packed_listing(stage.decode().rstrip("\n"), listing.rstrip(b"\n"))
        sys.stdout.buffer.write(json.dumps({"text": packed.text, "tokens": sorted(packed.tokens)}).encode() + b"\n")
        sys.stdout.buffer.flush()
