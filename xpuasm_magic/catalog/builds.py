"""The builds that a capture made of one variant, each in its own folder -> the one that the loader keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from xpuasm_magic.backends import INTEL
from xpuasm_magic.catalog.dump import Module, read_dump, read_zebin
from xpuasm_magic.catalog.outcome import Binary, Outcome, module_outcome, of_another_module
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.catalog.variants import Entry, is_safe_name
from xpuasm_magic.formats.igc_dump import spirv_hash
from xpuasm_magic.model import Attempt, Note, StageFile, Status

BINARY = "kernel.bin"
LOG = "ocloc.log"
_STATUSES: dict[str, Status] = {status: status for status in get_args(Status)}


def built_outcome(reader: Reader, entry: Entry, folder: Path) -> Outcome | None:
    """The outcome of a variant that this capture built; None: it did not (a real device's driver compiles).

    `loader.json` says which build Triton's loader would keep; the others are attempts, with the rule's words.
    """
    decision = reader.json(folder / "loader.json") or {}
    builds = {build.name: build for build in reader.folders(folder)}
    kept = decision.get("kept")
    if isinstance(kept, str) and kept in builds and is_safe_name(kept):
        row, builds = _kept(reader, entry, builds, kept, decision)
    elif builds:
        row, builds = _undecided(reader, entry, builds)
    elif decision:
        return _unbuilt(decision)
    else:
        return None
    said = _rejections(decision)
    rejected = [
        _rejected(name, said.get(name, {}), _build_outcome(reader, entry, build)) for name, build in builds.items()
    ]
    notes = (Note("warning", str(decision["note"])),) if decision.get("note") else ()
    return replace(row, attempts=(*row.attempts, *rejected), notes=(*row.notes, *notes))


def _build_outcome(reader: Reader, entry: Entry, folder: Path) -> Outcome:
    record = reader.json(folder / "build.json")
    files = reader.files(folder)
    dump = folder / "dump"
    modules = read_dump(reader, dump, reader.files(dump)) or read_dump(reader, folder, files)
    module, note = _own_module(entry, modules)
    status = _status(record)
    if status != "ok":
        outcome = Outcome("none", status, stages=_partial_stages(module, entry.name) if module else {})
    elif module is None:
        outcome = Outcome("none", status)
    else:
        zebin = read_zebin(reader, folder / BINARY)
        binary = Binary(zebin, folder / BINARY, dumped=True) if zebin else _dumped_binary(module)
        if binary and binary.is_of_another(entry.spirv):
            outcome = of_another_module(binary)
        else:
            outcome = module_outcome(reader, module, entry.name, "spirv", binary, one_compilation=True)
    record = record or {}
    log = {"log": INTEL.stage("log").file(files[LOG])} if LOG in files else {}
    return replace(
        outcome,
        stages=INTEL.in_order({**outcome.stages, **log}),
        notes=(*outcome.notes, *((note,) if note else ())),
        device=_text(record, "device") or outcome.device,
        error=_text(record, "error"),
        repro=_text(record, "repro"),
    )


def _own_module(entry: Entry, modules: tuple[Module, ...]) -> tuple[Module | None, Note | None]:
    """The module of this build's dump that is the variant's, byte for byte."""
    if not modules:
        return None, Note("warning", "the compiler left no dump")
    if entry.spirv is None:
        return None, Note("error", "the variant's SPIR-V is missing, so no listing can be proven to be its own")
    for module in modules:
        if module.spirv_digest == entry.spirv_digest:
            return module, None
    hashed = spirv_hash(entry.spirv)
    for module in modules:
        if module.spirv is None and module.hash == hashed:
            return module, None
    return None, Note("error", "the dump of this build is of another SPIR-V module; its listing is not shown")


def _dumped_binary(module: Module) -> Binary | None:
    return Binary(module.binary, module.files[".progbin"], dumped=True) if module.binary else None


def _partial_stages(module: Module, kernel: str) -> dict[str, StageFile]:
    """What a compilation that failed had come to: the files of its last attempt."""
    trials = [trial for trial in module.trials if trial.kernel in (kernel, None)]
    return trials[-1].stages() if trials else {}


def _undecided(reader: Reader, entry: Entry, builds: Mapping[str, Path]) -> tuple[Outcome, dict[str, Path]]:
    """The row where no loader's decision is recorded (yet): the first build, which the loader tries first."""
    first = next((name for name in builds if name.endswith("-default")), next(iter(builds)))
    rest = {name: build for name, build in builds.items() if name != first}
    row = _build_outcome(reader, entry, builds[first])
    if rest:
        note = Note("warning", f"which build the loader keeps is not recorded; shown is {first}")
        row = replace(row, notes=(*row.notes, note))
    return row, rest


def _kept(
    reader: Reader, entry: Entry, builds: Mapping[str, Path], kept: str, decision: Mapping[str, Any]
) -> tuple[Outcome, dict[str, Path]]:
    """The build that the loader's decision names, or the one that its own numbers can only mean."""
    row = _build_outcome(reader, entry, builds[kept])
    if said := _contradiction(decision, row):
        others = {name: _build_outcome(reader, entry, build) for name, build in builds.items() if name != kept}
        fitting = [name for name, outcome in others.items() if _fits(decision, outcome)]
        message = f"loader.json names the build {kept}, and says {said}"
        if len(fitting) == 1:
            (kept,) = fitting
            row = others[kept]
            message += f"; shown is {kept}, which has these values"
        row = replace(row, notes=(*row.notes, Note("warning", message)))
    return row, {name: build for name, build in builds.items() if name != kept}


def _contradiction(decision: Mapping[str, Any], outcome: Outcome) -> str:
    """In which of its numbers a decision differs from what a build states of itself; empty: in none."""
    words = ("n_regs", "registers"), ("spill_bytes", "bytes of spill")
    stated = _stated(outcome)
    return ", ".join(
        f"{decision[name]:,} {what} where its binary says {stated[name]:,}"
        for name, what in words
        if _is_number(decision.get(name)) and stated[name] is not None and decision[name] != stated[name]
    )


def _fits(decision: Mapping[str, Any], outcome: Outcome) -> bool:
    """Whether a build states all numbers of the decision."""
    stated = _stated(outcome)
    return outcome.status == "ok" and all(
        decision[name] == value for name, value in stated.items() if _is_number(decision.get(name))
    )


def _stated(outcome: Outcome) -> dict[str, int | None]:
    env, header = outcome.env, outcome.header
    spill = env.spill_size if env and env.spill_size is not None else header.spill_size if header else None
    return {"n_regs": env.grf_count if env else None, "spill_bytes": spill}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _unbuilt(decision: Mapping[str, Any]) -> Outcome:
    status = _STATUSES.get(str(decision.get("status")), "not built")
    return Outcome("none", "not built" if status == "ok" else status, error=_text(decision, "error"))


def _rejected(name: str, said: Mapping[str, Any], outcome: Outcome) -> Attempt:
    return Attempt(
        label=name,
        reason=_text(said, "reason") or "not the build that the loader keeps",
        launched=said.get("launched") is True,
        stages=outcome.stages,
        env=outcome.env,
        header=outcome.header,
        status=outcome.status,
    )


def _rejections(decision: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    rejected = decision.get("rejected")
    items = rejected if isinstance(rejected, list) else []
    return {str(item.get("build")): item for item in items if isinstance(item, dict)}


def _status(record: Mapping[str, Any] | None) -> Status:
    """Without a record the build had not ended when the folder was read, or when the run was."""
    if record is None:
        return "interrupted"
    return _STATUSES.get(str(record.get("status")), "failed")


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
