"""What a GPU family's compiler makes: its stages in order, each a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Line, Listing, StageFile
from xpuasm_magic.regular import read_regular

Origin = Literal["source", "triton", "module", "entry", "build"]
"""Where a stage's file lies: the Python `source`; an entry of the `triton` cache; in the dump, once for the
whole `module` or once for each kernel's `entry`; beside the dump, written by the `build` itself."""


@dataclass(frozen=True)
class Stage:
    """One text that a compiler makes or reads on the way from Python to machine code."""

    name: str
    title: str
    origin: Origin
    suffix: str
    """What the file's name ends with, after the stem that its origin gives."""
    language: str
    """Pygments' name for it."""
    parse: Callable[[str], tuple[Line, ...]]
    """Raises `ParseError`."""
    complete: Callable[[Path, tuple[Line, ...]], tuple[Line, ...]] | None = None
    """Adds to the lines what other files beside the stage's own say of them."""

    def file(self, path: Path) -> StageFile:
        return StageFile(self.name, path, partial(_read, self))


@dataclass(frozen=True)
class Backend:
    """A GPU family."""

    name: str
    title: str
    triton_target: str
    """`target.backend` in Triton's metadata."""
    stages: tuple[Stage, ...]
    """In pipeline order."""

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    def of_origin(self, origin: Origin) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.stages if stage.origin == origin)

    def in_order(self, files: dict[str, StageFile]) -> dict[str, StageFile]:
        """The same files, in pipeline order."""
        return {stage.name: files[stage.name] for stage in self.stages if stage.name in files}


def _read(stage: Stage, path: Path) -> Listing:
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ParseError(f"it cannot be read: {error.strerror or error}") from error
    lines = stage.parse(text)
    return Listing(stage.name, stage.complete(path, lines) if stage.complete else lines)
