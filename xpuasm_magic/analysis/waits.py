"""Where instructions wait for others: scoreboard tokens and register distances, as the code itself states them.

Source: IGA's instruction model (visa/iga/IGALibrary). `$N` takes token N for an instruction that ends out of order
(a message, dpas, math); `$N.dst` waits until it has written its result, `$N.src` until it has read its sources;
`I@2` waits for the second last instruction of a pipe that ends in order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from xpuasm_magic.formats.gen_operands import BRANCHES
from xpuasm_magic.model import Line

# {Compacted,A@1,$0.dst}      sync.allrd ($5,$7)
_OPTIONS = re.compile(r"\{(?P<options>[^}]*[@$][^}]*)\}")
_TOKEN = re.compile(r"\$(?P<id>\d+)(?P<kind>\.dst|\.src)?")
_SYNC_TOKENS = re.compile(r"sync\.all(?P<kind>rd|wr)[ \t]+(?:\(\d+\|M\d+\)[ \t]+)?\((?P<tokens>[$\d, ]+)\)")


@dataclass(frozen=True)
class Waits:
    """Waits in the code. A static count: whether one stalls depends on how long the awaited instruction takes."""

    results: int
    """Waits for the result of an instruction that ends out of order (`$N.dst`)."""
    sources: int
    """Waits until a message or dpas has read its sources (`$N.src`)."""
    distances: int
    """Waits for an instruction of an in-order pipe (`@N`)."""
    syncs: int
    """`sync` instructions: waits that found no place on another instruction."""
    result_distances: tuple[int, ...]
    """Instructions between one that takes a token and the first that waits for its result, in order of the code;
    only of those that stand in one block without a branch or a label between."""

    @property
    def median_result_distance(self) -> float | None:
        """None: no wait has its instruction in the same block."""
        return median(self.result_distances) if self.result_distances else None


def waits(lines: Sequence[Line]) -> Waits:
    """The waits of a listing's lines, or of some of them in order."""
    results = sources = distances = syncs = ordinal = 0
    taken: dict[str, int] = {}
    gaps = []
    for line in lines:
        instruction = line.instruction
        if instruction is None:
            if not line.text.startswith("//") and ":" in line.text:  # a label
                taken.clear()
            continue
        ordinal += 1
        text = line.text
        opcode = instruction.opcode
        if opcode.startswith("sync"):
            syncs += 1
        if found := _OPTIONS.search(text):
            options = found["options"]
            distances += options.count("@")
            for id_, kind in _TOKEN.findall(options):
                if not kind:
                    taken[id_] = ordinal
                elif kind == ".dst":
                    results += 1
                    if (start := taken.pop(id_, None)) is not None:
                        gaps.append(ordinal - start - 1)
                else:
                    sources += 1
        if opcode.startswith("sync.all") and (listed := _SYNC_TOKENS.search(text)):
            count = listed["tokens"].count("$")
            results, sources = (results + count, sources) if listed["kind"] == "wr" else (results, sources + count)
        if opcode.partition(".")[0] in BRANCHES:
            taken.clear()
    return Waits(results, sources, distances, syncs, tuple(gaps))
