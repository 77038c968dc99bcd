"""How a stage is shown; the back ends' rows say it, so that a new stage is one row there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from xpuasm_magic.backends import BACKENDS


@dataclass(frozen=True)
class StageView:
    """A stage as the page names, colours and saves it."""

    name: str
    title: str
    language: str
    """A Pygments alias; one that Pygments does not have is shown plain."""
    suffix: str


@cache
def stage_view(name: str) -> StageView:
    for backend in BACKENDS:
        for stage in backend.stages:
            if stage.name == name:
                suffix = stage.suffix if stage.suffix.startswith(".") else f".{stage.suffix}"
                return StageView(name, stage.title, stage.language, suffix)
    return StageView(name, title=name, language="text", suffix=f".{name}.txt")
