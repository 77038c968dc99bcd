"""A message to memory or another unit, as ISA or vISA spells it -> its fields, and sentences that say them.

Nothing is looked up by a message's whole name: every part of its spelling is a field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from xpuasm_magic.help.entry import IGA_MESSAGES, PRM_ISA, VISA_FENCE, VISA_LSC, Help

UNITS: Mapping[str, str] = {
    "ugm": "untyped global memory, through the load/store cache (LSC)",
    "ugml": "untyped global memory over the low-bandwidth path to another tile (LSC)",
    "slm": "shared local memory (LSC)",
    "tgm": "typed global memory: images and typed buffers (LSC)",
    "dc0": "legacy data cache port 0",
    "dc1": "legacy data cache port 1",
    "dc2": "legacy data cache port 2",
    "dcro": "read-only (constant) data cache",
    "gtwy": "message gateway: barriers and the end of threads",
    "rc": "render cache",
    "smpl": "sampler",
    "urb": "unified return buffer",
    "ts": "thread spawner",
    "btd": "bindless thread dispatcher",
    "rta": "ray tracing accelerator",
    "cre": "check and refinement engine",
    "vme": "video motion estimation",
    "pixi": "pixel interpolator",
    "null": "no unit",
}
"""The unit a message goes to: its shared function (SFID)."""

CACHING: Mapping[str, str] = {
    "df": "default, as the surface or the memory object control state says",
    "uc": "uncached",
    "ca": "cached",
    "cc": "cached as a constant",
    "wb": "write-back",
    "wt": "write-through",
    "st": "streaming",
    "ri": "read and invalidate (last use)",
}

_OPERATIONS: Mapping[str, str] = {
    "load": "load",
    "load_quad": "load of chosen components (X, Y, Z, W)",
    "load_cmask": "load of chosen components (X, Y, Z, W)",
    "load_strided": "strided block load",
    "load_block": "block load",
    "load_block2d": "load of one or more 2D blocks",
    "load_status": "load of each address's page status",
    "store": "store",
    "store_quad": "store of chosen components (X, Y, Z, W)",
    "store_cmask": "store of chosen components (X, Y, Z, W)",
    "store_strided": "strided block store",
    "store_block": "block store",
    "store_block2d": "store of one 2D block",
    "store_uncompressed": "store that leaves the data uncompressed",
    "fence": "memory fence",
    "read_state": "read of a surface's state",
}
_ATOMICS: Mapping[str, str] = {
    "iinc": "integer increment",
    "idec": "integer decrement",
    "ipdec": "integer pre-decrement",
    "iadd": "integer add",
    "isub": "integer subtract",
    "irsub": "integer reverse subtract",
    "icas": "integer compare and swap",
    "smin": "signed minimum",
    "smax": "signed maximum",
    "umin": "unsigned minimum",
    "umax": "unsigned maximum",
    "fadd": "floating-point add",
    "fsub": "floating-point subtract",
    "fmin": "floating-point minimum",
    "fmax": "floating-point maximum",
    "fcas": "floating-point compare and swap",
    "and": "bitwise and",
    "or": "bitwise or",
    "xor": "bitwise exclusive or",
    "load": "load",
    "store": "store (exchange)",
}
_FENCE_OPS: Mapping[str, str] = {
    "none": "only waits, and leaves the caches as they are",
    "evict": "then writes dirty L1 lines back and invalidates all of them",
    "invalidate": "then invalidates clean L1 lines, so that later loads see what others wrote",
    "discard": "then drops all L1 lines, dirty ones unwritten",
    "clean": "then writes dirty L1 lines back and keeps them, now clean",
    "flushl3": "then flushes L3",
}
_SCOPES: Mapping[str, str] = {
    "group": "the work-group",
    "local": "the local scope (the sub-slices that share one L1)",
    "tile": "the tile",
    "gpu": "the whole GPU",
    "gpus": "all GPUs of the system",
    "system": "the whole system",
    "sysrel": "the whole system (release)",
    "sysacq": "the whole system (acquire)",
}
_ADDRESSES: Mapping[str, str] = {
    "a16": "16-bit offsets",
    "a32": "32-bit offsets",
    "a64": "64-bit addresses",
    "a32u": "32-bit unsigned offsets, added to a 64-bit base",
    "a32s": "32-bit signed offsets, added to a 64-bit base",
}
_SURFACES: Mapping[str, str] = {
    "flat": "stateless: the addresses are virtual addresses",
    "bti": "binding table entry",
    "bss": "bindless surface state",
    "ss": "surface state at an offset, as scratch space has one",
    "surf": "surface state",
    "arg": "kernel argument data",
}
_CONTROL: Mapping[str, str] = {
    "signal barrier": "tells the gateway that this hardware thread has reached the work-group's barrier",
    "end of thread": "ends this hardware thread",
}

# (W)     load.ugm.d32x16t.a32 (1|M0)  r106:1     ss[a0.2][r3:1-0x10000]  {I@1,$15} // ex_desc:a0.2; desc:0x4210D500 …
# (W)     send.dc0 (16|M0)         null     r0      r6:4    0x0    0x020F3032           {$22} // wr:1h+4, rd:0; …
#         lsc_load.ugm.ca.ca (M1, 16)  V0090:d32  bss(V0047)[V0087]:a32                /// $50
_LINE = re.compile(
    r"[ \t]*(?:\([^)|,]*\)[ \t]*)?"
    r"(?P<opcode>(?:lsc_|send|load|store|atomic|fence)\w*)(?P<modifiers>(?:\.\w+)*)[ \t]*"
    r"(?:\((?P<exec>(?P<size>\d+)\|M\d+|M\w+,[ ]*(?P<visa_size>\d+))\))?"
    r"(?P<operands>[^{/]*)(?:\{[^}]*\})?[ \t]*(?:///?(?P<comment>.*))?$"
)
# wr:1h+4, rd:0        rd:128 B
_PAYLOAD = re.compile(r"(?:wr:(?P<src0>\d+)(?P<header>h?)\+(?P<src1>\d+)|rd:(?P<rd>\d+)(?P<bytes> B)?)")
# hword scratch block write x8        oword aligned block read x4
_LEGACY_BLOCK = re.compile(
    r"(?P<size>oword|hword) (?P<kind>scratch |aligned |unaligned |)block (?P<op>read|write) x(?P<count>\d+)"
)
_LEGACY_BYTES = {"oword": 16, "hword": 32}
# load.ugm.d32x16t.a32.ca.cc.bti[255]      load.ugm.d32x32t.a32 surf[s0.56][src0+0x11C0]      fence.slm.none.group
_FORM = re.compile(
    r"(?P<op>load\w*|store\w*|atomic_\w+|fence|read_state)(?P<parts>(?:\.(?!(?:bti|bss|ss|flat)\[)\w+)+)"
    r"[ .]?(?P<address>\S*\[\S*)?"
)
# d32x16t     d16v     d16u32     d16c32     d32x4
_DATA = re.compile(r"d(?P<bits>8|16|32|64)(?:(?P<extend>[uc]|bf)(?P<to>32)h?)?(?:x(?P<vector>\d+))?(?P<t>t?)(?P<v>v?)")
# :d16.2x16x32nt
_SHAPE = re.compile(r":d(?P<bits>\d+)\.(?:(?P<count>\d+)x)?(?P<width>\d+)x(?P<height>\d+)(?P<t>[nt])(?P<v>[nt])")
# bti[255][r254:1]    ss[a0.2][r3:1-0x10000]    [r220:4]    [s0.16+0x4*src0]    surf[s0.56][src0+0x40]    [A-0xFFC0]
_SURFACE = re.compile(r"(?P<surface>flat|bti|bss|ss|surf|arg)(?P<which>\[[^]]*\]|\([^)]*\))?")
_OFFSET = re.compile(r"(?<=[\w)])(?P<offset>[-+]0x[0-9A-Fa-f]+)\]")
_SCALE = re.compile(r"(?P<scale>0x[0-9A-Fa-f]+)\*")
_BASE = re.compile(r"\[(?P<base>s\d+\.\d+)\+")
_REGISTERS = re.compile(r"(?P<first>(?:r|V)\d+)(?::(?P<count>\d+))?")
_DESCRIPTORS = re.compile(r"(?<!\w)(?P<name>ex_desc|desc):(?P<value>[\w.]+)")
# scratch space spill: SP_GRF_V0048_0 from offset[2x32]        fill from offset[1*64] of ?
_SCRATCH = re.compile(r"\b(?P<kind>spill|fill)\b[^/;]*offset\[(?P<slot>\d+)[x*](?P<size>\d+)\]")


@dataclass(frozen=True)
class Message:
    """A message by its fields; what its spelling does not say is None."""

    spelling: str
    operation: str
    unit: str
    data_bits: int | None = None
    register_bits: int | None = None
    """Bits that one element takes in registers, where that differs from memory."""
    vector: int = 1
    """Elements per address."""
    components: str = ""
    transposed: bool = False
    transformed: bool = False
    """Two-dimensional blocks in the VNNI layout, as the B operand of dpas needs it."""
    block: tuple[int, int, int] | None = None
    """Blocks, width and height in elements."""
    block_bytes: int | None = None
    """Bytes of a block message for which no address is given per channel."""
    address: str | None = None
    surface: str | None = None
    base: str | None = None
    scale: int = 1
    offset: int = 0
    caching: tuple[str, ...] = ()
    overfetch: bool = False
    fence: tuple[str, str] | None = None
    exec_size: int | None = None
    destination: str | None = None
    addresses: str | None = None
    data: str | None = None
    destination_registers: int | None = None
    destination_bytes: int | None = None
    address_registers: int | None = None
    data_registers: int | None = None
    header: bool = False
    spill: tuple[str, int] | None = None
    """`spill` or `fill`, and the byte offset in this hardware thread's scratch space."""
    descriptors: tuple[tuple[str, str], ...] = ()
    """Verbatim."""
    unknown: tuple[str, ...] = ()
    """Parts of the spelling that are not understood."""

    @property
    def prefetch(self) -> bool:
        return self.operation.startswith("load") and self.destination == "null"

    def fields(self) -> dict[str, str]:
        """What is known, as name and words."""
        found = {
            "operation": _operation_words(self),
            "unit": f"{self.unit}: {UNITS.get(self.unit, 'a unit that is not known here')}",
            "data": _data_words(self),
            "address": _address_words(self),
            "caching": _caching_words(self),
            "payload": _payload_words(self),
            "scratch": f"{self.spill[0]} at byte {self.spill[1]:,} of the thread's scratch space" if self.spill else "",
            "descriptors": ", ".join(f"{name} {value}" for name, value in self.descriptors),
            "not understood": ", ".join(self.unknown),
        }
        return {name: words for name, words in found.items() if words}

    def help(self) -> Help:
        fields = self.fields()
        shown = ("operation", "data", "address", "caching", "scratch")
        text = " ".join(f"{_capital(fields[name])}." for name in shown if name in fields)
        operands = "; ".join(
            f"{name} {fields[name]}" for name in ("unit", "payload", "descriptors", "not understood") if name in fields
        )
        return Help(self.spelling, text, operands, _pitfall(self), _source(self))


