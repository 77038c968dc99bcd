"""Builds of announced variants, with the real ocloc on real SPIR-V."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from xpuasm_magic import home, toolchain
from xpuasm_magic.build_output import read_build
from xpuasm_magic.capture import store
from xpuasm_magic.capture.builds import Builder, Plan, find_spirv
from xpuasm_magic.loader import LoaderRule

RULE = LoaderRule(1000, "-cl-intel-256-GRF-per-thread", discards_retry=True, source="triton-xpu test, driver.c")


@pytest.fixture
def run(tmp_path, corpus, monkeypatch):
    """A run folder with corpus variants in its Triton cache, and a home of its own for finished builds."""
    shared = home.toolchains_home().resolve()
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "toolchains").symlink_to(shared)
    folder = tmp_path / "run"
    for key, case in {"ADD": "add", "SPILL": "spill", "LARGE": "spill_large"}.items():
        entry = folder / "triton" / key
        entry.mkdir(parents=True)
        for spv in (corpus / "2.40" / "pvc" / case).glob("*.spv"):
            shutil.copy(spv, entry)
    return folder


def build(folder: Path, *variants: dict, **plan: object) -> Builder:
    settings = {"folder": folder, "toolchain": toolchain.find(), "device": "pvc", "rule": RULE}
    builder = Builder(Plan(**(settings | plan)))
    for variant in variants:
        builder.announce(variant)
    while builder.pending:
        builder.wait(1.0)
    builder.close()
    return builder


def decision(folder: Path, key: str) -> dict:
    return json.loads((folder / "igc" / key / "loader.json").read_text())


def test_a_spilling_kernel_is_built_again_with_more_registers_and_both_builds_are_kept(run):
    build(run, {"key": "SPILL", "name": "spill_kernel", "build_flags": ""})
    made = decision(run, "SPILL")
    first = read_build(run / "igc" / "SPILL" / "pvc-default")
    second = read_build(run / "igc" / "SPILL" / "pvc-grf256")
    assert first.spill_bytes > 1000
    assert (first.grf_count, second.grf_count) == (128, 256)
    assert made["kept"] == "pvc-grf256"
    assert made["spill_bytes"] == second.spill_bytes < first.spill_bytes
    assert made["n_regs"] == 256
    [rejected] = made["rejected"]
    assert rejected["build"] == "pvc-default"
    assert f"{first.spill_bytes:,} bytes of spill" in rejected["reason"]
    assert "#4286" in made["note"]


def test_a_kernel_that_names_its_grf_mode_is_built_once(run):
    flags = "-cl-intel-256-GRF-per-thread"
    build(run, {"key": "LARGE", "name": "spill_kernel", "build_flags": flags})
    assert decision(run, "LARGE")["kept"] == "pvc-grf256"
    assert [p.name for p in (run / "igc" / "LARGE").iterdir() if p.is_dir()] == ["pvc-grf256"]
    assert json.loads((run / "igc/LARGE/pvc-grf256/build.json").read_text())["flags"] == flags


def test_a_second_run_takes_the_finished_build_and_keeps_the_dumps_bytes(run):
    variant = {"key": "ADD", "name": "add_kernel", "build_flags": ""}
    build(run, variant)
    again = run.parent / "again"
    shutil.copytree(run / "triton", again / "triton")
    build(again, variant)
    fresh = json.loads((run / "igc/ADD/pvc-default/build.json").read_text())
    stored = json.loads((again / "igc/ADD/pvc-default/build.json").read_text())
    assert (fresh["cached"], stored["cached"]) == (False, True)
    files = {p.relative_to(run): p.read_bytes() for p in (run / "igc").rglob("*.asm")}
    assert files == {p.relative_to(again): p.read_bytes() for p in (again / "igc").rglob("*.asm")}
    assert len(files) == 1


def test_the_repro_command_names_files_that_stay(run):
    build(run, {"key": "ADD", "name": "add_kernel", "build_flags": ""})
    repro = json.loads((run / "igc/ADD/pvc-default/build.json").read_text())["repro"]
    assert str(run / "igc" / "ADD" / "pvc-default") in repro
    assert "/.pvc-default" not in repro


def test_a_failed_build_is_that_kernels_row_with_the_compilers_words(run):
    (run / "triton" / "BAD").mkdir()
    (run / "triton" / "BAD" / "bad.spv").write_bytes(b"\x03\x02\x23\x07" + b"\0" * 64)
    builder = build(run, {"key": "BAD", "name": "bad"}, {"key": "ADD", "name": "add_kernel"})
    assert (builder.progress.built, builder.progress.failed) == (1, 1)
    made = decision(run, "BAD")
    assert made["status"] in {"failed", "crashed"}
    assert made["error"]
    assert not (home.builds_home() / "BAD").exists()
    assert decision(run, "ADD")["status"] == "ok"


def test_kernels_left_out_and_a_missing_compiler_are_said(run):
    build(run, {"key": "ADD", "name": "add_kernel"}, kernel_glob="triton_*")
    assert decision(run, "ADD") | {"rule": 0} == {
        "kept": None,
        "rejected": [],
        "rule": 0,
        "status": "not built",
        "error": "left out by --kernel triton_*",
        "name": "add_kernel",
    }
    build(run, {"key": "SPILL", "name": "spill_kernel"}, toolchain=None, missing="no ocloc; run `xpuasm setup`")
    assert decision(run, "SPILL")["error"] == "no ocloc; run `xpuasm setup`"


def test_closing_early_says_interrupted_for_what_was_not_begun(run):
    builder = Builder(Plan(folder=run, toolchain=toolchain.find(), device="pvc", rule=None))
    builder._stop.set()
    builder.announce({"key": "ADD", "name": "add_kernel"})
    builder.close()
    assert decision(run, "ADD")["status"] == "interrupted"


def test_a_compile_beyond_its_time_limit_is_ended(run):
    build(run, {"key": "SPILL", "name": "spill_kernel"}, timeout_s=0.05)
    assert decision(run, "SPILL")["status"] == "timeout"


def test_keys_that_are_no_folder_names_are_ignored(run):
    builder = build(run, {"key": "../x", "name": "a"}, {"key": "", "name": "b"}, {"key": ".", "name": "c"})
    assert builder.progress.found == 0


def test_native_code_in_place_of_a_module_is_named(tmp_path):
    (tmp_path / "k.spv").write_bytes(b"\x7fELF....")
    assert "TRITON_XPU_GEN_NATIVE_CODE" in find_spirv(tmp_path)
    assert "no .spv" in find_spirv(tmp_path / "none")


def test_the_store_of_builds_is_kept_under_its_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path))
    for age, name in enumerate(["new", "old"]):
        folder = home.builds_home() / name
        folder.mkdir(parents=True)
        (folder / "x").write_bytes(b"\0" * 1000)
        import os

        os.utime(folder, (1e9 - age, 1e9 - age))
    store.trim(limit_bytes=1500)
    assert [p.name for p in home.builds_home().iterdir()] == ["new"]
