"""One build's folder -> the two numbers by which Triton's loader decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_isa import parse_header
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.formats.zeinfo import parse_zeinfo


@dataclass(frozen=True)
class BuildFacts:
    """`spill_bytes` is per hardware thread. None: not known."""

    grf_count: int | None = None
    spill_bytes: int | None = None


def read_build(folder: Path) -> BuildFacts:
    """What the zebin in a build folder says; of a damaged one, nothing (the catalog tells the user)."""
    try:
        zebin = parse_zebin((folder / "kernel.bin").read_bytes())
        kernels = parse_zeinfo(zebin.ze_info or "")
    except (OSError, ParseError):
        return BuildFacts()
    # A Triton module has one kernel; IGC may add a dummy without code of its own.
    named = {name: env for name, env in kernels.items() if name in zebin.code} or kernels
    if not named:
        return BuildFacts()
    name, env = max(named.items(), key=lambda item: item[1].spill_size or 0)
    spill = env.spill_size
    if spill is None:
        spill = _listed_spill(folder / "dump", zebin.code.get(name, b""))
    return BuildFacts(grf_count=env.grf_count, spill_bytes=spill)


def _listed_spill(dump: Path, code: bytes) -> int | None:
    """IGC 1.0.12504 states the spill in the listing only: of the attempt whose code is in the zebin."""
    for listing in sorted(dump.glob("*.asm"), reverse=True):
        data = listing.with_suffix(".dat")
        if data.is_file() and code.startswith(data.read_bytes()):
            return parse_header(listing.read_text(encoding="utf-8", errors="replace")).spill_size
    return None
