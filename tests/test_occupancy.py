"""Occupancy: what fits on a Xe core, by threads and by shared local memory; None with a reason where unsure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from xpuasm_magic.analysis.occupancy import Occupancy, occupancy, threads_per_work_group
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import ExecutionEnv, Kernel, Variant


def made(
    device: str | None = "pvc", *, grf: int = 128, warps: int | None = 8, slm: int | None = 0, barriers: int = 1
) -> Kernel:
    return Kernel(
        name="k",
        family="user",
        variant=Variant("key", num_warps=warps, threads_per_warp=16),
        match="spirv",
        status="ok",
        stages={},
        device=device,
        env=ExecutionEnv(simd_size=16, grf_count=grf, barrier_count=barriers),
        slm_size=slm,
    )


def test_a_matmul_of_the_corpus_is_worked_by_hand(corpus: Path) -> None:
    """16 hardware threads and 34,816 bytes, which becomes 48 KiB of 128: two work-groups, half of 64 threads."""
    [kernel] = read_capture(corpus / "2.40" / "pvc" / "matmul_w16_default").kernels
    assert occupancy(kernel) == Occupancy(
        threads_per_eu=8,
        threads_per_core=64,
        threads_per_work_group=16,
        slm_per_work_group=48 * 1024,
        slm_per_core=128 * 1024,
        work_groups=2,
        limit="shared local memory",
        occupancy=0.5,
    )


def test_twice_the_registers_halve_the_hardware_threads(corpus: Path) -> None:
    [small] = read_capture(corpus / "2.40" / "pvc" / "matmul_w16_default").kernels
    [large] = read_capture(corpus / "2.40" / "pvc" / "matmul_w16_large").kernels
    assert occupancy(small).threads_per_core == 64
    full = occupancy(large)
    assert (full.threads_per_core, full.work_groups, full.occupancy) == (32, 2, 1.0)


def test_threads_of_a_kernel_that_shares_nothing_may_run_on_several_cores() -> None:
    loose = occupancy(made(warps=24, barriers=0))
    tied = occupancy(made(warps=24, barriers=1))
    assert (loose.work_groups, loose.occupancy) == (2, 1.0)
    assert (tied.work_groups, tied.occupancy) == (2, 48 / 64)


@pytest.mark.parametrize(
    ("device", "asked", "given"),
    [
        ("pvc", 0, 0),
        ("pvc", 16, 1024),
        ("bmg", 17_408, 24 * 1024),
        ("dg2", 17_408, 32 * 1024),
        ("lnl", 131_072, 131_072),
    ],
)
def test_shared_memory_is_given_in_steps(device: str, asked: int, given: int) -> None:
    assert occupancy(made(device, slm=asked)).slm_per_work_group == given


def test_fewer_registers_on_xe3_mean_more_threads() -> None:
    assert [occupancy(made("ptl", grf=grf)).threads_per_eu for grf in (96, 128, 160, 256)] == [10, 8, 6, 4]


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (made(None), "the device is unknown"),
        (made("cri"), "no row for device cri"),
        (made(grf=77), "hardware threads per EU are unknown for 77 registers"),
        (made(warps=None), "the size of a work-group is unknown"),
        (made(slm=None), "the shared local memory of a work-group is unknown"),
        (made(slm=1 << 20), "it asks for more shared local memory than a work-group may have"),
        (made("ptl", slm=4096), "the shared local memory of a Xe core is unknown for this device"),
        (replace(made(), env=replace(made().env or ExecutionEnv(), barrier_count=None)), "whether there are barriers"),
    ],
)
def test_what_is_not_known_is_none_with_a_reason(kernel: Kernel, reason: str) -> None:
    found = occupancy(kernel)
    assert found.occupancy is None
    assert found.work_groups is None
    assert reason in (found.reason or "")


def test_a_stated_work_group_gives_the_threads_where_triton_does_not(corpus: Path) -> None:
    for kernel in read_capture(corpus / "2.40" / "pvc" / "sycl_rtc").kernels:
        stated = kernel.env.required_work_group_size if kernel.env else None
        assert (threads_per_work_group(kernel) is None) == (stated is None)


def test_every_kernel_of_the_corpus_has_an_occupancy_or_a_reason(corpus: Path) -> None:
    for case in sorted(corpus.glob("*/*/*")):
        for kernel in read_capture(case).kernels:
            found = occupancy(kernel)
            assert (found.occupancy is None) == (found.reason is not None), kernel
            assert found.occupancy is None or 0 <= found.occupancy <= 1
