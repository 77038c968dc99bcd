from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import (
    Attempt,
    Capture,
    CaptureInfo,
    Instruction,
    Kernel,
    Line,
    Listing,
    Note,
    Origin,
    SourceLoc,
    Variant,
)
from xpuasm_magic.view.answers import Answers
from xpuasm_magic.view.payload import (
    CHUNK,
    all_spans,
    capture_payload,
    kernels_by_id,
    listing_payload,
    pack,
    spans_payload,
)


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


def _kernel(name: str, key: str, **more: object) -> Kernel:
    made = Kernel(name=name, family="pointwise", variant=Variant(key=key), match="none", status="not built", stages={})
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_payload_is_plain_json(capture: Capture) -> None:
    payload = capture_payload(capture)
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload


def test_what_is_missing_is_null_and_an_unknown_column_is_left_out(tmp_path: Path) -> None:
    payload = capture_payload(Capture(tmp_path, (_kernel("a", "K1"),)))
    names = [column["name"] for column in payload["columns"]]
    assert "simd" not in names
    assert None not in payload["kernels"][0]["cells"][: names.index("name") + 1]

    known = _kernel("b", "K2", launches=())
    payload = capture_payload(Capture(tmp_path, (_kernel("a", "K1"), known)))
    launches = [column["name"] for column in payload["columns"]].index("launches")
    assert [kernel["cells"][launches] for kernel in payload["kernels"]] == [None, 0]


def test_a_kernels_row_tells_what_is_fused_and_how_much_of_it_links(capture: Capture) -> None:
    softmax = capture["softmax_kernel"]
    origin = Origin(("aten.gelu", "aten.add"), (SourceLoc("/m.py", 31), SourceLoc("/m.py", 31, 4)))
    two = replace(capture, kernels=(softmax, replace(_kernel("b", "K2"), origin=origin)))
    first, second = capture_payload(two)["kernels"]
    assert (first["origin"], first["coverage"]) == (None, pytest.approx(0.968, abs=0.001))
    assert (second["origin"], second["coverage"]) == ({"ops": ["aten.gelu", "aten.add"], "lines": ["m.py:31"]}, None)


def test_each_kernel_has_a_cell_for_each_column(capture: Capture) -> None:
    payload = capture_payload(capture)
    assert len(payload["kernels"]) == len(capture) > 20
    assert {len(kernel["cells"]) for kernel in payload["kernels"]} == {len(payload["columns"])}
    assert [family["name"] for family in payload["families"]] == ["user", "sycl"]


def test_the_payload_carries_no_listing_and_stays_small(capture: Capture) -> None:
    kernels = tuple(replace(k, variant=replace(k.variant, key=f"{i}{k.key}")) for i in range(10) for k in capture)
    assert len(kernels) >= 300
    assert len(json.dumps(capture_payload(replace(capture, kernels=kernels)))) < 500_000


def test_attempts_and_notes_and_errors_are_told(tmp_path: Path) -> None:
    kernel = _kernel(
        "k",
        "K",
        status="failed",
        error="error: undefined reference",
        repro="ocloc compile -file k.spv",
        notes=(Note("warning", "odd", "igc/x.asm"),),
        attempts=(Attempt(label="pvc-default", reason="more than 1000 bytes of spill", stages={}),),
    )
    (told,) = capture_payload(Capture(tmp_path, (kernel,)))["kernels"]
    assert told["error"] == "error: undefined reference"
    assert told["repro"] == "ocloc compile -file k.spv"
    assert told["notes"] == [{"severity": "warning", "message": "odd", "path": "igc/x.asm"}]
    assert told["attempts"] == [
        {
            "label": "pvc-default",
            "reason": "more than 1000 bytes of spill",
            "status": "ok",
            "simd": None,
            "grf": None,
            "spill_bytes": None,
            "launched": False,
            "stages": [],
        }
    ]


def test_stages_can_be_limited(capture: Capture) -> None:
    payload = capture_payload(capture, stages=("isa", "ttgir"))
    assert [stage["name"] for stage in payload["kernels"][0]["stages"]] == ["ttgir", "isa"]


def test_configs_of_one_kernel_are_told_as_one_group(tmp_path: Path) -> None:
    kernels = (_kernel("k", "A", group="k"), _kernel("k", "B", group="k"), _kernel("other", "C"))
    assert [k["group"] for k in capture_payload(Capture(tmp_path, kernels))["kernels"]] == ["k", "k", "C"]


def test_kernels_of_one_binary_have_names_of_their_own(tmp_path: Path) -> None:
    kernels = (_kernel("a", "Z"), _kernel("b", "Z"), _kernel("b", "Z"))
    assert list(kernels_by_id(Capture(tmp_path, kernels))) == ["Z", "Z/b", "Z/b'"]


def test_a_growing_capture_keeps_the_names_of_its_kernels(tmp_path: Path) -> None:
    few, more = (_kernel("a", "A"),), (_kernel("a", "A"), _kernel("b", "B"))
    assert set(kernels_by_id(Capture(tmp_path, few))) <= set(kernels_by_id(Capture(tmp_path, more)))


def test_a_listing_says_source_ids_and_addresses_beside_its_text() -> None:
    loc = SourceLoc("/src/k.py", 17)
    listing = Listing(
        "isa",
        (
            Line("//.kernel k"),
            Line("  mov", loc, (5,), Instruction(0, 16, "mov", 8)),
            Line("  add", loc, (6, 7), Instruction(16, 8, "add", 8)),
            Line("  nop", SourceLoc("/src/k.py", 18)),
            Line("label:"),
        ),
    )
    assert listing_payload(listing) == {
        "text": "//.kernel k\n  mov\n  add\n  nop\nlabel:",
        "chunk": CHUNK,
        "files": ["/src/k.py"],
        "locs": [[1, 0, 17], [3, 0, 18], [4, -1, 0]],
        "calls": [],
        "ids": [[], [5], [6, 7], [], []],
        "pcs": [None, 0, 16, None, None],
    }


