"""The devices that the stand-in can be: one row per card. Standard library only; read by parent and child.

Rows are cards, not families, because the number of Xe cores changes Inductor's grids, the code, and even a kernel's
family. Values and their sources:

* limits (work-group size, sub-group sizes, local memory, hardware threads): a Level Zero virtual device of
  compute-runtime 26.27, measured for pvc, bmg, lnl, ptl, arl, dg2 and mtl;
* feature flags and IP versions: `ocloc query CL_DEVICE_EXTENSIONS` and `ocloc ids` of ocloc 26.27, measured (tests
  compare them again);
* Xe-core and XVE counts: the cards' published specifications. ocloc's default configurations are not the cards'
  (it takes bmg for 8 Xe cores), so counts never come from there.

Clocks and memory sizes shape no code; they are there because scripts print them.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_LIMITS = "limits: Level Zero virtual device (compute-runtime 26.27)"
_FLAGS = "flags: ocloc 26.27 query CL_DEVICE_EXTENSIONS"

EIGHT_OR_FOUR: Mapping[int, int] = MappingProxyType({128: 8, 256: 4})
"""Hardware threads per XVE by GRF count where only two GRF modes exist."""

XE3: Mapping[int, int] = MappingProxyType({32: 10, 64: 10, 96: 10, 128: 8, 160: 6, 256: 4})
"""Xe3 chooses among more GRF counts; measured: 10 threads up to 96, 8 at 128, 6 at 160, 4 at 256."""


@dataclass(frozen=True)
class Device:
    """A card, with what torch, Triton and the table need to know of it.

    Args:
        card: the row's name, e.g. `max1550`.
        family: the word that selects the family's default card, e.g. `pvc`.
        title: the name that `torch.xpu.get_device_name()` gives.
        ocloc: what ocloc calls the target (`-device`).
        ip_version: architecture, release, revision; `12.60.7` is pvc.
        xe_cores: Xe cores visible as one device (of Max cards: one stack, the default of the driver).
        xves_per_core: vector engines (EUs) per Xe core.
        local_memory: bytes of shared local memory that one work-group may use.
        grf_bytes: bytes of one register.
        threads_per_eu: hardware threads per vector engine for each GRF count.
        source: where the row's values come from.
    """

    card: str
    family: str
    title: str
    ocloc: str
    ip_version: tuple[int, int, int]
    device_id: int
    xe_cores: int
    xves_per_core: int
    sub_group_sizes: tuple[int, ...]
    local_memory: int
    grf_bytes: int
    threads_per_eu: Mapping[int, int]
    has_dpas: bool
    has_tf32: bool
    has_2d_block_io: bool
    has_bf16_conversions: bool
    has_fp64: bool
    integrated: bool
    memory: int
    memory_clock_mhz: int
    memory_bus_bits: int
    last_level_cache: int
    source: str
    warning: str | None = None
    """What a user of this row should know, e.g. that it also stands for an unchecked sibling."""
    max_work_group_size: int = 1024

    @property
    def eu_count(self) -> int:
        return self.xe_cores * self.xves_per_core

    @property
    def max_num_sub_groups(self) -> int:
        return self.max_work_group_size // min(self.sub_group_sizes)

    @property
    def architecture(self) -> int:
        """SYCL's number of an Intel GPU architecture: the IP version's fields packed as 10, 8, 14 bits."""
        major, release, revision = self.ip_version
        return major << 22 | release << 14 | revision

    def properties(self) -> dict[str, object]:
        """The attributes of torch's `_XpuDeviceProperties`, by the same names."""
        return {
            "name": self.title,
            "platform_name": "Intel(R) oneAPI Unified Runtime over Level-Zero",
            "vendor": "Intel(R) Corporation",
            "driver_version": "stand-in",
            "version": ".".join(map(str, self.ip_version)),
            "device_id": self.device_id,
            "type": "gpu",
            "uuid": bytes(16),
            "architecture": self.architecture,
            "is_integrated_gpu": self.integrated,
            "max_compute_units": self.eu_count,
            "gpu_eu_count": self.eu_count,
            "gpu_subslice_count": self.xe_cores,
            "max_work_group_size": self.max_work_group_size,
            "max_num_sub_groups": self.max_num_sub_groups,
            "sub_group_sizes": list(self.sub_group_sizes),
            "local_mem_size": self.local_memory,
            "total_memory": self.memory,
            "memory_clock_rate": self.memory_clock_mhz,
            "memory_bus_width": self.memory_bus_bits,
            "last_level_cache_size": self.last_level_cache,
            "has_fp16": True,
            "has_fp64": self.has_fp64,
            "has_atomic64": True,
            "has_bfloat16_conversions": self.has_bf16_conversions,
            "has_subgroup_matrix_multiply_accumulate": self.has_dpas,
            "has_subgroup_matrix_multiply_accumulate_tensor_float32": self.has_tf32,
            "has_subgroup_2d_block_io": self.has_2d_block_io,
        }


