"""Triton on the stand-in: Intel's own back end and JIT path; a driver that loads lazily and records launches."""

from __future__ import annotations

import ast
import functools
import hashlib
import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from . import patching, writes
from .devices import Device
from .loader import Builds, Pending
from .records import Records

_QUEUE = 1


def install(device: Device, records: Records, builds: Builds) -> None:
    """Make the stand-in Triton's active driver.

    Raises:
        patching.PatchError: this Triton has no Intel back end, or not the one that is known here.
    """
    import triton
    import triton.testing
    from triton.backends import backends
    from triton.runtime import driver
    from triton.runtime.autotuner import Autotuner

    if "intel" not in backends:
        raise patching.PatchError(
            f"the installed triton {triton.__version__} has no Intel back end (it has: {', '.join(backends) or 'none'})"
        )
    records.versions["triton"] = triton.__version__
    binaries = _Binaries(builds)
    trust_given_properties(backends["intel"].compiler)
    record_variants(records, binaries.remember)
    driver.set_active(_driver_class(backends["intel"].driver, device, records, binaries)())
    patching.wrap(
        Autotuner, "run", functools.partial(_autotuned_run, records), "tell configs that compete", takes=("self",)
    )
    patching.replace(triton.testing, "do_bench", _do_bench(records), "answer that there is no GPU time", takes=("fn",))


def trust_given_properties(backend: Any) -> None:
    """Skip `arch_parser.c`, which needs SYCL's headers.

    Its answer names the device to `ocloc query`, whose extensions then overwrite the given flags. An empty answer makes
    the back end keep the row's flags. Known difference: Triton 3.3 asks ocloc for `…_accumulate_tensor_float32` where
    the extension is called `…_accumulate_tf32`, so with ocloc on PATH hardware has False there; it is part of the cache
    key only, no code depends on it in 3.3.
    """
    if "compile_module_from_src" not in backend.__init__.__globals__:
        return  # newer back ends ask the driver

    def compile_module_from_src(src: str, name: str) -> SimpleNamespace:
        return SimpleNamespace(parse_device_arch=lambda architecture: "")

    patching.replace_global(
        backend.__init__,
        "compile_module_from_src",
        compile_module_from_src,
        "do without SYCL's headers",
        takes=("src", "name"),
    )


def compile_target(device: Device) -> Any:
    """What Triton's Intel back end compiles for: a `GPUTarget` with the card's properties."""
    from triton.backends.compiler import GPUTarget

    properties = {name: value for name, value in device.properties().items() if name != "uuid"}
    return GPUTarget("xpu", properties, warp_size=32)


def record_variants(records: Records, remember: Callable[[Any], None] | None = None) -> None:
    """Record each kernel that Triton has compiled, from its cache or not."""
    from triton.compiler import compiler

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def init(self: Any, src: Any, metadata_group: Any, hash: str) -> None:
            original(self, src, metadata_group, hash)
            if remember:
                remember(self)
            records.variant(describe(self), metadata_group.values())

        return init

    patching.wrap(
        compiler.CompiledKernel,
        "__init__",
        make,
        "record compiled kernels",
        takes=("self", "src", "metadata_group", "hash"),
    )


def describe(kernel: Any) -> dict[str, Any]:
    """A compiled kernel as a line of `variants.jsonl`, less what the record adds."""
    source, metadata = kernel.src, kernel.metadata
    function = getattr(getattr(source, "fn", None), "fn", None)
    code = getattr(function, "__code__", None)
    return {
        "key": cache_key(kernel.hash),
        "name": metadata.name,
        "build_flags": getattr(metadata, "build_flags", ""),
        "shared": metadata.shared,
        "num_warps": metadata.num_warps,
        "threads_per_warp": getattr(metadata, "threads_per_warp", None),
        "num_stages": getattr(metadata, "num_stages", None),
        "signature": {str(name): str(kind) for name, kind in getattr(source, "signature", {}).items()},
        "constants": _constants(source),
        "fn_file": code.co_filename if code else None,
        "fn_line": code.co_firstlineno if code else None,
    }


def cache_key(digest: str) -> str:
    """The name of the kernel's folder in Triton's cache: the digest in base 32 instead of 16."""
    import base64

    try:
        return base64.b32encode(bytes.fromhex(digest)).decode("ascii").rstrip("=")
    except ValueError:
        return digest


def _constants(source: Any) -> dict[str, Any]:
    """The constants that a kernel was called with, and those that its source sets."""
    function = getattr(source, "fn", None)
    names = getattr(function, "arg_names", ())
    found = dict(_set_constants(getattr(function, "src", "")))
    for path, value in getattr(source, "constants", {}).items():
        index = path[0] if isinstance(path, tuple) else path
        name = names[index] if isinstance(index, int) and index < len(names) else str(path)
        found[name] = value if isinstance(value, bool | int | float | str | None) else repr(value)
    return found


