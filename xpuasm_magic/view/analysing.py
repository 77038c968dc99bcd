"""The figures of codes that a page asks for: long ones are made in a thread, and the page asks again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from xpuasm_magic.errors import ParseError, XpuasmError
from xpuasm_magic.model import Kernel
from xpuasm_magic.view.analysed import Analysed
from xpuasm_magic.view.figures import AnalysisPayload, analysis_payload

_PATIENCE_S = 0.2
_KEPT = 16


class Analysing:
    """Of one capture; what has been made last is kept."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "xpuasm-analysis")
        self._made: OrderedDict[Hashable, Future[AnalysisPayload]] = OrderedDict()

    def answer(self, name: Hashable, kernel: Kernel) -> Mapping[str, Any]:
        """The figures of the code of that name, or `{"pending": true}`: ask again.

        Raises:
            XpuasmError: its listing cannot be read.
        """
        if name not in self._made:
            self._made[name] = self._thread.submit(_figures, kernel)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)[1].cancel()
        self._made.move_to_end(name)
        try:
            return self._made[name].result(_PATIENCE_S)
        except NotYet:
            return {"pending": True}
        except (ParseError, OSError, XpuasmError):
            del self._made[name]  # it may be there the next time
            raise


def _figures(kernel: Kernel) -> AnalysisPayload:
    if "isa" not in kernel.stages:
        raise XpuasmError(f"{kernel.name} has no machine code")
    try:
        return analysis_payload(Analysed(kernel))
    except OSError as error:
        raise XpuasmError(f"the listing cannot be read: {error.strerror or error}") from error
