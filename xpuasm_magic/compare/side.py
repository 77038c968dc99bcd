"""One side of a comparison: a kernel, and the capture that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from xpuasm_magic.analysis.places import place
from xpuasm_magic.catalog.reader import Reader
from xpuasm_magic.loader import grf_label
from xpuasm_magic.model import Capture, Kernel, SourceLoc

_DEPTH = 2
"""Levels from a listing (`<build>/dump/x.asm`) or a binary (`<build>/kernel.bin`) up to its build."""


@dataclass(frozen=True)
class Side:
    """`capture` is None where it is not known: then neither is the version of Triton."""

    kernel: Kernel
    capture: Capture | None

    @property
    def igc(self) -> str | None:
        """The version that built the code."""
        igc = self._build.get("igc")
        return igc if isinstance(igc, str) else self._version("igc")

    @property
    def triton(self) -> str | None:
        return self._version("triton_xpu")

    @property
    def build_flags(self) -> str:
        """What the code was asked to be built with, which `--grf` sets for all kernels.

        The flags of a second build that the loader made because the first spilled are a result, and are not told.
        """
        own, built = self.kernel.variant.build_flags, self._build.get("flags")
        first = f"-{grf_label(own)}"  # as builds are named: pvc-default, bmg-grf256
        again = any(attempt.label.endswith(first) for attempt in self.kernel.attempts)
        return built if isinstance(built, str) and not again else own

    def place(self, loc: SourceLoc) -> str:
        """A source line as its reader knows it: `In[5]:3`, `softmax.py:17`."""
        return place(self.capture, loc) if self.capture else f"{PurePath(loc.file).name}:{loc.line}"

    def places(self, locs: Iterable[SourceLoc]) -> list[str]:
        """Each once, in order."""
        return list(dict.fromkeys(self.place(loc) for loc in locs))

    def _version(self, package: str) -> str | None:
        return self.capture.info.versions.get(package) if self.capture else None

    @cached_property
    def _build(self) -> Mapping[str, Any]:
        """`build.json` of the build that the kernel's code is of; empty where we did not build it."""
        code = self.kernel.stages.get("isa")
        path = code.path if code else self.kernel.binaries.get("zebin")
        for folder in list(path.parents)[:_DEPTH] if path else ():
            reader = Reader(folder)
            if reader.is_file(folder / "build.json"):
                return reader.json(folder / "build.json") or {}
        return {}
