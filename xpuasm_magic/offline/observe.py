"""On a real XPU: what Triton compiles, launches and measures is written down, and nothing else is touched."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import competing, failures, graphs, imports, patching, triton_driver
from .frames import Shown
from .records import Records


def install(records: Records, shown: Shown) -> None:
    """Record, as the modules that do the work are imported; what cannot be recorded in this version is a note."""
    _after("triton.compiler.compiler", records, triton_driver.record_variants, record_launches, _failures(shown))
    _after("triton.runtime.autotuner", records, record_autotuner)
    _after("torch._inductor.runtime.triton_heuristics", records, record_inductor)
    _after("torch._inductor.compile_fx", records, graphs.record)


def _after(module: str, records: Records, *recorders: Callable[[Records], None]) -> None:
    def record(_: ModuleType) -> None:
        for recorder in recorders:
            try:
                recorder(records)
            except (patching.PatchError, ImportError, LookupError) as error:
                records.note(f"not everything is recorded with this version: {error}")

    imports.after(module, record)


def _failures(shown: Shown) -> Callable[[Records], None]:
    return lambda records: failures.record(records, shown)


def record_launches(records: Records) -> None:
    """Count launches at the one place that all of them pass: the launcher of Intel's driver."""
    from triton.backends import backends

    # Triton loads its back ends by file, so that they are in no `sys.modules`.
    launcher = backends["intel"].driver.__init__.__globals__["XPULauncher"]

    def make_init(original: Any) -> Any:
        @functools.wraps(original)
        def init(self: Any, src: Any, metadata: Any) -> None:
            original(self, src, metadata)
            kinds = triton_driver.argument_types(src)
            self._xpuasm = (triton_driver.cache_key(metadata.hash), metadata.name, kinds)

        return init

    def make_call(original: Any) -> Any:
        @functools.wraps(original)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            key, name, kinds = self._xpuasm
            records.last_key = key
            x, y, z = (int(extent) for extent in args[:3])
            records.launch(key, name, (x, y, z), kinds)
            return original(self, *args, **kwargs)

        return call

    patching.wrap(launcher, "__init__", make_init, "know whose launches they are", takes=("self", "src", "metadata"))
    patching.wrap(launcher, "__call__", make_call, "count launches", takes=("self",))


def record_autotuner(records: Records) -> None:
    """Triton's own autotuner (`@triton.autotune`): the time of each config, and which one won."""
    from triton.runtime.autotuner import Autotuner

    def make_bench(original: Any) -> Any:
        @functools.wraps(original)
        def bench(self: Any, *args: Any, config: Any, **meta: Any) -> Any:
            records.last_key = None
            with records.benchmarking():
                times = original(self, *args, config=config, **meta)
            if records.last_key:
                measured = times[0] if isinstance(times, list | tuple) else times  # the median comes first
                self.__dict__.setdefault("_xpuasm", {})[records.last_key] = (config, float(measured))
            return times

        return bench

    def make_run(original: Any) -> Any:
        @functools.wraps(original)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            with records.one_of_many(len(self.configs) > 1):
                result = original(self, *args, **kwargs)
            for key, (config, time_ms) in self.__dict__.pop("_xpuasm", {}).items():
                records.measured(key, time_ms, winner=config == self.best_config)
            return result

        return run

    patching.wrap(Autotuner, "_bench", make_bench, "keep what the autotuner measures", takes=("self",))
    patching.wrap(Autotuner, "run", make_run, "keep which config the autotuner chose", takes=("self",))


def record_inductor(records: Records) -> None:
    """Inductor's autotuner: the time of each config of a fusion, and which one won."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    def make_benchmark(original: Any) -> Any:
        @functools.wraps(original)
        def benchmark_all_configs(self: Any, *args: Any, **kwargs: Any) -> Any:
            with records.benchmarking():
                timings = original(self, *args, **kwargs)
            best = min(timings, key=timings.get, default=None)
            for launcher, time_ms in timings.items():
                records.measured(getattr(launcher, "cache_hash", None), time_ms, winner=launcher is best)
            return timings

        return benchmark_all_configs

    competing.record(records)
    patching.wrap(
        CachingAutotuner, "benchmark_all_configs", make_benchmark, "keep what the autotuner measures", takes=("self",)
    )
