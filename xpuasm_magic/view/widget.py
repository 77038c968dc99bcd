"""The browser of a capture in a notebook: an anywidget that shows kernels and asks for listings on demand."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.view.answers import Answers
from xpuasm_magic.view.columns import matching
from xpuasm_magic.view.html import static_html
from xpuasm_magic.view.payload import capture_payload, kernels_by_id, pack
from xpuasm_magic.view.script import packed_script
from xpuasm_magic.view.stylesheet import stylesheet
from xpuasm_magic.view.text import summary_text

if TYPE_CHECKING:
    import pandas as pd


class Browser(anywidget.AnyWidget):
    """What a cell with `%%xpu_asm` returns.

    The same output carries static HTML (GitHub, nbconvert, a notebook that is not trusted) and plain text
    (a terminal), so that it can be read where no widget runs.
    """

    _esm = packed_script()
    _css = stylesheet()
    _payload = traitlets.Dict().tag(sync=True)
    """`CapturePayload`. Listings are no part of it: a notebook must not grow by them."""
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
        super().__init__(_all_configs=all_configs)
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

    def update(self, capture: Capture) -> None:
        """Show a newer state of the capture, e.g. while its run goes on; the reader's choice stays."""
        self._capture, self._shown = capture, matching(capture, self._glob)
        self._answers = Answers(self._shown)
        self._payload = dict(capture_payload(self._shown, self._stages))

    def _on_message(self, _widget: object, message: Any, _buffers: object) -> None:
        """Answer a request of the page by its number; an error travels back as the answer."""
        if not isinstance(message, dict) or message.get("type") != "request":
            return
        answer = {"type": "answer", "id": message.get("id")}
        try:
            packed = pack(self._answers.answer(message.get("kind", ""), message.get("params", {})))
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
        return f"<Browser of {len(self._capture)} kernels, {self._capture.folder}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        static = {
            "text/plain": summary_text(self._shown, all_configs=self._all_configs),
            "text/html": static_html(self._shown, self.selected),
        }
        return {**data, **static}, metadata
