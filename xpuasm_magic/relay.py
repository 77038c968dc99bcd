"""The child's output, passed on to the user's screen as it comes, up to a sane amount."""

from __future__ import annotations

import sys

LIMIT_CHARS = 2_000_000
KEPT_CHARS = 20_000
"""Of what goes to stderr beyond the limit, this much of its end is shown when the run is over: the traceback."""
_REST = "\n[xpuasm: more output than a notebook holds; the rest is in the capture's run.log]\n"


class Relay:
    """Writes pieces of output to our own stdout and stderr.

    Beyond the limit, and where a stream takes no more (a reader that has gone, a full disk), run.log alone has them.
    """

    def __init__(self, limit: int | None = LIMIT_CHARS) -> None:
        self._left = limit
        self._kept = ""
        self._broken: set[str] = set()

    def __call__(self, stream: str, text: str) -> None:
        if self._left is not None:
            if self._left <= 0:
                self._keep(stream, text)
                return
            self._left -= len(text)
            if self._left <= 0:
                cut = len(text) + self._left
                self._keep(stream, text[cut:])
                text = text[:cut] + _REST
        self._write(stream, text)

    def end(self) -> None:
        """The run is over: the end of what was held back of stderr."""
        if self._kept:
            self._write("stderr", self._kept)
            self._kept = ""

    def _keep(self, stream: str, text: str) -> None:
        if stream == "stderr":
            self._kept = (self._kept + text)[-KEPT_CHARS:]

    def _write(self, stream: str, text: str) -> None:
        if stream in self._broken:
            return
        file = sys.stderr if stream == "stderr" else sys.stdout
        try:
            file.write(text)
            file.flush()
        except OSError:
            self._broken.add(stream)
