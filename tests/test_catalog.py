"""A folder is read into kernels, each with its own listing or with none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_builder import RUN_PATH, CaptureBuilder, cache_key

from xpuasm_magic.catalog import archive, read_capture
from xpuasm_magic.errors import ParseError, UsageError
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.model import Capture, Kernel, Launch
from xpuasm_magic.view.highlight import visible

Builder = Callable[..., CaptureBuilder]
ADD, SPILL, SPILL_LARGE = "2.40/pvc/add", "2.40/pvc/spill", "2.40/pvc/spill_large"
MATMUL, MATMUL_LARGE = "2.40/pvc/matmul_w16_default", "2.40/pvc/matmul_w16_large"


@pytest.fixture
def build(tmp_path: Path, corpus: Path) -> Builder:
    """Makes an empty capture folder to fill."""
    return lambda **options: CaptureBuilder(tmp_path / "capture", corpus, **options)


def only(capture: Capture) -> Kernel:
    (kernel,) = capture.kernels
    return kernel


def messages(capture: Capture) -> str:
    return "\n".join(f"{note.path}: {note.message}" for note in capture.notes)


def code_of(kernel: Kernel) -> bytes:
    """The machine code beside the kernel's listing."""
    return kernel.path("isa").with_suffix(".dat").read_bytes()


def cases(corpus: Path) -> list[Path]:
    """Cases that are one Triton kernel."""
    return sorted(path.parent for path in corpus.glob("*/*/*/*_kernel.spv"))


# ------------------------------------------------------------------ the corpus, whole


def test_every_case_shows_the_listing_whose_code_is_in_the_binary(build: Builder, corpus: Path) -> None:
    made = build()
    expected = {}
    for case in cases(corpus):
        name = case.relative_to(corpus).as_posix()
        expected[made.variant(name, seed=name)] = case
        made.build(cache_key(name), name)
        made.decision(cache_key(name), "pvc-default")
    capture = read_capture(made.folder)
    assert len(capture) == 51
    for kernel in capture:
        binary = next(expected[kernel.key].glob("*.bin"), None)
        if binary is None:
            assert (kernel.match, kernel.status) == ("none", "crashed")
            assert "isa" not in kernel.stages
            continue
        section = parse_zebin(binary.read_bytes()).code[kernel.name]
        assert kernel.match == "spirv", expected[kernel.key]
        assert section.startswith(code_of(kernel)), expected[kernel.key]
        assert kernel.isa_bytes == len(code_of(kernel))
        assert kernel.header is not None
        assert kernel.header.kernel == kernel.name
        instructions = sum(line.instruction is not None for line in kernel.listing("isa").lines)
        assert instructions == kernel.header.inst_count


def test_the_whole_corpus_is_read_as_somebody_elses_folder(corpus: Path) -> None:
    for case in cases(corpus):
        kernel = only(read_capture(case))
        assert kernel.match == ("spirv" if next(case.glob("*.bin"), None) else "none"), case
        assert kernel.match == "none" or "isa" in kernel.stages


def test_every_stage_of_every_case_can_be_read(corpus: Path) -> None:
    for case in cases(corpus):
        kernel = only(read_capture(case))
        for stage in kernel.stages:
            assert kernel.listing(stage).lines, (case, stage)


# ------------------------------------------------------------------ builds that a capture made


def test_a_retry_that_shipped_is_the_row_and_the_first_attempt_is_kept(build: Builder) -> None:
    made = build()
    made.kernel("2.40/pvc/matmul_w8_large")
    kernel = only(read_capture(made.folder))
    assert "_1_simd16_" in kernel.path("isa").name
    assert kernel.header is not None
    assert kernel.header.spill_size == 0
    (first,) = kernel.attempts
    assert first.label == "IGC's first attempt, SIMD16"
    assert first.header is not None
    assert first.header.spill_size == 6400
    assert first.stages["isa"].path.name.startswith("OCL_asm71b594dce90d210c_simd16")


def test_the_row_is_the_build_that_the_loader_keeps(build: Builder) -> None:
    made = build()
    key = made.variant(SPILL)
    made.build(key, SPILL, "pvc-default")
    made.build(key, SPILL_LARGE, "pvc-grf256", flags="-cl-intel-256-GRF-per-thread")
    made.decision(key, "pvc-grf256", {"pvc-default": "15,680 bytes of spill: more than 1,000"})
    kernel = only(read_capture(made.folder))
    assert kernel.env is not None
    assert (kernel.match, kernel.env.grf_count, kernel.env.spill_size) == ("spirv", 256, 5440)
    assert "pvc-grf256" in kernel.path("isa").parts
    rejected = kernel.attempts[-1]
    assert (rejected.label, rejected.reason) == ("pvc-default", "15,680 bytes of spill: more than 1,000")
    assert rejected.env is not None
    assert rejected.env.spill_size == 15680
    assert rejected.header is not None
    assert rejected.header.num_grf == 128


def test_variants_that_differ_only_in_grf_mode_have_their_own_listings(build: Builder) -> None:
    """Their SPIR-V is the same, byte for byte, and so are the names of their dumps."""
    made = build()
    made.kernel("2.40/pvc/attn_w8_small", seed="small")
    made.kernel("2.40/pvc/attn_w8_large", seed="large")
    capture = read_capture(made.folder)
    small, large = capture[cache_key("small")], capture[cache_key("large")]
    assert small.path("isa").name == large.path("isa").name
    assert [k.env.grf_count for k in (small, large) if k.env] == [128, 256]
    assert [k.variant.grf_mode for k in (small, large)] == ["small", "large"]
    assert small.listing().text != large.listing().text


def test_a_crashed_build_is_a_row_with_the_compilers_words_and_what_it_left(build: Builder) -> None:
    made = build(device="acm-g10")
    key = made.variant("2.40/acm-g10/attn_w8_small")
    made.build(key, "2.40/acm-g10/attn_w8_small", "acm-g10-default")
    made.decision(key, "acm-g10-default")
    kernel = only(read_capture(made.folder))
    assert (kernel.status, kernel.match) == ("crashed", "none")
    assert kernel.error == "ocloc crashed (exit status 134)"
    assert kernel.repro == "ocloc compile -file kernel.spv"
    assert list(kernel.stages) == ["python", "ttir", "ttgir", "llir", "spirv", "visa_ll", "visa", "metadata", "log"]
    assert "free(): corrupted unsorted chunks" in kernel.listing("log").text


