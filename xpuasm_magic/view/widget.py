"""The browser of a capture in a notebook: an anywidget that shows kernels and asks for listings on demand."""

from __future__ import annotations

import base64
import secrets
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from IPython.core.page import page
from IPython.display import display
from IPython.terminal.interactiveshell import TerminalInteractiveShell

from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.view.answers import Answers
from xpuasm_magic.view.columns import matching
from xpuasm_magic.view.html import static_html
from xpuasm_magic.view.payload import capture_payload, kernels_by_id, pack
from xpuasm_magic.view.recompiling import Recompiling
from xpuasm_magic.view.script import packed_script
from xpuasm_magic.view.text import browser_text, isa_text, saved_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class View:
    """What a browser shows of a capture; made in any thread."""

    capture: Capture
    shown: Capture
    """Less the kernels that are not asked for."""
    payload: str
    """`CapturePayload`, packed."""


class Browser(anywidget.AnyWidget):
    """What a cell with `%%xpu_asm` returns.

    It is displayed as two outputs: static HTML and text, which can be read where no widget runs (GitHub, nbconvert,
    a notebook that is not trusted, or is opened with no kernel), then the widget, which hides the static one.
    In one output the front end would choose the widget, and show an error in its place when its model has gone.
    """

    _esm = packed_script()
    _payload = traitlets.Unicode().tag(sync=True)
    """`CapturePayload`, packed. Listings are no part of it: a notebook must not grow by them."""
    _static_id = traitlets.Unicode().tag(sync=True)
    """Marks the static output, so that a widget hides its own."""
    _selected = traitlets.Unicode().tag(sync=True)
    _all_configs = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        capture: Capture,
        *,
        kernel_glob: str | None = None,
        stages: Collection[str] = (),
        all_configs: bool = False,
    ) -> None:
        """`kernel_glob` and `stages` limit what the page shows, `all_configs` unfolds autotuning's losers."""
        self._glob, self._stages = kernel_glob, tuple(stages)
        self._displayed: list[Any] = []
        self._displayed_in: int | None = None
        # A page's messages may come in a thread of their own (a subshell), whatever the main thread does.
        self._answering = threading.Lock()
        self._changing = threading.RLock()
        self._recompiling = Recompiling()
        self.on_stop: Callable[[], None] | None = None
        """Ends the run that is shown; None: it has ended."""
        super().__init__(_all_configs=all_configs, _static_id=secrets.token_hex(6))
        self.update(capture)
        self.on_msg(self._on_message)

    @property
    def capture(self) -> Capture:
        return self._capture

    @property
    def table(self) -> pd.DataFrame:
        """One row per compiled variant."""
        return self._capture.table

    @property
    def selected(self) -> Kernel | None:
        """The kernel that the reader has chosen in the page."""
        return kernels_by_id(self._shown).get(self._selected)

    def page(self, kernel: str | None = None, stage: str = "isa") -> None:
        """Show a listing in IPython's pager, in colour: of the kernel of that name or key, else of the first one."""
        chosen = self._shown[kernel] if kernel else next(one for one in self._shown if stage in one.stages)
        page(isa_text(chosen, stage, color=True))

    def update(self, capture: Capture) -> None:
        """Show a newer state of the capture, e.g. while its run goes on; the reader's choice stays."""
        self.show(self.view(capture))

    def view(self, capture: Capture) -> View:
        """All that showing this capture needs."""
        shown = matching(capture, self._glob)
        payload = base64.b64encode(pack(capture_payload(shown, self._stages))).decode()
        return View(capture, shown, payload)

    def show(self, view: View) -> None:
        self._capture, self._shown = view.capture, view.shown
        self._answers = Answers(self._shown, self._recompiling)
        with self._changing:
            self._payload = view.payload
        if view.capture.info.state != "running":  # what is saved is the end, and not each step towards it
            for handle in self._displayed:
                handle.update(self._static(), raw=True)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """What the page has set; traitlets holds back other changes meanwhile, and is not made for two threads."""
        with self._changing:
            super().set_state(sync_data)

    def take(self, message: Any, buffers: Any) -> None:
        """A message of the page that was not waited for in the kernel's own way."""
        self._on_message(self, message, buffers)

    def _answer(self, kind: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if kind == "hello":
            return {}
        if kind == "stop":
            if self.on_stop is None:
                raise XpuasmError("the run has ended")
            self.on_stop()
            return {}
        with self._answering:
            return self._answers.answer(kind, params)

    def _on_message(self, _widget: object, message: Any, _buffers: object) -> None:
        """Answer a request of the page by its number; an error travels back as the answer."""
        if not isinstance(message, dict) or message.get("type") != "request":
            return
        answer = {"type": "answer", "id": message.get("id")}
        try:
            packed = pack(self._answer(message.get("kind", ""), message.get("params", {})))
        except XpuasmError as error:
            self.send({**answer, "error": str(error)})
        except Exception as error:
            # A fault of ours: the page must not wait for ever, and the traceback is not lost.
            self.send({**answer, "error": f"{type(error).__name__}: {error}"})
            raise
        else:
            self.send(answer, [packed])

    def __repr__(self) -> str:
        # ipywidgets would write out every trait.
        return f"<Browser of {len(self._capture)} kernels, {self._capture.folder}; .page(NAME) shows a listing>"

    def _static(self) -> dict[str, str]:
        return {
            "text/plain": saved_text(self._shown, all_configs=self._all_configs),
            "text/html": static_html(self._shown, self.selected, id_=self._static_id),
        }

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """All in one, for front ends that ask for it."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, **self._static()}, metadata

    def display_once(self) -> None:
        """Display it now, and not again in this cell: as its value it is there already."""
        display(self)
        self._displayed_in = _cell_number()

    def _ipython_display_(self) -> None:
        if self._displayed_in is not None and self._displayed_in == _cell_number():
            return
        if isinstance(get_ipython(), TerminalInteractiveShell):
            print(browser_text(self._shown, all_configs=self._all_configs, color=sys.stdout.isatty()))
            return
        self._displayed.append(display(self._static(), raw=True, display_id=True))
        data, _ = super()._repr_mimebundle_() or ({}, {})
        data.pop("text/plain", None)  # the static output has it
        display(data, raw=True)


def _cell_number() -> int | None:
    return getattr(get_ipython(), "execution_count", None)
