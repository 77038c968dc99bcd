"""What a capture holds, as frozen values. Imports nothing of ours, knows no format and no folder layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

    from xpuasm_magic.recompile import WhatIf
    from xpuasm_magic.view.explanation import Explanation

Severity = Literal["info", "warning", "error"]

Family = Literal["pointwise", "persistent_reduction", "reduction", "template", "foreach", "user", "sycl", "other"]

Match = Literal["spirv", "zebin", "name", "ambiguous", "none"]
"""How a kernel was tied to its listing. `spirv`: the dump's module is byte-identical to the variant's SPIR-V.
`zebin`: the code is in the binary that was loaded. `name`: the only candidate of exactly that name.
`ambiguous`: several candidates, none chosen. `none`: no listing."""

Status = Literal["ok", "failed", "crashed", "timeout", "not built", "interrupted", "incomplete", "compiling"]
"""What became of a variant: `ok` has code; `failed`, `crashed`, `timeout`: the compiler's end; `not built`:
left out (`--kernel`), or no compiler; `interrupted`: the run ended first; `incomplete`: code, but with
undefined builtins (it links against nothing and cannot run); `compiling`: the run goes on."""


@dataclass(frozen=True)
class Note:
    """Something the reader should know about a capture, a kernel or a file."""

    severity: Severity
    message: str
    path: str | None = None
    """Where, relative to the capture folder."""


@dataclass(frozen=True)
class SourceLoc:
    """A line of source. `file` is as the compiler recorded it."""

    file: str
    line: int
    column: int | None = None


@dataclass(frozen=True)
class Instruction:
    """One GPU instruction of an ISA listing."""

    pc: int
    """Byte offset from the kernel's start."""
    size: int
    """8 (compacted) or 16 bytes."""
    opcode: str
    """As the ISA spells it, e.g. `mad`, `send.ugm`, `load.ugm.d32x16t.a32.ca.ca`."""
    exec_size: int | None


@dataclass(frozen=True)
class Line:
    """A line of a listing: its text verbatim, and what is known of it beside."""

    text: str
    loc: SourceLoc | None = None
    """The line of Python that it comes from; of an inlined function, the line inside that function."""
    ids: tuple[int, ...] = ()
    """vISA instruction numbers (`$N` in ISA, `/// $N` in vISA, `visa id: N` in IGC's LLVM IR)."""
    instruction: Instruction | None = None
    callers: tuple[SourceLoc, ...] = ()
    """Where the function that `loc` is in was inlined, innermost first; empty: not inlined, or not known."""


@dataclass(frozen=True)
class Listing:
    """One kernel's text at one stage."""

    stage: str
    lines: tuple[Line, ...]

    @cached_property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines) + ("\n" if self.lines else "")


@dataclass(frozen=True)
class ExecutionEnv:
    """`execution_env` of a zebin's `.ze_info`, with the names of the zeinfo specification.

    Sizes are bytes; `spill_size` and `private_size` are per hardware thread. A key that was absent has the
    specification's default; None: it has none, or this version of the format does not know the key.
    """

    simd_size: int | None = None
    grf_count: int | None = None
    eu_thread_count: int | None = None
    spill_size: int | None = None
    private_size: int | None = None
    slm_size: int | None = None
    barrier_count: int | None = None
    has_dpas: bool | None = None
    has_global_atomics: bool | None = None
    has_printf_calls: bool | None = None
    has_stack_calls: bool | None = None
    inline_data_payload_size: int | None = None
    required_work_group_size: tuple[int, int, int] | None = None
    intel_reqd_sub_group_size: int | None = None


@dataclass(frozen=True)
class ListingHeader:
    """The `//.` header of an IGC ISA listing. Sizes in bytes per hardware thread."""

    kernel: str
    platform: str | None = None
    num_grf: int | None = None
    num_acc: int | None = None
    num_swsb: int | None = None
    inst_count: int | None = None
    ra_type: str | None = None
    spill_size: int = 0
    private_size: int = 0
    spill_flag_store: int = 0
    spill_flag_load: int = 0
    options: str = ""
    simd: int | None = None
    """From the file name (`_simd32_`): the header does not state it."""


