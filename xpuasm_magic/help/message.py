"""A message's fields -> sentences that say them."""

from __future__ import annotations

import re

from xpuasm_magic.formats.message import Message
from xpuasm_magic.formats.message_names import (
    ADDRESSES,
    ATOMICS,
    CACHING,
    CONTROL,
    FENCE_OPS,
    OPERATIONS,
    SCOPES,
    SURFACES,
    UNITS,
)
from xpuasm_magic.help.entry import IGA_MESSAGES, PRM_ISA, VISA_FENCE, VISA_LSC, Help


def message_fields(message: Message) -> dict[str, str]:
    """What is known, as name and words."""
    found = {
        "operation": _operation_words(message),
        "unit": f"{message.unit}: {UNITS.get(message.unit, 'a unit that is not known here')}",
        "data": _data_words(message),
        "address": _address_words(message),
        "caching": _caching_words(message),
        "payload": _payload_words(message),
        "scratch": _scratch_words(message),
        "descriptors": ", ".join(f"{name} {value}" for name, value in message.descriptors),
        "not understood": ", ".join(message.unknown),
    }
    return {name: words for name, words in found.items() if words}


def message_help(message: Message) -> Help:
    fields = message_fields(message)
    shown = ("operation", "data", "address", "caching", "scratch")
    text = " ".join(f"{_capital(fields[name])}." for name in shown if name in fields)
    operands = "; ".join(
        f"{name} {fields[name]}" for name in ("unit", "payload", "descriptors", "not understood") if name in fields
    )
    return Help(message.spelling, text, operands, _pitfall(message), _source(message))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _operation_words(message: Message) -> str:
    operation = message.operation
    if operation in CONTROL:
        return CONTROL[operation]
    if message.fence:
        op, scope = message.fence
        return (
            f"memory fence: waits until this hardware thread's earlier accesses to {message.unit} can be seen by "
            f"{SCOPES[scope]}; {FENCE_OPS[op]}"
        )
    if message.prefetch:
        return f"prefetch ({OPERATIONS.get(operation, operation)} into the caches, no register is written)"
    if operation.startswith("atomic_"):
        kind = ATOMICS.get(operation.removeprefix("atomic_"), operation)
        returned = {"null": ", the old value is not returned", None: ""}.get(
            message.destination, ", the old value is returned"
        )
        return f"atomic {kind} per channel{returned}"
    return OPERATIONS.get(operation, operation)


def _data_words(message: Message) -> str:
    bits = message.data_bits
    if message.block_bytes is not None and bits:
        return f"{message.vector} × {bits // 8} bytes = {message.block_bytes} bytes in a row, for the whole thread"
    if bits is None:
        return ""
    element = f"{bits}-bit elements"
    if message.register_bits:
        element += f", each in {message.register_bits} bits of the register"
    if message.operation.endswith("block2d"):
        return _block_words(message, element)
    if message.components:
        return f"{element}, components {', '.join(message.components.upper())}"
    if message.transposed and message.vector == 1:
        return f"{element}, one, from one address, for one channel (transposed form)"
    if message.transposed:
        total = bits // 8 * message.vector
        return (
            f"{element}, {message.vector} in a row from one address ({total} bytes), side by side in the register "
            "(transposed: a block access by one channel)"
        )
    if message.vector > 1:
        return f"{element}, {message.vector} per channel; the channels' n-th elements lie together in registers"
    return f"{element}, one per channel"


def _block_words(message: Message, element: str) -> str:
    if message.block:
        count, width, height = message.block
        shape = f"{count} block{'s' if count > 1 else ''} of {width} columns × {height} rows"
    else:
        shape = "the block's count, width and height are in the address payload"
    order = ""
    if message.transposed:
        order = "; transposed: a column of memory becomes a row of the register"
    if message.transformed:
        order += "; transformed (VNNI): rows are interleaved so that each 32 bits hold neighbours of one column"
    return f"{element}; {shape}{order}"


