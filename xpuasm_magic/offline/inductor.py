"""Inductor on the stand-in: its real code generation, with no clock to choose by."""

from __future__ import annotations

import functools
import os
from types import ModuleType
from typing import Any

from . import competing, graphs, imports, patching, values
from .native import Native
from .records import Records

UNTIMED = 1.0
"""What Inductor is told that everything takes: it must be finite, and equal times keep the first choice."""


def when_imported(records: Records, native: Native | None) -> None:
    """Patch Inductor once the user's code has it imported; where the compile tier is off, have it say why."""

    def install(module: ModuleType) -> None:
        if records.is_on("compile") and native is not None:
            try:
                _install(records, native)
            except patching.PatchError as error:
                records.tiers["compile"] = str(error)
        if not records.is_on("compile"):
            patching.refuse(
                module, "compile_fx", f"torch.compile is off on the stand-in device: {records.tiers['compile']}"
            )

    os.environ["TORCHINDUCTOR_XPU_KERNEL_FORMAT"] = "spv"  # read when torch._inductor.utils is imported
    imports.after("torch._inductor.compile_fx", install)
    _count_compiles(records)


def _install(records: Records, native: Native) -> None:
    _configure(records)
    _no_timing(records)
    _record_graphs(records)
    competing.record(records)
    _print_no_times(records)
    _say_padding(records)
    values.install(records, native)
    records.fidelity(
        "Inductor's kernels were compiled from SPIR-V (TORCHINDUCTOR_XPU_KERNEL_FORMAT=spv); on Linux hardware the "
        "default is zebin: the same SPIR-V, another route and another rule for a second build."
    )


def _configure(records: Records) -> None:
    import torch._functorch.config as functorch
    import torch._inductor.config as config
    import torch._inductor.utils as utils

    fresh = "compile in every process, so that each graph is seen"
    patching.configure(config, "compile_threads", 1, "compile in this process, where the driver is")
    patching.configure(config, "fx_graph_cache", False, fresh)
    patching.configure(functorch, "enable_autograd_cache", False, fresh)
    patching.configure(config, "autotune_local_cache", False, "keep no winner that nothing was measured for")
    patching.configure(config, "use_static_triton_launcher", False, "launch through the recording driver")
    if getattr(utils, "XPU_KERNEL_FORMAT", None) != "spv":
        raise patching.PatchError("TORCHINDUCTOR_XPU_KERNEL_FORMAT=spv has no effect in this version of Inductor")


def _no_timing(records: Records) -> None:
    import torch._inductor.runtime.benchmarking as benchmarking
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    def bench(self: Any, launcher: Any, *args: Any, **kwargs: Any) -> float:
        records.fidelity(
            "No GPU time exists: Inductor went on with the first of a kernel's configs, which is not a measured winner."
        )
        return UNTIMED

    def benchmarker(self: Any, f: Any, *, warmup: int = 0, rep: int = 0, **kwargs: Any) -> float:
        with records.benchmarking():
            f()
        return UNTIMED

    patching.replace(
        CachingAutotuner, "bench", bench, "choose a config without a clock", takes=("self", "launcher", "args")
    )
    if not hasattr(benchmarking, "register_benchmarker"):
        raise patching.PatchError("torch._inductor.runtime.benchmarking.register_benchmarker does not exist")
    benchmarking.register_benchmarker("xpu", benchmarker, override=True)


def _print_no_times(records: Records) -> None:
    """Inductor prints, logs and files what its choices took: here that would be `UNTIMED`, which nothing took."""
    import torch._inductor.select_algorithm as select_algorithm
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner, DebugAutotuner

    def log_results(name: str, *_: Any, **__: Any) -> None:
        records.fidelity(
            f"No GPU time exists: Inductor went on with the first of its choices for {name}, which is not a measured "
            "winner."
        )

    def log_statistics(event_name: str, timings: Any) -> None:
        pass

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        records.fidelity("No GPU time exists: a profile of bandwidths (profile_bandwidth) is not made.")
        return CachingAutotuner.run(self, *args, **kwargs)

    reason = "print no time that nothing was measured for"
    cache = select_algorithm.AlgorithmSelectorCache
    patching.replace(select_algorithm, "PRINT_AUTOTUNE", False, reason)
    patching.replace(cache, "log_results", staticmethod(log_results), reason, takes=("name", "input_nodes", "timings"))
    patching.replace(
        select_algorithm, "_log_autotune_choices_stats", log_statistics, reason, takes=("event_name", "timings")
    )
    patching.replace(DebugAutotuner, "run", run, reason, takes=("self", "args"))


def _record_graphs(records: Records) -> None:
    def without_clock(options: list[str]) -> None:
        records.fidelity(
            f"A benchmark would have decided which kernels exist ({', '.join(options)}); without a GPU the first "
            "choice was taken."
        )

    graphs.record(records, without_clock)


def _say_padding(records: Records) -> None:
    """Inductor pads a matrix multiplication if that is faster: eligible ones stay as they are, and that is said."""
    import torch._inductor.fx_passes.pad_mm as pad_mm

    def get_do_bench() -> Any:
        def time(function: Any, *_: Any, **__: Any) -> float:
            records.fidelity(
                "A matrix multiplication was eligible for padding, which a benchmark decides: it was left unpadded, so "
                "its graph can differ from hardware's."
            )
            return UNTIMED

        return time

    patching.replace(pad_mm, "get_do_bench", get_do_bench, "not benchmark a padding", takes=())


def _count_compiles(records: Records) -> None:
    import torch

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def compile_(*args: Any, **kwargs: Any) -> Any:
            records.counts["compile_called"] += 1
            return original(*args, **kwargs)

        return compile_

    patching.wrap(torch, "compile", make, "count calls", takes=("model",))