def decode_message(line: str) -> Message | None:
    """The message of an ISA or vISA line; None where the line sends none."""
    found = _LINE.match(line)
    if found is None:
        return None
    opcode, modifiers = found["opcode"], found["modifiers"]
    comment = found["comment"] or ""
    operands = found["operands"].split()
    size = found["size"] or found["visa_size"]
    if opcode.startswith("lsc_"):
        message = _visa(opcode.removeprefix("lsc_"), modifiers, found["operands"])
    elif opcode.startswith("send"):
        message = _raw(opcode, modifiers, operands, comment)
    else:
        message = decode_form(opcode + modifiers)
        if message is not None:
            message = _operands(message, operands)
    if message is None:
        return None
    return replace(
        message,
        exec_size=int(size) if size else None,
        spill=_spill(message, comment),
        descriptors=message.descriptors
        + tuple((each["name"], each["value"]) for each in _DESCRIPTORS.finditer(comment)),
    )


def decode_form(text: str) -> Message | None:
    """A message's spelling alone: `load.ugm.d32x16t.a32.ca.ca`, `hword scratch block read x8`, `end of thread`."""
    text = text.strip()
    if found := _LEGACY_BLOCK.fullmatch(text):
        read = found["op"] == "read"
        return Message(
            spelling=text,
            operation="load_block" if read else "store_block",
            unit="dc0",
            data_bits=8 * _LEGACY_BYTES[found["size"]],
            vector=int(found["count"]),
            block_bytes=_LEGACY_BYTES[found["size"]] * int(found["count"]),
            surface="scratch" if found["kind"] == "scratch " else None,
        )
    if text in _CONTROL:
        return Message(spelling=text, operation=text, unit="gtwy")
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    unit, *parts = found["parts"].lstrip(".").split(".")
    message = Message(spelling=text, operation=found["op"], unit=unit)
    unknown = [] if unit in UNITS else [unit]
    if not (message.operation in _OPERATIONS or message.operation.removeprefix("atomic_") in _ATOMICS):
        unknown.append(message.operation)
    if message.operation == "fence":
        if len(parts) == 2 and parts[0] in _FENCE_OPS and parts[1] in _SCOPES:
            return replace(message, fence=(parts[0], parts[1]), unknown=tuple(unknown))
        return replace(message, unknown=(*unknown, *parts))
    for part in parts:
        if data := _DATA.fullmatch(part):
            message = replace(
                message,
                data_bits=int(data["bits"]),
                register_bits=int(data["to"]) if data["to"] else None,
                vector=int(data["vector"] or 1),
                transposed=bool(data["t"]),
                transformed=bool(data["v"]),
            )
        elif part in _ADDRESSES:
            message = replace(message, address=part)
        elif part in CACHING:
            message = replace(message, caching=(*message.caching, part))
        elif part == "ovf":
            message = replace(message, overfetch=True)
        elif message.operation.endswith(("quad", "cmask")) and re.fullmatch(r"x?y?z?w?", part):
            message = replace(message, components=part)
        else:
            unknown.append(part)
    return _addressed(replace(message, unknown=tuple(unknown)), found["address"] or "")