def _source(counts: str) -> str:
    return f"{_LIMITS}; {_FLAGS}; Xe cores: {counts}"


def _pvc(*, card: str, title: str, device_id: int, xe_cores: int, memory_gib: int, bus: int, counts: str) -> Device:
    return Device(
        card=card, family="pvc", title=title, ocloc="pvc", ip_version=(12, 60, 7), device_id=device_id,
        xe_cores=xe_cores, xves_per_core=8, sub_group_sizes=(16, 32), local_memory=128 << 10, grf_bytes=64,
        threads_per_eu=EIGHT_OR_FOUR, has_dpas=True, has_tf32=True, has_2d_block_io=True,
        has_bf16_conversions=True, has_fp64=True, integrated=False, memory=memory_gib << 30,
        memory_clock_mhz=3200, memory_bus_bits=bus, last_level_cache=204 << 20, source=_source(counts),
    )  # fmt: skip


def _bmg(
    *, card: str, title: str, ocloc: str, ip_version: tuple[int, int, int], device_id: int, xe_cores: int,
    memory_gib: int, bus: int,
) -> Device:  # fmt: skip
    return Device(
        card=card, family="bmg", title=title, ocloc=ocloc, ip_version=ip_version, device_id=device_id,
        xe_cores=xe_cores, xves_per_core=8, sub_group_sizes=(16, 32), local_memory=128 << 10, grf_bytes=64,
        threads_per_eu=EIGHT_OR_FOUR, has_dpas=True, has_tf32=True, has_2d_block_io=True,
        has_bf16_conversions=True, has_fp64=True, integrated=False, memory=memory_gib << 30,
        memory_clock_mhz=2375, memory_bus_bits=bus, last_level_cache=18 << 20,
        source=_source("card specification"),
    )  # fmt: skip


def _xe2_xe3(
    *, card: str, family: str, title: str, ocloc: str, ip_version: tuple[int, int, int], device_id: int,
    xe_cores: int, threads_per_eu: Mapping[int, int],
) -> Device:  # fmt: skip
    return Device(
        card=card, family=family, title=title, ocloc=ocloc, ip_version=ip_version, device_id=device_id,
        xe_cores=xe_cores, xves_per_core=8, sub_group_sizes=(16, 32), local_memory=128 << 10, grf_bytes=64,
        threads_per_eu=threads_per_eu, has_dpas=True, has_tf32=True, has_2d_block_io=True,
        has_bf16_conversions=True, has_fp64=True, integrated=True, memory=16 << 30,
        memory_clock_mhz=4266, memory_bus_bits=128, last_level_cache=8 << 20,
        source=_source("processor specification"),
    )  # fmt: skip


def _xe_lpg(
    *, card: str, family: str, title: str, ocloc: str, ip_version: tuple[int, int, int], device_id: int,
    has_dpas: bool, has_bf16_conversions: bool, warning: str | None = None,
) -> Device:  # fmt: skip
    return Device(
        card=card, family=family, title=title, ocloc=ocloc, ip_version=ip_version, device_id=device_id,
        xe_cores=8, xves_per_core=16, sub_group_sizes=(8, 16, 32), local_memory=64 << 10, grf_bytes=32,
        threads_per_eu=EIGHT_OR_FOUR, has_dpas=has_dpas, has_tf32=False, has_2d_block_io=False,
        has_bf16_conversions=has_bf16_conversions, has_fp64=True, integrated=True, memory=16 << 30,
        memory_clock_mhz=2800, memory_bus_bits=128, last_level_cache=4 << 20,
        source=_source("processor specification"), warning=warning,
    )  # fmt: skip


def _acm(*, card: str, title: str, device_id: int, xe_cores: int, memory_gib: int) -> Device:
    return Device(
        card=card, family="acm-g10", title=title, ocloc="acm-g10", ip_version=(12, 55, 8), device_id=device_id,
        xe_cores=xe_cores, xves_per_core=16, sub_group_sizes=(8, 16, 32), local_memory=64 << 10, grf_bytes=32,
        threads_per_eu=EIGHT_OR_FOUR, has_dpas=True, has_tf32=False, has_2d_block_io=False,
        has_bf16_conversions=True, has_fp64=False, integrated=False, memory=memory_gib << 30,
        memory_clock_mhz=2187, memory_bus_bits=256, last_level_cache=16 << 20,
        source=_source("card specification"),
    )  # fmt: skip