def test_code_with_unknown_builtins_is_incomplete(build: Builder) -> None:
    made = build()
    made.kernel("1.0.12504/pvc/matmul_bp_w16_default")
    kernel = only(read_capture(made.folder))
    assert (kernel.status, kernel.match) == ("incomplete", "spirv")
    assert any("intel_sub_group_2d_block" in note.message for note in kernel.notes)


def test_the_old_compilers_spill_comes_from_the_listing(build: Builder) -> None:
    made = build()
    made.kernel("1.0.12504/pvc/spill")
    kernel = only(read_capture(made.folder))
    assert kernel.env is not None
    assert kernel.env.spill_size is None
    assert kernel.header is not None
    assert kernel.header.spill_size > 0
    assert kernel.listing("zeinfo").text.startswith("---\nversion:         '1.20'")


def test_igcs_dummy_kernel_is_nobodys(build: Builder, corpus: Path) -> None:
    made = build()
    made.kernel("2.40/pvc/assert")
    assert [kernel.name for kernel in read_capture(made.folder)] == ["assert_kernel"]
    bare = read_capture(corpus / "2.40/pvc/assert/dump")
    assert [kernel.name for kernel in bare] == ["assert_kernel"]


def test_widths_that_were_given_up_are_attempts(build: Builder) -> None:
    made = build()
    key = made.kernel("2.40/acm-g10/add")
    dump = made.folder / "igc" / key / "pvc-default" / "dump"
    (listing,) = dump.glob("*_simd32_*.visaasm")
    shutil.copyfile(listing, dump / listing.name.replace("simd32", "simd16"))
    kernel = only(read_capture(made.folder))
    assert kernel.path("isa").name.endswith("_simd32_entry_0001.asm")
    assert [(a.label, a.reason) for a in kernel.attempts] == [
        ("IGC's first attempt, SIMD16", "IGC gave it up before it had written code")
    ]


def test_a_variant_left_out_says_why(build: Builder) -> None:
    made = build()
    key = made.variant(ADD)
    made.decision(key, None, status="not built", error="left out by --kernel foo*")
    kernel = only(read_capture(made.folder))
    assert (kernel.status, kernel.error) == ("not built", "left out by --kernel foo*")
    assert list(kernel.stages) == ["python", "ttir", "ttgir", "llir", "spirv", "metadata"]


def test_a_dump_of_another_module_is_never_shown(build: Builder) -> None:
    made = build()
    key = made.variant(ADD)
    made.build(key, "2.40/pvc/softmax_w4")
    made.decision(key, "pvc-default")
    kernel = only(read_capture(made.folder))
    assert kernel.match == "none"
    assert "isa" not in kernel.stages
    assert "another SPIR-V module" in kernel.notes[0].message


def test_a_dump_without_its_module_is_tied_by_igcs_hash(build: Builder) -> None:
    made = build()
    key = made.kernel(ADD)
    next((made.folder / "igc" / key).rglob("*.spv")).unlink()
    assert only(read_capture(made.folder)).match == "spirv"


# ------------------------------------------------------------------ flat folders


def flat(made: CaptureBuilder, *dumps: str) -> Path:
    """Several compilations into `igc/live`, each over what the one before left."""
    live = made.folder / "igc" / "live"
    for case in dumps:
        shutil.copytree(made.corpus / case / "dump", live, dirs_exist_ok=True)
    return live


