"""What Triton compiled: the entries of its cache, and what the child wrote down as it compiled them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from xpuasm_magic.backends import INTEL
from xpuasm_magic.catalog.dump import digest, read_zebin
from xpuasm_magic.catalog.outcome import Binary
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.spirv import is_spirv
from xpuasm_magic.formats.triton_cache import GROUP_PREFIX, grf_mode, is_key, parse_metadata
from xpuasm_magic.formats.zebin import MAGIC as ELF_MAGIC
from xpuasm_magic.model import StageFile, Variant

_STAGE_SUFFIXES = (".ttir", ".ttgir", ".llir", ".spv", ".zebin")


@dataclass(eq=False)
class Entry:
    """One compiled variant: its cache folder's files by suffix, and its line in `variants.jsonl`."""

    reader: Reader
    name: str
    variant: Variant
    folder: Path | None
    files: Mapping[str, Path]
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.variant.key

    @property
    def target(self) -> str | None:
        """Triton's name for the kind of GPU: `xpu`, `cuda`, `hip`."""
        target = self.variant.metadata.get("target")
        backend = target.get("backend") if isinstance(target, dict) else None
        return backend if isinstance(backend, str) else None

    @cached_property
    def spirv(self) -> bytes | None:
        """The module. On Triton's native route it is inside the zebin, which older versions call `.spv`."""
        data = self._spv_file
        if data is not None and is_spirv(data):
            return data
        return self.zebin.zebin.spirv if self.zebin else None

    @cached_property
    def spirv_digest(self) -> str | None:
        return digest(self.spirv) if self.spirv else None

    @cached_property
    def zebin(self) -> Binary | None:
        """The binary that Triton itself made and loads; None where the driver compiles the SPIR-V."""
        path = self.files.get(".zebin")
        if path is None and self._spv_file is not None and self._spv_file.startswith(ELF_MAGIC):
            path = self.files[".spv"]
        zebin = read_zebin(self.reader, path) if path else None
        return Binary(zebin, path, dumped=False) if zebin and path else None

    def stages(self) -> dict[str, StageFile]:
        return {
            stage.name: stage.file(self.files[stage.suffix])
            for stage in INTEL.of_origin("triton")
            if stage.suffix in self.files
        }

    @cached_property
    def _spv_file(self) -> bytes | None:
        return self.reader.bytes(self.files[".spv"]) if ".spv" in self.files else None


def read_recorded(reader: Reader) -> list[Entry]:
    """The variants of a capture of ours, in the order in which they were compiled."""
    records: dict[str, dict[str, Any]] = {}
    for record in reader.json_lines(reader.folder / "variants.jsonl") or []:
        key = record.get("key")
        if isinstance(key, str) and is_safe_name(key) and isinstance(record.get("name"), str):
            # Several processes may have compiled it: the first line stands, and what it lacks is filled in.
            records[key] = {**record, **records.get(key, {})}
    folders = {folder.name: folder for folder in reader.folders(reader.folder / "triton")}
    entries = []
    for key in [*records, *(key for key in folders if key not in records)]:
        folder = folders.get(key)
        files = reader.files(folder) if folder else {}
        record = records.get(key, {})
        if folder and key not in records:
            entries += cache_entries(reader, folder, files)
        else:
            entries.append(_entry(reader, key, str(record["name"]), folder, files, record))
    return entries


def cache_entries(reader: Reader, folder: Path, files: Mapping[str, Path]) -> list[Entry]:
    """Variants in one folder of a Triton cache or dump, or of any folder that holds Triton's stage files."""
    stems = dict.fromkeys(
        name.removesuffix(suffix) for name in sorted(files) for suffix in _STAGE_SUFFIXES if name.endswith(suffix)
    )
    entries = []
    for stem in stems:
        if not stem or stem.startswith("OCL_asm"):
            continue
        key = folder.name if is_key(folder.name) else ""
        if len(stems) > 1 and key:
            key = f"{key}-{stem}"
        entries.append(_entry(reader, key, stem, folder, files, {}))
    return entries


def is_safe_name(name: str) -> bool:
    """Whether a name from a record may stand for one folder: nothing that leads elsewhere."""
    return bool(name) and not name.startswith(".") and not any(c in name for c in "/\\\0")


def _entry(
    reader: Reader,
    key: str,
    name: str,
    folder: Path | None,
    files: Mapping[str, Path],
    record: Mapping[str, Any],
) -> Entry:
    own, stem = _own_files(files, name)
    metadata = _metadata(reader, own.get(".json"))
    build_flags = str(_first(record, metadata, "build_flags") or "")
    if not key:  # no cache key names this folder: Triton's own hash does as well
        key = str(metadata.get("hash") or "") or digest(str(folder / stem if folder else stem).encode())
    variant = Variant(
        key=key,
        num_warps=_int(_first(record, metadata, "num_warps")),
        num_stages=_int(_first(record, metadata, "num_stages")),
        threads_per_warp=_int(_first(record, metadata, "threads_per_warp")),
        shared=_int(_first(record, metadata, "shared")),
        build_flags=build_flags,
        grf_mode=grf_mode(metadata, build_flags),
        constants=_mapping(record.get("constants")),
        signature={str(k): str(v) for k, v in _mapping(record.get("signature")).items()},
        metadata=metadata,
    )
    return Entry(reader, str(metadata.get("name") or name), variant, folder, own, record)


def _own_files(files: Mapping[str, Path], name: str) -> tuple[dict[str, Path], str]:
    """The files of one kernel by suffix. Triton cuts the name in file names at 150 characters."""
    stem = name[:150]
    suffixes = (*_STAGE_SUFFIXES, ".json")
    return {s: files[stem + s] for s in suffixes if stem + s in files and not stem.startswith(GROUP_PREFIX)}, stem


def _metadata(reader: Reader, path: Path | None) -> Mapping[str, Any]:
    text = reader.text(path) if path else None
    if path is None or text is None:
        return {}
    try:
        return parse_metadata(text)
    except ParseError as error:
        reader.note("warning", str(error), path)
        return {}


def _first(record: Mapping[str, Any], metadata: Mapping[str, Any], name: str) -> Any:
    value = record.get(name)
    return metadata.get(name) if value is None else value


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def unique_keys(entries: Iterable[Entry]) -> list[Entry]:
    """The same entries, told apart where one folder holds two of one key (say, built for two devices)."""
    count: Counter[str] = Counter()
    for entry in (entries := list(entries)):
        count[entry.key] += 1
        if count[entry.key] > 1:
            entry.variant = replace(entry.variant, key=f"{entry.key}-{count[entry.key]}")
    return entries
