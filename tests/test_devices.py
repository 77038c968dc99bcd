"""The device table: names, values, and the same flags as the installed ocloc states."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import pytest

from xpuasm_magic import toolchain
from xpuasm_magic.offline import devices
from xpuasm_magic.offline.devices import DEVICES, find_device

TARGETS = {device.ocloc: device for device in DEVICES}


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("pvc", "max1550"),
        ("max1100", "max1100"),
        ("bmg", "b580"),
        ("b570", "b570"),
        ("bmg-g31", "b70"),
        ("lnl", "140v"),
        ("LNL", "140v"),
        ("ptl", "ptl-12xe"),
        ("arl-h", "140t"),
        ("acm-g10", "a770"),
        ("a750", "a750"),
        ("mtl", "mtl-h"),
    ],
)
def test_a_family_stands_for_its_default_card(name, card):
    assert find_device(name).card == card


def test_every_listed_name_is_found_and_each_card_once():
    assert all(find_device(name) for name in devices.device_names())
    cards = [device.card for device in DEVICES]
    assert len(set(cards)) == len(cards)


def test_an_unknown_device_is_answered_with_the_known_ones_nearest_first():
    with pytest.raises(ValueError, match=r"unknown device 'bgm'; known, nearest first: bmg, .*max1550") as caught:
        find_device("bgm")
    assert all(name in str(caught.value) for name in devices.device_names())


def test_counts_are_the_cards_own():
    # GIVEN facts of published device prints: 512 EUs, 64 subslices, 64 sub-groups (pvc); 128, 8, 128 (mtl)
    pvc, mtl = find_device("pvc"), find_device("mtl")
    assert (pvc.eu_count, pvc.xe_cores, pvc.max_num_sub_groups) == (512, 64, 64)
    assert (mtl.eu_count, mtl.xe_cores, mtl.max_num_sub_groups) == (128, 8, 128)
    assert [find_device(name).eu_count for name in ("max1100", "b580", "lnl", "ptl", "arl-h", "a770")] == [
        448, 160, 64, 96, 128, 512,
    ]  # fmt: skip


def test_the_architecture_number_is_the_one_that_hardware_reports(corpus):
    """Cache records of real devices carry SYCL's number; the corpus' pvc ones were made with it."""
    record = next(corpus.glob("2.40/pvc/*/*.json"))
    assert json.loads(record.read_text())["target"]["arch"]["architecture"] == find_device("pvc").architecture


@pytest.mark.parametrize("target", TARGETS)
def test_flags_are_those_that_ocloc_states(target):
    device = TARGETS[target]
    extensions = toolchain.device_flags_query(target)
    assert {
        "cl_intel_subgroup_matrix_multiply_accumulate": device.has_dpas,
        "cl_intel_subgroup_matrix_multiply_accumulate_tf32": device.has_tf32,
        "cl_intel_subgroup_2d_block_io": device.has_2d_block_io,
        "cl_intel_bfloat16_conversions": device.has_bf16_conversions,
        "cl_khr_fp64": device.has_fp64,
    } == {
        name: name in extensions
        for name in (
            "cl_intel_subgroup_matrix_multiply_accumulate",
            "cl_intel_subgroup_matrix_multiply_accumulate_tf32",
            "cl_intel_subgroup_2d_block_io",
            "cl_intel_bfloat16_conversions",
            "cl_khr_fp64",
        )
    }


@pytest.mark.parametrize("target", TARGETS)
def test_the_ip_version_is_the_one_that_ocloc_states(target):
    ids = subprocess.run(
        [*toolchain.find().command, "ids", target], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert ".".join(map(str, TARGETS[target].ip_version)) in ids.split()


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.card)
def test_properties_are_complete_and_carry_their_source(device):
    properties = device.properties()
    assert properties["max_num_sub_groups"] * min(device.sub_group_sizes) == device.max_work_group_size
    assert properties["gpu_eu_count"] == device.xe_cores * device.xves_per_core
    assert device.threads_per_eu[128] == 8
    assert device.threads_per_eu[256] == 4
    assert "Level Zero" in device.source
    assert "ocloc" in device.source
    if not device.has_dpas:
        assert not device.has_tf32


def test_the_table_needs_the_standard_library_only():
    tree = ast.parse(Path(devices.__file__).read_text(encoding="utf-8"))
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported == {"__future__", "collections", "dataclasses", "difflib", "types"}
