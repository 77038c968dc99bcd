"""`torch.xpu` on a CPU-only torch: the names that an XPU build has in `torch._C`, added before `torch.xpu` is imported.

torch's own Python above them (`torch.xpu`, Dynamo's device interface, Inductor) runs unchanged, as in an XPU build.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from . import imports, patching
from .devices import Device
from .native import Native
from .records import Records

VERSION = "20250302"
"""`torch.version.xpu`: the date of the DPC++ compiler of an XPU build. Only its being set is looked at."""

_STREAM = 1
"""The address that stands for the queue: nothing is ever sent to it."""


def before_import(device: Device, records: Records) -> None:
    """Arrange for `import torch` to find an XPU build's names."""
    imports.before("torch.xpu", lambda: _add_names(device, records))


def after_import(native: Native | None, records: Records) -> None:
    """What needs the native part: the device's random numbers and its memory statistics."""
    import torch

    _State.native = native
    if native is not None:
        _State.generators = (torch.Generator(device="xpu"),)
        records.before_summary(lambda: _count(native, records))


def _count(native: Native, records: Records) -> None:
    records.counts["xpu_tensors"] = int(native.memory()[2] > 0)
    routed = {name: calls for name, calls in native.attention_calls().items() if calls}
    records.counts["attention_calls"] = sum(routed.values())
    if routed:
        words = ", ".join(_ATTENTION[name] for name in routed)
        records.fidelity(
            f"scaled_dot_product_attention was routed by the conditions of torch's XPU source, to {words}; those of "
            "its flash kernel are known in part only."
        )


_ATTENTION = {
    "overrideable": "oneDNN's fused kernel (no Triton kernel)",
    "flash": "the fused flash kernel (no Triton kernel)",
    "math": "plain operators",
}


class _State:
    native: Native | None = None
    generators: tuple[Any, ...] = ()


def _add_names(device: Device, records: Records) -> None:
    c = sys.modules["torch._C"]
    if c._has_xpu:
        raise patching.PatchError(
            "this torch is an XPU build with C++ of its own for the device, and there is no Intel GPU; the stand-in "
            "needs a CPU build, such as the one that `xpuasm setup` installs (--python chooses among several)"
        )
    reason = "be the torch._C of an XPU build"
    patching.replace(c, "_has_xpu", True, reason)
    patching.replace(sys.modules["torch.version"], "xpu", VERSION, "have Inductor take its XPU branches")
    patching.replace(
        c._dynamo.guards, "_empty_strided_xpu", _empty_strided, "allocate where this build's C++ knows no XPU"
    )
    for name, value in {**_classes(c, device, records), **_functions(c, device, records)}.items():
        patching.add(c, name, value, reason)


def _classes(c: Any, device: Device, records: Records) -> dict[str, type]:
    properties = type(
        "_XpuDeviceProperties",
        (),
        {**device.properties(), "__slots__": (), "__repr__": _describe, "__module__": "torch._C"},
    )

    class _XpuStreamBase(c.Stream):
        def __new__(
            cls,
            priority: int = 0,
            stream_id: int | None = None,
            device_index: int | None = None,
            device_type: int | None = None,
            **_: Any,
        ) -> Any:
            if stream_id is not None:
                return super().__new__(cls, stream_id=stream_id, device_index=device_index, device_type=device_type)
            return super().__new__(cls, device="xpu", priority=priority)

        @property
        def sycl_queue(self) -> int:
            return _STREAM

        @property
        def priority(self) -> int:
            return 0

        @staticmethod
        def priority_range() -> tuple[int, int]:
            return (0, -1)

    class _XpuEventBase(c.Event):
        def __new__(cls, enable_timing: bool = False) -> Any:
            return super().__new__(cls, device="xpu", enable_timing=enable_timing)

        @property
        def sycl_event(self) -> int:
            return int(self.event_id)

        def record(self, stream: Any = None) -> None:
            super().record(stream)
            self._recorded = time.perf_counter()

        def elapsed_time(self, end_event: Any) -> float:
            # By this clock, not the base class's: that one takes no subclass for its argument.
            if not hasattr(self, "_recorded") or not hasattr(end_event, "_recorded"):
                raise RuntimeError("both events must have been recorded before their elapsed time is asked for")
            records.fidelity(
                "torch.xpu.Event.elapsed_time gave the host's clock: there is no GPU whose time could be measured."
            )
            return (end_event._recorded - self._recorded) * 1000

    class _XPUGraph:
        def __new__(cls, *_: Any, **__: Any) -> Any:
            raise RuntimeError(
                "torch.xpu.XPUGraph cannot be captured on the stand-in device: nothing is executed on it"
            )

    class _XPUMemPool:
        def __init__(self, *_: Any, **__: Any) -> None:
            self.id = (0, 0)

    class _xpu_XPUAllocator:  # noqa: N801  torch's name
        pass

    return {
        "_XpuDeviceProperties": properties,
        "_XpuStreamBase": _XpuStreamBase,
        "_XpuEventBase": _XpuEventBase,
        "_XPUGraph": _XPUGraph,
        "_XPUMemPool": _XPUMemPool,
        "_xpu_XPUAllocator": _xpu_XPUAllocator,
    }