def _address_words(message: Message) -> str:
    if message.surface == "scratch":
        return "the hardware thread's scratch space; the offset is in the descriptor"
    if message.address is None:
        return ""
    words = ADDRESSES[message.address]
    name = re.split(r"[\[(]", message.surface or "")[0]
    if message.operation.endswith("block2d"):
        words = "64-bit base address, surface size, pitch and X, Y of the block, all in the address payload"
    elif message.unit == "slm":
        words = f"{words} into the work-group's shared local memory"
    elif name == "flat" and message.base:
        words = f"{words}; the base is in {message.base}"
    elif name in SURFACES:
        where = (message.surface or "").removeprefix(name).strip("[]()")
        if name == "bti" and where == "255":
            where = "255, which stands for stateless memory"
        words = f"{words}; {SURFACES[name]}{f', {where}' if where and name != 'flat' else ''}"
    if message.scale != 1:
        words += f"; each is multiplied by {message.scale}"
    if message.offset:
        words += f"; {message.offset:+,} bytes ({'-' if message.offset < 0 else ''}0x{abs(message.offset):X})"
    if message.overfetch:
        words += "; overfetch: the cache may fetch up to 256 bytes around it"
    return words


def _caching_words(message: Message) -> str:
    if not message.caching:
        return ""
    # Xe3P names three levels, earlier GPUs two.
    levels = {1: ("L1",), 2: ("L1", "L3"), 3: ("L1", "L2", "L3")}.get(len(message.caching), ())
    return ", ".join(f"{level} {CACHING[code]}" for level, code in zip(levels, message.caching, strict=False))


def _scratch_words(message: Message) -> str:
    if message.spill is None:
        return ""
    if message.spill.in_frame:
        return f"{message.spill.kind} {message.spill.offset:,} bytes from the frame pointer"
    return f"{message.spill.kind} at byte {message.spill.offset:,} of the thread's scratch space"


def _payload_words(message: Message) -> str:
    found = []
    if message.addresses and message.addresses != "null":
        head = " (a header)" if message.header else ""
        found.append(f"sends {_registers(message.addresses, message.address_registers)}{head}")
    if message.data and message.data != "null":
        found.append(f"data {_registers(message.data, message.data_registers)}")
    if message.destination_bytes:
        found.append(f"returns {message.destination_bytes} bytes to {message.destination}")
    elif message.destination and message.destination != "null":
        count = _registers(message.destination, message.destination_registers)
        limit = " (31 is the most the field holds; 32 is printed so too)" if message.destination_registers == 31 else ""
        found.append(f"returns {count}{limit}")
    elif message.destination == "null":
        found.append("returns nothing")
    return ", ".join(found)


def _registers(first: str, count: int | None) -> str:
    if count is None:
        return f"from {first} on"
    if first.startswith("r") and first[1:].isdigit() and count > 1:
        return f"{count} registers, {first} to r{int(first[1:]) + count - 1}"
    return f"{count} register{'' if count == 1 else 's'} ({first})"


def _pitfall(message: Message) -> str:
    if message.spill:
        return (
            "This is register spilling: the kernel needs more registers than it has. Look for fewer live values, "
            "or more GRF."
        )
    if message.operation == "signal barrier":
        return "Only the signal; the wait is the `sync.bar` that follows."
    if message.operation == "end of thread":
        return "Nothing behind it runs for this thread, so every path of the kernel must reach one."
    if message.fence:
        return (
            "A fence orders memory, it does not wait for other threads; a barrier does. It returns a register "
            "only so that the thread can wait for it."
        )
    if message.operation == "message":
        return "The message's fields are only in its descriptors here; IGC's comment, which says them, is missing."
    if message.prefetch:
        return "A prefetch is a hint; it costs issue bandwidth, and helps only if it runs well ahead of the load."
    if message.operation.startswith("atomic_"):
        return "Channels that hit one address are served one after another."
    if message.operation.endswith("block2d"):
        return (
            "Base address, width and pitch have alignment rules (e.g. 64-byte base, 16-byte pitch); parts "
            "outside of the surface read as zero and are not written."
        )
    if message.transposed or message.block_bytes:
        return "One access for the whole hardware thread: the execution mask does not pick elements."
    if message.register_bits:
        return "Sub-dword elements take a whole 32-bit slot each, so half or more of the register traffic is padding."
    if message.unit == "slm":
        return "Channels that hit one bank at different addresses are served one after another."
    return (
        "Gather or scatter: it is fast when the channels' addresses share few cache lines; a block access "
        "needs less address traffic."
    )


def _source(message: Message) -> str:
    if message.fence:
        return VISA_FENCE
    if message.unit in ("ugm", "ugml", "slm", "tgm"):
        return VISA_LSC
    return IGA_MESSAGES if message.unit in ("dc0", "dc1", "gtwy") else PRM_ISA
