"""What a page is told of the analyses of a code."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from xpuasm_magic import read_capture
from xpuasm_magic.analysis.mix import CLASSES
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture, Kernel, Line, Listing, StageFile
from xpuasm_magic.view.analysed import Analysed
from xpuasm_magic.view.answers import Answers
from xpuasm_magic.view.figures import COLUMNS, FACTS, MARKS, analysis_payload
from xpuasm_magic.view.html import report_html
from xpuasm_magic.view.packing import ListingPacker
from xpuasm_magic.view.payload import kernels_by_id


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


def _named(capture: Capture, name: str) -> tuple[str, Kernel]:
    return next((id_, kernel) for id_, kernel in kernels_by_id(capture).items() if kernel.name == name)


def _asked(answers: Answers, **code: Any) -> Mapping[str, Any]:
    answer = answers.answer("analysis", code)
    while answer.get("pending"):
        answer = answers.answer("analysis", code)
    return answer


def _values(column: Mapping[str, Any]) -> list[int]:
    return [value for value, count in column["runs"] for _ in range(count)]


def test_the_figures_of_every_kernel_are_plain_json_and_name_lines_that_exist(capture: Capture) -> None:
    names = {
        "facts": [one.name for one in FACTS],
        "columns": [one.name for one in COLUMNS],
        "marks": [one.name for one in MARKS],
    }
    for kernel in capture:
        payload = analysis_payload(Analysed(kernel))
        assert json.loads(json.dumps(payload, allow_nan=False)) == payload
        lines = len(kernel.listing("isa").lines)
        for kind, known in names.items():
            assert [one["name"] for one in payload[kind]] == [  # type: ignore[literal-required]
                name
                for name in known
                if name in {one["name"] for one in payload[kind]}  # type: ignore[literal-required]
            ]
        for column in payload["columns"]:
            assert len(_values(column)) == lines
        named = [line for one in (*payload["marks"], *payload["advice"]) for line in one["lines"]]
        assert all(0 <= line < lines for line in named)


def test_the_peak_is_the_largest_figure_of_its_column(capture: Capture) -> None:
    _, kernel = _named(capture, "spill_kernel")
    payload = analysis_payload(Analysed(kernel))
    (live,) = payload["columns"]
    values = _values(live)
    assert live["peak"] is not None
    assert values[live["peak"]] == max(values)
    peak = next(fact for fact in payload["facts"] if fact["name"] == "peak")
    assert peak["text"] == f"peak {max(values)} of {live['most']} registers"
    assert peak["line"] == live["peak"]
    assert all(
        value == -1 for value, line in zip(values, kernel.listing("isa").lines, strict=True) if not line.instruction
    )


def test_spills_and_fills_are_marked_at_their_lines(capture: Capture) -> None:
    _, kernel = _named(capture, "spill_kernel")
    lines = kernel.listing("isa").lines
    marks = {one["name"]: one["lines"] for one in analysis_payload(Analysed(kernel))["marks"]}
    for kind in ("spill", "fill"):
        assert marks[kind] == [
            at
            for at, line in enumerate(lines)
            if line.instruction and re.search(rf"// .*\bscratch space {kind}\b", line.text)
        ]
    _, other = _named(capture, "add_kernel")
    assert {"spill", "fill"}.isdisjoint(one["name"] for one in analysis_payload(Analysed(other))["marks"])


def test_the_mix_counts_every_instruction_once(capture: Capture) -> None:
    for kernel in capture:
        mix = analysis_payload(Analysed(kernel))["mix"]
        assert sum(one["count"] for one in mix) == sum(1 for line in kernel.listing("isa").lines if line.instruction)
        assert all(0 <= one["innermost"] <= one["count"] for one in mix)
        assert [one["title"] for one in mix] == [name for name in CLASSES if name in {one["title"] for one in mix}]


def test_a_page_is_answered_also_for_a_build_that_did_not_ship(corpus: Path, tmp_path: Path) -> None:
    from capture_builder import CaptureBuilder

    builder = CaptureBuilder(tmp_path / "run", corpus)
    key = builder.variant("2.40/pvc/matmul_w16_large")
    builder.build(key, "2.40/pvc/matmul_w16_default")
    builder.build(key, "2.40/pvc/matmul_w16_large", "pvc-grf256")
    builder.decision(key, "pvc-grf256", {"pvc-default": "it spills more than 1,000 bytes"})
    answers = Answers(read_capture(builder.folder))
    shipped, rejected = (_asked(answers, kernel=key, attempt=attempt) for attempt in (None, 0))
    assert shipped["columns"][0]["most"] == 256
    assert rejected["columns"][0]["most"] == 128
    assert "spill" in {one["name"] for one in rejected["marks"]}


def test_what_cannot_be_read_is_told_and_asked_for_again(capture: Capture, tmp_path: Path) -> None:
    def gone(path: Path) -> Listing:
        raise FileNotFoundError(2, "No such file or directory")

    id_, kernel = _named(capture, "add_kernel")
    broken = replace(kernel, stages={"isa": StageFile("isa", tmp_path / "x.asm", gone)})
    answers = Answers(replace(capture, kernels=(broken,)))
    for _ in range(2):
        with pytest.raises(XpuasmError, match="cannot be read: No such file"):
            _asked(answers, kernel=id_, attempt=None)
    with pytest.raises(XpuasmError, match="no machine code"):
        _asked(Answers(replace(capture, kernels=(replace(kernel, stages={}),))), kernel=id_, attempt=None)


def test_a_code_of_which_nothing_is_known_claims_nothing(tmp_path: Path) -> None:
    listing = Listing("isa", (Line("what is this"), Line("")))
    stages = {"isa": StageFile("isa", tmp_path / "x.asm", lambda _: listing)}
    kernel = Kernel("k", "other", _variant(), "none", "ok", stages)
    payload = analysis_payload(Analysed(kernel))
    assert payload == {"facts": [], "mix": [], "columns": [], "marks": [], "advice": []}


def _variant() -> Any:
    from xpuasm_magic.model import Variant

    return Variant(key="K")


@pytest.mark.parametrize("total_bytes", [0, 100_000_000])
def test_a_report_holds_the_same_figures_whoever_makes_them(capture: Capture, total_bytes: int) -> None:
    _, kernel = _named(capture, "add_kernel")
    with ListingPacker(total_bytes) as packer:
        packed = packer.figures(kernel).result()
    assert packed is not None
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == analysis_payload(Analysed(kernel))


def test_a_report_names_the_figures_of_each_kernel_that_has_code(capture: Capture) -> None:
    id_, kernel = _named(capture, "add_kernel")
    failed = replace(kernel, stages={}, variant=replace(kernel.variant, key="FAILED"), status="failed")
    html = report_html(replace(capture, kernels=(kernel, failed)))
    found = re.search(r'id="xpuasm-data">(.*?)</script>', html)
    assert found
    assert json.loads(found[1])["figures"] == {id_: "xpuasm-figures-0"}
    assert html.count('id="xpuasm-figures-') == 1