DEVICES: tuple[Device, ...] = (
    _pvc(card="max1550", title="Intel(R) Data Center GPU Max 1550", device_id=0x0BD5, xe_cores=64, memory_gib=64,
         bus=4096, counts="one stack of two, as published device prints show (torch-xpu-ops#3588)"),
    _pvc(card="max1100", title="Intel(R) Data Center GPU Max 1100", device_id=0x0BDA, xe_cores=56, memory_gib=48,
         bus=6144, counts="card specification"),
    _bmg(card="b580", title="Intel(R) Arc(TM) B580 Graphics", ocloc="bmg-g21", ip_version=(20, 1, 0),
         device_id=0xE20B, xe_cores=20, memory_gib=12, bus=192),
    _bmg(card="b570", title="Intel(R) Arc(TM) B570 Graphics", ocloc="bmg-g21", ip_version=(20, 1, 0),
         device_id=0xE20C, xe_cores=18, memory_gib=10, bus=160),
    _bmg(card="b70", title="Intel(R) Arc(TM) Pro B70 Graphics", ocloc="bmg-g31", ip_version=(20, 2, 0),
         device_id=0xE223, xe_cores=32, memory_gib=32, bus=256),
    _xe2_xe3(card="140v", family="lnl", title="Intel(R) Arc(TM) 140V GPU", ocloc="lnl-m", ip_version=(20, 4, 4),
             device_id=0x64A0, xe_cores=8, threads_per_eu=EIGHT_OR_FOUR),
    _xe2_xe3(card="ptl-12xe", family="ptl", title="Intel(R) Graphics (Panther Lake, 12 Xe cores)", ocloc="ptl-h",
             ip_version=(30, 0, 4), device_id=0xB080, xe_cores=12, threads_per_eu=XE3),
    _xe2_xe3(card="ptl-4xe", family="ptl", title="Intel(R) Graphics (Panther Lake, 4 Xe cores)", ocloc="ptl-u",
             ip_version=(30, 1, 0), device_id=0xB0A0, xe_cores=4, threads_per_eu=XE3),
    _xe_lpg(card="140t", family="arl-h", title="Intel(R) Arc(TM) 140T GPU", ocloc="arl-h", ip_version=(12, 74, 4),
            device_id=0x7D51, has_dpas=True, has_bf16_conversions=True),
    _acm(card="a770", title="Intel(R) Arc(TM) A770 Graphics", device_id=0x56A0, xe_cores=32, memory_gib=16),
    _acm(card="a750", title="Intel(R) Arc(TM) A750 Graphics", device_id=0x56A1, xe_cores=28, memory_gib=8),
    _xe_lpg(card="mtl-h", family="mtl", title="Intel(R) Arc(TM) Graphics", ocloc="mtl-h", ip_version=(12, 71, 4),
            device_id=0x7D55, has_dpas=False, has_bf16_conversions=False,
            warning="mtl stands for Meteor Lake H; arl-s should be alike but was not checked"),
)  # fmt: skip
"""A family's first card is the one that the family's name selects."""


def _names() -> dict[str, Device]:
    names: dict[str, Device] = {}
    for device in DEVICES:
        for name in (device.family, device.card, device.ocloc):
            names.setdefault(name, device)
    return names


_BY_NAME = MappingProxyType(_names())


def device_names() -> tuple[str, ...]:
    """Every name that `find_device` knows: families, then cards."""
    families = dict.fromkeys(device.family for device in DEVICES)
    return (*families, *(device.card for device in DEVICES if device.card not in families))


def find_device(name: str) -> Device:
    """A card by its name, or a family's default card by the family's (or ocloc's) name.

    Raises:
        ValueError: nothing answers to the name; the message lists the known ones, nearest first.
    """
    wanted = name.strip().lower()
    if wanted in _BY_NAME:
        return _BY_NAME[wanted]
    known = device_names()
    nearest = difflib.get_close_matches(wanted, known, n=len(known), cutoff=0.0)
    near = [*nearest, *(n for n in known if n not in nearest)]
    raise ValueError(f"unknown device {name!r}; known, nearest first: {', '.join(near)}")
