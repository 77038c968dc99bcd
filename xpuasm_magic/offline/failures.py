"""Kernels that Triton did not compile: a note for each, whoever catches the exception."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

from . import gaps, patching
from .frames import Shown
from .records import Records

_LINES, _CHARACTERS = 3, 300

_BINDINGS = ("triton.compiler.compiler", "triton.compiler", "triton")
"""Where `compile` is bound, in the order of their import. `JITFunction` reads the second as it is first launched."""


def record(records: Records, shown: Shown) -> None:
    """Look on at `triton.compile`, whose module must have been imported; the exception goes on as it was.

    Raises:
        patching.PatchError: it is not there in this version.
    """
    from triton.compiler import compiler

    original = compiler.compile

    @functools.wraps(original)
    def compile_(src: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(src, *args, **kwargs)
        except Exception as error:
            records.failed(f"kernel {_name(src)} did not compile: {_words(error)}{_place(src, error, shown)}")
            gaps.note(error, shown, records, kernel_file=_file(src))
            raise

    for name in _BINDINGS:
        if getattr(sys.modules.get(name), "compile", None) is original:
            patching.replace(sys.modules[name], "compile", compile_, "tell kernels that do not compile", takes=("src",))


def _name(source: Any) -> str:
    return str(getattr(source, "name", source))


def _words(error: BaseException) -> str:
    """The error's own sentence: a `CompilationError` has it apart from the excerpt of the source that it prints."""
    told: list[str] = []
    current: BaseException | None = error
    while current is not None:
        if not hasattr(current, "error_message"):
            told.append(f"{type(current).__name__}: {current}")
        elif current.error_message:
            told.append(str(current.error_message))
        elif current.__cause__ is None:
            told.append(f"{type(current).__name__}")
        current = current.__cause__  # the call of another @triton.jit function has no words but its cause's
    lines = [line.strip() for line in told[-1].splitlines() if line.strip()]
    words = " ".join(lines[:_LINES])
    return words if len(words) <= _CHARACTERS else f"{words[:_CHARACTERS]}…"


def _place(source: Any, error: BaseException, shown: Shown) -> str:
    """` (In[5]:3)`: the kernel's line that the error is about, else its `def`."""
    file = _file(source)
    if file is None:
        return ""
    try:
        lines, first = inspect.getsourcelines(source.fn.fn)
    except (OSError, TypeError):
        return f" ({shown.called(file, source.fn.fn.__code__.co_firstlineno)})"
    decorators = next((at for at, line in enumerate(lines) if line.strip().startswith("def ")), 0)
    within = getattr(getattr(error, "node", None), "lineno", 1)  # Triton parses from the `def` on
    return f" ({shown.called(file, first + decorators + within - 1)})"


def _file(source: Any) -> str | None:
    code = getattr(getattr(getattr(source, "fn", None), "fn", None), "__code__", None)
    return code.co_filename if code else None
