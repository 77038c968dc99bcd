"""A capture in which every text is an attack: on the page, on the reader's eyes, on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from xpuasm_magic.model import (
    Attempt,
    Capture,
    CaptureInfo,
    Kernel,
    Line,
    Listing,
    Note,
    Origin,
    SourceLoc,
    StageFile,
    Variant,
)

ATTACK = (
    "</script></style></textarea><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
    '" onmouseover="window.harmed = 1" javascript:window.harmed=1 '
    "\u202eesrever\u202c \u2066isolated\u2069 \x00nul \x1b[2J\x1b[31m \x1b]0;title\x07 \x9b31m \u2028 \u200b \ufeff"
)
SEEN = "onerror="
"""Of the attack, what a reader sees of it."""
LONG = 100_000
STAGES = ("python", "ttgir", "llir", "visa", "isa", "metadata")


def hostile_capture(folder: Path) -> Capture:
    note = Note("error", ATTACK, path=ATTACK)
    kernels = (_kernel(folder, ATTACK, "K1" + ATTACK), _kernel(folder, f"b{ATTACK}", "K2", status="failed"))
    info = CaptureInfo(
        state="finished",
        source={"label": ATTACK},
        versions={"torch": ATTACK, ATTACK[:40]: "1"},
        fidelity=(ATTACK,),
    )
    return Capture(folder, kernels, (note, replace(note, severity="warning")), info=info)


def _kernel(folder: Path, name: str, key: str, status: str = "ok") -> Kernel:
    stages = {stage: StageFile(stage, folder / ATTACK[:20].replace("/", "_"), _parser(stage)) for stage in STAGES}
    return Kernel(
        name=name,
        family="user",
        variant=Variant(key=key, constants={ATTACK: ATTACK}),
        match="spirv",
        status=status,
        stages=stages,
        notes=(Note("warning", ATTACK, path=ATTACK),),
        attempts=(Attempt(label=ATTACK, reason=ATTACK, status="ok", stages=stages),),
        error=ATTACK,
        repro=ATTACK,
        origin=Origin(ops=(ATTACK,), lines=(SourceLoc(ATTACK, 3),)),
    )


def _parser(stage: str) -> Callable[[Path], Listing]:
    text = f"        mov (8|M0)  r1.0<1>:ud  r2.0<8;8,1>:ud // {ATTACK}"
    lines = [Line(text, loc=SourceLoc(f"/x/{ATTACK}.py", 3), ids=(number,)) for number in range(40)]
    lines.insert(3, Line("x" * LONG, loc=SourceLoc(f"/x/{ATTACK}.py", 4)))
    return lambda _path: Listing(stage, tuple(lines))