def _set_constants(text: str) -> Iterator[tuple[str, Any]]:
    """`BLOCK_M : tl.constexpr = 32` at the head of a kernel is how Inductor gives its templates their tiles."""
    try:
        [function] = ast.parse(text).body
    except (SyntaxError, ValueError):
        return
    for node in getattr(function, "body", ()):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            if ast.unparse(node.annotation).split(".")[-1] != "constexpr":
                continue
            try:
                yield node.target.id, ast.literal_eval(node.value)
            except ValueError:
                if isinstance(node.value, ast.Attribute):  # tl.float32
                    yield node.target.id, ast.unparse(node.value)


class _Binaries:
    """Which variant a binary belongs to: the loader is given the bytes and the flags only."""

    def __init__(self, builds: Builds) -> None:
        self._builds = builds
        self._keys: dict[tuple[bytes, str], str] = {}

    def remember(self, kernel: Any) -> None:
        self._keys[_identity(kernel.kernel, getattr(kernel.metadata, "build_flags", ""))] = cache_key(kernel.hash)

    def load(self, name: str, binary: bytes, flags: str) -> tuple[Pending, Pending]:
        key = self._keys[_identity(binary, flags)]
        return (
            Pending(lambda: self._builds.number(key, name, "n_regs")),
            Pending(lambda: self._builds.number(key, name, "n_spills")),
        )


def _identity(binary: bytes, flags: str) -> tuple[bytes, str]:
    return hashlib.sha256(binary).digest(), flags


class _Launcher:
    """Records a launch instead of making it."""

    records: Records

    def __init__(self, src: Any, metadata: Any) -> None:
        self._key, self._name = cache_key(metadata.hash), metadata.name
        self._args = argument_types(src)
        self._written = writes.Targets(src, self.records.folder / "triton" / self._key)

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, *rest: Any) -> None:
        launch_metadata, enter, leave = rest[1:4]
        if enter is not None:
            enter(launch_metadata)
        self.records.launch(self._key, self._name, (int(x), int(y), int(z)), self._args)
        self.records.unexecuted(self._name, self._written)
        if leave is not None:
            leave(launch_metadata)


def argument_types(source: Any) -> tuple[str, ...]:
    """`*fp32:16` is a pointer to floats known to be a multiple of 16; constants have no place among them."""
    attributes = getattr(source, "attrs", {})
    kinds = []
    for index, kind in enumerate(source.signature.values()):
        if kind == "constexpr":
            continue
        divisors = [value for name, value in attributes.get((index,), ()) if name == "tt.divisibility"]
        kinds.append(f"{kind}:{divisors[0]}" if divisors else str(kind))
    return tuple(kinds)


def _driver_class(base: type, device: Device, records: Records, binaries: _Binaries) -> type:
    """A subclass of Intel's driver, since Inductor keeps an active driver only if it is one of those."""

    class Launcher(_Launcher):
        pass

    Launcher.records = records

    from triton.compiler.compiler import CompiledKernel

    wants_limit = "n_max_threads" in CompiledKernel._init_handles.__code__.co_names  # newer than 3.3

    class Utils:
        def load_binary(self, name: str, kernel: bytes, shared: int, build_flags: str, *_: Any) -> Any:
            registers, spills = binaries.load(name, kernel, build_flags)
            loaded = (object(), SimpleNamespace(name=name), registers, spills)
            return (*loaded, device.max_work_group_size) if wants_limit else loaded

        def get_device_properties(self, index: int) -> dict[str, Any]:
            return {
                "max_shared_mem": device.local_memory,
                "multiprocessor_count": device.xe_cores,
                "sm_clock_rate": 0,
                "mem_clock_rate": device.memory_clock_mhz,
                "mem_bus_width": device.memory_bus_bits,
                "max_work_group_size": device.max_work_group_size,
                "sub_group_sizes": list(device.sub_group_sizes),
            }

        def get_current_device(self) -> int:
            return 0

        def get_sycl_queue(self) -> int:
            return _QUEUE

        def wait(self) -> None:
            pass

    class StandInDriver(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.launcher_cls = Launcher
            self.utils = Utils()

        @staticmethod
        def is_active() -> bool:
            return True

        def get_current_device(self) -> int:
            return 0

        def get_current_target(self) -> Any:
            return compile_target(device)

        def get_current_stream(self, device: Any = None) -> int:
            return _QUEUE

        def get_benchmarker(self) -> Callable[..., Any]:
            return _do_bench(records)

        def get_empty_cache_for_benchmark(self) -> Any:
            import torch

            return torch.empty(1, dtype=torch.int, device="xpu")

        def clear_cache(self, cache: Any) -> None:
            pass

    return StandInDriver


def _do_bench(records: Records) -> Callable[..., Any]:
    """Run the function once, so that what it launches is compiled; answer `nan`: no time was measured."""

    def do_bench(fn: Callable[[], Any], *_: Any, quantiles: Any = None, **options: Any) -> Any:
        with records.benchmarking():
            fn()
        records.fidelity("No GPU time exists: benchmarks answer nan, and the winner of an autotuning is not measured.")
        if quantiles:
            return [math.nan] * len(quantiles)
        return [math.nan] if options.get("return_mode") == "all" else math.nan

    return do_bench


def _autotuned_run(records: Records, original: Any) -> Any:
    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        with records.one_of_many(len(self.configs) > 1):
            return original(self, *args, **kwargs)

    return run