def _addressed(message: Message, address: str) -> Message:
    """With what an address operand says of surface, base, scale and offset."""
    surface = _SURFACE.match(address)
    base, scale, offset = _BASE.search(address), _SCALE.search(address), _OFFSET.search(address)
    flat = None if message.block_bytes or not message.address else "flat"
    which = surface["which"] or "" if surface else ""
    return replace(
        message,
        surface=f"{surface['surface']}{which}" if surface else message.surface or flat,
        base=base["base"] if base else message.base,
        scale=int(scale["scale"], 16) if scale else message.scale,
        offset=int(offset["offset"], 16) if offset else message.offset,
    )


def _operands(message: Message, operands: list[str]) -> Message:
    """The order is: load DST ADDRESS, store ADDRESS DATA, atomic DST ADDRESS DATA."""
    index = next((i for i, operand in enumerate(operands) if "[" in operand), None)
    if index is None:
        return message
    address = operands[index]
    message = _addressed(message, address)
    inner = _REGISTERS.search(address[address.rindex("[") :])
    before, after = operands[:index], operands[index + 1 :]
    destination, data = (before[0] if before else None), (after[0] if after else None)
    return replace(
        message,
        destination=_name(destination),
        destination_registers=_count(destination),
        addresses=inner["first"] if inner else None,
        address_registers=int(inner["count"]) if inner and inner["count"] else None,
        data=_name(data),
        data_registers=_count(data),
    )


