"""What if: captured kernels under other conditions, with the real Triton and the real ocloc."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from capture_builder import CaptureBuilder

import xpuasm_magic.recompile as package
from xpuasm_magic import home, read_capture
from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.errors import UsageError
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.recompile import WhatIf, recompile
from xpuasm_magic.toolchain import Toolchain

ADD, SPILL = "2.40/pvc/add", "2.40/pvc/spill"
BLOCK_MATMUL, MATMUL = "2.40/pvc/matmul_bp_w16_default", "2.40/pvc/matmul_w16_default"
OLD, NEW = "1.0.12504", "2"


@pytest.fixture
def builder(tmp_path, corpus):
    return CaptureBuilder(tmp_path / "capture", corpus)


def captured(builder, *cases, **fields):
    for case in cases:
        builder.kernel(case, **fields)
    return read_capture(builder.folder)


def column(found: WhatIf, name: str) -> list:
    return [None if pd.isna(value) else value for value in found.table[name]]


def files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.*")}


def test_a_spilling_kernel_is_answered_for_every_grf_mode(builder):
    found = recompile(captured(builder, SPILL), grf=[128, 256, "auto"])
    assert column(found, "status") == ["ok"] * 3
    assert column(found, "question") == ["spirv"] * 3
    assert column(found, "grf_mode") == ["128", "256", "auto"]
    assert column(found, "grf") == [128, 256, 256]
    spills = column(found, "spill_bytes")
    assert spills[0] > spills[1] == spills[2] > 0
    assert column(found, "threads_per_eu") == [8, 4, 4]
    assert column(found, "checks") == ["ok"] * 3


def test_figures_are_those_of_the_captures_table_and_of_the_zebin(builder):
    found = recompile(captured(builder, ADD, SPILL), device=["pvc", "bmg"])
    values = {one.name: one.value for one in COLUMNS}
    for row, (_, cells) in zip(found, found.table.iterrows(), strict=True):
        for name in ("simd", "grf", "spill_bytes", "instructions", "dpas", "sends", "isa_bytes"):
            assert cells[name] == values[name](row.kernel)
        code = parse_zebin(row.kernel.path("zebin").read_bytes()).code[row.kernel.name]
        assert code.startswith(next(row.kernel.path("isa").parent.glob("*.dat")).read_bytes())
        assert row.kernel.match == "spirv"


def test_nothing_changed_gives_the_captured_code(builder):
    capture = captured(builder, ADD, SPILL, MATMUL)
    found = recompile(capture)
    for row, kernel in zip(found, capture, strict=True):
        assert row.kernel.isa_bytes == kernel.isa_bytes
        assert row.kernel.path("isa").with_suffix(".dat").read_bytes() == (
            kernel.path("isa").with_suffix(".dat").read_bytes()
        )


def test_listings_open_and_any_two_cells_compare(builder):
    from xpuasm_magic.compare import diff

    builder.folder.joinpath("cell.py").write_text("import triton\n# the kernel\n")
    found = recompile(captured(builder, SPILL), grf=[128, 256])
    small, large = found.kernels
    for stage in ("python", "ttir", "ttgir", "llir", "visa", "isa", "zeinfo", "log"):
        assert large.listing(stage).lines, stage
    assert large.listing("python").text.startswith("import triton")
    change = diff(small, large)
    assert change is not None
    assert found.capture[small.key] is small


def test_more_registers_than_two_modes_where_the_device_has_them(builder):
    found = recompile(captured(builder, ADD), device=["ptl", "bmg"], grf=[32, 96, 160, "auto"])
    assert column(found, "grf")[:3] == [32, 96, 160]
    assert column(found, "status") == ["ok"] * 4 + ["refused"] * 3 + ["ok"]
    assert column(found, "reason")[4] == "bmg has no mode of 32 registers; it has 128, 256"


def test_what_the_device_lacks_is_refused_with_the_reason_and_not_compiled(builder, monkeypatch):
    capture = captured(builder, BLOCK_MATMUL, MATMUL)
    monkeypatch.setattr(Toolchain, "compile", lambda *a, **k: pytest.fail("it was compiled"))
    found = recompile(capture, device="mtl")
    assert column(found, "status") == ["refused", "refused"]
    assert column(found, "reason") == [
        "the module uses 2D block reads and writes, which mtl does not have (cl_intel_subgroup_2d_block_io)",
        "the module uses matrix multiplication (dpas), which mtl does not have "
        "(cl_intel_subgroup_matrix_multiply_accumulate)",
    ]
    assert column(found, "grf") == [None, None]
    assert found.kernels == ()


def test_shared_memory_beyond_a_work_groups_is_refused(builder):
    capture = captured(builder, "2.40/pvc/trans", shared=67_584)
    found = recompile(capture, device=["a770", "pvc"])
    assert column(found, "status")[0] == "refused"
    assert column(found, "reason")[0] == (
        "a work-group needs 67,584 bytes of shared local memory; acm-g10 has 65,536 for one"
    )


def test_dpas_that_igc_replaces_is_told(builder):
    """DG2's and Arrow Lake's dpas works on 8 work-items: IGC takes other instructions for 16."""
    found = recompile(captured(builder, MATMUL), device=["arl-h", "pvc"])
    assert column(found, "dpas")[0] == 0
    assert column(found, "dpas")[1] > 0
    assert "no dpas" in column(found, "reason")[0]
    assert column(found, "reason")[1] is None


def test_builtins_that_an_older_igc_does_not_know_make_a_cell_incomplete(builder):
    found = recompile(captured(builder, ADD, BLOCK_MATMUL), toolchain=[OLD, NEW])
    assert column(found, "status") == ["ok", "ok", "incomplete", "ok"]
    assert "intel_sub_group_2d_block" in column(found, "reason")[2]
    assert len(found.kernels) == 3
    igc = [json.loads((row.kernel.path("zebin").parent / "build.json").read_text())["igc"] for row in found]
    assert igc[0].startswith("1.0.12504")
    assert igc[1].startswith("2.")


def test_a_device_that_a_compiler_does_not_know_is_refused_in_its_words(builder):
    found = recompile(captured(builder, ADD), device="bmg", toolchain=OLD)
    assert column(found, "status") == ["refused"]
    assert "does not know bmg: Error: Cannot get HW Info for device bmg-g21" in column(found, "reason")[0]
    [kernel] = read_capture(found.folder)
    assert (kernel.status, kernel.error) == ("not built", column(found, "reason")[0])


def test_a_failed_compile_is_a_row_with_the_compilers_words(builder):
    capture = captured(builder, ADD, SPILL)
    spv = capture["add_kernel"].path("spv")
    data = bytearray(spv.read_bytes())
    load = data.rindex(b"\x3d\x00\x06\x00")  # an OpLoad of six words becomes an operation that there is not
    data[load : load + 2] = b"\xff\x0f"
    spv.write_bytes(data)
    found = recompile(read_capture(builder.folder))
    assert column(found, "status")[0] in {"failed", "crashed"}
    assert "ocloc" in column(found, "reason")[0]
    assert column(found, "status")[1] == "ok"


def test_a_module_that_is_cut_is_refused_for_igc_would_compile_the_rest(builder):
    spv = captured(builder, ADD)["add_kernel"].path("spv")
    spv.write_bytes(spv.read_bytes()[:4000])
    found = recompile(read_capture(builder.folder))
    assert column(found, "status") == ["refused"]
    assert column(found, "reason") == ["the SPIR-V module is cut short or damaged"]


def test_options_are_an_axis_beside_the_kernels_own(builder):
    found = recompile(captured(builder, ADD), options=["", "-cl-fast-relaxed-math"], opt_disable=True)
    assert column(found, "options") == [
        None,
        "-cl-fast-relaxed-math",
        "-cl-opt-disable",
        "-cl-fast-relaxed-math -cl-opt-disable",
    ]
    plain, _, slow, _ = column(found, "instructions")
    assert slow > plain


def test_the_same_source_with_other_warps_is_another_question(builder):
    found = recompile(captured(builder, "2.40/pvc/softmax_w4"), threads_per_warp=[16, 32], num_warps=[4, 8])
    assert column(found, "question") == ["source"] * 4
    assert column(found, "status") == ["ok"] * 4
    assert column(found, "simd") == column(found, "threads_per_warp") == [16, 16, 32, 32]
    assert column(found, "num_warps") == [4, 8, 4, 8]
    assert all(column(found, "triton"))
    assert len({row.kernel.path("spv").read_bytes() for row in found}) == 4
    assert found.kernels[0].listing("ttgir").text != found.kernels[2].listing("ttgir").text


def test_the_same_source_for_another_device_is_compiled_where_its_spirv_is_refused(builder):
    capture = captured(builder, BLOCK_MATMUL)
    assert column(recompile(capture, device="arl-h"), "status") == ["refused"]
    found = recompile(capture, device="arl-h", question="source")
    assert column(found, "status") == ["ok"]
    assert column(found, "simd") == [32]
    assert column(found, "dpas") == [0]
    assert found.rows[0].kernel.device == "arl-h"


def test_what_triton_makes_of_a_wish_is_told(builder):
    found = recompile(captured(builder, MATMUL), threads_per_warp=[8, 32], num_warps=[4, 64])
    assert column(found, "status") == ["refused", "refused", "ok", "refused"]
    assert column(found, "reason")[0] == "pvc has sub-groups of 16, 32, not of 8"
    assert column(found, "reason")[2].startswith("asked for threads_per_warp 32, Triton took 16")
    assert "2,048 work-items; pvc has at most 1,024" in column(found, "reason")[3]


def test_a_crash_of_triton_is_a_row_with_its_words(builder):
    found = recompile(captured(builder, MATMUL, ADD), device="arl-h", threads_per_warp=8)
    assert column(found, "status") == ["crashed", "ok"]
    assert "Triton crashed (SIGABRT)" in column(found, "reason")[0]
    assert column(found, "slm_bytes")[0] is None


def test_a_work_group_must_fit_on_one_xe_core(builder):
    found = recompile(captured(builder, ADD), threads_per_warp=16, num_warps=64, grf=[128, 256])
    assert column(found, "status") == ["ok", "refused"]
    assert "does not fit on a Xe core of pvc at 256 registers" in column(found, "reason")[1]


def test_the_loaders_second_build_is_told_of(builder):
    builder.write_record(loader_rule={"threshold_bytes": 1000, "flag": "-cl-intel-256-GRF-per-thread", "source": "x"})
    found = recompile(captured(builder, SPILL), device="pvc")
    assert "more than 1,000 bytes of spill and no GRF flag" in column(found, "reason")[0]
    assert column(recompile(captured(builder), grf=128), "reason") == [None]


def test_asked_again_nothing_is_compiled_and_a_cell_of_another_matrix_is_taken_from_the_store(builder, monkeypatch):
    capture = captured(builder, ADD)
    first = recompile(capture, device=["pvc", "bmg"])
    monkeypatch.setattr(Toolchain, "compile", lambda *a, **k: pytest.fail("it was compiled"))
    start = time.perf_counter()
    assert recompile(capture, device=["pvc", "bmg"]) is first
    assert time.perf_counter() - start < 0.3
    package._read.clear()
    assert recompile(capture, device=["pvc", "bmg"]).table.equals(first.table)
    other = recompile(capture, device=["bmg"])
    assert json.loads((other.rows[0].kernel.path("zebin").parent / "build.json").read_text())["cached"] is True


def test_the_same_source_is_given_to_triton_once(builder, monkeypatch):
    capture = captured(builder, ADD)
    recompile(capture, num_warps=8)
    monkeypatch.setattr("xpuasm_magic.recompile.ttir._child", lambda *a: pytest.fail("Triton was run"))
    found = recompile(capture, num_warps=8, grf=[128, 256])
    assert column(found, "status") == ["ok", "ok"]
    assert column(found, "num_warps") == [8, 8]


def test_a_compiler_that_was_killed_is_asked_again(builder, monkeypatch):
    capture, wish = captured(builder, ADD), {"grf": 256, "options": "-cl-mad-enable"}
    monkeypatch.setattr(Toolchain, "compile_command", lambda *a, **k: ["sh", "-c", "kill -9 $$"])
    assert column(recompile(capture, **wish), "status") == ["crashed"]
    monkeypatch.undo()
    assert column(recompile(capture, **wish), "status") == ["ok"]


def test_results_lie_in_a_folder_of_their_own_that_opens_like_a_capture(builder):
    capture = captured(builder, ADD, SPILL)
    before = files(builder.folder)
    found = recompile(capture, device=["pvc", "bmg"], num_warps=8)
    assert files(builder.folder) == before
    assert home.cache_home() in found.folder.parents
    again = read_capture(found.folder)
    assert {kernel.key for kernel in again} == {row.kernel.key for row in found}, "in the order in which they ended"
    assert {kernel.status for kernel in again} == {"ok"}
    assert not [note for kernel in again for note in kernel.notes if "same code" in note.message]
    assert not (found.folder / ".triton").exists()


def test_every_view_opens_the_results(builder):
    from xpuasm_magic.view.html import report_html
    from xpuasm_magic.view.text import summary_text

    found = recompile(captured(builder, ADD, BLOCK_MATMUL), device=["bmg", "mtl"])
    text = summary_text(read_capture(found.folder), width=200)
    assert "4 kernels, 1 not built" in text
    assert "matmul_bp_kernel" in report_html(found.capture)
    assert "refused" in found._repr_html_()


def test_two_processes_that_ask_the_same_do_not_write_over_each_other(builder):
    from xpuasm_magic.capture.folder import claimed

    capture = captured(builder, ADD)
    folder = recompile(capture, grf=256).folder
    (folder / "capture.json").unlink()
    with claimed(folder):
        beside = recompile(capture, grf=256)
    assert beside.folder != folder
    assert column(beside, "status") == ["ok"]


def test_a_kernel_alone_knows_its_capture(builder):
    builder.write_record(device={"requested": "bmg", "name": "bmg", "card": "b570", "ocloc": "bmg-g21", "real": False})
    kernel = captured(builder, ADD)["add_kernel"]
    found = recompile(kernel, grf=256)
    assert [row.device for row in found] == ["b570"]
    assert found.kernels[0].listing("python").lines


def test_cards_of_one_compiler_target_share_a_build(builder):
    found = recompile(captured(builder, ADD), device=["bmg", "b570", "max1100", "pvc"])
    assert column(found, "device") == ["bmg", "b570", "max1100", "pvc"]
    cached = [json.loads(path.read_text())["cached"] for path in found.folder.glob("igc/*/*/build.json")]
    assert sum(not one for one in cached) <= 2


def test_a_bare_dump_is_recompiled_from_the_module_in_its_binary(corpus):
    capture = read_capture(corpus / "2.40/pvc/sycl_rtc/dump")
    found = recompile(capture, device="bmg")
    assert len(found) == len(capture) > 1
    assert set(column(found, "status")) == {"ok"}
    source = recompile(capture, device="bmg", question="source")
    assert set(column(source, "status")) == {"refused"}
    assert "no TTIR" in column(source, "reason")[0]


def test_a_dump_that_does_not_say_its_device_asks_for_it(builder):
    builder.write_record(device={})
    key = builder.variant(ADD)
    entry = builder.folder / "triton" / key / "add_kernel.json"
    entry.write_text(json.dumps({"name": "add_kernel"}))
    with pytest.raises(UsageError, match="does not say for which device add_kernel was compiled"):
        recompile(read_capture(builder.folder), grf=256)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"device": "bgm"}, "known, nearest first: bmg"),
        ({"grf": 96, "device": "bmg"}, "the devices asked for have 128, 256, auto"),
        ({"grf": 512}, "the known devices have 32, 64, 96, 128, 160, 256, auto"),
        ({"toolchain": "igc-9"}, "installed: igc-2"),
        ({"num_warps": 3}, "powers of two"),
        ({"num_stages": 0}, "numbers above 0"),
        ({"question": "spirv", "num_warps": 8}, "num_warps is Triton's"),
        ({"question": "ir"}, "known are spirv, source"),
        ({"options": "-cl-intel-256-GRF-per-thread"}, "name the GRF mode with grf"),
    ],
)
def test_a_wish_that_cannot_be_meant_is_answered_with_the_known_ones(builder, wish, words):
    with pytest.raises(UsageError, match=words):
        recompile(captured(builder, ADD), **wish)


def test_an_interrupt_leaves_a_valid_part_and_the_rest_is_made_when_asked_again(builder):
    capture = captured(builder, SPILL)
    code = (
        "import sys; from xpuasm_magic import read_capture; from xpuasm_magic.recompile import recompile\n"
        "def watch(p):\n"
        "    if p.done: print('one', flush=True)\n"
        f"w = recompile(read_capture({str(builder.folder)!r}), device=['pvc', 'bmg', 'lnl', 'ptl'], grf=[128, 256], "
        "opt_disable=True, watch=watch)\n"
        "print('rows', *[row.status for row in w], flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stdout is not None
    assert process.stdout.readline() == "one\n"
    process.send_signal(signal.SIGINT)
    statuses = process.communicate(timeout=60)[0].splitlines()[-1].split()[1:]
    assert process.returncode == 0
    assert set(statuses) == {"ok", "interrupted"}
    found = recompile(capture, device=["pvc", "bmg", "lnl", "ptl"], grf=[128, 256], opt_disable=True)
    assert column(found, "status") == ["ok"] * 16


def test_an_interrupt_while_triton_runs_leaves_a_row_for_every_cell(builder):
    capture = captured(builder, SPILL)

    def interrupt(progress):
        if progress.phase == "running Triton" and not progress.done:
            os.kill(os.getpid(), signal.SIGINT)

    found = recompile(capture, num_warps=[8, 16], num_stages=[3, 4], watch=interrupt)
    assert found.interrupted
    assert column(found, "status") == ["interrupted"] * 4
    assert column(found, "num_warps") == [8, 8, 16, 16]


def test_a_full_disk_costs_the_cell_and_says_so(builder, monkeypatch):
    capture = captured(builder, ADD)

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xpuasm_magic.recompile.matrix.build_module", full)
    found = recompile(capture, grf=128)
    assert column(found, "status") == ["failed"]
    assert "No space left on device" in column(found, "reason")[0]
