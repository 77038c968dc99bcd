"""The child's output, passed on to the user's screen as it comes, up to a sane amount."""

from __future__ import annotations

import sys

LIMIT_CHARS = 2_000_000


class Relay:
    """Writes pieces of output to our own stdout and stderr; beyond the limit run.log alone keeps them."""

    def __init__(self, limit: int | None = LIMIT_CHARS) -> None:
        self._left = limit
        self._said = False

    def __call__(self, stream: str, text: str) -> None:
        file = sys.stderr if stream == "stderr" else sys.stdout
        if self._left is not None:
            if len(text) > self._left:
                text = text[: self._left]
                if not self._said:
                    self._said = True
                    text += "\n[xpuasm: more output than a notebook holds; the rest is in the capture's run.log]\n"
                    self._left = 0
            else:
                self._left -= len(text)
        if text:
            file.write(text)
            file.flush()
