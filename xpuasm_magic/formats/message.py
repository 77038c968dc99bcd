"""A message to memory or another unit, as ISA or vISA spells it -> its fields.

Nothing is looked up by a message's whole name: every part of its spelling is a field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from xpuasm_magic.formats.gen_spills import SpillAccess, SpillKind, parse_spill_access
from xpuasm_magic.formats.message_names import (
    ADDRESSES,
    ATOMICS,
    CACHING,
    CONTROL,
    FENCE_OPS,
    OPERATIONS,
    SCOPES,
    UNITS,
)

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
    r"(?P<size>oword|hword) (?P<kind>scratch |aligned |unaligned |)block (?P<op>read|write) x(?P<count>\d{1,9})"
)
_LEGACY_BYTES = {"oword": 16, "hword": 32}
# load.ugm.d32x16t.a32.ca.cc.bti[255]      load.ugm.d32x32t.a32 surf[s0.56][src0+0x11C0]      fence.slm.none.group
_FORM = re.compile(
    r"(?P<op>load\w*|store\w*|atomic_\w+|fence|read_state)(?P<parts>(?:\.(?!(?:bti|bss|ss|flat)\[)\w+)+)"
    r"[ .]?(?P<address>\S*\[\S*)?"
)
# d32x16t     d16v     d16u32     d16c32     d32x4
_DATA = re.compile(
    r"d(?P<bits>8|16|32|64)(?:(?P<extend>[uc]|bf)(?P<to>32)h?)?(?:x(?P<vector>\d{1,9}))?(?P<t>t?)(?P<v>v?)"
)
# :d16.2x16x32nt
_SHAPE = re.compile(r":d(?P<bits>\d+)\.(?:(?P<count>\d+)x)?(?P<width>\d+)x(?P<height>\d+)(?P<t>[nt])(?P<v>[nt])")
# bti[255][r254:1]    ss[a0.2][r3:1-0x10000]    [r220:4]    [s0.16+0x4*src0]    surf[s0.56][src0+0x40]    [A-0xFFC0]
_SURFACE = re.compile(r"(?P<surface>flat|bti|bss|ss|surf|arg)(?P<which>\[[^]]*\]|\([^)]*\))?")
_OFFSET = re.compile(r"(?<=[\w)])(?P<offset>[-+]0x[0-9A-Fa-f]+)\]")
_SCALE = re.compile(r"(?P<scale>0x[0-9A-Fa-f]+)\*")
_BASE = re.compile(r"\[(?P<base>s\d+\.\d+)\+")
_REGISTERS = re.compile(r"(?P<first>(?:r|V)\d+)(?::(?P<count>\d+))?")
_DESCRIPTORS = re.compile(r"(?<!\w)(?P<name>ex_desc|desc):(?P<value>[\w.]+)")


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
    spill: SpillAccess | None = None
    descriptors: tuple[tuple[str, str], ...] = ()
    """Verbatim."""
    unknown: tuple[str, ...] = ()
    """Parts of the spelling that are not understood."""

    @property
    def prefetch(self) -> bool:
        return self.operation.startswith("load") and self.destination == "null"


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
        spill=_spill(message, line),
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
    if text in CONTROL:
        return Message(spelling=text, operation=text, unit="gtwy")
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    unit, *parts = found["parts"].lstrip(".").split(".")
    message = Message(spelling=text, operation=found["op"], unit=unit)
    unknown = [] if unit in UNITS else [unit]
    if not (message.operation in OPERATIONS or message.operation.removeprefix("atomic_") in ATOMICS):
        unknown.append(message.operation)
    if message.operation == "fence":
        if len(parts) == 2 and parts[0] in FENCE_OPS and parts[1] in SCOPES:
            return replace(message, fence=(parts[0], parts[1]), unknown=tuple(unknown))
        return replace(message, unknown=(*unknown, *parts))
    for part in parts:
        if data := _DATA.fullmatch(part):
            message = _with_data(message, data)
        elif part in ADDRESSES:
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
                message = _with_data(message, data)
        if address and address["type"] in ADDRESSES:
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


def _spill(message: Message, line: str) -> SpillAccess | None:
    """From IGC's note; a scratch block's descriptor holds the same offset, in units of 32 bytes."""
    if access := parse_spill_access(line):
        return access
    if message.surface == "scratch":
        desc = dict(message.descriptors).get("desc", "")
        if re.fullmatch(r"0x[0-9A-Fa-f]+", desc):
            kind: SpillKind = "fill" if message.operation == "load_block" else "spill"
            return SpillAccess(kind, (int(desc, 16) & 0xFFF) * 32)
    return None


def _name(operand: str | None) -> str | None:
    return None if operand is None else operand.partition(":")[0]


def _count(operand: str | None) -> int | None:
    found = _REGISTERS.fullmatch(operand) if operand else None
    if operand and operand.startswith("null"):
        return 0
    return int(found["count"]) if found and found["count"] else None


def _with_data(message: Message, data: re.Match[str]) -> Message:
    return replace(
        message,
        data_bits=int(data["bits"]),
        register_bits=int(data["to"]) if data["to"] else None,
        vector=int(data["vector"] or 1),
        transposed=bool(data["t"]),
        transformed=bool(data["v"]),
    )
