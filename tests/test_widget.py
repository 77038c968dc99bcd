from __future__ import annotations

import base64
import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Capture, Kernel, Line, Listing, StageFile
from xpuasm_magic.view.payload import kernels_by_id
from xpuasm_magic.view.widget import Browser


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


def _payload(browser: Browser) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(browser._payload)))


def _ask(browser: Browser, kind: str, **params: object) -> None:
    browser._handle_custom_msg({"type": "request", "id": "v-1", "kind": kind, "params": params}, [])


def test_the_state_that_a_notebook_saves_holds_no_listing(capture: Capture) -> None:
    state = json.dumps(Browser(capture).get_state(drop_defaults=False), default=str)
    assert len(state) < 400_000
    assert "//.kernel" not in state


def test_a_request_is_answered_with_its_number(capture: Capture, sent: list[tuple[dict[str, Any], Any]]) -> None:
    id_ = next(iter(kernels_by_id(capture)))
    _ask(Browser(capture), "listing", kernel=id_, attempt=None, stage="isa")
    ((content, (packed,)),) = sent
    assert content == {"type": "answer", "id": "v-1"}
    assert json.loads(gzip.decompress(packed))["text"].startswith("//.kernel ")


def test_an_error_travels_back_as_the_answer(
    corpus: Path, tmp_path: Path, sent: list[tuple[dict[str, Any], Any]]
) -> None:
    shutil.copytree(corpus / "2.40" / "pvc" / "add", tmp_path / "run")
    capture = read_capture(tmp_path / "run")
    browser = Browser(capture)
    shutil.rmtree(tmp_path / "run")
    _ask(browser, "listing", kernel=next(iter(kernels_by_id(capture))), attempt=None, stage="isa")
    ((content, buffers),) = sent
    assert buffers is None
    assert content["id"] == "v-1"
    assert "no longer there; run the cell again" in content["error"]


def _found(browser: Browser, sent: list[tuple[dict[str, Any], Any]], **query: object) -> list[dict[str, Any]]:
    """All slices of a search."""
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        sent.clear()
        _ask(browser, "search", **{"stages": ["isa"], **query, "start": start})
        ((content, buffers),) = sent
        if "error" in content:
            raise AssertionError(content["error"])
        part = json.loads(gzip.decompress(buffers[0]))
        found += part["found"]
        assert part["next"] is None or start < part["next"] < part["total"]
        start = part["next"]
    return found


def test_kernels_with_an_instruction_are_found(capture: Capture, sent: list[tuple[dict[str, Any], Any]]) -> None:
    browser = Browser(capture)
    kernels = kernels_by_id(capture)
    found = _found(browser, sent, text="DPAS")
    with_dpas = {id_ for id_, kernel in kernels.items() if "isa" in kernel.stages and " dpas." in _code(kernel)}
    assert {one["kernel"] for one in found} == with_dpas
    for one in found:
        lines = kernels[one["kernel"]].listing("isa").lines
        assert one["count"] == sum("dpas" in line.text for line in lines if line.instruction)
        assert len(one["lines"]) == min(one["count"], 5)
        assert all(text.strip() in lines[index].text for index, text in one["lines"])


def _code(kernel: Kernel) -> str:
    return "\n".join(line.text for line in kernel.listing("isa").lines if line.instruction)


def test_a_regular_expression_finds_the_same_as_words(capture: Capture, sent: list[tuple[dict[str, Any], Any]]) -> None:
    browser = Browser(capture)
    assert _found(browser, sent, text=r"d[p]as\.", regex=True) == _found(browser, sent, text="dpas.")


def test_headers_and_comments_are_searched_when_asked_for(
    capture: Capture, sent: list[tuple[dict[str, Any], Any]]
) -> None:
    browser = Browser(capture)
    assert _found(browser, sent, text="//.kernel") == []
    listings = sum("isa" in kernel.stages for kernel in capture)
    assert len(_found(browser, sent, text="//.kernel", whole=True)) == listings


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"text": "load(", "regex": True}, "not a regular expression"),
        ({"text": ""}, "nothing to look for"),
        ({"text": "x" * 2000}, "longer than"),
    ],
)
def test_a_search_without_sense_says_why(
    capture: Capture, sent: list[tuple[dict[str, Any], Any]], query: dict[str, object], words: str
) -> None:
    _ask(Browser(capture), "search", stages=["isa"], **query)
    assert words in sent[0][0]["error"]