@dataclass(frozen=True)
class Variant:
    """One compiled specialization of a kernel: what Triton was asked for."""

    key: str
    """Triton's cache key (base32), or the zebin's SHA-256 where there is no Triton cache entry."""
    num_warps: int | None = None
    num_stages: int | None = None
    threads_per_warp: int | None = None
    shared: int | None = None
    """Bytes of shared local memory that Triton asked for."""
    build_flags: str = ""
    grf_mode: str | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    """constexpr arguments and autotuned values by name, e.g. `{"XBLOCK": 256}`."""
    signature: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Triton's metadata json, whole."""


@dataclass(frozen=True)
class Launch:
    """Launches of one variant with one grid and one set of argument types."""

    grid: tuple[int, ...]
    args: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class StageFile:
    """Where a stage's content lies and how it is read; content travels only when asked for."""

    stage: str
    path: Path
    parse: Callable[[Path], Listing]
    """Raises `ParseError` on a damaged file, `FileNotFoundError` where the capture has been deleted."""


@dataclass(frozen=True)
class Attempt:
    """A listing that a compiler made on the way and that did not ship, or a build the loader did not keep."""

    label: str
    """e.g. `IGC's first attempt`, `pvc-default`."""
    reason: str
    """Why it is not the row, in the rule's own words."""
    stages: Mapping[str, StageFile]
    env: ExecutionEnv | None = None
    header: ListingHeader | None = None
    status: Status = "ok"
    launched: bool = False
    """Whether the loader of the installed Triton, against its own rule, launches this build and not the row's."""


@dataclass(frozen=True)
class Origin:
    """What Inductor fused into a kernel."""

    ops: tuple[str, ...] = ()
    """The operators as Inductor's wrapper names them, e.g. `aten.gelu`, in the order of the graph."""
    lines: tuple[SourceLoc, ...] = ()
    """The user's own lines that asked for them."""


@dataclass(frozen=True, repr=False)
class Kernel:
    """A compiled entry point: one variant, its exact listing and everything known of it."""

    name: str
    family: Family
    variant: Variant
    match: Match
    status: Status
    stages: Mapping[str, StageFile]
    """By stage name, in pipeline order; only the stages that exist."""
    device: str | None = None
    env: ExecutionEnv | None = None
    header: ListingHeader | None = None
    attempts: tuple[Attempt, ...] = ()
    launches: tuple[Launch, ...] | None = None
    """None: launches were not recorded. Empty: compiled only."""
    winner: bool | None = None
    """Whether autotuning chose it; None: not measured."""
    time_ms: float | None = None
    autotuned: bool = False
    """Whether other configs of the same kernel were compiled beside it for an autotuner to choose from."""
    group: str = ""
    """Kernels with one value differ only in config; equals the name unless two graphs use that name."""
    error: str | None = None
    """The compiler's own words where it failed."""
    repro: str | None = None
    """The command that repeats the build."""
    notes: tuple[Note, ...] = ()
    threads_per_eu: int | None = None
    slm_size: int | None = None
    isa_bytes: int | None = None
    """Size of the raw code (`.dat`)."""
    binaries: Mapping[str, Path] = field(default_factory=dict)
    """What is no text: `spv` (Triton's SPIR-V module), `zebin`."""
    origin: Origin | None = None
    """None: not Inductor's."""
    defined_at: SourceLoc | None = None
    """Where its function begins in the Python stage (the line of the first decorator); None: not recorded."""

    def __repr__(self) -> str:
        return f"<Kernel {self.name} {self.key[:12]}: {self.status}, match {self.match}>"

    @property
    def key(self) -> str:
        return self.variant.key

    def path(self, stage: str) -> Path:
        """The file of a stage, or of `spv` or `zebin`. Raises KeyError (with what exists) where there is none."""
        return self.binaries[stage] if stage in self.binaries else self._stage(stage).path

    def listing(self, stage: str = "isa") -> Listing:
        """A stage's lines, read from the capture folder each time it is asked for."""
        found = self._stage(stage)
        return found.parse(found.path)

    def recompile(self, **conditions: Any) -> WhatIf:
        """The same under other conditions; the arguments are those of `xpuasm_magic.recompile.recompile`."""
        from xpuasm_magic.recompile import recompile  # a look upward, as that of `Capture.table`

        return recompile(self, **conditions)

    def explain(self) -> Explanation:
        """What its machine code says: spills, registers, instructions, messages, waits, occupancy, notes."""
        from xpuasm_magic.view.explanation import explain  # a look upward, as that of `Capture.table`

        return explain(self)

    def _stage(self, stage: str) -> StageFile:
        try:
            return self.stages[stage]
        except KeyError:
            have = ", ".join(self.stages) or "none"
            raise KeyError(f"kernel {self.name} has no stage {stage!r}; it has: {have}") from None