def _raw(opcode: str, modifiers: str, operands: list[str], comment: str) -> Message | None:
    """A `send`: the fields are in IGC's comment behind it; without one, only the unit is known."""
    unit = modifiers.strip(".").partition(".")[0] or "null"
    payload: dict[str, int] = {}
    header, is_bytes = False, False
    message: Message | None = None
    for part in re.split(r"[;,]|//", comment):
        text = part.strip()
        if found := _PAYLOAD.fullmatch(text):
            payload.update({name: int(found[name]) for name in ("src0", "src1", "rd") if found[name] is not None})
            header = header or bool(found["header"])
            is_bytes = is_bytes or bool(found["bytes"])
        elif message is None and text:
            message = decode_form(text)
    if message is None:
        unknown = () if unit in UNITS else (unit,)
        message = Message(spelling=f"{opcode}{modifiers}", operation="message", unit=unit, unknown=unknown)
    descriptors = [each for each in operands[1:] if re.match(r"0x|a\d|s\d+\.", each)]
    names = ("desc",) if len(descriptors) == 1 else ("ex_desc", "desc")
    if opcode.startswith("sendg") and len(descriptors) > 1:
        names = ("indirect descriptor", "desc")
    return replace(
        message,
        unit=unit,
        destination=_name(operands[0]) if operands else None,
        addresses=_name(operands[1]) if len(operands) > 1 else None,
        data=_name(operands[2]) if len(operands) > 2 and operands[2] not in descriptors else None,
        destination_registers=None if is_bytes else payload.get("rd"),
        destination_bytes=payload.get("rd") if is_bytes else None,
        address_registers=payload.get("src0", _count(operands[1] if operands[1:] else None)),
        data_registers=payload.get("src1", _count(operands[2] if operands[2:] else None)),
        header=header,
        descriptors=tuple(zip(names, descriptors, strict=False)),
    )


