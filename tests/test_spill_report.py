"""The report on spills, against the listings of the corpus."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from capture_builder import CaptureBuilder
from corpus_kernels import corpus_kernel, corpus_kernels

from xpuasm_magic.analysis.spill_report import spill_report
from xpuasm_magic.analysis.spill_rules import spill_verdicts
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.formats.gen_spills import parse_spill_access, parse_spilled_variable
from xpuasm_magic.formats.igc_log import parse_spill_warnings, recompiled_kernels
from xpuasm_magic.loader import LoaderRule
from xpuasm_magic.model import Line, Listing, StageFile

RULE = LoaderRule(1000, "-cl-intel-256-GRF-per-thread", discards_retry=False, source="triton-xpu 3.3.0b1, driver.c")


def test_counted_spills_and_fills_are_the_marked_lines_of_every_case(corpus: Path) -> None:
    """A plain count: lines that are no comment themselves, and have the word and its slot behind `//`."""
    spilling = 0
    for case, kernel in corpus_kernels(corpus).items():
        text = kernel.path("isa").read_text(encoding="utf-8", errors="replace")
        code = [line for line in text.split("\n") if not line.startswith("//")]
        spills, fills = (
            sum(bool(re.search(rf"//.*\b{word}\b.*(?:offset|FP)\[", line)) for line in code)
            for word in ("spill", "fill")
        )
        report = spill_report(kernel)
        assert (report.spills, report.fills) == (spills, fills), case
        assert report.reason is None
        assert sum(cost.spills for cost in report.by_source) == spills
        assert sum(cost.fills for cost in report.by_source) == fills
        spilling += spills > 0
    assert spilling == 25


def test_a_kernel_has_marked_instructions_if_and_only_if_it_states_a_spill(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        report = spill_report(kernel)
        assert (report.bytes_per_thread or 0) > 0 or not report.spills, case
        assert not report.bytes_per_thread or (report.spills or 0) > 0, case


def test_the_slots_are_inside_of_the_stated_spill_size(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        report = spill_report(kernel)
        for site in report.sites:
            assert report.bytes_per_thread is not None
            assert site.access.in_frame or 0 <= site.access.offset < report.bytes_per_thread, case


def test_bytes_per_thread_and_dwords_per_lane_are_one_spill_in_two_units(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/pvc/spill"))
    assert (report.bytes_per_thread, report.dwords_per_lane) == (15680, 122.5)
    assert report.bytes_per_thread == 122.5 * 4 * 32


def test_spills_are_told_by_the_source_line_that_needed_the_registers(corpus: Path) -> None:
    """Xe2's listing writes the kernel's last line over all of them; PVC's, of the same source, does not."""
    lines = dict(enumerate((corpus / "kernels.py").read_text().split("\n"), 1))
    for device, costs in (
        ("bmg", [(103, 33, 72), (104, 32, 58)]),
        ("pvc", [(103, 33, 69), (104, 34, 62)]),
    ):
        report = spill_report(corpus_kernel(corpus, f"2.40/{device}/spill"))
        found = [(cost.loc.line if cost.loc else None, cost.spills, cost.fills) for cost in report.by_source[:2]]
        assert found == costs
    assert [lines[n].strip() for n in (103, 104)] == ["a = a*b + c", "b = b*c + d"]


def test_on_pvc_the_line_by_number_is_the_line_of_the_listing(corpus: Path) -> None:
    """Two ways to one fact: `// Line` above the instruction, and vISA's LOC of its number."""
    checked = 0
    for case, kernel in corpus_kernels(corpus).items():
        if "/pvc/" not in case or case.startswith("1.0.12504/pvc/matmul_bp"):  # the latter has a stack frame
            continue
        lines = kernel.listing("isa").lines
        for site in spill_report(kernel).sites:
            own = lines[site.line].loc
            if lines[site.line].ids and own and "triton/language" not in own.file:  # there, the caller's line is told
                assert site.loc == own, (case, lines[site.line].text)
                checked += 1
    assert checked > 2_500


def test_spills_in_an_inlined_function_are_told_by_the_line_that_called_it(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/acm-g10/trans"))
    assert {Path(cost.loc.file).name for cost in report.by_source if cost.loc} == {"kernels.py"}
    assert report.by_source[0].loc is not None
    assert report.by_source[0].loc.line == 126  # y = tl.cumsum(x, 1)


def test_spilled_variables_have_their_declared_size_and_slot(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "1.0.12504/pvc/spill"))
    variables = [each.variable for each in report.variables]
    assert sum(variable.size for variable in variables) == report.bytes_per_thread
    assert all(variable.offset is not None for variable in variables)
    assert [variable.size for variable in variables] == sorted((v.size for v in variables), reverse=True)
    [known] = [each for each in report.variables if each.variable.name == "V0048"] or [None]
    assert known is None or known.variable.offset is not None
    assert sum(each.fills or 0 for each in report.variables) == report.fills


