"""What a run wrote down of itself: `capture.json`, launches, graphs, the autotuner's choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.inductor import fusions, kernel_paths, parse_best_config
from xpuasm_magic.model import CaptureInfo, Launch, Origin, Severity, SourceLoc

_SEVERITIES: dict[str, Severity] = {severity: severity for severity in get_args(Severity)}


@dataclass(frozen=True)
class Graph:
    """A graph that Inductor compiled."""

    number: int
    benchmark_decided: bool
    """Which kernels it has was left to a benchmark, which without a GPU measures nothing."""
    decided_by: tuple[str, ...]


@dataclass(eq=False)
class Run:
    """The records of a capture folder of ours; of any other folder all are empty."""

    reader: Reader
    record: Mapping[str, Any] = field(default_factory=dict)
    best_configs: Sequence[Path] = ()
    """Results that Inductor's autotuner left."""

    @cached_property
    def info(self) -> CaptureInfo:
        record = self.record
        return CaptureInfo(
            created=_typed(record, "created", str),
            state=_typed(record, "state", str),
            exit_status=_typed(record, "exit_status", int),
            elapsed_s=_typed(record, "elapsed_s", (int, float)),
            device=_mapping(record, "device"),
            versions={k: str(v) for k, v in _mapping(record, "versions").items()},
            source=_mapping(record, "source"),
            environment=_mapping(record, "environment"),
            fidelity=tuple(str(line) for line in _list(record, "fidelity")),
            timings={k: v for k, v in _mapping(record, "timings").items() if isinstance(v, (int, float))},
            raw=record,
        )

    def take_notes(self) -> None:
        """Make the run's own notes the capture's."""
        for note in _list(self.record, "notes"):
            if isinstance(note, dict) and isinstance(note.get("message"), str):
                self.reader.note(_SEVERITIES.get(str(note.get("severity")), "info"), note["message"])
        if self.info.state == "running":
            self.reader.note("info", "the run had not ended when this folder was read; read it again for the rest")

    @cached_property
    def launches(self) -> dict[str, tuple[Launch, ...]] | None:
        """By key. None: not recorded. Counts are cumulative within a process, and add up over processes."""
        records = self.reader.json_lines(self.reader.folder / "launches.jsonl")
        if records is None:
            # The file is made with the first launch: a stand-in run without it launched nothing.
            return None if self.info.device.get("real", True) else {}
        counts: dict[tuple[str, tuple[int, ...], tuple[str, ...]], dict[Any, int]] = {}
        for record in records:
            key, count = record.get("key"), record.get("count")
            if not isinstance(key, str) or not isinstance(count, int):
                continue
            grid = tuple(n for n in _list(record, "grid") if isinstance(n, int))
            by_process = counts.setdefault((key, grid, tuple(str(arg) for arg in _list(record, "args"))), {})
            process = str(record.get("pid"))
            by_process[process] = max(count, by_process.get(process, 0))
        launches: dict[str, list[Launch]] = {}
        for (key, grid, args), by_process in counts.items():
            launches.setdefault(key, []).append(Launch(grid, args, sum(by_process.values())))
        return {key: tuple(found) for key, found in launches.items()}

    @cached_property
    def winners(self) -> dict[str, bool]:
        """Keys of which a real device's autotuner said whether they won: Triton's, then Inductor's."""
        said = {
            str(record.get("key")): record["winner"]
            for record in self._autotuning
            if isinstance(record.get("winner"), bool)
        }
        for path in self.best_configs:
            try:
                key = parse_best_config(self.reader.text(path) or "").triton_cache_hash
            except ParseError as error:
                self.reader.note("warning", str(error), path)
                continue
            if key:
                said[key] = True
        return said

    @cached_property
    def times_ms(self) -> dict[str, float]:
        """What a real device's autotuner measured, by key."""
        return {
            str(record.get("key")): float(record["time_ms"])
            for record in self._autotuning
            if isinstance(record.get("time_ms"), (int, float))
        }

    @property
    def graph_of_source(self) -> dict[str, Graph]:
        """The graph whose wrapper names a kernel's source file, by that file's name."""
        return self._graphs[0]

    @property
    def origin_of_source(self) -> dict[str, Origin]:
        """What is fused into a kernel and for which lines, by its source file's name; graphs may share a kernel."""
        return self._graphs[1]

    @cached_property
    def _graphs(self) -> tuple[dict[str, Graph], dict[str, Origin]]:
        graphs: dict[str, Graph] = {}
        origins: dict[str, Origin] = {}
        for record in self.reader.json_lines(self.reader.folder / "inductor_graphs.jsonl") or []:
            wrapper = self.inside(str(record.get("wrapper")))
            if wrapper is None or not isinstance(record.get("graph"), int):
                continue
            decided = tuple(str(reason) for reason in _list(record, "decided_by"))
            graph = Graph(record["graph"], record.get("benchmark_decided") is True, decided)
            text = self.reader.text(wrapper) or ""
            for path in kernel_paths(text):
                graphs.setdefault(Path(path).name, graph)
            lines = _user_lines(record)
            for fusion in fusions(text):
                file = Path(fusion.path).name
                known = origins.get(file, Origin())
                origins[file] = Origin(
                    ops=tuple(dict.fromkeys((*known.ops, *fusion.ops))),
                    lines=tuple(dict.fromkeys((*known.lines, *lines.get(fusion.name, ())))),
                )
        return graphs, origins

    def inside(self, recorded: str) -> Path | None:
        """Where a recorded path lies in this folder, wherever the folder is by now; None: outside."""
        script = self.info.source.get("script")
        if isinstance(script, str) and recorded == script:
            recorded = "cell.py"
        for root in (self.record.get("run_path"), str(self.reader.folder)):
            if isinstance(root, str) and root and recorded.startswith(root.rstrip("/") + "/"):
                recorded = recorded[len(root.rstrip("/")) + 1 :]
                break
        relative = Path(recorded)
        if relative.is_absolute() or ".." in relative.parts or not recorded:
            return None  # never a file from outside: a capture may come from anybody
        path = self.reader.folder / relative
        return path if self.reader.is_file(path) else None

    @cached_property
    def _autotuning(self) -> list[dict[str, Any]]:
        return self.reader.json_lines(self.reader.folder / "autotune.jsonl") or []


def _user_lines(graph: Mapping[str, Any]) -> dict[str, tuple[SourceLoc, ...]]:
    """By kernel name: the lines that the child read off the graph's nodes."""
    found = {}
    for kernel in _list(graph, "kernels"):
        if isinstance(kernel, dict):
            pairs = [line for line in _list(kernel, "lines") if isinstance(line, list) and len(line) == 2]
            locs = [SourceLoc(file, line) for file, line in pairs if isinstance(file, str) and isinstance(line, int)]
            found[str(kernel.get("name"))] = tuple(locs)
    return found


def _typed(record: Mapping[str, Any], name: str, kind: type[Any] | tuple[type[Any], ...]) -> Any:
    value = record.get(name)
    return value if isinstance(value, kind) else None


def _mapping(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name)
    return value if isinstance(value, list) else []
