"""An IGC dump folder -> its modules, and in each the attempts that IGC made at its kernels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from xpuasm_magic.backends import INTEL
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_isa import HEADER_BYTES, VOID_PROGRAM, parse_header
from xpuasm_magic.formats.igc_dump import parse_file_name
from xpuasm_magic.formats.machine_code import fills, spells_out
from xpuasm_magic.formats.zebin import Zebin, parse_zebin
from xpuasm_magic.formats.zeinfo import parse_zeinfo
from xpuasm_magic.model import ExecutionEnv, ListingHeader, StageFile

# .kernel "add_kernel"
_VISA_KERNEL = re.compile(r'^\.kernel "(?P<name>[^"\n]+)"', re.MULTILINE)
_VISA_HEAD_BYTES = 4096
# IGCStandalone -api ocl -device 0x4f7.0xbd5.0x7 -inputcs OCL_asm….spv -foptions OCL_asm…_options.txt …
_COMMAND = re.compile(r"^igcstandalone .*$", re.MULTILINE | re.IGNORECASE)
_OPTIONS_ARGUMENT = " -foptions "
_WRITTEN_FIRST, _WRITTEN_LAST = (".spv", "_cmd.txt", "_internal_options.txt"), (".progbin", ".zeinfo")
_CLOCK_SLACK_S = 2.0
"""Copies and zips keep times coarsely or not at all: only what is older by more than this is an earlier build's."""


def _time(path: Path) -> float:
    return path.stat().st_mtime


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Trial:
    """One attempt of IGC at one kernel, at one width: its files, whether it came to machine code or not."""

    retry: int
    simd: int
    entry: str
    kernel: str | None
    """None: the dump breaks off before a file that names it."""
    header: ListingHeader | None
    """None: it was given up before the listing was written (or the listing is damaged)."""
    code: bytes | None
    """The `.dat`: machine code, without padding."""
    files: Mapping[str, Path]
    """By suffix."""

    def stages(self) -> dict[str, StageFile]:
        return {
            stage.name: stage.file(self.files[stage.suffix])
            for stage in INTEL.of_origin("entry")
            if stage.suffix in self.files and (stage.name != "isa" or self.header)
        }

    def is_in(self, section: bytes) -> bool:
        """Whether its code is what a zebin's section holds, whole."""
        return self.code is not None and fills(self.code, section)

    @property
    def label(self) -> str:
        ordinal = {0: "first", 1: "second", 2: "third"}.get(self.retry, f"{self.retry + 1}th")
        return f"IGC's {ordinal} attempt, SIMD{self.simd}"