def test_variables_that_share_a_slot_are_not_given_its_accesses(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/pvc/spill"))
    shared = [each for each in report.variables if each.spills is None]
    assert len(shared) == 212
    assert all(each.fills is None for each in shared)
    counted = sum(each.spills or 0 for each in report.variables)
    assert 0 < counted < (report.spills or 0)


def test_flag_spills_are_told_apart_and_are_none_of_the_counted(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/acm-g10/softmax_w4"))
    assert (report.flag_stores, report.flag_loads, len(report.flags)) == (54, 73, 35)
    assert all(flag.flag and flag.offset is None for flag in report.flags)
    assert (report.spills, report.fills) == (7, 6)


def test_the_first_attempt_that_spilled_and_did_not_ship_is_told(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/pvc/matmul_w8_large"))
    first, shipped = report.tries
    assert (first.spill_bytes, first.grf_count, first.shipped) == (6400, 256, False)
    assert first.reason == "IGC compiled the kernel again; this code is not in the binary"
    assert (shipped.spill_bytes, shipped.grf_count, shipped.shipped, shipped.launched) == (0, 256, True, True)
    assert (report.spills, report.fills) == (0, 0)


def test_a_second_attempt_that_is_worse_and_ships_is_told(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "1.0.12504/pvc/matmul_w16_large"))
    assert [each.spill_bytes for each in report.tries] == [4608, 7872]
    assert [each.shipped for each in report.tries] == [False, True]


def test_the_log_of_a_build_is_told(tmp_path: Path, corpus: Path) -> None:
    builder = CaptureBuilder(tmp_path / "run", corpus)
    builder.kernel("2.40/pvc/spill")
    [kernel] = read_capture(builder.folder).kernels
    report = spill_report(kernel)
    assert report.recompiled is True
    [warning] = report.warnings
    assert (warning.simd, warning.grf_count, warning.registers) == (32, 128, 245)
    assert warning.registers * 64 == report.bytes_per_thread


def test_without_a_log_nothing_is_said_of_it(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/pvc/spill"))
    assert report.recompiled is None
    assert report.warnings == ()


@pytest.mark.parametrize(
    "log",
    [
        "warning: kernel k  compiled SIMD16 allocated 128 regs and spilled around 257\n",
        "warning: in kernel 'k': compiled SIMD16 allocated 128 regs and spilled around 257\n",
    ],
)
def test_old_and_new_warnings_are_read(log: str) -> None:
    [warning] = parse_spill_warnings(log)
    assert (warning.kernel, warning.simd, warning.grf_count, warning.registers) == ("k", 16, 128, 257)


@pytest.mark.parametrize(
    ("log", "names"),
    [
        ("warning: in kernel 'k': [RetryManager] Start recompilation of the kernel\n", ("k",)),
        ("warning: [RetryManager] Start recompilation of the kernel\nin kernel: 'k'\n", ("k",)),
        ("warning: [RetryManager] Start recompilation of the kernel\n", (None,)),
        ("Build succeeded.\n", ()),
    ],
)
def test_kernels_that_were_compiled_again_are_read(log: str, names: tuple[str | None, ...]) -> None:
    assert recompiled_kernels(log) == names


def test_a_disassembly_has_no_marks_and_so_no_counts(corpus: Path) -> None:
    kernel = replace(corpus_kernel(corpus, "2.40/pvc/spill"), header=None)
    report = spill_report(kernel)
    assert report.bytes_per_thread == 15680
    assert (report.spills, report.fills, report.sites) == (None, None, ())
    assert report.reason == "the listing is a disassembly, in which nothing marks spills"


def test_a_listing_that_is_gone_leaves_the_numbers_of_the_binary(corpus: Path, tmp_path: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/pvc/spill")
    stage = replace(kernel.stages["isa"], path=tmp_path / "gone.asm")
    report = spill_report(replace(kernel, stages={"isa": stage}))
    assert report.bytes_per_thread == 15680
    assert report.spills is None
    assert report.reason


def test_a_listing_cut_anywhere_is_counted_as_far_as_it_goes(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/bmg/spill_large")
    lines = kernel.listing("isa").lines
    counts = []
    for end in range(0, len(lines), 997):
        cut = Listing("isa", (*lines[:end], Line(lines[end].text[: len(lines[end].text) // 2])))
        stage = StageFile("isa", kernel.path("isa"), lambda _, cut=cut: cut)  # type: ignore[misc]
        report = spill_report(replace(kernel, stages={**kernel.stages, "isa": stage}))
        assert report.spills is not None
        counts.append(report.spills)
    assert counts == sorted(counts)
    assert counts[-1] > 0


@pytest.mark.parametrize(
    ("line", "kind", "offset", "in_frame", "variable"),
    [
        (
            "(W) send.dc0 (16|M0) null r0 r6:1 0x0 0x020F0032 {$10} // wr:1h+1, rd:0; hword scratch block write x1 "
            "//  scratch space spill: SP_GRF_V0048_0 from offset[0x32]; $10",
            "spill", 0, False, "V0048",
        ),
        (
            "(W) send.dc0 (16|M0) r5 r0 null:0 0x0 0x024C3004 {$4} // wr:1h+0, rd:4; hword scratch block read x8 "
            "//  scratch space fill:  from offset[4x32]; ; $17",
            "fill", 128, False, None,
        ),
        (
            "(W) store.ugm.d32x16t.a32 (1|M0) ss[a0.2][r3:1-0x10000] r65:1 {$4} // ex_desc:a0.2; desc:0x4210D500 "
            "//  spill to offset[3*64] of ?; ; $4",
            "spill", 192, False, None,
        ),
        (
            "(W) sendg.ugm (1|M0) null r2:1 r4:2 s0.56 0x0 // rd:0 B; store.ugm.d32x32t.a32 surf[s0.56][src0+0x11C0] "
            "//  spill to offset[71*64] of ?",
            "spill", 4544, False, None,
        ),
        (
            "(W) load.ugm.d32x16t.a32 (1|M0) r9:1 ss[a0.2][r3:1] {$4} // ex_desc:a0.2; desc:0x4210E500 "
            "//  fill from FP[3*64] of FL_Send__2; $96",
            "fill", 192, True, None,
        ),
    ],
)  # fmt: skip
def test_every_form_of_the_mark_is_read(
    line: str, kind: str, offset: int, in_frame: bool, variable: str | None
) -> None:
    assert parse_spill_access(line) == (kind, offset, in_frame, variable)


@pytest.mark.parametrize(
    "line",
    [
        "(W) mov (16|M0) r5.0<1>:f 0x0:f {} //  spill/fill zero register; (0x0:f); ALU pipe: float; $3",
        "// Line 3:  spill = fill(offset[1x2])",
        "        mov (16|M0) r5.0<1>:f r6.0<1;1,0>:f // $9",
        "//  fill from offset[",
        f"        mov //  fill from offset[{'9' * 5000}*64] of ?",
        "",
    ],
)
def test_what_only_looks_like_a_mark_is_none(line: str) -> None:
    assert parse_spill_access(line) is None


def test_declarations_of_spilled_variables_are_read() -> None:
    whole = "//.declare V1095 (1106)  rf=r size=128 type=f align=32 words (spilled -> Scratch[193x64])"
    part = "//.declare V0048 (58)  rf=r size=64 type=ud alias=V0045+0 align=32 words (spilled)"
    flag = "//.declare P1 (160)  rf=f16  size=2 type=uw align=1 words (spilled -> )"
    assert parse_spilled_variable(whole) == ("V1095", 128, "f", 193 * 64, None, False)
    assert parse_spilled_variable(part) == ("V0048", 64, "ud", None, "V0045", False)
    assert parse_spilled_variable(flag) == ("P1", 2, "uw", None, None, True)
    assert parse_spilled_variable("//.declare V0034 (44)  rf=r size=8 type=uq align=4 words (r4.1)") is None


def test_the_loaders_rule_is_judged_by_its_own_threshold(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/pvc/spill")
    [verdict] = spill_verdicts(kernel, {}, RULE)
    assert verdict.applies is True
    assert verdict.source == RULE.source
    assert [v.applies for v in spill_verdicts(kernel, {}, replace(RULE, threshold_bytes=20_000))] == [False]
    flagged = replace(kernel, variant=replace(kernel.variant, build_flags="-cl-intel-256-GRF-per-thread"))
    assert [v.applies for v in spill_verdicts(flagged, {}, RULE)] == [False]


def test_a_rule_that_cannot_be_read_is_not_judged(corpus: Path) -> None:
    assert spill_verdicts(corpus_kernel(corpus, "2.40/pvc/spill"), {"torch": "2.13.0"}) == ()


def test_inductors_threshold_is_the_one_in_the_kernels_source(corpus: Path, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text("    inductor_meta={'kernel_name': 'triton_red_fused_sum_0', 'spill_threshold': 16, 'x': 1},\n")
    python = replace(
        corpus_kernel(corpus, "2.40/pvc/spill").stages["isa"],
        stage="python",
        path=source,
        parse=lambda path: Listing("python", tuple(Line(text) for text in path.read_text().split("\n"))),
    )
    kernel = corpus_kernel(corpus, "2.40/pvc/spill")
    kernel = replace(kernel, family="reduction", autotuned=True, stages={**kernel.stages, "python": python})
    _, verdict = spill_verdicts(kernel, {"torch": "2.13.0"}, RULE)
    assert verdict.tool == "Inductor's autotuner"
    assert verdict.source == "inductor_meta of the kernel's source, torch 2.13.0"
    assert "more than 16 (bytes per hardware thread)" in verdict.words
    assert verdict.applies is True
    [alone] = spill_verdicts(kernel, {})
    assert alone.applies is None  # in which unit the loader counts is not known
    assert [v.applies for v in spill_verdicts(replace(kernel, autotuned=False), {}, RULE)] == [True, None]
    assert len(spill_verdicts(replace(kernel, family="user"), {}, RULE)) == 1  # Inductor drops none of the user's own
