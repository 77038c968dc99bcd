"""What the driver's loader would report of a kernel, once the parent has built it.

The parent tails `variants.jsonl`, builds each variant with ocloc and writes `igc/<key>/loader.json` about the build
that the loader would keep. Nobody waits for that until a number is looked at.
"""

from __future__ import annotations

import functools
import json
import operator
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FIELDS = {"n_regs": "n_regs", "n_spills": "spill_bytes"}
"""The loader's names and those of `loader.json`. Triton 3.3 counts spills in bytes per hardware thread."""


class Builds:
    """The parent's builds, as files.

    Args:
        folder: the capture folder.
        building: whether somebody builds; if not, asking for a number is an error at once.
        patience_s: how long to wait for one build.
    """

    def __init__(self, folder: Path, *, building: bool, patience_s: float) -> None:
        self._folder, self._building, self._patience_s = folder, building, patience_s
        self._answers: dict[str, dict[str, Any]] = {}

    def number(self, key: str, name: str, field: str) -> int:
        """A number of the kept build: `n_regs` or `n_spills`, as Triton's loader calls them.

        Raises:
            RuntimeError: the build failed (with the compiler's words), or nobody builds, or it takes too long.
        """
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._wait(key, name, field)
        if answer.get("status", "ok") != "ok" or answer.get("kept") is None or answer.get(_FIELDS[field]) is None:
            raise RuntimeError(f"kernel {name} has no binary to load: {self._words(key, answer)}")
        return int(answer[_FIELDS[field]])

    def _wait(self, key: str, name: str, field: str) -> dict[str, Any]:
        if not self._building:
            raise RuntimeError(
                f"{field} of kernel {name} is the compiled binary's, and this run builds none; it is not guessed"
            )
        path = self._folder / "igc" / key / "loader.json"
        end = time.monotonic() + self._patience_s
        while time.monotonic() < end:
            try:
                answer: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            except (FileNotFoundError, json.JSONDecodeError):
                time.sleep(0.02)
            else:
                return answer
        raise RuntimeError(f"{field} of kernel {name}: its build did not end within {self._patience_s:.0f} s")

    def _words(self, key: str, answer: dict[str, Any]) -> str:
        if answer.get("error"):
            return str(answer["error"])
        words = []
        for path in sorted((self._folder / "igc" / key).glob("*/build.json")):
            try:
                build = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, json.JSONDecodeError):
                continue
            if build.get("status") != "ok":
                words.append(f"{path.parent.name}: {build.get('error') or build.get('status')}")
        return "\n".join(words) or "it was not built"


def _lazily(operation: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Pending, *others: Any) -> Any:
        return operation(int(self), *(int(o) if isinstance(o, Pending) else o for o in others))

    return method


@functools.total_ordering
class Pending:
    """An integer that is asked for when it is used. Not an `int`: C code would read such a one's value unasked."""

    def __init__(self, ask: Callable[[], int]) -> None:
        self._ask = ask

    def __int__(self) -> int:
        return self._ask()

    __index__ = __int__
    __eq__ = _lazily(operator.eq)
    __lt__ = _lazily(operator.lt)
    __hash__ = _lazily(hash)
    __bool__ = _lazily(bool)
    __repr__ = _lazily(repr)
    __str__ = _lazily(str)
    __format__ = _lazily(format)
    __float__ = _lazily(float)
    __add__ = __radd__ = _lazily(operator.add)
    __mul__ = __rmul__ = _lazily(operator.mul)
    __sub__ = _lazily(operator.sub)
    __rsub__ = _lazily(lambda a, b: b - a)
    __truediv__ = _lazily(operator.truediv)
    __floordiv__ = _lazily(operator.floordiv)
    __mod__ = _lazily(operator.mod)

    def __deepcopy__(self, memo: dict[int, Any]) -> Pending:
        return self

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)