def test_an_expression_that_never_ends_is_ended(
    capture: Capture, sent: list[tuple[dict[str, Any], Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xpuasm_magic.view.search._PATIENCE_S", 0.5)
    listing = Listing("log", (Line("a" * 60 + "b"),))
    kernel = replace(capture.kernels[0], stages={"log": StageFile("log", tmp_path / "x.log", lambda _: listing)})
    _ask(Browser(replace(capture, kernels=(kernel,))), "search", stages=["log"], text="(a+)+$", regex=True)
    assert "make it simpler" in sent[0][0]["error"]


def test_a_listing_that_cannot_be_read_is_told_and_the_others_are_searched(
    corpus: Path, tmp_path: Path, sent: list[tuple[dict[str, Any], Any]]
) -> None:
    for case in ("add", "trans"):
        shutil.copytree(corpus / "2.40" / "pvc" / case, tmp_path / "run" / case)
    capture = read_capture(tmp_path / "run")
    capture.kernels[0].path("isa").unlink()
    _ask(Browser(capture), "search", stages=["isa"], text="mov", start=0)
    ((_, (packed,)),) = sent
    part = json.loads(gzip.decompress(packed))
    first, *others = kernels_by_id(capture)
    assert [one["kernel"] for one in part["unread"]] == [first]
    assert "cannot be read" in part["unread"][0]["message"]
    assert {one["kernel"] for one in part["found"]} <= set(others)
    assert part["found"]


def test_a_listing_that_its_parser_finds_damaged_is_told(
    capture: Capture, sent: list[tuple[dict[str, Any], Any]], tmp_path: Path
) -> None:
    def damaged(path: Path) -> Listing:
        raise ParseError("it ends in the middle of a line")

    broken = replace(capture.kernels[0], stages={"isa": StageFile("isa", tmp_path / "x.bin", damaged)})
    browser = Browser(replace(capture, kernels=(broken,)))
    _ask(browser, "search", stages=["isa"], text="mov", start=0)
    part = json.loads(gzip.decompress(sent[0][1][0]))
    assert [one["message"] for one in part["unread"]] == ["x.bin is damaged: it ends in the middle of a line"]


@pytest.mark.parametrize("message", ["text", None, 3, [], {}, {"type": "else"}])
def test_messages_of_others_are_left_alone(
    capture: Capture, sent: list[tuple[dict[str, Any], Any]], message: object
) -> None:
    Browser(capture)._handle_custom_msg(message, [])
    assert sent == []


def test_a_request_without_sense_is_answered_too(capture: Capture, sent: list[tuple[dict[str, Any], Any]]) -> None:
    Browser(capture)._handle_custom_msg({"type": "request", "id": "v-2", "kind": "listing"}, [])
    assert "error" in sent[0][0]


def test_a_repr_is_short(capture: Capture) -> None:
    assert len(repr(Browser(capture))) < 200


def test_an_output_can_be_read_without_a_widget(capture: Capture) -> None:
    data, _ = Browser(capture)._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert "softmax_kernel" in data["text/plain"]
    assert "softmax_kernel" in data["text/html"]
    assert len(data["text/html"]) < 500_000


def test_a_browser_is_displayed_as_static_output_and_widget(capture: Capture) -> None:
    InteractiveShell.instance()
    with capture_output() as shown:
        Browser(capture)._ipython_display_()
    static, widget = (output.data for output in shown.outputs)
    assert set(static) == {"text/html", "text/plain"}
    assert set(widget) == {"application/vnd.jupyter.widget-view+json"}


def test_update_shows_a_newer_capture_and_keeps_the_choice(capture: Capture) -> None:
    first, second = capture.kernels[:2]
    browser = Browser(replace(capture, kernels=(first,)))
    browser._selected = first.key
    browser.update(replace(capture, kernels=(first, second)))
    assert len(_payload(browser)["kernels"]) == 2
    assert browser.selected == first
    assert browser.capture.kernels == (first, second)


def test_a_glob_limits_the_page_and_not_the_capture(capture: Capture) -> None:
    browser = Browser(capture, kernel_glob="matmul_*", stages=("isa",))
    names = {kernel.name for kernel in capture if kernel.name.startswith("matmul_")}
    shown = _payload(browser)["kernels"]
    assert {kernel["cells"][0] for kernel in shown} == names
    assert {stage["name"] for kernel in shown for stage in kernel["stages"]} == {"isa"}
    assert len(browser.capture) == len(capture)
    assert len(browser.table) == len(capture)