@dataclass(frozen=True)
class CaptureInfo:
    """How a capture was made; read from `capture.json`, or inferred from a bare dump. Unknown is None."""

    created: str | None = None
    state: str | None = None
    """`finished`, `failed` (the script raised), `interrupted`, `timeout`, `crashed`; None for a bare dump."""
    exit_status: int | None = None
    elapsed_s: float | None = None
    device: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    fidelity: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)
    """`capture.json` as it stands."""


@dataclass(frozen=True, repr=False)
class Capture:
    """One run: its kernels, and notes on what is missing and why."""

    folder: Path
    kernels: tuple[Kernel, ...]
    notes: tuple[Note, ...] = ()
    info: CaptureInfo = field(default_factory=CaptureInfo)
    kind: str = "capture"
    """`capture` (ours), `igc dump`, `triton cache`."""

    def __repr__(self) -> str:
        count = len(self.kernels)
        return f"<Capture {self.folder}: {count} kernel{'s' if count != 1 else ''}>"

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per compiled variant; see `xpuasm_magic.analysis.table`."""
        from xpuasm_magic.analysis.table import build_table  # the one look upward: pandas stays unloaded until asked

        return build_table(self)

    def recompile(self, **conditions: Any) -> WhatIf:
        """The same under other conditions; the arguments are those of `xpuasm_magic.recompile.recompile`."""
        from xpuasm_magic.recompile import recompile  # a look upward, as that of `Capture.table`

        return recompile(self, **conditions)

    @property
    def log(self) -> str:
        """The child's output, in order; empty for a bare dump."""
        path = self.folder / "run.log"
        own = path.is_file() and not path.is_symlink()
        return path.read_text(encoding="utf-8", errors="replace") if own else ""

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)

    def __getitem__(self, name: str) -> Kernel:
        """A kernel by exact name, cache key, or unique prefix of a key.

        Raises:
            KeyError: nothing, or more than one variant, answers to it; the message lists what does.
        """
        exact = [k for k in self.kernels if k.name == name]
        if not exact:
            exact = [k for k in self.kernels if k.key == name] or [
                k for k in self.kernels if len(name) >= 4 and k.key.startswith(name)
            ]
        if len(exact) == 1:
            return exact[0]
        if exact:
            keys = ", ".join(f"{k.key[:12]} ({_config_text(k)})" for k in exact)
            raise KeyError(f"{name!r} has {len(exact)} variants; choose one by key: {keys}")
        names = ", ".join(dict.fromkeys(k.name for k in self.kernels)) or "none"
        raise KeyError(f"no kernel {name!r} in this capture; kernels: {names}")


def _config_text(kernel: Kernel) -> str:
    parts = [f"{name}={value}" for name, value in kernel.variant.constants.items()]
    if kernel.variant.num_warps is not None:
        parts.append(f"num_warps={kernel.variant.num_warps}")
    return " ".join(parts)
