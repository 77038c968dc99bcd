"""What a page is answered that asks: what if? And what it is told of two codes side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from capture_builder import CaptureBuilder

from xpuasm_magic import read_capture
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture
from xpuasm_magic.recompile import Progress
from xpuasm_magic.view import recompiling
from xpuasm_magic.view.answers import Answers
from xpuasm_magic.view.comparing import ROW_KINDS
from xpuasm_magic.view.payload import capture_payload, kernels_by_id

WITHIN_S = 120


@pytest.fixture
def capture(tmp_path: Path, corpus: Path) -> Capture:
    builder = CaptureBuilder(tmp_path / "run", corpus)
    builder.kernel("2.40/pvc/add")
    builder.kernel("2.40/pvc/spill")
    return read_capture(builder.folder)


@pytest.fixture
def spill(capture: Capture) -> str:
    return next(id_ for id_, kernel in kernels_by_id(capture).items() if kernel.name == "spill_kernel")


def _ended(answers: Answers, job: Mapping[str, Any]) -> Mapping[str, Any]:
    end = time.monotonic() + WITHIN_S
    while job["matrix"] is None:
        assert time.monotonic() < end
        time.sleep(0.05)
        job = answers.answer("recompile", {"do": "poll", "job": job["job"]})
    return job


def _start(answers: Answers, kernel: str, **wanted: object) -> Mapping[str, Any]:
    return answers.answer("recompile", {"do": "start", "kernel": kernel, "wanted": {"question": "spirv", **wanted}})


def test_the_choices_are_those_that_recompiling_knows(capture: Capture, spill: str) -> None:
    choices = Answers(capture).answer("recompile", {"do": "choices", "kernel": spill})
    assert {"pvc", "bmg", "lnl", "ptl"} <= {one["value"] for one in choices["device"]}
    assert [one["value"] for one in choices["grf"]][:3] == ["128", "256", "auto"]
    assert choices["toolchain"]
    assert set(choices["questions"]) == {"spirv", "source"}
    assert choices["own"]["device"] == "pvc"


def test_a_matrix_has_the_captured_kernel_and_every_cell_with_best_and_worst_marked(
    capture: Capture, spill: str
) -> None:
    answers = Answers(capture)
    job = _ended(answers, _start(answers, spill, grf=["128", "256"], device=["pvc"]))
    (part,) = job["matrix"]["parts"]
    assert part["words"] == "the same SPIR-V, compiled by IGC again"
    titles = [column["title"] for column in part["columns"]]
    assert titles == ["device", "GRF mode", "SIMD", "GRF", "thr/EU", "spill B", "instr.", "dpas", "sends", "code B"]
    assert [row["captured"] for row in part["rows"]] == [True, False, False]
    spills = titles.index("spill B")
    assert [row["marks"][spills] for row in part["rows"]] == ["worst", "worst", "best"]
    assert [row["marks"][titles.index("GRF")] for row in part["rows"]] == ["", "", ""]

    a, b = (row["code"] for row in part["rows"][1:])
    listing = answers.answer("listing", {**b, "stage": "isa"})
    assert "spill_kernel" in listing["text"][:400]
    compared = answers.answer("compare", {"a": a, "b": b, "stage": "isa"})
    assert compared["summary"].startswith("spill_bytes 15,680 → 5,440")
    assert "because GRF mode grf128 → grf256" in compared["summary"]
    assert compared["labels"][0].startswith("pvc, GRF 128")
    again = answers.answer("compare", {"a": a, "b": part["rows"][0]["code"], "stage": "isa"})
    assert not again["hunks"], "nothing has been changed: it is the captured code"


def test_a_refused_cell_has_its_reason(capture: Capture, spill: str) -> None:
    answers = Answers(capture)
    job = _ended(answers, _start(answers, spill, grf=["96"], device=["pvc", "ptl"]))
    row = job["matrix"]["parts"][0]["rows"][1]
    assert row["status"] == "refused"
    assert "has no mode of 96 registers" in row["reason"]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"question": "sing"}, "question 'sing'"),
        ({"options": "rm -rf"}, "'rm' does not begin with -"),
        ({"options": "'"}, "No closing quotation"),
    ],
)
def test_wishes_that_no_form_sends_are_refused_at_once(
    capture: Capture, spill: str, wanted: dict[str, object], words: str
) -> None:
    with pytest.raises(XpuasmError, match=words):
        _start(Answers(capture), spill, **wanted)


def test_an_unknown_name_is_told_when_the_page_asks(capture: Capture, spill: str) -> None:
    answers = Answers(capture)

    def told() -> None:
        job = _start(answers, spill, device=["voodoo2"])
        _ended(answers, job)

    with pytest.raises(XpuasmError, match="unknown device 'voodoo2'"):
        told()


def test_the_page_is_answered_while_compilers_run_and_can_stop_them(
    capture: Capture, spill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[threading.Event] = []

    def slow(_kernel: object, *, watch: Any, cancel: threading.Event, **_: object) -> None:
        watch(Progress(phase="compiling", cells=3, done=1, refused=0, failed=0, elapsed_s=0.5))
        seen.append(cancel)
        cancel.wait(WITHIN_S)
        raise XpuasmError("stopped")

    monkeypatch.setattr(recompiling, "recompile", slow)
    answers = Answers(capture)
    job = _start(answers, spill)
    assert answers.answer("listing", {"kernel": spill, "attempt": None, "stage": "isa"})["text"]
    end = time.monotonic() + WITHIN_S
    while job["cells"] != 3 and time.monotonic() < end:
        job = answers.answer("recompile", {"do": "poll", "job": job["job"]})
    assert (job["done"], job["matrix"]) == (1, None)
    answers.answer("recompile", {"do": "cancel", "job": job["job"]})
    assert seen[0].is_set()


def test_stopping_leaves_what_there_is(capture: Capture, spill: str) -> None:
    cancel = threading.Event()
    cancel.set()
    kernel = kernels_by_id(capture)[spill]
    found = kernel.recompile(grf=[128, 256], options="-cl-mad-enable", cancel=cancel)
    assert found.interrupted
    assert {row.status for row in found} == {"interrupted"}


def test_a_capture_of_what_ifs_is_a_matrix_by_itself(capture: Capture, spill: str) -> None:
    found = kernels_by_id(capture)[spill].recompile(grf=[128, 256])
    payload = capture_payload(found.capture)
    matrix = payload["matrix"]
    assert matrix is not None
    codes = [row["code"] for row in matrix["parts"][0]["rows"]]
    assert [code["kernel"] for code in codes] == [kernel["id"] for kernel in payload["kernels"]]
    assert capture_payload(capture)["matrix"] is None


@pytest.mark.parametrize(
    ("kind", "params", "words"),
    [
        ("recompile", {"do": "poll", "job": "7"}, "no longer kept"),
        ("recompile", {"do": "choices"}, "names no kernel"),
        ("compare", {}, "names no kernel"),
        ("compare", {"a": {"kernel": "x", "matrix": "9"}, "b": {}}, "no longer kept"),
        ("listing", {"kernel": "x", "attempt": 4, "stage": "isa"}, "no such build"),
    ],
)
def test_requests_without_sense_are_answered_in_words(
    capture: Capture, kind: str, params: dict[str, object], words: str
) -> None:
    with pytest.raises(XpuasmError, match=words):
        Answers(capture).answer(kind, params)


def test_both_texts_stand_whole_and_in_order_beside_each_other(capture: Capture, corpus: Path) -> None:
    builder = CaptureBuilder(capture.folder.parent / "two", corpus)
    keys = [builder.kernel(f"2.40/pvc/{case}") for case in ("softmax_w4", "add")]
    answers = Answers(read_capture(builder.folder))
    a, b = ({"kernel": id_, "attempt": None} for id_ in kernels_by_id(read_capture(builder.folder)))
    assert keys
    for stage in ("isa", "visa", "ttgir", "python"):
        found = answers.answer("compare", {"a": a, "b": b, "stage": stage})
        rows = [
            (kind, x if x < 0 else x + step, y if y < 0 else y + step)
            for kind, x, y, count in found["runs"]
            for step in range(count)
        ]
        for side, text in enumerate(found["texts"]):
            assert [row[1 + side] for row in rows if row[1 + side] >= 0] == list(range(text.count("\n") + 1)), stage
        changed = {at for at, (kind, _, _) in enumerate(rows) if ROW_KINDS[kind] not in ("text", "equal")}
        inside = {at for hunk in found["hunks"] for at in range(hunk["first"], hunk["last"] + 1)}
        assert changed <= inside


def test_codes_with_no_stage_in_common_say_why(capture: Capture, spill: str) -> None:
    none = replace(capture.kernels[0], stages={}, status="failed", error="it went wrong")
    answers = Answers(replace(capture, kernels=(none, capture.kernels[1])))
    codes = [{"kernel": id_, "attempt": None} for id_ in (none.key, spill)]
    with pytest.raises(XpuasmError, match=r"nothing to compare: .*it went wrong"):
        answers.answer("compare", {"a": codes[0], "b": codes[1]})
