"""A variant and its outcome, with launches, choices and checks -> a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from xpuasm_magic.analysis.checks import failed_checks
from xpuasm_magic.backends import INTEL
from xpuasm_magic.backends.intel import python_source, threads_per_eu
from xpuasm_magic.backends.spirv_tools import disassembled_module, find_spirv_dis
from xpuasm_magic.catalog.outcome import Outcome
from xpuasm_magic.catalog.run import Run
from xpuasm_magic.catalog.variants import Entry
from xpuasm_magic.formats.inductor import family_of
from xpuasm_magic.model import Kernel, Note, SourceLoc, StageFile, Variant

Group = tuple[str, str, int]
"""Name, source file, line: variants that agree in these differ in config or specialization only."""


def variant_kernel(run: Run, entry: Entry, outcome: Outcome) -> Kernel:
    """The row of a variant that Triton compiled."""
    launches = run.launches
    recorded = str(entry.record.get("fn_file", ""))
    source = run.inside(recorded)
    python = {"python": python_source(source, recorded)} if source else {}
    kernel = Kernel(
        name=entry.name,
        family=family_of(entry.name) or "user",
        variant=entry.variant,
        match=outcome.match,
        status=outcome.status,
        stages=INTEL.in_order({**python, **entry.stages(), **outcome.stages, **_spirv(entry)}),
        device=_device(run, outcome),
        env=outcome.env,
        header=outcome.header,
        attempts=outcome.attempts,
        launches=None if launches is None else launches.get(entry.key, ()),
        time_ms=run.times_ms.get(entry.key),
        autotuned=entry.record.get("autotuned") is True,
        error=outcome.error,
        repro=outcome.repro,
        notes=(*outcome.notes, *_graph_notes(run, entry)),
        isa_bytes=outcome.isa_bytes,
        binaries=_binaries(entry, outcome),
        origin=run.origin_of_source.get(Path(recorded).name),
        defined_at=SourceLoc(recorded, line) if isinstance(line := entry.record.get("fn_line"), int) else None,
    )
    return finished(kernel)


def module_kernel(name: str, key: str, outcome: Outcome) -> Kernel:
    """The row of a kernel of a dump that no Triton entry stands for."""
    return finished(
        Kernel(
            name=name,
            family=family_of(name) or "other",
            variant=Variant(key=key),
            match=outcome.match,
            status=outcome.status,
            stages=outcome.stages,
            device=outcome.device,
            env=outcome.env,
            header=outcome.header,
            attempts=outcome.attempts,
            winner=True,
            group=name,
            error=outcome.error,
            notes=outcome.notes,
            isa_bytes=outcome.isa_bytes,
            binaries=outcome.binaries,
        )
    )


def finished(kernel: Kernel) -> Kernel:
    """With what follows from the other fields."""
    env = kernel.env
    static = env.slm_size if env else None
    # Triton's own shared memory is an argument of the kernel and never part of slm_size.
    slm = None if static is None and kernel.variant.shared is None else (static or 0) + (kernel.variant.shared or 0)
    grf = env.grf_count if env else kernel.header.num_grf if kernel.header else None
    stated = env.eu_thread_count if env else None
    notes = tuple(Note("warning", f"{check.name}: {check.message}") for check in failed_checks(kernel))
    return replace(
        kernel,
        slm_size=slm,
        threads_per_eu=stated if stated is not None else threads_per_eu(kernel.device, grf),
        notes=(*kernel.notes, *notes),
    )


def grouped(run: Run, entries: Sequence[Entry], kernels: Sequence[Kernel]) -> list[Kernel]:
    """The same rows, each with its group, whether it won in it, and a word on others that have its code."""
    keys = [_group(entry) for entry in entries]
    labels = _labels(run, keys)
    sizes = Counter(keys)
    twins: dict[tuple[str | None, ...], list[Entry]] = {}
    for entry in entries:
        twins.setdefault(_code(entry), []).append(entry)
    decided = {key for key, entry in zip(keys, entries, strict=True) if entry.key in run.winners}
    rows = []
    for key, entry, kernel in zip(keys, entries, kernels, strict=True):
        winner: bool | None = None
        if key in decided:
            winner = run.winners.get(entry.key, False)
        elif not kernel.autotuned and (sizes[key] == 1 or "autotuned" in entry.record):
            winner = True
        notes = (*kernel.notes, *_twin_notes(entry, twins[_code(entry)]))
        rows.append(replace(kernel, group=labels[key], winner=winner, notes=notes))
    return rows


def _code(entry: Entry) -> tuple[str | None, ...]:
    """One SPIR-V and one set of flags is one code; a matrix of recompiled kernels has several devices and compilers."""
    made_by = (str(entry.record.get(name) or "") for name in ("device", "toolchain"))
    return entry.spirv_digest, entry.variant.build_flags, *made_by


def _twin_notes(entry: Entry, same_code: Sequence[Entry]) -> tuple[Note, ...]:
    others = [other.key[:12] for other in same_code if other is not entry]
    if entry.spirv_digest is None or not others:
        return ()
    return (Note("info", f"same SPIR-V and flags, and so the same code, as {', '.join(others)}"),)


def _graph_notes(run: Run, entry: Entry) -> tuple[Note, ...]:
    file = entry.record.get("fn_file")
    graph = run.graph_of_source.get(Path(file).name) if isinstance(file, str) else None
    if graph is None or not graph.benchmark_decided or run.info.device.get("real"):
        return ()
    reasons = f" ({', '.join(graph.decided_by)})" if graph.decided_by else ""
    message = f"a benchmark decides which kernels graph {graph.number} has{reasons}; without a GPU it measured nothing"
    return (Note("warning", message),)


def _group(entry: Entry) -> Group:
    line = entry.record.get("fn_line")
    return entry.name, str(entry.record.get("fn_file") or ""), line if isinstance(line, int) else 0


def _labels(run: Run, keys: Sequence[Group]) -> Mapping[Group, str]:
    """A group's label is its kernel's name; where several groups have it, with the graph or the line."""
    by_name: dict[str, list[Group]] = {}
    for key in dict.fromkeys(keys):
        by_name.setdefault(key[0], []).append(key)
    labels: dict[Group, str] = {}
    for name, groups in by_name.items():
        if len(groups) == 1:
            labels[groups[0]] = name
            continue
        for number, group in enumerate(groups, 1):
            _, file, line = group
            graph = run.graph_of_source.get(Path(file).name)
            where = f"graph {graph.number}" if graph else f"line {line}" if line else f"{number}"
            label = f"{name} ({where})"
            labels[group] = label if label not in labels.values() else f"{name} ({where}, {number})"
    return labels


def _device(run: Run, outcome: Outcome) -> str | None:
    """The device's name as the run's user gave it, where the build was for the run's device."""
    device = run.info.device
    name, ocloc = device.get("name"), device.get("ocloc")
    if isinstance(name, str) and outcome.device in (None, ocloc):
        return name
    return outcome.device


def _spirv(entry: Entry) -> dict[str, StageFile]:
    """The variant's module as text, where this machine can show it; else what the dump has of it stands."""
    if not entry.spirv or not find_spirv_dis():
        return {}
    inside = entry.zebin.path if entry.zebin else entry.files.get(".spv")
    return {"spirv": disassembled_module(inside)} if inside else {}


def _binaries(entry: Entry, outcome: Outcome) -> dict[str, Path]:
    spv = {"spv": entry.files[".spv"]} if ".spv" in entry.files else {}
    return {**spv, **outcome.binaries}
