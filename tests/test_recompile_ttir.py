"""Triton asked again from a variant's TTIR."""

from __future__ import annotations

import json
import threading

import pytest
from capture_builder import CaptureBuilder

from xpuasm_magic import read_capture
from xpuasm_magic.childenv import find_child
from xpuasm_magic.offline.devices import find_device
from xpuasm_magic.recompile import ttir
from xpuasm_magic.recompile.ttir import Change


@pytest.fixture
def builder(tmp_path, corpus):
    return CaptureBuilder(tmp_path / "capture", corpus)


def kernel(builder, case):
    key = builder.variant(case, seed=case)
    return read_capture(builder.folder)[key]


def run(jobs, tmp_path, **settings):
    answers = {}
    outs = [tmp_path / "outs" / str(number) for number in range(len(jobs))]
    options = {"timeout_s": 120, "stopped": lambda: False} | settings
    ttir.run(jobs, outs, answers.__setitem__, **options)
    return [answers.get(number) for number in range(len(jobs))], outs


def test_with_nothing_changed_the_spirv_is_the_captured_one_byte_for_byte(builder, corpus, tmp_path):
    """Every Triton kernel of the corpus, though another machine, under other paths, compiled it."""
    cases = [path.parent.relative_to(corpus).as_posix() for path in sorted(corpus.glob("2.40/pvc/*/*.ttir"))]
    kernels = [kernel(builder, case) for case in cases]
    assert len(kernels) > 10
    device, python = find_device("pvc"), find_child()
    answers, outs = run([ttir.job(one, device, Change(), python) for one in kernels], tmp_path)
    assert [answer["status"] for answer in answers] == ["ok"] * len(kernels)
    for one, out in zip(kernels, outs, strict=True):
        [module] = out.glob("*.spv")
        assert module.read_bytes() == one.path("spv").read_bytes(), one
        [metadata] = [json.loads(p.read_text()) for p in out.glob("@*.json")]
        for name in ("shared", "num_warps", "num_stages", "threads_per_warp", "build_flags"):
            assert metadata[name] == one.variant.metadata[name]


def test_switches_that_triton_recorded_are_set_again_and_nothing_else(builder):
    key = builder.variant("2.40/pvc/add")
    path = builder.folder / "triton" / key / "add_kernel.json"
    recorded = {
        "TRITON_INTEL_RAISE_BLOCK_POINTER": "1",
        "DISABLE_LLVM_OPT": True,
        "TRITON_CACHE_DIR": "/elsewhere",
        "TRITON_EVIL": "$(rm)",
        "LD_PRELOAD": "x.so",
    }
    path.write_text(json.dumps(json.loads(path.read_text()) | recorded))
    job = ttir.job(read_capture(builder.folder)[key], find_device("pvc"), Change(num_warps=8), find_child())
    assert job.environment == {"TRITON_INTEL_RAISE_BLOCK_POINTER": "1", "DISABLE_LLVM_OPT": "True"}
    assert job.options["num_warps"] == 8
    assert not {"LD_PRELOAD", "target", "hash", "extern_libs", "name"} & set(job.options)


def test_the_width_that_dpas_forced_is_not_taken_for_a_wish(builder):
    matmul = kernel(builder, "2.40/pvc/matmul_w16_default")
    assert matmul.variant.threads_per_warp == 16
    assert ttir.job(matmul, find_device("arl-h"), Change(), find_child()).options["threads_per_warp"] == 32
    wide = ttir.job(matmul, find_device("arl-h"), Change(threads_per_warp=16), find_child())
    assert wide.options["threads_per_warp"] == 16
    softmax = kernel(builder, "2.40/pvc/softmax_w4")
    assert ttir.job(softmax, find_device("pvc"), Change(), find_child()).options["threads_per_warp"] == 32


def test_damaged_ttir_is_answered_in_tritons_words_and_others_go_on(builder, tmp_path):
    add = kernel(builder, "2.40/pvc/add")
    bad = tmp_path / "bad.ttir"
    bad.write_text(add.path("ttir").read_text()[:500])
    good = ttir.job(add, find_device("pvc"), Change(), find_child())
    answers, _ = run([ttir.Job(bad, good.device, good.options, {}, good.python), good], tmp_path)
    assert answers[0]["status"] in {"failed", "crashed"}
    assert answers[0]["error"]
    assert answers[1]["status"] == "ok"


def test_a_time_limit_ends_one_job(builder, tmp_path):
    attention = kernel(builder, "2.40/pvc/attn_w8_small")
    job = ttir.job(attention, find_device("mtl"), Change(num_stages=3), find_child())
    answers, _ = run([job], tmp_path, timeout_s=0.02)  # no machine compiles it in that time
    assert answers[0]["status"] == "timeout"
    assert "time limit of 0.02 s" in answers[0]["error"]


def test_stopped_jobs_are_not_answered(builder, tmp_path):
    add = kernel(builder, "2.40/pvc/add")
    stop = threading.Event()
    job = ttir.job(add, find_device("pvc"), Change(num_warps=2), find_child())
    threading.Timer(0.2, stop.set).start()
    answers, _ = run([job], tmp_path, stopped=stop.is_set)
    assert answers == [None]


def test_a_python_without_triton_is_told_of(builder, tmp_path):
    add = kernel(builder, "2.40/pvc/add")
    job = ttir.job(add, find_device("pvc"), Change(num_warps=16), find_child())
    broken = type(job.python)(**{**vars(job.python), "path": tmp_path / "python"})
    (tmp_path / "python").write_text("#!/bin/sh\necho no module named triton >&2\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    [answer], _ = run([ttir.Job(job.ttir, job.device, job.options, {}, broken)], tmp_path)
    assert answer["status"] == "failed"
    assert "no module named triton" in answer["error"]