def _visa(operation: str, modifiers: str, operands: str) -> Message | None:
    """In vISA, data and address types stand behind the operands, as does the shape of 2D blocks."""
    message = decode_form(f"{operation}{modifiers}")
    if message is None or operation == "fence":
        return message if message is None else replace(message, spelling=f"lsc_{message.spelling}")
    words = operands.split()
    unknown = list(message.unknown)
    address = re.search(r"(?:flat|bss|ss|bti|arg)?(?:\([^)]*\))?\[[^]]*\](?::(?P<type>\w+))?", operands)
    if shape := _SHAPE.search(operands):
        message = replace(
            message,
            data_bits=int(shape["bits"]),
            block=(int(shape["count"] or 1), int(shape["width"]), int(shape["height"])),
            transposed=shape["t"] == "t",
            transformed=shape["v"] == "t",
            address="a64",
        )
    else:
        for word in words:
            data = _DATA.fullmatch(word.rpartition(":")[2])
            if data and ":" in word:
                message = replace(
                    message,
                    data_bits=int(data["bits"]),
                    register_bits=int(data["to"]) if data["to"] else None,
                    vector=int(data["vector"] or 1),
                    transposed=bool(data["t"]),
                )
        if address and address["type"] in _ADDRESSES:
            message = replace(message, address=address["type"])
        elif address:
            unknown.append(address.group())
    if address:
        message = _addressed(message, address.group())
    null = bool(words) and words[0].startswith("%null")
    return replace(
        message,
        spelling=f"lsc_{operation}{modifiers}",
        destination="null" if null else None,
        unknown=tuple(unknown),
    )


def _spill(message: Message, comment: str) -> tuple[str, int] | None:
    """From IGC's note; a scratch block's descriptor holds the same offset, in units of 32 bytes."""
    if found := _SCRATCH.search(comment):
        return found["kind"], int(found["slot"]) * int(found["size"])
    if message.surface == "scratch":
        desc = dict(message.descriptors).get("desc", "")
        if re.fullmatch(r"0x[0-9A-Fa-f]+", desc):
            kind = "fill" if message.operation == "load_block" else "spill"
            return kind, (int(desc, 16) & 0xFFF) * 32
    return None


def _name(operand: str | None) -> str | None:
    return None if operand is None else operand.partition(":")[0]


def _count(operand: str | None) -> int | None:
    found = _REGISTERS.fullmatch(operand) if operand else None
    if operand and operand.startswith("null"):
        return 0
    return int(found["count"]) if found and found["count"] else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _operation_words(message: Message) -> str:
    operation = message.operation
    if operation in _CONTROL:
        return _CONTROL[operation]
    if message.fence:
        op, scope = message.fence
        return (
            f"memory fence: waits until this hardware thread's earlier accesses to {message.unit} can be seen by "
            f"{_SCOPES[scope]}; {_FENCE_OPS[op]}"
        )
    if message.prefetch:
        return f"prefetch ({_OPERATIONS.get(operation, operation)} into the caches, no register is written)"
    if operation.startswith("atomic_"):
        kind = _ATOMICS.get(operation.removeprefix("atomic_"), operation)
        returned = {"null": ", the old value is not returned", None: ""}.get(
            message.destination, ", the old value is returned"
        )
        return f"atomic {kind} per channel{returned}"
    return _OPERATIONS.get(operation, operation)


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
    words = _ADDRESSES[message.address]
    name = re.split(r"[\[(]", message.surface or "")[0]
    if message.operation.endswith("block2d"):
        words = "64-bit base address, surface size, pitch and X, Y of the block, all in the address payload"
    elif message.unit == "slm":
        words = f"{words} into the work-group's shared local memory"
    elif name == "flat" and message.base:
        words = f"{words}; the base is in {message.base}"
    elif name in _SURFACES:
        where = (message.surface or "").removeprefix(name).strip("[]()")
        if name == "bti" and where == "255":
            where = "255, which stands for stateless memory"
        words = f"{words}; {_SURFACES[name]}{f', {where}' if where and name != 'flat' else ''}"
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
