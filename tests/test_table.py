"""The table has design's columns, one row a variant, and says <NA> where it does not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from capture_builder import CaptureBuilder

from xpuasm_magic.analysis.checks import checks, failed_checks
from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.analysis.verdict import verdict
from xpuasm_magic.catalog import read_capture

Builder = Callable[..., CaptureBuilder]

EXPECTED_COLUMNS = [
    "name",
    "family",
    "config",
    "winner",
    "time_ms",
    "launches",
    "status",
    "match",
    "device",
    "simd",
    "grf",
    "registers",
    "threads_per_eu",
    "instructions",
    "dpas",
    "sends",
    "spill_bytes",
    "spill_dwords_per_lane",
    "slm_bytes",
    "private_bytes",
    "barriers",
    "work_group",
    "num_warps",
    "threads_per_warp",
    "checks",
    "isa_bytes",
    "key",
]


@pytest.fixture
def build(tmp_path: Path, corpus: Path) -> Builder:
    return lambda **options: CaptureBuilder(tmp_path / "capture", corpus, **options)


def row(made: CaptureBuilder) -> pd.Series:
    table = read_capture(made.folder).table
    assert len(table) == 1
    return table.iloc[0]


def test_columns_are_the_ones_that_other_tools_rely_on(build: Builder) -> None:
    table = read_capture(build().folder).table
    assert list(table.columns) == EXPECTED_COLUMNS
    assert [str(dtype) for dtype in table.dtypes] == [column.dtype for column in COLUMNS]
    assert len(table) == 0


def test_every_column_is_explained(build: Builder) -> None:
    attrs = read_capture(build().folder).table.attrs
    assert list(attrs["tooltips"]) == EXPECTED_COLUMNS
    assert all(attrs["tooltips"].values())
    assert attrs["units"]["spill_bytes"] == "bytes per hardware thread"


def test_a_row(build: Builder) -> None:
    made = build()
    case = "2.40/pvc/matmul_w8_large"
    key = made.kernel(case, constants={"BM": 128, "BN": 128}, num_stages=2)
    made.lines("launches.jsonl", {"key": key, "name": "matmul_kernel", "grid": [8, 1, 1], "args": [], "count": 3})
    expected = {
        "name": "matmul_kernel",
        "family": "user",
        "config": "BM=128 BN=128 num_warps=8 num_stages=2 grf_mode=large",
        "winner": True,
        "time_ms": pd.NA,
        "launches": 3,
        "status": "ok",
        "match": "spirv",
        "device": "pvc",
        "simd": 16,
        "grf": 256,
        "registers": pd.NA,
        "threads_per_eu": 4,
        "instructions": 3956,
        "dpas": 32,
        "sends": 380,
        "spill_bytes": 0,
        "spill_dwords_per_lane": 0.0,
        "slm_bytes": 34816,
        "private_bytes": 0,
        "barriers": 1,
        "work_group": 128,
        "num_warps": 8,
        "threads_per_warp": 16,
        "checks": "ok",
        "isa_bytes": 50576,
        "key": key,
    }
    found = row(made)
    assert {name: value for name, value in expected.items() if value is not pd.NA} == {
        name: value for name, value in found.items() if not pd.isna(value)
    }


def test_spill_is_per_hardware_thread_and_per_lane(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/spill")
    found = row(made)
    assert (found["spill_bytes"], found["simd"], found["spill_dwords_per_lane"]) == (15680, 32, 122.5)


def test_the_old_compilers_values_come_from_the_listing_and_the_device_row(build: Builder) -> None:
    made = build()
    made.kernel("1.0.12504/pvc/matmul_w16_large")
    found = row(made)
    assert (found["spill_bytes"], found["private_bytes"], found["threads_per_eu"]) == (7872, 0, 4)


def test_what_is_not_known_is_na_and_never_zero(build: Builder) -> None:
    made = build()
    key = made.variant("2.40/pvc/add")
    made.decision(key, None, status="not built", error="left out")
    found = row(made)
    unknown = (
        "time_ms simd grf threads_per_eu instructions dpas sends spill_bytes private_bytes barriers isa_bytes checks"
    )
    assert all(pd.isna(found[name]) for name in unknown.split())


def test_a_device_without_a_row_has_unknown_threads(build: Builder) -> None:
    made = build(device="gen99")
    key = made.variant("1.0.12504/pvc/add")
    made.build(key, "1.0.12504/pvc/add", "gen99-default", device="gen99")
    made.decision(key, "gen99-default")
    assert pd.isna(row(made)["threads_per_eu"])


def test_counts_are_those_of_the_listing_in_every_case(corpus: Path) -> None:
    capture = read_capture(corpus / "2.40")
    for kernel, (_, found) in zip(capture, capture.table.iterrows(), strict=True):
        if kernel.header is None:
            continue
        opcodes = [line.instruction.opcode for line in kernel.listing("isa").lines if line.instruction]
        assert found["instructions"] == len(opcodes)
        assert found["dpas"] == sum(opcode.startswith("dpas") for opcode in opcodes)
        assert found["sends"] == sum(opcode.startswith(("send", "load", "store", "atomic_")) for opcode in opcodes)


def test_all_checks_hold_in_every_case_of_the_corpus(corpus: Path) -> None:
    for generation in ("1.0.12504", "1.0.17791", "2.40"):
        for kernel in read_capture(corpus / generation):
            assert failed_checks(kernel) == ()
            assert kernel.status != "ok" or kernel.env is not None


def test_a_failed_check_is_in_the_column_and_a_note(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/add", threads_per_warp=16)
    kernel = read_capture(made.folder).kernels[0]
    assert row(made)["checks"] == "failed: simd"
    assert kernel.notes[0].message == "simd: compiled SIMD32, Triton asked for 16 threads per warp"


@pytest.mark.parametrize(("stated", "holds"), [((128, 1, 1), True), ((64, 1, 1), False), (None, None)])
def test_a_stated_work_group_is_checked(corpus: Path, stated: tuple[int, int, int] | None, holds: bool | None) -> None:
    (kernel,) = read_capture(corpus / "2.40/pvc/add").kernels
    assert kernel.env is not None
    kernel = replace(kernel, env=replace(kernel.env, required_work_group_size=stated))
    assert [check.holds for check in checks(kernel)] == [True, holds, True]


def test_a_listing_that_disagrees_with_the_binary_is_said(build: Builder) -> None:
    made = build()
    key = made.kernel("2.40/pvc/add")
    listing = next((made.folder / "igc" / key).rglob("*.asm"))
    listing.write_text(listing.read_text(encoding="utf-8").replace("numGRF=128", "numGRF=256"), encoding="utf-8")
    assert row(made)["checks"] == "failed: header"


def test_records_can_be_written_as_json(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/add")
    records = json.loads(read_capture(made.folder).table.to_json(orient="records"))
    assert list(records[0]) == EXPECTED_COLUMNS
    assert records[0]["time_ms"] is None


def test_the_verdict_is_one_line(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/add")
    made.kernel("2.40/pvc/spill")
    made.kernel("2.40/pvc/attn_w8_small")
    assert verdict(read_capture(made.folder)) == (
        "3 kernels, 2 spill (worst 15,680 B/thread), pvc max1550, IGC 2.40.14, triton-xpu 3.3.0b1, "
        "no GPU: values from the CPU"
    )


def test_the_verdict_counts_what_failed(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/add")
    made.kernel("1.0.12504/pvc/assert")
    assert verdict(read_capture(made.folder)).startswith("2 kernels, 1 crashed, none spills, pvc max1550")


def test_the_verdict_of_no_kernel_says_why(build: Builder) -> None:
    made = build()
    made.write_record(notes=[{"severity": "warning", "message": "no tensor was on xpu"}])
    assert verdict(read_capture(made.folder)) == "no kernel: no tensor was on xpu"


def test_the_verdict_of_a_bare_dump_has_what_is_known(corpus: Path) -> None:
    assert verdict(read_capture(corpus / "2.40/bmg/add/dump")) == "1 kernel, none spills, bmg"
