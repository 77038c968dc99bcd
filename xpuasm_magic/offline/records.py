"""What the child writes down as it runs: the capture folder's `*.jsonl` files and `child.json`.

A line is one `write` to a file opened for appending, so lines of several processes never mix. A full or read-only
disk costs the record, never the user's script.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from . import patching


class _Thread(threading.local):
    """What is so in one thread: Inductor compiles its choices in several."""

    competing = False


class Records:
    """The records of one process of a run.

    Args:
        folder: the capture folder.
        own_child_json: whether this process is the one whose summary is `child.json`.
    """

    def __init__(self, folder: Path, *, own_child_json: bool = True) -> None:
        self.folder = folder
        self.versions: dict[str, str] = {}
        self.tiers: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.exception: dict[str, Any] | None = None
        """What ended the user's code."""
        self.last_key: str | None = None
        """The variant launched last, on a real device: the autotuner's benchmark does not name it."""
        self.gaps: set[str] = set()
        """Names that this Triton lacks and that have been said to be lacking."""
        self._lock = threading.RLock()
        self._thread = _Thread()
        self._fidelity: dict[str, None] = {}
        self._notes: dict[tuple[str, str], None] = {}
        self._launches: Counter[tuple[str, str, tuple[int, ...], tuple[str, ...]]] = Counter()
        self._variants: set[str] = set()
        self._unexecuted: dict[str, dict[str, None]] = {}
        self.values_follow = False
        """Whether what the kernels being launched would compute is computed on the CPU afterwards."""
        self._muted = 0
        self._benchmarks = 0
        self._broken = False
        self._looks: list[Callable[[], None]] = []
        self._main_pid = os.getpid() if own_child_json else -1
        os.register_at_fork(after_in_child=self._forget)

    # ------------------------------------------------------------------ what happened

    def phase(self, text: str) -> None:
        """Progress that the parent shows."""
        self._append("events.jsonl", {"t": time.time(), "event": "phase", "text": text})

    def variant(self, entry: dict[str, Any], files: Iterable[str] = ()) -> None:
        """A compiled variant; the first time in this process only.

        Args:
            entry: its line in `variants.jsonl`.
            files: where Triton keeps it. What lies outside the capture folder is copied into it.
        """
        with self._lock:
            if self._muted or entry["key"] in self._variants:
                return
            self._variants.add(entry["key"])
        self._adopt(entry["key"], files)
        self.counts["variants"] += 1
        competing = self._thread.competing
        self._append("variants.jsonl", {"t": time.time(), **entry, "autotuned": competing, "pid": os.getpid()})

    def launch(self, key: str, name: str, grid: tuple[int, ...], args: tuple[str, ...]) -> None:
        """A launch. Written at the first and then at each power of two: what `os._exit` or a crash loses is bounded."""
        if self._muted or self._benchmarks:
            return
        entry = (key, name, grid, args)
        with self._lock:
            self.counts["launches"] += 1
            self._launches[entry] += 1
            count = self._launches[entry]
        if count & (count - 1) == 0:
            self._append_launch(entry, count)

    def measured(self, key: str | None, time_ms: float, *, winner: bool) -> None:
        """What an autotuner measured of a variant on a real device; a config that it skipped has no time."""
        if key:
            time_ms = float(time_ms)
            entry = {"key": key, "time_ms": time_ms if math.isfinite(time_ms) else None, "winner": winner}
            self._append("autotune.jsonl", entry)

    def graph(self, entry: dict[str, Any]) -> None:
        """A graph that Inductor compiled."""
        number = self.counts["graphs"]
        self.counts["graphs"] += 1
        self._append("inductor_graphs.jsonl", {"graph": number, **entry, "pid": os.getpid()})

    def fidelity(self, sentence: str) -> None:
        """Something in which this run can differ from hardware."""
        self._fidelity.setdefault(sentence)

    def note(self, message: str, severity: str = "warning") -> None:
        """Something that the user should know of this run."""
        self._notes.setdefault((severity, message))

    def failed(self, message: str) -> None:
        """A kernel that did not compile; written at once, since what comes next may end the process."""
        if not self._muted:
            self.note(message, "error")
            self.write_summary()

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Within, variants and launches are the stand-in's own doing and are not recorded."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    def unexecuted(self, name: str, targets: Iterable[str]) -> None:
        """A launch that nobody computed: the buffers it would have written keep what they held."""
        if not (self._muted or self._benchmarks or self.values_follow):
            self._unexecuted.setdefault(name, {}).update(dict.fromkeys(targets))

    @contextlib.contextmanager
    def benchmarking(self) -> Iterator[None]:
        """Within, variants are recorded and launches are not: they are a benchmark's, not the script's."""
        self._benchmarks += 1
        try:
            yield
        finally:
            self._benchmarks -= 1

    @contextlib.contextmanager
    def one_of_many(self, competing: bool = True) -> Iterator[None]:
        """Within, in this thread, what is compiled is one of several that a benchmark chooses among, if so it is."""
        before = self._thread.competing
        self._thread.competing = before or competing
        try:
            yield
        finally:
            self._thread.competing = before

    # ------------------------------------------------------------------ files

    def is_on(self, tier: str) -> bool:
        return self.tiers.get(tier, "ok") == "ok"

    def before_summary(self, look: Callable[[], None]) -> None:
        """Have `look` called before each summary, to count what is counted elsewhere."""
        self._looks.append(look)

    def flush(self) -> None:
        """Write the launch counts as they stand, and this process's summary. Safe to call at any time."""
        for entry, count in list(self._launches.items()):
            if count & (count - 1):
                self._append_launch(entry, count)
        self.write_summary()

    def write_summary(self) -> None:
        if os.getpid() != self._main_pid:
            return
        with self._lock:
            self._write_summary()

    def _write_summary(self) -> None:
        for look in self._looks:
            look()
        summary = {
            "versions": self.versions,
            "tiers": self.tiers,
            "fidelity": [*self._fidelity, *self._unexecuted_sentences()],
            "notes": [{"severity": severity, "message": message} for severity, message in self._notes],
            "diagnosis": dict(self.counts),
            "exception": self.exception,
            "patches": patching.applied(),
        }
        path = self.folder / "child.json"
        part = path.with_name(f"child.json.{os.getpid()}.tmp")
        with self._tolerant():
            part.write_text(json.dumps(summary, indent=1, default=repr), encoding="utf-8")
            part.replace(path)

    def _adopt(self, key: str, files: Iterable[str]) -> None:
        home = self.folder / "triton" / key
        for path in map(Path, files):
            if path.parent.resolve() == home.resolve():
                continue
            with self._tolerant():
                home.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, home / path.name)
            self.note(
                f"the code keeps Triton's cache in {path.parent.parent} (TRITON_CACHE_DIR); what it compiled there was "
                "copied into the capture",
                "info",
            )

    def _unexecuted_sentences(self) -> list[str]:
        if not self._unexecuted:
            return []
        each = [f"{name} ({', '.join(written)})" if written else name for name, written in self._unexecuted.items()]
        return [
            "Launched and not executed, so that the buffers in brackets, which a GPU would have written, are "
            "unchanged: "
            f"{'; '.join(each)}."
        ]

    def _append_launch(self, entry: tuple[str, str, tuple[int, ...], tuple[str, ...]], count: int) -> None:
        key, name, grid, args = entry
        record = {"key": key, "name": name, "grid": grid, "args": args, "count": count, "pid": os.getpid()}
        self._append("launches.jsonl", record)

    def _append(self, name: str, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, default=repr) + "\n"
        with self._tolerant():
            file = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                os.write(file, line.encode("utf-8"))
            finally:
                os.close(file)

    @contextlib.contextmanager
    def _tolerant(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._broken and sys.stderr is not None:
                print(f"xpuasm: this run's records are incomplete: {error}", file=sys.stderr)
            self._broken = True

    def _forget(self) -> None:
        """In a forked process: its launches are its own; the parent counts those made before the fork."""
        self._lock = threading.RLock()  # the parent's may be held by a thread that is not here
        self._launches.clear()
        self._variants.clear()