@dataclass(eq=False)
class Module:
    """All files of one SPIR-V module in one dump folder: of one compilation, or of the last of several."""

    reader: Reader
    folder: Path
    hash: str
    files: Mapping[str, Path]
    """Files of the whole module by suffix."""
    _entries: Mapping[tuple[int, int, str], dict[str, Path]] = field(repr=False)

    @cached_property
    def spirv(self) -> bytes | None:
        return self.reader.bytes(self.files[".spv"]) if ".spv" in self.files else None

    @cached_property
    def spirv_digest(self) -> str | None:
        return digest(self.spirv) if self.spirv else None

    @cached_property
    def binary(self) -> Zebin | None:
        """The dumped program, if it was written and is whole."""
        return read_zebin(self.reader, self.files[".progbin"]) if ".progbin" in self.files else None

    @cached_property
    def envs(self) -> dict[str, ExecutionEnv]:
        """From the dumped `.zeinfo`, which is the section's text; empty where IGC wrote none."""
        return read_zeinfo(self.reader, self.files[".zeinfo"]) if ".zeinfo" in self.files else {}

    @cached_property
    def options(self) -> str | None:
        """Build options of the last compilation; None: not known.

        IGC writes no file for none, and then an earlier compilation's stays: only the command line, which is
        written each time, says whether the file is of the last one.
        """
        path, command = self.files.get("_options.txt"), self.files.get("_cmd.txt")
        if command is None:
            return "" if path is None else None
        found = _COMMAND.search(self.reader.text(command) or "")
        if found is None or self._has_code_of_earlier():
            return None
        if _OPTIONS_ARGUMENT not in found[0]:
            return ""
        text = self.reader.text(path) if path else None
        return None if text is None else text.strip()

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """In the order in which IGC made them."""
        return tuple(self._trial(*key, files) for key, files in sorted(self._entries.items(), key=_order))

    def trials_of(self, kernel: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.kernel == kernel)

    def kernels(self) -> tuple[str, ...]:
        """Names of the module's kernels, without IGC's dummy."""
        names = list(self.binary.code) if self.binary else []
        names += [trial.kernel for trial in self.trials if trial.kernel]
        return tuple(name for name in dict.fromkeys(names) if name != VOID_PROGRAM)

    def spells_out(self, trial: Trial) -> bool:
        """Whether a trial's listing is of all of its code: else it was cut short, or is of another compilation."""
        if trial.header is None or trial.header.inst_count is None or trial.code is None:
            return trial.header is not None
        listing = self.reader.bytes(trial.files[".asm"]) or b""
        return spells_out(listing, trial.header.inst_count, len(trial.code))

    def _has_code_of_earlier(self) -> bool:
        """Whether a compilation began after the one that wrote the code, and ended before it had written its own."""
        begun = [self.files[suffix] for suffix in _WRITTEN_FIRST if suffix in self.files]
        ended = [self.files[suffix] for suffix in _WRITTEN_LAST if suffix in self.files]
        ended = ended or [trial.files[".dat"] for trial in self.trials if ".dat" in trial.files]
        if not begun or not ended:
            return False
        try:
            first, last = min(map(_time, begun)), max(map(_time, ended))
        except OSError:
            return True
        return first - last > _CLOCK_SLACK_S

    def _trial(self, retry: int, simd: int, entry: str, files: dict[str, Path]) -> Trial:
        header = None
        kernel = None
        if ".asm" in files:
            head = self.reader.text(files[".asm"], HEADER_BYTES) or ""
            try:
                header = replace(parse_header(head), simd=simd)
                kernel = header.kernel
            except ParseError as error:
                self.reader.note("warning", f"{error}; its listing cannot be shown", files[".asm"])
        if kernel is None and ".visaasm" in files:
            head = self.reader.text(files[".visaasm"], _VISA_HEAD_BYTES) or ""
            kernel = found["name"] if (found := _VISA_KERNEL.search(head)) else None
        code = self.reader.bytes(files[".dat"]) if ".dat" in files else None
        return Trial(retry, simd, entry, kernel, header, code or None, files)


def read_dump(reader: Reader, folder: Path, files: Mapping[str, Path]) -> tuple[Module, ...]:
    """The modules among the files of a folder, by hash."""
    module_files: dict[str, dict[str, Path]] = {}
    entries: dict[str, dict[tuple[int, int, str], dict[str, Path]]] = {}
    for name, path in files.items():
        parsed = parse_file_name(name)
        if parsed is None:
            continue
        own = module_files.setdefault(parsed.hash, {})
        if parsed.entry is None or parsed.simd is None:
            own[parsed.suffix] = path
        else:
            trials = entries.setdefault(parsed.hash, {})
            trials.setdefault((parsed.retry, parsed.simd, parsed.entry), {})[parsed.suffix] = path
    return tuple(
        Module(reader, folder, hash_, own, entries.get(hash_, {})) for hash_, own in sorted(module_files.items())
    )


def read_zebin(reader: Reader, path: Path) -> Zebin | None:
    """None where there is none, or (with a note) where it is damaged."""
    data = reader.bytes(path)
    if data is None:
        return None
    try:
        return parse_zebin(data)
    except ParseError as error:
        reader.note("warning", str(error), path)
        return None


def read_zeinfo(reader: Reader, path: Path) -> dict[str, ExecutionEnv]:
    """Empty where there is none, or (with a note) where it is damaged."""
    text = reader.text(path)
    if text is None:
        return {}
    try:
        return parse_zeinfo(text)
    except ParseError as error:
        reader.note("warning", str(error), path)
        return {}


def _order(item: tuple[tuple[int, int, str], dict[str, Path]]) -> tuple[int, int, str]:
    (retry, simd, entry), _files = item
    return retry, -simd, entry  # IGC tries wide ones first