def _functions(c: Any, device: Device, records: Records) -> dict[str, Callable[..., Any]]:
    def init() -> None:
        if _State.native is None:
            raise RuntimeError(f"the stand-in device cannot hold tensors: {records.tiers.get('compile')}")
        xpu = sys.modules["torch.xpu"]
        properties = c._XpuDeviceProperties()
        xpu._get_device_properties = lambda index: properties
        xpu.default_generators = _State.generators

    def current_stream(index: int) -> tuple[int, int, int]:
        stream = c._accelerator_getStream(index)
        return stream.stream_id, stream.device_index, stream.device_type

    def set_stream(*, stream_id: int, device_index: int, device_type: int) -> None:
        c._accelerator_setStream(c.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

    def memory_stats(index: int) -> dict[str, Any]:
        live, peak, allocated, freed = _State.native.memory() if _State.native else (0, 0, 0, 0)
        every = {"current": live, "peak": peak, "allocated": allocated, "freed": freed}
        names = ("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes")
        return {name: {"all": every, "small_pool": every, "large_pool": every} for name in names}

    def memory_info(index: int) -> tuple[int, int]:
        live = _State.native.memory()[0] if _State.native else 0
        return max(device.memory - live, 0), device.memory

    def reset_peak(index: int) -> None:
        if _State.native:
            _State.native.reset_peak_memory()

    return {
        "_xpu_init": init,
        "_xpu_isInBadFork": lambda: False,
        "_xpu_getDeviceCount": lambda: 1,
        "_xpu_getDevice": lambda: 0,
        "_xpu_setDevice": _only_device,
        "_xpu_exchangeDevice": _only_device,
        "_xpu_maybeExchangeDevice": lambda index: 0,
        "_xpu_canDeviceAccessPeer": lambda index, peer: False,
        "_xpu_synchronize": lambda index: None,
        "_xpu_getArchFlags": lambda: None,
        "_xpu_getCurrentStream": current_stream,
        "_xpu_getCurrentRawStream": lambda index: _STREAM,
        "_xpu_setStream": set_stream,
        "_xpu_isCurrentStreamCapturing": lambda: False,
        "_xpu_graph_pool_handle": lambda: (0, 0),
        "_xpu_emptyCache": lambda: None,
        "_xpu_memoryStats": memory_stats,
        "_xpu_getMemoryInfo": memory_info,
        "_xpu_getMemoryFraction": lambda index: 1.0,
        "_xpu_setMemoryFraction": lambda fraction, index: None,
        "_xpu_memorySnapshot": lambda *_: {"segments": [], "device_traces": []},
        "_xpu_recordMemoryHistory": lambda *_, **__: None,
        "_xpu_resetPeakMemoryStats": reset_peak,
        "_xpu_resetAccumulatedMemoryStats": lambda index: None,
        "_xpu_beginAllocateCurrentThreadToPool": lambda *_: None,
        "_xpu_endAllocateToPool": lambda *_: None,
        "_xpu_releasePool": lambda *_: None,
    }


def _empty_strided(size: Any, stride: Any, dtype: Any) -> Any:
    import torch

    return torch.empty_strided(size, stride, dtype=dtype, device="xpu")


def _only_device(index: int) -> int:
    if index > 0:
        raise RuntimeError(f"the stand-in has one device, xpu:0; xpu:{index} does not exist")
    return 0


def _describe(self: Any) -> str:
    names = ("name", "platform_name", "type", "total_memory", "max_compute_units", "gpu_eu_count")
    return f"_XpuDeviceProperties({', '.join(f'{name}={getattr(self, name)!r}' for name in names)}, stand-in)"
