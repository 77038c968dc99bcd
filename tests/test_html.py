from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Capture, Line, Listing, Note, StageFile
from xpuasm_magic.view.html import report_html, static_html
from xpuasm_magic.view.packing import ListingPacker, packed_listing
from xpuasm_magic.view.payload import CHUNK, listing_payload, to_json

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202eevil\u202c"


class _Page(HTMLParser):
    """Elements of a page, with the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append(({"tag": tag, **dict(attrs)}, ""))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] in ("script", "style") and self.raw[-1][1] == "":
            self.raw[-1] = (self.raw[-1][0], data)
        else:
            self.text += data


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


@pytest.fixture
def hostile(capture: Capture, tmp_path: Path) -> Capture:
    """A capture in which every text is an attack."""
    kernel = next(k for k in capture if k.name == "add_kernel")
    listing = Listing("isa", tuple(Line(f"        mov (8|M0) r1 r2 // {HOSTILE}") for _ in range(3)))
    return replace(
        capture,
        kernels=(
            replace(
                kernel,
                name=HOSTILE,
                stages={"isa": StageFile("isa", tmp_path / "x.asm", lambda _: listing)},
                error=HOSTILE,
                notes=(Note("error", HOSTILE),),
            ),
        ),
        notes=(Note("warning", HOSTILE, HOSTILE),),
    )


def test_static_html_shows_the_table_and_a_listing(capture: Capture) -> None:
    page = _Page(static_html(capture))
    for words in ("kernels", "softmax_kernel", "trans_kernel", "SIMD", "load.ugm", "mov"):
        assert words in page.text
    assert [tag for tag, _ in page.elements].count("tr") == 1 + len(capture)


def test_static_html_shows_the_kernel_that_was_chosen(capture: Capture) -> None:
    chosen = next(k for k in capture if k.name == "trans_kernel")
    assert "trans_kernel: ISA, lines" in _Page(static_html(capture, chosen)).text


def test_static_html_has_a_bounded_size(capture: Capture) -> None:
    kernels = tuple(k for _ in range(40) for k in capture)
    text = static_html(replace(capture, kernels=kernels))
    assert len(text) < 500_000
    assert "more kernels" in text


def test_static_html_of_an_empty_capture_says_why(tmp_path: Path) -> None:
    text = _Page(static_html(Capture(tmp_path, (), (Note("warning", "no xpu tensor was used"),)))).text
    assert "no xpu tensor was used" in text


@pytest.mark.parametrize("render", [static_html, report_html])
def test_text_of_a_capture_can_do_nothing(hostile: Capture, render: object) -> None:
    text = render(hostile)  # type: ignore[operator]
    page = _Page(text)
    assert "img" not in {tag for tag, _ in page.elements}
    assert "\u202e" not in text
    for attributes in (attributes for _, attributes in page.elements):
        assert not [name for name in attributes if name.startswith("on")]
    scripts = [told for told, _ in page.raw if told["tag"] == "script" and told.get("type") == "module"]
    assert len(scripts) == (1 if render is report_html else 0)


def test_static_html_runs_no_script(capture: Capture) -> None:
    assert not {"script", "iframe", "link"} & {tag for tag, _ in _Page(static_html(capture)).elements}


def test_a_deleted_capture_costs_the_listing_only(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / "2.40" / "pvc" / "add", tmp_path / "run")
    capture = read_capture(tmp_path / "run")
    capture.table  # noqa: B018 (the numbers are known; only then does the folder go)
    shutil.rmtree(tmp_path / "run")
    text = _Page(static_html(capture)).text
    assert "add_kernel" in text
    assert "is no longer there" in text


def test_a_report_holds_every_listing_as_it_is(capture: Capture) -> None:
    small = replace(capture, kernels=tuple(k for k in capture if k.name in ("add_kernel", "trans_kernel")))
    page = _Page(report_html(small))
    raw = {told["id"]: text for told, text in page.raw if told.get("id")}
    data = json.loads(raw["xpuasm-data"])
    assert len(data["listings"]) == sum(len(k.stages) for k in small) + sum(
        len(attempt.stages) for k in small for attempt in k.attempts
    )
    for kernel in small:
        for stage in kernel.stages:
            place = json.dumps([kernel.key, None, stage], separators=(",", ":"))
            text, *colours = (
                json.loads(gzip.decompress(base64.b64decode(part)))
                for part in raw[data["listings"][place]["element"]].split(" ")
            )
            assert text["text"] == "\n".join(line.text for line in kernel.listing(stage).lines)
            assert [one["start"] for one in colours] == list(range(0, len(kernel.listing(stage).lines), CHUNK))
            assert sum(len(one["lines"]) for one in colours) == len(kernel.listing(stage).lines)


def test_a_text_that_several_kernels_have_is_in_the_report_once(capture: Capture, tmp_path: Path) -> None:
    kernel = capture.kernels[0]
    listing = Listing("ttir", (Line("module {"), Line("}")))
    kernels = tuple(
        replace(kernel, stages={"ttir": StageFile("ttir", tmp_path / name, lambda _: listing)}, attempts=())
        for name in ("a", "b")
    )
    page = _Page(report_html(replace(capture, kernels=kernels)))
    data = json.loads(next(text for told, text in page.raw if told.get("id") == "xpuasm-data"))
    assert len(data["listings"]) == 2
    assert len({told["element"] for told in data["listings"].values()}) == 1


def test_listings_packed_in_several_processes_are_the_same_as_in_one(capture: Capture) -> None:
    kernel = next(k for k in capture if k.name == "softmax_kernel")
    listings = [(stage, to_json(listing_payload(kernel.listing(stage)))) for stage in kernel.stages]
    with ListingPacker(10**9) as packer:
        apart = [packer.pack(stage, listing) for stage, listing in listings]
        for (stage, listing), packed in zip(listings, apart, strict=True):
            alone = packed_listing(stage, listing)
            assert packed.result().text == alone.text
            assert set(packed.result().tokens) == alone.tokens


def test_a_packing_process_that_ends_costs_nothing(capture: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    listing = to_json(listing_payload(capture.kernels[0].listing("isa")))
    with ListingPacker(10**9) as packer:
        assert packer.pack("isa", listing).result().text == packed_listing("isa", listing).text


def test_a_report_needs_no_network_and_runs_its_own_script_only(capture: Capture) -> None:
    page = _Page(report_html(replace(capture, kernels=capture.kernels[:1])))
    for tag, attributes in page.elements:
        assert not {"src", "href"} & set(attributes), tag
    policy = next(a["content"] or "" for tag, a in page.elements if a.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for told, text in page.raw:
        if told.get("type") == "module" or told["tag"] == "style":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy, told
    assert not re.search(r"@import|url\(", page.raw[0][1])


def test_a_listing_that_cannot_be_read_is_an_error_in_the_report(capture: Capture, tmp_path: Path) -> None:
    kernel = capture.kernels[0]

    def missing(path: Path) -> Listing:
        raise FileNotFoundError(2, "No such file or directory", str(path))

    broken = replace(kernel, stages={"isa": StageFile("isa", tmp_path / "gone.asm", missing)}, attempts=())
    page = _Page(report_html(replace(capture, kernels=(broken,))))
    data = json.loads(next(text for told, text in page.raw if told.get("id") == "xpuasm-data"))
    (told,) = data["listings"].values()
    assert "gone.asm cannot be read: No such file" in told["error"]
