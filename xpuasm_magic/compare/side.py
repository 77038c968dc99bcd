"""One side of a comparison: a kernel, and the capture that it is of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from xpuasm_magic.analysis.places import place
from xpuasm_magic.model import Capture, Kernel, SourceLoc


@dataclass(frozen=True)
class Side:
    """`capture` is None where it is not known: then neither are the versions of the compilers."""

    kernel: Kernel
    capture: Capture | None

    def version(self, package: str) -> str | None:
        return self.capture.info.versions.get(package) if self.capture else None

    def place(self, loc: SourceLoc) -> str:
        """A source line as its reader knows it: `In[5]:3`, `softmax.py:17`."""
        return place(self.capture, loc) if self.capture else f"{PurePath(loc.file).name}:{loc.line}"

    def places(self, locs: Iterable[SourceLoc]) -> list[str]:
        """Each once, in order."""
        return list(dict.fromkeys(self.place(loc) for loc in locs))
