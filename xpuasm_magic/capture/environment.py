"""The child's environment: dump switches, private caches, and what is taken away because it hides kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xpuasm_magic.errors import UsageError

# Each of these makes a compile leave no trace, or leave it elsewhere (facts: Triton's knobs, Inductor's config).
HIDING = (
    "TRITON_STORE_BINARY_ONLY",
    "TRITON_INTERPRET",
    "TRITON_DISABLE_LINE_INFO",
    "TRITON_KERNEL_OVERRIDE",
    "TRITON_OVERRIDE_DIR",
    "TRITON_CACHE_MANAGER",
    "TRITON_REMOTE_CACHE_BACKEND",
    "TORCHINDUCTOR_FORCE_DISABLE_CACHES",
    "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE",
    "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
    "IGC_ShaderDumpFilter",
    "IGC_ShaderDumpRegexFilter",
    "IGC_PrintToConsole",
    "IGC_DumpToCurrentDir",
)

# With it Triton itself calls the ocloc on PATH; the stand-in's variants are built from their SPIR-V by ours.
HIDING_FROM_THE_STAND_IN = ("TRITON_XPU_GEN_NATIVE_CODE",)

# A capture would not be one with these changed: they say where it is written.
OURS = (
    "TRITON_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "IGC_DumpToCustomDir",
    "IGC_ShaderDumpEnable",
    "NEO_CACHE_DIR",
    "NEO_CACHE_PERSISTENT",
)


@dataclass(frozen=True)
class ChildEnvironment:
    """What the child gets, and what of it we changed (the only part that a capture records)."""

    variables: Mapping[str, str]
    set: Mapping[str, str]
    unset: tuple[str, ...]


def child_environment(
    base: Mapping[str, str], run: Path, *, real: bool, extra: Mapping[str, str] | None = None
) -> ChildEnvironment:
    """The environment for a run in `run`.

    Args:
        base: the environment of the process that asks.
        run: the run folder, under the path that the compilers shall see.
        real: a real XPU will run the kernels; its driver compiles in the child and must dump there.
        extra: the user's own `--env`.

    Raises:
        UsageError: `extra` names a variable that says where the capture is written.
    """
    changed = {
        "TRITON_CACHE_DIR": str(run / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(run / "inductor"),
        # Inductor's worker pool forwards only three variables and outlives the run; in-process is the sure way.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "NEO_CACHE_PERSISTENT": "0",
        "NEO_CACHE_DIR": str(run / "neo"),
        "SYCL_CACHE_PERSISTENT": "0",
        "PYTHONUNBUFFERED": "1",
    }
    if real:
        changed |= {
            "IGC_ShaderDumpEnable": "1",
            "IGC_DumpToCustomDir": str(run / "igc" / "live"),
            "IGC_ShaderDumpPidDisable": "1",
        }
        if "ONEAPI_DEVICE_SELECTOR" not in base:
            changed["ONEAPI_DEVICE_SELECTOR"] = "level_zero:*"
    else:
        changed["TORCHINDUCTOR_XPU_KERNEL_FORMAT"] = "spv"
    for name in extra or {}:
        if name in OURS:
            raise UsageError(f"--env {name}: a capture sets this itself, to a private folder; leave it out")
    changed |= extra or {}
    hiding = HIDING if real else (*HIDING, *HIDING_FROM_THE_STAND_IN)
    unset = tuple(name for name in hiding if name in base and name not in changed)
    variables = {name: value for name, value in base.items() if name not in unset} | changed
    # PYTHONPATH of ours stays (it may hold the user's modules); a startup file of the notebook's does not apply.
    variables.pop("PYTHONSTARTUP", None)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # without byte code every run would compile all of torch anew
    return ChildEnvironment(variables=variables, set=changed, unset=unset)