def test_colours_add_up_to_the_lines_in_every_stage(capture: Capture) -> None:
    kernel = next(k for k in capture if k.name == "softmax_kernel")
    for stage in kernel.stages:
        listing = kernel.listing(stage)
        spans = spans_payload(listing)
        lengths = [sum(runs[::2]) for runs in spans["lines"]]
        assert lengths == [len(line.text) for line in listing.lines], stage
        assert max(max(runs[1::2], default=0) for runs in spans["lines"]) < len(spans["classes"])


@pytest.mark.parametrize("stage", ["isa", "llir", "visa", "metadata"])
def test_a_part_is_coloured_as_it_is_in_the_whole(capture: Capture, stage: str) -> None:
    listing = next(k for k in capture if k.name == "softmax_kernel").listing(stage)
    start = len(listing.lines) // 2

    def named(spans: object, first: int) -> list[list[tuple[int, str]]]:
        classes = spans["classes"]  # type: ignore[index]
        return [
            [(length, classes[css]) for length, css in zip(runs[::2], runs[1::2], strict=True)]
            for runs in spans["lines"][first : first + 50]  # type: ignore[index]
        ]

    part = spans_payload(listing, start, start + 50)
    assert part["start"] == start
    assert named(part, 0) == named(spans_payload(listing), start)


@pytest.mark.parametrize("stage", ["isa", "llir", "visa", "metadata"])
def test_colours_in_chunks_are_those_of_the_whole(capture: Capture, stage: str) -> None:
    listing = next(k for k in capture if k.name == "spill_kernel").listing(stage)
    whole = spans_payload(listing)
    chunks = list(all_spans(stage, "\n".join(line.text for line in listing.lines)))
    assert [line for chunk in chunks for line in chunk["lines"]] == whole["lines"]
    assert [chunk["start"] for chunk in chunks] == [i * CHUNK for i in range(len(chunks))]
    for chunk in chunks:
        assert chunk["classes"] == whole["classes"][: len(chunk["classes"])]
        assert max(max(runs[1::2], default=0) for runs in chunk["lines"]) < len(chunk["classes"])


def test_lengths_are_as_javascript_counts_them() -> None:
    listing = Listing("isa", (Line("// Line 3:  x = '𝛼'"),))
    ((prefix, _, quoted, _),) = spans_payload(listing)["lines"]
    assert (prefix, quoted) == (len("// Line 3:"), len("  x = '𝛼'") + 1)


def test_a_packed_payload_unpacks() -> None:
    assert json.loads(gzip.decompress(pack({"text": "é\u202e"}))) == {"text": "é\u202e"}


def test_an_answer_holds_the_text_as_the_file_has_it(capture: Capture) -> None:
    id_, kernel = next(iter(kernels_by_id(capture).items()))
    place = {"kernel": id_, "attempt": None, "stage": "isa"}
    answers = Answers(capture)
    assert answers.answer("listing", place)["text"] + "\n" == kernel.path("isa").read_text(encoding="utf-8")
    spans = answers.answer("spans", {**place, "start": CHUNK})
    assert spans["start"] == CHUNK
    assert 0 < len(spans["lines"]) <= CHUNK


def test_a_rejected_attempt_can_be_opened(capture: Capture) -> None:
    id_, kernel = next((i, k) for i, k in kernels_by_id(capture).items() if k.attempts)
    answers = Answers(capture)
    shipped, rejected = (
        answers.answer("listing", {"kernel": id_, "attempt": attempt, "stage": "isa"})["text"] for attempt in (None, 0)
    )
    assert shipped != rejected
    assert f"//.kernel {kernel.name}" in rejected


@pytest.mark.parametrize(
    ("kind", "params", "words"),
    [
        ("listing", {"kernel": "nobody", "attempt": None, "stage": "isa"}, "no such build of kernel nobody"),
        ("listing", {"stage": "isa"}, "names no kernel"),
        ("spans", {"kernel": "x"}, "names no stage"),
        ("sing", {}, "'sing'"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_in_words(
    capture: Capture, kind: str, params: dict[str, object], words: str
) -> None:
    with pytest.raises(XpuasmError, match=words):
        Answers(capture).answer(kind, params)


def test_a_capture_that_has_been_deleted_says_so(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(corpus / "2.40" / "pvc" / "add", folder)
    capture = read_capture(folder)
    place = {"kernel": next(iter(kernels_by_id(capture))), "attempt": None, "stage": "isa"}
    answers = Answers(capture)
    shutil.rmtree(folder)
    with pytest.raises(XpuasmError, match="is no longer there; run the cell again"):
        answers.answer("listing", place)


def test_notes_and_fidelity_reach_the_page(tmp_path: Path) -> None:
    info = CaptureInfo(state="finished", fidelity=("row max1550",), versions={"igc": "2.40.14"})
    payload = capture_payload(Capture(tmp_path, (), (Note("error", "damaged"),), info))
    assert payload["notes"] == [{"severity": "error", "message": "damaged", "path": None}]
    assert payload["fidelity"] == ["row max1550"]
    assert payload["versions"] == {"igc": "2.40.14"}
    assert payload["kernels"] == []
