"""What IGC writes of spilling into an ISA listing: marked instructions, and variables that went to memory.

Every version marks each store to and load from a spill slot in the comment behind it; the words moved
(facts of IGC 1.0.12504, 1.0.17791 and 2.40).
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

SpillKind = Literal["spill", "fill"]

# … hword scratch block write x1 //  scratch space spill: SP_GRF_V0048_0 from offset[0x32]; $10   IGC 1.0, DG2 and PVC
# … hword scratch block read x4 //  scratch space fill: from offset[4x64]; ; $31                     IGC 2, PVC
# … ex_desc:a0.2; desc:0x4210D500 //  fill from offset[1*64] of ?; ; $29                             Xe2, Xe3, Xe3P
# … ex_desc:a0.2; desc:0x4210E500 //  spill to FP[3*64] of SP_GRF_V0066_1; $96                       code with calls
_ACCESS = re.compile(
    r"//[ \t]+(?:scratch space )?(?P<kind>spill|fill)\b:? *(?P<before>(?:SP|FL)_\w+)? *(?:from|to) "
    r"(?P<base>offset|FP)\[(?P<slot>\d{1,9})[x*](?P<size>\d{1,9})\](?: of (?P<after>\w+))?"
)
# SP_GRF_V0048_0    FL_GRF_V0048_12    FL_Send_V1095_3      (FL_GRF__5: a temporary without a name)
_TEMPORARY = re.compile(r"(?:SP|FL)_(?:GRF|Send)_(?P<variable>\w+?)_\d+")

# //.declare V1095 (1106)  rf=r size=128 type=f align=32 words (spilled -> Scratch[193x64])
# //.declare V0048 (58)  rf=r size=64 type=ud alias=V0045+0 align=32 words (spilled)
# //.declare P1 (160)  rf=f16  size=2 type=uw align=1 words (spilled -> )
_DECLARE = re.compile(
    r"//\.declare (?P<name>\S*) ?\(\d+\)[ \t]+rf=(?P<file>[a-z]+)\d*[ \t]+size=(?P<size>\d{1,9}) type=(?P<type>\w+)"
    r"(?: alias=(?P<alias>[^+ ]*)\+\d+)?.*"
    r"\(spilled(?: -> (?:Scratch\[(?P<slot>\d{1,9})x(?P<unit>\d{1,9})\])?)?\)$"
)


class SpillAccess(NamedTuple):
    """An instruction that IGC marks as a store to (`spill`) or load from (`fill`) a spill slot."""

    kind: SpillKind
    offset: int
    """Bytes from the start of the hardware thread's scratch space, or from its frame pointer."""
    in_frame: bool = False
    """Relative to the frame pointer: the kernel has stack calls."""
    variable: str | None = None
    """The vISA variable; only old IGCs name it, and not always."""


class SpilledVariable(NamedTuple):
    """A vISA variable that lives in memory."""

    name: str
    """Empty where the compiler gave none."""
    size: int
    """Bytes per hardware thread, as declared."""
    type: str
    offset: int | None
    """Bytes from the start of the scratch space. None: a flag, or part of another variable."""
    alias: str | None = None
    """The variable that it is a part of, which has the slot."""
    flag: bool = False
    """A flag register: it goes to a general register and not to memory."""


def parse_spill_access(line: str) -> SpillAccess | None:
    """What IGC's mark on a line says; None where there is none."""
    if "[" not in line or (found := _ACCESS.search(line)) is None:
        return None
    named = found["before"] or found["after"] or ""
    temporary = _TEMPORARY.fullmatch(named)
    kind: SpillKind = "spill" if found["kind"] == "spill" else "fill"
    return SpillAccess(
        kind=kind,
        offset=int(found["slot"]) * int(found["size"]),
        in_frame=found["base"] == "FP",
        variable=(temporary["variable"] or None) if temporary else None,
    )


def parse_spilled_variable(line: str) -> SpilledVariable | None:
    """The spilled variable that a `//.declare` line declares; None of any other line."""
    if not line.startswith("//.declare") or (found := _DECLARE.match(line)) is None:
        return None
    return SpilledVariable(
        name=found["name"],
        size=int(found["size"]),
        type=found["type"],
        offset=int(found["slot"]) * int(found["unit"]) if found["slot"] else None,
        alias=found["alias"],
        flag=found["file"] == "f",
    )