def test_on_a_real_device_variants_share_one_flat_dump(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    made.variant("2.40/pvc/softmax_w4")
    flat(made, ADD, "2.40/pvc/softmax_w4")
    capture = read_capture(made.folder)
    assert [(k.name, k.match) for k in capture] == [("add_kernel", "spirv"), ("softmax_kernel", "spirv")]
    assert all(k.header and k.header.kernel == k.name for k in capture)


def test_the_last_compilation_into_a_folder_is_told_from_the_retry_of_the_first(build: Builder) -> None:
    """Triton's native route compiles a spilling kernel twice into one folder: the highest retry is not the answer."""
    made = build(real=True)
    key = made.variant(MATMUL)
    live = flat(made, MATMUL, MATMUL_LARGE)
    assert sorted(path.name.split("_")[2] for path in live.glob("*.asm")) == ["1", "simd16"]
    shutil.copyfile(
        made.corpus / MATMUL_LARGE / "matmul_kernel.bin", made.folder / "triton" / key / "matmul_kernel.zebin"
    )
    kernel = only(read_capture(made.folder))
    assert kernel.match == "spirv"
    assert kernel.path("isa").name == "OCL_asmef60f8c303046c53_simd16_entry_0001.asm"
    assert kernel.env is not None
    assert (kernel.env.grf_count, kernel.env.spill_size) == (256, 0)
    assert [attempt.label for attempt in kernel.attempts] == ["IGC's second attempt, SIMD16"]


def test_a_zebin_under_the_name_of_the_spirv_is_recognised(build: Builder) -> None:
    made = build(real=True)
    key = made.variant(MATMUL)
    flat(made, MATMUL, MATMUL_LARGE)
    shutil.copyfile(
        made.corpus / MATMUL_LARGE / "matmul_kernel.bin", made.folder / "triton" / key / "matmul_kernel.spv"
    )
    kernel = only(read_capture(made.folder))
    assert (kernel.match, kernel.header and kernel.header.num_grf) == ("spirv", 256)


def test_an_overwritten_listing_is_not_shown_for_another(build: Builder) -> None:
    made = build(real=True)
    key = made.variant(MATMUL)
    flat(made, MATMUL_LARGE)
    shutil.copyfile(made.corpus / MATMUL / "matmul_kernel.bin", made.folder / "triton" / key / "matmul_kernel.zebin")
    kernel = only(read_capture(made.folder))
    assert (kernel.match, kernel.header) == ("zebin", None)
    assert kernel.env is not None
    assert (kernel.env.grf_count, kernel.env.spill_size) == (128, 3136)
    assert kernel.path("isa").name == "matmul_kernel.zebin"
    assert "overwritten" in kernel.notes[0].message


def test_a_lost_listing_is_disassembled(build: Builder, corpus: Path) -> None:
    made = build(real=True)
    key = made.variant(MATMUL)
    shutil.copyfile(made.corpus / MATMUL / "matmul_kernel.bin", made.folder / "triton" / key / "matmul_kernel.zebin")
    lines = only(read_capture(made.folder)).listing("isa").lines
    opcodes = [line.instruction.opcode for line in lines if line.instruction and line.instruction.opcode != "illegal"]
    (listing,) = (corpus / MATMUL / "dump").glob("*.asm")
    assert f"//.instCount {len(opcodes)}\n" in listing.read_text(encoding="utf-8")


def test_of_two_variants_of_one_module_only_the_one_whose_flags_agree_has_the_listing(build: Builder) -> None:
    made = build(real=True)
    made.variant("2.40/pvc/attn_w8_small", seed="small")
    made.variant("2.40/pvc/attn_w8_large", seed="large")
    flat(made, "2.40/pvc/attn_w8_small", "2.40/pvc/attn_w8_large")
    capture = read_capture(made.folder)
    small, large = capture[cache_key("small")], capture[cache_key("large")]
    assert (large.match, large.header and large.header.num_grf) == ("spirv", 256)
    assert (small.match, "isa" in small.stages) == ("none", False)
    assert "overwritten" in small.notes[0].message


def test_two_variants_of_the_same_module_and_flags_share_a_listing_and_say_so(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD, seed="one")
    made.variant(ADD, seed="two")
    flat(made, ADD)
    capture = read_capture(made.folder)
    assert [kernel.match for kernel in capture] == ["spirv", "spirv"]
    assert capture[cache_key("one")].path("isa") == capture[cache_key("two")].path("isa")
    assert capture[cache_key("one")].notes[0].message.endswith(f"the same code, as {cache_key('two')[:12]}")


def test_what_cannot_be_decided_is_ambiguous_with_all_candidates(build: Builder) -> None:
    """One module and no flags, dumped by two processes for two devices."""
    made = build(real=True)
    made.variant(ADD)
    for device in ("pvc", "bmg"):
        shutil.copytree(made.corpus / f"2.40/{device}/add/dump", made.folder / "igc" / "live" / device)
    kernel = only(read_capture(made.folder))
    assert (kernel.match, kernel.header) == ("ambiguous", None)
    assert "isa" not in kernel.stages
    assert [attempt.label for attempt in kernel.attempts] == ["candidate 1", "candidate 2"]
    assert len({attempt.stages["isa"].path for attempt in kernel.attempts}) == 2


def rename_kernel(dump: Path, old: str, new: str) -> None:
    """A dump of the same code under another name: listing and vISA only, since the zebin's tables are fixed."""
    for path in [*dump.glob("*.asm"), *dump.glob("*.visaasm")]:
        text = path.read_text(encoding="utf-8")
        text = text.replace(f"//.kernel {old}\n", f"//.kernel {new}\n").replace(f'.kernel "{old}"', f'.kernel "{new}"')
        path.write_text(text, encoding="utf-8")
    for path in [*dump.glob("*.progbin"), *dump.glob("*.zeinfo"), *dump.glob("*.spv")]:
        path.unlink()


def without_spirv(made: CaptureBuilder, key: str, old: str, new: str) -> None:
    """A Triton entry that kept no SPIR-V, under another kernel name."""
    entry = made.folder / "triton" / key
    (entry / f"{old}.spv").unlink()
    for path in list(entry.iterdir()):
        path.rename(path.with_name(path.name.replace(old, new)))
    metadata = json.loads((entry / f"{new}.json").read_text(encoding="utf-8"))
    (entry / f"{new}.json").write_text(json.dumps(metadata | {"name": new}), encoding="utf-8")


def test_a_name_that_another_begins_with_is_not_that_other(build: Builder) -> None:
    made = build(real=True)
    names = {"triton_poi_fused_add_1": ADD, "triton_poi_fused_add_10": "2.40/pvc/softmax_w4"}
    for name, case in names.items():
        old = "add_kernel" if case == ADD else "softmax_kernel"
        without_spirv(made, made.variant(case, name=name), old, name)
        rename_kernel(flat(made, case), old, name)
    capture = read_capture(made.folder)
    assert [(k.name, k.match) for k in capture] == [(name, "name") for name in names]
    assert [k.header and k.header.inst_count for k in capture] == [333, 690]


def test_a_listing_of_the_right_name_is_not_one_of_two_variants(build: Builder) -> None:
    made = build(real=True)
    for seed in ("one", "two"):
        without_spirv(made, made.variant(ADD, seed=seed, name="add_kernel_"), "add_kernel", "add_kernel_")
    rename_kernel(flat(made, ADD), "add_kernel", "add_kernel_")
    assert [kernel.match for kernel in read_capture(made.folder)] == ["ambiguous", "ambiguous"]


def test_a_variant_whose_module_was_not_dumped_has_no_listing_of_its_namesake(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    live = flat(made, "1.0.12504/pvc/softmax_w4")
    rename_kernel(live, "softmax_kernel", "add_kernel")
    kernel = read_capture(made.folder)[cache_key(ADD)]
    assert (kernel.match, kernel.status) == ("none", "not built")


def test_kernels_that_no_variant_claims_are_listed_too(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    flat(made, ADD, "2.40/pvc/sycl_rtc")
    capture = read_capture(made.folder)
    assert [kernel.family for kernel in capture] == ["user"] + ["sycl"] * 6
    assert all(kernel.match == "zebin" for kernel in capture.kernels[1:])


# ------------------------------------------------------------------ what others made


def test_a_bare_dump_of_several_modules(corpus: Path) -> None:
    capture = read_capture(corpus / "2.40/pvc/sycl_rtc/dump")
    assert capture.kind == "igc dump"
    assert len({kernel.key for kernel in capture}) == 6
    assert all((kernel.match, kernel.device) == ("zebin", "pvc") for kernel in capture)
    sections = {}
    for path in (corpus / "2.40/pvc/sycl_rtc/dump").glob("*.progbin"):
        sections |= parse_zebin(path.read_bytes()).code
    assert all(sections[kernel.name].startswith(code_of(kernel)) for kernel in capture)


def test_dumps_with_kernel_names_in_their_file_names(corpus: Path) -> None:
    capture = read_capture(corpus / "2.40/pvc/sycl_rtc_longnames")
    assert sorted(k.name for k in capture) == sorted(k.name for k in read_capture(corpus / "2.40/pvc/sycl_rtc"))


@pytest.mark.parametrize("device", ["pvc", "bmg", "lnl", "ptl", "cri", "arl-h"])
def test_the_device_of_a_bare_dump_is_in_its_binary(corpus: Path, device: str) -> None:
    assert only(read_capture(corpus / f"2.40/{device}/add/dump")).device == device


def test_a_bare_dump_of_a_crashed_compilation_names_its_kernel(corpus: Path) -> None:
    kernel = only(read_capture(corpus / "1.0.12504/pvc/assert/dump"))
    assert (kernel.name, kernel.status, kernel.match) == ("assert_kernel", "failed", "none")


def test_a_triton_cache_alone_lists_its_kernels_and_says_what_to_do(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.variant(ADD)
    made.variant("2.40/pvc/softmax_w4")
    capture = read_capture(made.folder / "triton")
    assert capture.kind == "triton cache"
    assert {k.name: k.status for k in capture} == {"add_kernel": "not built", "softmax_kernel": "not built"}
    assert capture[cache_key(ADD)].variant.num_warps == 4
    assert "xpuasm run" in messages(capture)


def test_kernels_for_another_kind_of_gpu_are_listed(build: Builder) -> None:
    made = build()
    entry = made.folder / "triton" / made.variant(ADD)
    metadata = json.loads((entry / "add_kernel.json").read_text(encoding="utf-8"))
    metadata["target"] = {"backend": "cuda", "arch": 90, "warp_size": 32}
    (entry / "add_kernel.json").write_text(json.dumps(metadata), encoding="utf-8")
    kernel = only(read_capture(made.folder / "triton"))
    assert (kernel.match, kernel.status) == ("none", "ok")
    assert "compiled for cuda" in kernel.notes[0].message


def test_a_folder_with_several_devices_keeps_each_beside_its_dump(corpus: Path) -> None:
    capture = read_capture(corpus / "2.40")
    adds = [kernel for kernel in capture if kernel.name == "add_kernel"]
    assert sorted(k.device or "" for k in adds) == ["arl-h", "bmg", "cri", "dg2", "lnl", "ptl", "pvc"]
    assert all(kernel.match == "spirv" for kernel in adds)
    assert len({kernel.key for kernel in capture}) == len(capture)


def test_the_autotuners_choice_in_a_bare_inductor_cache(build: Builder, tmp_path: Path) -> None:
    made = build()
    key = made.variant(ADD, seed="one")
    made.variant(ADD, seed="two")
    root = tmp_path / "torchinductor"
    shutil.copytree(made.folder / "triton", root / "triton" / "0")
    (root / "py").mkdir()
    (root / "py" / "37609b1f.best_config").write_text(json.dumps({"triton_cache_hash": key}), encoding="utf-8")
    capture = read_capture(root)
    assert {kernel.key: kernel.winner for kernel in capture} == {key: True, cache_key("two"): False}


# ------------------------------------------------------------------ what a run wrote down


def test_info_is_what_the_run_recorded(build: Builder) -> None:
    capture = read_capture(build().folder)
    assert (capture.kind, capture.info.state, capture.info.device["card"]) == ("capture", "finished", "max1550")
    assert capture.info.versions["triton_xpu"] == "3.3.0b1"
    assert capture.info.fidelity == ("launches are recorded, not executed",)


def test_kernels_stand_in_the_order_in_which_they_were_compiled(build: Builder) -> None:
    made = build()
    for case in (SPILL, ADD, MATMUL):
        made.kernel(case)
    assert [kernel.name for kernel in read_capture(made.folder)] == ["spill_kernel", "add_kernel", "matmul_kernel"]


def test_launches_are_the_last_count_of_each_process_added_up(build: Builder) -> None:
    made = build()
    key, other = made.kernel(ADD), made.kernel(SPILL)
    launch = {"key": key, "name": "add_kernel", "grid": [4, 1, 1], "args": ["*fp32:16", "i32"]}
    made.lines("launches.jsonl", *({**launch, "count": n, "pid": 7} for n in (1, 2, 4, 5)))
    made.lines("launches.jsonl", {**launch, "count": 3, "pid": 8}, {**launch, "grid": [2, 1, 1], "count": 1, "pid": 7})
    capture = read_capture(made.folder)
    args = ("*fp32:16", "i32")
    assert capture[key].launches == (Launch((4, 1, 1), args, 8), Launch((2, 1, 1), args, 1))
    assert capture[other].launches == ()


def test_launches_that_a_real_device_did_not_record_are_unknown(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    assert only(read_capture(made.folder)).launches is None


def test_an_only_config_has_won_and_of_several_nobody_where_nothing_was_measured(build: Builder) -> None:
    made = build()
    alone = made.kernel(SPILL)
    made.kernel(ADD, seed="a", autotuned=True, constants={"BLOCK": 128})
    made.kernel(ADD, seed="b", autotuned=True, constants={"BLOCK": 256})
    capture = read_capture(made.folder)
    assert capture[alone].winner is True
    assert [kernel.winner for kernel in capture if kernel.name == "add_kernel"] == [None, None]
    assert {kernel.group for kernel in capture} == {"spill_kernel", "add_kernel"}


def test_two_specializations_without_a_tuner_both_count(build: Builder) -> None:
    made = build()
    made.kernel(ADD, seed="a")
    made.kernel(ADD, seed="b")
    assert [kernel.winner for kernel in read_capture(made.folder)] == [True, True]


def test_a_real_devices_autotuner_says_times_and_winner(build: Builder) -> None:
    made = build(real=True)
    keys = [made.variant(ADD, seed=seed, autotuned=True) for seed in ("a", "b")]
    made.lines("autotune.jsonl", {"key": keys[0], "time_ms": 0.5, "winner": False})
    made.lines("autotune.jsonl", {"key": keys[1], "time_ms": 0.25, "winner": True})
    capture = read_capture(made.folder)
    assert [(capture[key].time_ms, capture[key].winner) for key in keys] == [(0.5, False), (0.25, True)]


def test_inductors_choice_is_the_winner(build: Builder) -> None:
    made = build(real=True)
    keys = [made.variant(ADD, seed=seed, autotuned=True) for seed in ("a", "b")]
    (made.folder / "inductor" / "py").mkdir()
    chosen = made.folder / "inductor" / "py" / "37609b1f.best_config"
    chosen.write_text(json.dumps({"XBLOCK": 512, "time_taken_ms": 36, "triton_cache_hash": keys[1]}), encoding="utf-8")
    capture = read_capture(made.folder)
    assert [capture[key].winner for key in keys] == [False, True]
    assert capture[keys[1]].time_ms is None


def test_one_name_in_two_graphs_is_two_groups(build: Builder) -> None:
    made = build()
    sources = ["inductor/aa/caa.py", "inductor/bb/cbb.py"]
    for graph, source in enumerate(sources):
        (made.folder / source).parent.mkdir()
        (made.folder / source).write_text("# kernel\n", encoding="utf-8")
        wrapper = f"inductor/aa/wrapper{graph}.py"
        (made.folder / wrapper).write_text(f"# kernel path: {RUN_PATH}/{source}\n", encoding="utf-8")
        made.lines("inductor_graphs.jsonl", {"graph": graph, "wrapper": wrapper})
        made.kernel(ADD, seed=source, fn_file=f"{RUN_PATH}/{source}", fn_line=20)
    capture = read_capture(made.folder)
    assert [kernel.group for kernel in capture] == ["add_kernel (graph 0)", "add_kernel (graph 1)"]
    assert [kernel.path("python") for kernel in capture] == [made.folder / source for source in sources]


def test_kernels_of_a_graph_that_a_benchmark_decided_say_so(build: Builder) -> None:
    made = build()
    (made.folder / "inductor" / "wrapper.py").write_text(f"# kernel path: {RUN_PATH}/inductor/k.py\n", encoding="utf-8")
    graph = {"graph": 2, "wrapper": "inductor/wrapper.py", "benchmark_decided": True, "decided_by": ["max_autotune"]}
    made.lines("inductor_graphs.jsonl", graph)
    made.kernel(ADD, fn_file=f"{RUN_PATH}/inductor/k.py")
    assert only(read_capture(made.folder)).notes[0].message == (
        "a benchmark decides which kernels graph 2 has (max_autotune); without a GPU it measured nothing"
    )


def test_python_is_the_users_cell_wherever_the_folder_is_now(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.kernel(ADD)
    moved = tmp_path / "moved ünïcode"
    made.folder.rename(moved)
    assert only(read_capture(moved)).listing("python").text == "import triton\n"


def test_a_scripts_kernels_have_its_copy_as_source(build: Builder) -> None:
    made = build()
    made.write_record(source={"kind": "script", "script": "/home/someone/train.py", "path": "cell.py"})
    made.kernel(ADD, fn_file="/home/someone/train.py")
    assert only(read_capture(made.folder)).path("python") == made.folder / "cell.py"


@pytest.mark.parametrize("file", ["/etc/passwd", f"{RUN_PATH}/../../../etc/passwd", "../secret.py", "", "\0", "."])
def test_no_file_outside_the_capture_is_read(build: Builder, tmp_path: Path, file: str) -> None:
    (tmp_path / "secret.py").write_text("secret", encoding="utf-8")
    made = build()
    made.kernel(ADD, fn_file=file)
    assert "python" not in only(read_capture(made.folder)).stages


def test_a_link_out_of_the_capture_is_not_followed(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret", encoding="utf-8")
    made = build()
    key = made.kernel(ADD, fn_file=f"{RUN_PATH}/link.py")
    (made.folder / "link.py").symlink_to(tmp_path / "secret.py")
    (made.folder / "triton" / key / "add_kernel.ttir").unlink()
    (made.folder / "triton" / key / "add_kernel.ttir").symlink_to(tmp_path / "secret.py")
    stages = only(read_capture(made.folder)).stages
    assert "python" not in stages
    assert "ttir" not in stages


# ------------------------------------------------------------------ while it is written, and damaged


def test_a_capture_can_be_read_while_it_is_written(build: Builder) -> None:
    made = build(state="running")
    built, building, waiting = made.kernel(ADD), made.variant(SPILL), made.variant(MATMUL)
    made.build(building, SPILL, ".pvc-default")
    with (made.folder / "variants.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"t": 2.0, "key": "ABC')
    capture = read_capture(made.folder)
    statuses = {key: capture[key].status for key in (built, building, waiting)}
    assert statuses == {built: "ok", building: "not built", waiting: "not built"}
    assert "had not ended" in messages(capture)
    assert "damaged" not in messages(capture)


def test_builds_that_the_end_of_the_run_cut_off_are_interrupted(build: Builder) -> None:
    made = build(state="interrupted")
    key = made.variant(ADD)
    (made.build(key, ADD) / "build.json").unlink()
    kernel = only(read_capture(made.folder))
    assert (kernel.status, kernel.match) == ("interrupted", "none")


def test_damaged_records_cost_only_themselves(build: Builder) -> None:
    made = build()
    made.kernel(ADD)
    with (made.folder / "variants.jsonl").open("a", encoding="utf-8") as file:
        file.write('not json\n[]\n{"key": 3}\n{"key": "../../etc", "name": "x"}\n')
    (made.folder / "launches.jsonl").write_text("\x00\n", encoding="utf-8")
    capture = read_capture(made.folder)
    assert only(capture).match == "spirv"
    assert "variants.jsonl: 2 damaged lines left out" in messages(capture)
    assert "launches.jsonl: 1 damaged line left out" in messages(capture)


def test_a_damaged_record_of_the_run_leaves_the_kernels(build: Builder) -> None:
    made = build()
    made.kernel(ADD)
    (made.folder / "capture.json").write_text('{"schema": 1, "cre', encoding="utf-8")
    capture = read_capture(made.folder)
    assert only(capture).match == "spirv"
    assert "capture.json: damaged json" in messages(capture)


def test_a_truncated_zebin_is_a_note_and_the_dumped_program_serves(build: Builder) -> None:
    made = build()
    key = made.kernel("2.40/pvc/matmul_w8_large")
    zebin = made.folder / "igc" / key / "pvc-default" / "kernel.bin"
    zebin.write_bytes(zebin.read_bytes()[:5000])
    capture = read_capture(made.folder)
    kernel = only(capture)
    assert (kernel.match, "_1_simd16_" in kernel.path("isa").name) == ("spirv", True)
    assert f"igc/{key}/pvc-default/kernel.bin: the zebin is cut short" in messages(capture)
    assert kernel.notes == tuple(note for note in capture.notes if note.path)


def test_without_any_whole_binary_the_last_attempt_is_shown_and_said_to_be_unproven(build: Builder) -> None:
    made = build()
    key = made.kernel("2.40/pvc/matmul_w8_large")
    folder = made.folder / "igc" / key / "pvc-default"
    for path in (folder / "kernel.bin", next(folder.glob("dump/*.progbin"))):
        path.write_bytes(b"\x7fELF")
    kernel = only(read_capture(made.folder))
    assert "_1_simd16_" in kernel.path("isa").name
    assert "no whole binary" in kernel.notes[0].message
    assert kernel.env is not None
    assert kernel.env.spill_size == 0


def test_a_damaged_zeinfo_is_a_note_and_the_listing_stays(build: Builder) -> None:
    made = build()
    key = made.kernel(ADD)
    folder = made.folder / "igc" / key / "pvc-default"
    for path in (folder / "kernel.bin", *folder.glob("dump/*.zeinfo"), *folder.glob("dump/*.progbin")):
        path.write_bytes(path.read_bytes().replace(b"grf_count:       128", b"grf_count:       [28"))
    capture = read_capture(made.folder)
    kernel = only(capture)
    assert (kernel.match, kernel.env) == ("spirv", None)
    assert kernel.header is not None
    assert kernel.header.num_grf == 128
    assert "damaged .ze_info" in messages(capture)


def test_an_empty_listing_is_a_note_and_the_binary_is_shown_instead(build: Builder) -> None:
    made = build()
    key = made.kernel(ADD)
    next((made.folder / "igc" / key).rglob("*.asm")).write_bytes(b"")
    capture = read_capture(made.folder)
    kernel = only(capture)
    assert kernel.header is None
    assert "the listing is empty" in messages(capture)
    assert kernel.path("isa").name == "kernel.bin"
    assert kernel.env is not None
    assert kernel.env.grf_count == 128


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    capture = read_capture(tmp_path)
    assert (len(capture), messages(capture)) == (0, "None: the folder is empty")


def test_a_folder_of_other_things_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    assert "none of the 1 files here" in messages(read_capture(tmp_path))


def test_a_path_that_is_nothing_readable_is_the_users_slip(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_capture(tmp_path / "none")
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="neither a folder nor a zip"):
        read_capture(tmp_path / "file.txt")


def test_a_deleted_capture_says_that_the_file_is_gone(build: Builder) -> None:
    made = build()
    made.kernel(ADD)
    kernel = only(read_capture(made.folder))
    shutil.rmtree(made.folder)
    with pytest.raises(FileNotFoundError):
        kernel.listing("isa")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a" * 300, "käse ☃", "$(rm -rf x)", "-rf", "a\nb", "."])
def test_names_that_somebody_chose_to_do_harm(build: Builder, name: str) -> None:
    made = build()
    key = made.kernel(ADD)
    entry = made.folder / "triton" / key
    metadata = json.loads((entry / "add_kernel.json").read_text(encoding="utf-8"))
    (entry / "add_kernel.json").write_text(json.dumps(metadata | {"name": name}), encoding="utf-8")
    capture = read_capture(made.folder)
    assert only(capture).name == name
    assert only(capture).match == "none"
    assert len(capture.table) == 1


@pytest.mark.parametrize("key", ["..", ".", "a/b", "/etc", "", "\0"])
def test_a_key_never_leads_out_of_the_capture(build: Builder, key: str) -> None:
    made = build()
    made.lines("variants.jsonl", {"key": key, "name": "k"})
    assert len(read_capture(made.folder)) == 0


def test_any_file_cut_anywhere_costs_at_most_its_own_view(build: Builder) -> None:
    made = build()
    for case in ("2.40/pvc/matmul_w8_large", "1.0.12504/pvc/add"):
        made.kernel(case)
    made.lines("launches.jsonl", {"key": "k", "name": "n", "grid": [1], "args": [], "count": 1, "pid": 1})
    choose = random.Random(3)
    for path in sorted(path for path in made.folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for damaged in (b"", whole[: choose.randrange(len(whole) + 1)], choose.randbytes(64) + whole[64:]):
            path.write_bytes(damaged)
            capture = read_capture(made.folder)
            assert len(capture.table) == len(capture)
            for kernel in capture:
                for stage in kernel.stages.values():
                    if stage.path == path and not (stage.stage == "isa" and path.name == "kernel.bin"):
                        with contextlib.suppress(ParseError):
                            stage.parse(path)
        path.write_bytes(whole)


# ------------------------------------------------------------------ archives


def zipped(folder: Path, archive: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(folder.rglob("*")):
            target.write(path, prefix + path.relative_to(folder).as_posix())
    return archive


@pytest.mark.parametrize("prefix", ["", "capture-20261130/"])
def test_a_zip_of_a_capture_opens_the_same_way(build: Builder, tmp_path: Path, prefix: str) -> None:
    made = build()
    made.kernel(ADD)
    made.kernel("2.40/pvc/matmul_w8_large")
    archive_path = zipped(made.folder, tmp_path / "capture.zip", prefix)
    before, after = read_capture(made.folder), read_capture(archive_path)
    assert after.table.equals(before.table)
    assert [k.listing().text for k in after] == [k.listing().text for k in before]
    assert read_capture(archive_path).folder == after.folder


def test_a_zip_writes_nothing_outside_its_folder(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.kernel(ADD)
    path = zipped(made.folder, tmp_path / "evil.zip")
    link = zipfile.ZipInfo("cell_link.py")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as target:
        target.writestr("../outside.txt", "x")
        target.writestr("/tmp/absolute-outside.txt", "x")
        target.writestr("a/../../outside2.txt", "x")
        target.writestr(link, "/etc/passwd")
    capture = read_capture(path)
    assert only(capture).match == "spirv"
    assert not list(capture.folder.parent.rglob("*outside*"))
    assert not list(tmp_path.rglob("*outside*"))
    assert not (capture.folder / "cell_link.py").exists()
    assert messages(capture).count("was left out") == 4


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1 << 20)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("capture.json", "{" + " " * (2 << 20))
    capture = read_capture(path)
    assert len(capture) == 0
    assert "cannot be unpacked" in messages(capture)


def test_a_damaged_zip_costs_the_damaged_files(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.kernel(ADD)
    path = zipped(made.folder, tmp_path / "cut.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as source:
        listing = next(member for member in source.infolist() if member.filename.endswith(".asm"))
    start = listing.header_offset + 200
    data[start : start + 40] = bytes(40)
    path.write_bytes(data)
    capture = read_capture(path)
    assert only(capture).status == "ok"
    assert "is damaged" in messages(capture)


def test_a_zip_cut_short_is_not_an_archive(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.kernel(ADD)
    path = zipped(made.folder, tmp_path / "cut.zip")
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(UsageError, match="neither a folder nor a zip"):
        read_capture(path)


def test_reading_changes_nothing_in_the_folder(build: Builder) -> None:
    made = build()
    made.kernel(ADD)

    def state() -> dict[Path, str]:
        files = (path for path in made.folder.rglob("*") if path.is_file())
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = state()
    capture = read_capture(made.folder)
    assert not capture.table.empty
    assert state() == before


# ------------------------------------------------------------------ evidence that is worth nothing


def options_of(live: Path, text: str | None, *, file: bool = True) -> None:
    """What IGC writes of the options of a build: into the command line always, into a file only if there are any."""
    (command,) = live.glob("*_cmd.txt")
    options = command.with_name(command.name.replace("_cmd", "_options"))
    words = command.read_text(encoding="utf-8").replace(f" -foptions {options.name}", "")
    if text and file:
        words = words.replace(" -finternal_options", f" -foptions {options.name} -finternal_options")
    command.write_text(words, encoding="utf-8")
    if text:
        options.write_text(text, encoding="utf-8")


def test_options_that_an_earlier_build_left_are_no_evidence(build: Builder) -> None:
    made = build(real=True)
    optimized = made.variant(ADD, seed="optimized")
    plain = made.variant(ADD, seed="plain", build_flags="-cl-opt-disable")
    options_of(flat(made, ADD), "-cl-opt-disable", file=False)
    capture = read_capture(made.folder)
    assert capture[optimized].match == "spirv"
    assert (capture[plain].match, "isa" in capture[plain].stages) == ("none", False)
    assert "overwritten" in capture[plain].notes[0].message


def test_options_without_a_command_line_that_names_them_prove_nothing(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD, build_flags="-cl-opt-disable")
    live = flat(made, ADD)
    options_of(live, "-cl-opt-disable")
    assert only(read_capture(made.folder)).match == "spirv"
    next(live.glob("*_cmd.txt")).unlink()
    assert only(read_capture(made.folder)).match == "ambiguous"


def test_a_build_that_began_after_the_code_was_written_has_left_no_code(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    live = flat(made, ADD)
    for path in (*live.glob("*.spv"), *live.glob("*_cmd.txt"), *live.glob("*_options.txt")):
        later = path.stat().st_mtime + 60
        os.utime(path, (later, later))
    kernel = only(read_capture(made.folder))
    assert (kernel.match, "isa" in kernel.stages) == ("ambiguous", False)


@pytest.mark.parametrize(("asked", "used"), [("-cl-opt-disable", ""), ("", "-cl-opt-disable"), ("-a -b", "-a")])
def test_flags_that_differ_in_anything_prove_nothing(build: Builder, asked: str, used: str) -> None:
    made = build(real=True)
    made.variant(ADD, build_flags=asked)
    options_of(flat(made, ADD), used)
    kernel = only(read_capture(made.folder))
    assert (kernel.match, "isa" in kernel.stages) == ("ambiguous", False)


def test_the_order_of_flags_means_nothing(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD, build_flags="-a -b")
    options_of(flat(made, ADD), "-b  -a")
    assert only(read_capture(made.folder)).match == "spirv"


def test_the_loaders_rebuild_with_more_grf_is_the_variants(build: Builder) -> None:
    made = build(real=True)
    made.variant(SPILL)
    flat(made, SPILL_LARGE)
    kernel = only(read_capture(made.folder))
    assert (kernel.match, kernel.header and kernel.header.num_grf) == ("spirv", 256)


def test_binaries_that_were_swapped_are_shown_for_neither_kernel(build: Builder) -> None:
    made = build()
    keys = [made.kernel(ADD), made.kernel("2.40/pvc/softmax_w4")]
    one, two = (made.folder / "igc" / key / "pvc-default" / "kernel.bin" for key in keys)
    content = one.read_bytes(), two.read_bytes()
    one.write_bytes(content[1])
    two.write_bytes(content[0])
    for kernel in read_capture(made.folder):
        assert (kernel.match, kernel.env, "isa" in kernel.stages) == ("none", None, False)
        assert kernel.notes[0].severity == "error"
        assert "another SPIR-V module" in kernel.notes[0].message


@pytest.mark.parametrize("size", [0, 16, 13, 1600])
def test_code_that_was_cut_short_proves_nothing(build: Builder, size: int) -> None:
    """The first instructions of two builds of one module are the same."""
    made = build(real=True)
    key = made.variant(SPILL)
    live = flat(made, SPILL_LARGE)
    os.truncate(next(live.glob("*.dat")), size)
    shutil.copyfile(made.corpus / SPILL / "spill_kernel.bin", made.folder / "triton" / key / "spill_kernel.zebin")
    kernel = only(read_capture(made.folder))
    assert (kernel.match, kernel.header) == ("zebin", None)
    assert kernel.path("isa").name == "spill_kernel.zebin"


def test_a_listing_that_is_not_of_all_the_code_is_not_shown(build: Builder) -> None:
    made = build()
    key = made.kernel(MATMUL)
    listing = next((made.folder / "igc" / key).rglob("*.asm"))
    os.truncate(listing, listing.stat().st_size // 2)
    kernel = only(read_capture(made.folder))
    assert (kernel.header, kernel.path("isa").name) == (None, "kernel.bin")
    assert "the listing is damaged" in kernel.notes[0].message


def test_code_for_another_device_than_the_variants_is_not_chosen(build: Builder) -> None:
    made = build()
    entry = made.folder / "triton" / made.variant(ADD)
    metadata = json.loads((entry / "add_kernel.json").read_text(encoding="utf-8"))
    metadata["target"]["arch"] |= {"name": "Intel(R) Data Center GPU Max 1550", "version": "12.60.7"}
    (entry / "add_kernel.json").write_text(json.dumps(metadata), encoding="utf-8")
    shutil.copytree(made.corpus / "2.40/bmg/add/dump", entry / "dump")
    kernel = only(read_capture(entry))
    assert (kernel.match, "isa" in kernel.stages) == ("ambiguous", False)
    assert "compiled for Intel(R) Data Center GPU Max 1550, but the code in the dump is for bmg" in str(kernel.notes)


def test_code_for_another_device_than_the_runs_is_not_chosen(build: Builder) -> None:
    made = build(real=True)
    made.variant(ADD)
    flat(made, "2.40/bmg/add")
    assert only(read_capture(made.folder)).match == "ambiguous"


def spilling(made: CaptureBuilder, **decision: object) -> Kernel:
    key = made.variant(SPILL)
    made.build(key, SPILL, "pvc-default")
    made.build(key, SPILL_LARGE, "pvc-grf256", flags="-cl-intel-256-GRF-per-thread")
    made.decision(key, "pvc-default", **decision)
    return only(read_capture(made.folder))


def test_a_decision_that_its_own_numbers_contradict_is_corrected_and_said(build: Builder) -> None:
    kernel = spilling(build(), n_regs=256, spill_bytes=5440)
    assert kernel.env is not None
    assert (kernel.env.grf_count, "pvc-grf256" in kernel.path("isa").parts) == (256, True)
    assert [attempt.label for attempt in kernel.attempts if attempt.label.startswith("pvc")] == ["pvc-default"]
    assert kernel.notes[-1].message == (
        "loader.json names the build pvc-default, and says 256 registers where its binary says 128, 5,440 bytes of "
        "spill where its binary says 15,680; shown is pvc-grf256, which has these values"
    )


def test_a_decision_whose_numbers_fit_no_build_stands_with_a_warning(build: Builder) -> None:
    kernel = spilling(build(), n_regs=64, spill_bytes=15680)
    assert kernel.env is not None
    assert kernel.env.grf_count == 128
    assert kernel.notes[-1].message.endswith("says 64 registers where its binary says 128")


def test_a_decision_with_the_builds_own_numbers_is_no_note(build: Builder) -> None:
    assert not spilling(build(), n_regs=128, spill_bytes=15680).notes


# ------------------------------------------------------------------ what is no file


def test_pipes_in_a_capture_are_not_read(build: Builder) -> None:
    made = build()
    key = made.kernel(ADD)
    build_folder = made.folder / "igc" / key / "pvc-default"
    elf = next(build_folder.glob("dump/*.elf"))
    for path in (*made.folder.glob("*.jsonl"), made.folder / "capture.json", build_folder / "kernel.bin", elf):
        path.unlink()
        os.mkfifo(path)
    kernel = only(read_capture(made.folder / "igc" / key / "pvc-default"))
    assert kernel.listing().lines
    assert len(read_capture(made.folder)) == 1


def test_links_to_folders_and_devices_are_not_followed(build: Builder, tmp_path: Path) -> None:
    made = build()
    key = made.kernel(ADD)
    outside = tmp_path / "outside"
    (made.folder / "triton").rename(outside)
    (made.folder / "triton").symlink_to(outside)
    decision = made.folder / "igc" / key / "loader.json"
    decision.unlink()
    decision.symlink_to("/dev/zero")
    (made.folder / "autotune.jsonl").symlink_to("/dev/zero")
    capture = read_capture(made.folder)
    assert (only(capture).match, "ttir" in only(capture).stages) == ("none", False)
    assert messages(capture).count("triton: a link to elsewhere: not followed") == 1


def test_a_source_behind_a_linked_folder_is_not_read(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("secret", encoding="utf-8")
    made = build()
    made.kernel(ADD, fn_file=f"{RUN_PATH}/src/secret.py")
    (made.folder / "src").symlink_to(tmp_path / "outside")
    assert "python" not in only(read_capture(made.folder)).stages


def test_a_folder_that_may_not_be_read_is_the_users_slip(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("xpuasm_magic.catalog.os.scandir", refuse)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        read_capture(tmp_path)


def test_one_member_of_a_zip_that_cannot_be_written_costs_itself(build: Builder, tmp_path: Path) -> None:
    made = build()
    made.kernel(ADD)
    path = zipped(made.folder, tmp_path / "odd.zip")
    with zipfile.ZipFile(path, "a") as target:
        target.writestr("n" * 300, "x")
        target.writestr("capture.json/inside", "x")
        target.writestr("igc", "a file where a folder is")
    capture = read_capture(path)
    assert only(capture).match == "spirv"
    assert capture.info.state == "finished"
    assert messages(capture).count("was left out") == 3


def test_a_zip_of_too_many_files_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as target:
        for number in range(4):
            target.writestr(f"{number}", "")
    capture = read_capture(path)
    assert messages(capture) == "None: many.zip cannot be unpacked: it holds 4 files, more than 3"


def test_a_folder_of_other_things_says_that_it_is_no_capture_and_where_each_kernel_was(
    build: Builder, tmp_path: Path
) -> None:
    made = build()
    key = made.variant(ADD)
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text("x", encoding="utf-8")
    capture = read_capture(tmp_path)
    assert capture.notes[0].message == "this is no capture: 1 kernel was found in loose files below"
    assert [note.path for note in only(capture).notes] == [f"capture/triton/{key}"]


@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\x85", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f"])
def test_characters_that_terminals_obey_are_shown(sign: str) -> None:
    assert visible(f"a{sign}b\tc\n") == "a␦b\tc\n"
