"""What kind of message an instruction sends, and how many bytes it moves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from xpuasm_magic.formats.gen_registers import GRF_BYTES
from xpuasm_magic.formats.message import Message, decode_form
from xpuasm_magic.model import Instruction

SendKind = Literal[
    "global load",
    "global store",
    "2D block load",
    "2D block store",
    "prefetch",
    "SLM load",
    "SLM store",
    "atomic",
    "scratch",
    "fence",
    "barrier",
    "other message",
]
"""`scratch`: spills, fills and private memory. `barrier`: the signal to the gateway. `other message`: the end of the
thread, and whatever is not known."""

SEND_KINDS: tuple[SendKind, ...] = get_args(SendKind)
ACCESSES: frozenset[SendKind] = frozenset(SEND_KINDS) - {"prefetch", "fence", "barrier", "other message"}
"""Those that move data."""
SEND_OPCODES = ("send", "load", "store", "atomic_", "fence", "read_state")
"""How opcodes of messages begin. IGC spells most in full."""
_MAX_PRINTED_REGISTERS = 31
"""A length field of five bits: what is printed as 31 may be 32."""

# … {A@1,$0} // wr:1h+4, rd:0; hword scratch block write x8 //  scratch space spill: …
# … {$8} // wr:2+0, rd:2; load.ugm.d32.a64.ca.ca.bti[255]     sendg: … // rd:64 B; load.ugm.d32x16t.a32u [s0.16+src0]
_RAW_FORM = re.compile(r"rd:\d+(?: B)?; (?P<form>[a-z][\w ]*(?:\.(?!\w+\[)\w+)*)")
# The surface of scratch space: ss[a0.2] (PVC to Xe3), surf[s0.56] (Xe3P); scratch block messages name it themselves.
_SCRATCH_SURFACE = re.compile(r"[ .]ss\[|\bsurf\[s0\.56\]")
# wr:1+8, rd:0           (raw), or r47:16, but not the address in [r5:1]
_RAW_LENGTHS = re.compile(r"wr:\d+h?\+(?P<data>\d{1,9}), rd:(?P<result>\d{1,9})")
_PAYLOAD = re.compile(r"(?<!\[)\br\d+:(?P<count>\d{1,9})")
_NO_RESULT = re.compile(r"\)[ \t]+null\b")


@dataclass(frozen=True)
class Send:
    """One message. `size` is the bytes of memory that it accesses with all channels on, as predication and masks are
    known only when it runs; None: it accesses none, or its text does not say how many.
    """

    kind: SendKind
    size: int | None = None
    per_channel: bool = False
    """Each channel has an address of its own: a gather or scatter."""
    message: Message | None = None
    """Its fields, as its spelling alone tells them."""


def send_of(text: str, instruction: Instruction) -> Send | None:
    """The message that an instruction sends; None: it sends none."""
    opcode = instruction.opcode
    if not opcode.startswith(SEND_OPCODES):
        return None
    if opcode.startswith("send"):
        found = _RAW_FORM.search(text)
        form = found["form"].rstrip() if found else ""
    else:
        form = opcode
    send = _decoded(form, instruction.exec_size or 1, _SCRATCH_SURFACE.search(text) is not None)
    if send.kind == "global load" and _NO_RESULT.search(text):
        return Send("prefetch", message=send.message)
    if send.message is not None and send.message.operation.endswith("block2d"):
        return _block2d(send.message, text)
    return send


@lru_cache(maxsize=4096)
def _decoded(form: str, exec_size: int, on_scratch: bool) -> Send:
    message = decode_form(form)
    if message is None:
        return Send("other message")
    kind = _kind(message, on_scratch)
    if kind in ("fence", "barrier", "other message") or message.data_bits is None:
        return Send(kind, message=message)
    if message.block_bytes is not None:
        return Send(kind, message.block_bytes, message=message)
    size = message.data_bits // 8 * message.vector * max(1, len(message.components))
    if message.transposed:
        return Send(kind, size, message=message)
    return Send(kind, size * exec_size, exec_size > 1, message)


def _kind(message: Message, on_scratch: bool) -> SendKind:
    operation = message.operation
    if operation == "signal barrier":
        return "barrier"
    if operation == "fence":
        return "fence"
    if operation.startswith("atomic_"):
        return "atomic"
    if message.surface == "scratch" or on_scratch:
        return "scratch"
    if operation.startswith("load"):
        return "SLM load" if message.unit == "slm" else "global load"
    if operation.startswith("store"):
        return "SLM store" if message.unit == "slm" else "global store"
    return "other message"


def _block2d(message: Message, text: str) -> Send:
    """The block's shape is in the address payload, so its size is that of the registers that it fills or leaves."""
    load = message.operation.startswith("load")
    raw = _RAW_LENGTHS.search(text)
    found = _PAYLOAD.search(text)
    count = raw["result" if load else "data"] if raw else found["count"] if found else None
    known = count is not None and int(count) < _MAX_PRINTED_REGISTERS
    size = int(count) * GRF_BYTES if count is not None and known else None
    return Send("2D block load" if load else "2D block store", size, message=message)
