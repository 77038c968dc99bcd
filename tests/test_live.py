"""A run that goes on, shown: without a page, with the run's steps made by hand."""

from __future__ import annotations

import gzip
import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from capture_builder import CaptureBuilder
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

from xpuasm_magic.capture.runner import State
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.catalog.growing import GrowingCapture
from xpuasm_magic.view.live import LiveView
from xpuasm_magic.view.widget import Browser


@pytest.fixture
def building(corpus: Path, tmp_path: Path) -> CaptureBuilder:
    return CaptureBuilder(tmp_path / "run", corpus, state="running")


@pytest.fixture
def shown() -> Iterator[Callable[[], list[RichOutput]]]:
    """What a cell has displayed so far."""
    InteractiveShell.instance()
    with capture_output() as output:
        yield lambda: list(output.outputs)


def _state(building: CaptureBuilder, **fields: Any) -> State:
    values = {"phase": "running", "found": 0, "built": 0, "failed": 0, "elapsed_s": 1.0}
    return State(folder=building.folder, **(values | fields))


def _until(holds: Callable[[], bool], step: Callable[[], None]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it does not come"
        step()
        time.sleep(0.02)


def test_a_variant_is_compiling_until_its_builds_are_decided(building: CaptureBuilder) -> None:
    growing = GrowingCapture(building.folder)
    assert growing.read().kernels == ()
    key = building.variant("2.40/pvc/add")
    building.build(key, "2.40/pvc/add")
    (kernel,) = growing.read().kernels
    assert (kernel.status, kernel.match) == ("compiling", "none")
    assert kernel.listing("ttir").text
    assert "isa" not in kernel.stages
    building.decision(key, "pvc-default")
    building.variant("2.40/pvc/softmax_w4")
    assert [kernel.status for kernel in growing.read().kernels] == ["ok", "compiling"]


def test_what_has_grown_is_what_is_read_at_the_end(building: CaptureBuilder) -> None:
    growing = GrowingCapture(building.folder)
    for case in ("add", "spill", "trans"):
        building.kernel(f"2.40/pvc/{case}")
        growing.read()
    grown, whole = growing.read(), read_capture(building.folder)
    assert list(grown.kernels) != []
    assert grown.table.equals(whole.table)
    assert [kernel.stages.keys() for kernel in grown] == [kernel.stages.keys() for kernel in whole]
    assert grown.info.state == "running"


def test_a_finished_kernel_is_read_once(building: CaptureBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    from xpuasm_magic.catalog import growing as module

    read: list[str] = []
    outcome = module.built_outcome
    monkeypatch.setattr(
        module,
        "built_outcome",
        lambda reader, entry, folder: (read.append(entry.name), outcome(reader, entry, folder))[1],
    )
    growing = GrowingCapture(building.folder)
    building.kernel("2.40/pvc/add")
    growing.read()
    building.kernel("2.40/pvc/trans")
    growing.read()
    growing.read()
    assert read == ["add_kernel", "trans_kernel"]


def test_one_browser_is_shown_from_the_first_moment_to_the_last(
    building: CaptureBuilder, shown: Callable[[], list[RichOutput]], sent: list[Any]
) -> None:
    with LiveView(Browser) as live:
        live(_state(building))
        widgets = [output for output in shown() if "application/vnd.jupyter.widget-view+json" in output.data]
        assert len(widgets) == 1
        assert "the run goes on" in shown()[0].data["text/plain"]
        building.kernel("2.40/pvc/add")
        browser = live._browser
        assert browser is not None
        _until(lambda: len(browser.capture) == 1, lambda: live(_state(building, found=1, built=1)))
        building.write_record(state="finished")
        value = live.ended(read_capture(building.folder))
    assert value is browser
    before = len(shown())
    value._ipython_display_()
    assert len(shown()) == before, "as the cell's value it is there already"
    assert "1 kernel" in shown()[-1].data["text/plain"], "the static output has the end"


def test_the_page_is_told_of_the_run_again_and_again(
    building: CaptureBuilder, shown: Callable[[], list[RichOutput]], sent: list[tuple[dict[str, Any], Any]]
) -> None:
    with LiveView(Browser) as live:
        live(_state(building))
        for _ in range(50):
            live(_state(building))
        assert len(sent) == 1, "not thirty times a second"
        _until(
            lambda: len(sent) > 1, lambda: live(_state(building, phase="compiling", found=2, built=1, elapsed_s=3.04))
        )
        live.ended(read_capture(building.folder))
    told = [message for message, _ in sent if message["type"] == "progress"]
    assert told[-1] == {
        "type": "progress",
        "phase": "compiling",
        "found": 2,
        "built": 1,
        "failed": 0,
        "elapsed_s": 3.0,
    }


def test_the_pages_stop_button_is_an_interrupt_of_the_run_and_of_nothing_after_it(
    building: CaptureBuilder, shown: Callable[[], list[RichOutput]], sent: list[tuple[dict[str, Any], Any]]
) -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    stop = {"type": "request", "id": "v-1", "kind": "stop", "params": {}}
    try:
        with LiveView(Browser) as live:
            live(_state(building))
            assert live._browser is not None
            live._browser.take(stop, [])
            assert came == [], "the run itself is interrupted, between two of its steps"
            live(_state(building))
            assert came == [signal.SIGINT]
            live(_state(building))
            browser = live.ended(read_capture(building.folder))
        browser.take(stop, [])
        assert came == [signal.SIGINT]
        assert sent[-1][0]["error"] == "the run has ended"
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_that_could_not_be_ended_is_not_shown_as_running(
    building: CaptureBuilder, shown: Callable[[], list[RichOutput]]
) -> None:
    live = LiveView(Browser)

    def broken() -> None:
        with live:
            live(_state(building))
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        broken()
    assert live._browser is not None
    assert live._browser.capture.info.state == "failed"
    assert live._browser.on_stop is None


def test_a_fault_of_the_view_costs_the_view_and_not_the_run(
    building: CaptureBuilder,
    shown: Callable[[], list[RichOutput]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with LiveView(Browser) as live:
        live(_state(building))
        monkeypatch.setattr(GrowingCapture, "read", lambda self: 1 / 0)
        _until(lambda: "could not be shown" in caplog.text, lambda: live(_state(building, found=1)))
        assert live.ended(read_capture(building.folder)).capture.folder == building.folder


class FakeKernel:
    """Of ipykernel 6 what keeps messages: `arrive` makes some, as a page and a notebook send them."""

    def __init__(self) -> None:
        from jupyter_client.session import Session
        from tornado.queues import Queue

        self.session = Session(key=b"secret")
        self.page = Session(key=b"secret")
        self.shell_stream = self
        self.msg_queue: Any = Queue()
        self._arrived: list[Any] = []

    def arrive(self, kind: str, content: dict[str, Any]) -> None:
        from zmq import Frame

        message = self.page.msg(kind, content)
        self._arrived.append([Frame(part) for part in (b"page", *self.page.serialize(message))])

    def flush(self, _flag: int) -> int:
        arrived, self._arrived = self._arrived, []
        for number, frames in enumerate(arrived):
            self.msg_queue.put_nowait((number, None, (frames,)))
        return len(arrived)

    def kept(self) -> list[str]:
        waiting = [self.msg_queue.get_nowait()[2][0] for _ in range(self.msg_queue.qsize())]
        parts = [self.session.feed_identities(frames, copy=False)[1] for frames in waiting]
        return [self.session.deserialize(part, copy=False)["msg_type"] for part in parts]


def test_ipykernel_6_answers_the_page_and_keeps_all_else_in_order(
    building: CaptureBuilder, monkeypatch: pytest.MonkeyPatch, sent: list[tuple[dict[str, Any], Any]]
) -> None:
    from xpuasm_magic.view import busy

    building.kernel("2.40/pvc/add")
    browser = Browser(read_capture(building.folder))
    kernel = FakeKernel()
    monkeypatch.setattr(busy, "get_ipython", lambda: type("Shell", (), {"kernel": kernel}))
    serve = busy.requests_of(browser)
    key = browser.capture.kernels[0].key
    params = {"kernel": key, "attempt": None, "stage": "isa"}
    request = {"type": "request", "id": "v-7", "kind": "listing", "params": params}
    kernel.arrive("execute_request", {"code": "1"})
    kernel.arrive("comm_msg", {"comm_id": browser.model_id, "data": {"method": "custom", "content": request}})
    kernel.arrive("comm_msg", {"comm_id": browser.model_id, "data": {"method": "update", "state": {}}})
    kernel.arrive("comm_msg", {"comm_id": "another", "data": {"method": "custom", "content": request}})
    kernel.arrive("comm_msg", {"comm_id": browser.model_id})
    kernel.arrive("kernel_info_request", {})
    serve()
    ((answer, (packed,)),) = sent
    assert answer == {"type": "answer", "id": "v-7"}
    assert json.loads(gzip.decompress(packed))["text"].startswith("//.kernel ")
    serve()
    assert kernel.kept() == ["execute_request", "comm_msg", "comm_msg", "comm_msg", "kernel_info_request"]


def test_where_the_kernel_keeps_no_messages_nothing_is_taken(building: CaptureBuilder) -> None:
    from xpuasm_magic.view import busy

    InteractiveShell.instance()
    busy.requests_of(Browser(read_capture(building.folder)))()
