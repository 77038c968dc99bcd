"""What stands around an ISA opcode: masks, predicates, regions, types, immediates, dependencies, options."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping

from xpuasm_magic.formats.gen_registers import BITS
from xpuasm_magic.help.entry import IGA, PRM_ISA, VISA_OPERANDS, Help

_TYPE_NAMES: Mapping[str, str] = {
    "ub": "unsigned byte",
    "b": "signed byte",
    "uw": "unsigned word (16 bits)",
    "w": "signed word (16 bits)",
    "ud": "unsigned doubleword (32 bits)",
    "d": "signed doubleword (32 bits)",
    "uq": "unsigned quadword (64 bits)",
    "q": "signed quadword (64 bits)",
    "hf": "half float (IEEE fp16)",
    "bf": "bfloat16: a float's sign, 8 bits of exponent, 7 of fraction",
    "f": "float (IEEE fp32)",
    "df": "double float (IEEE fp64)",
    "tf32": "TensorFloat-32: 8 bits of exponent, 10 of fraction, in 32 bits",
    "bf8": "8-bit float with 5 bits of exponent (E5M2)",
    "hf8": "8-bit float with 4 bits of exponent (E4M3)",
    "v": "immediate of eight signed 4-bit integers, one per channel",
    "uv": "immediate of eight unsigned 4-bit integers, one per channel",
    "vf": "immediate of four 8-bit restricted floats",
}

_PIPES: Mapping[str, str] = {
    "": "the pipe that the hardware infers from this instruction's operand types",
    "A": "any of the in-order pipes",
    "F": "the float pipe (fp16, bf16, fp32)",
    "I": "the integer pipe",
    "L": "the long pipe (64-bit integer and double)",
    "M": "the math pipe",
    "S": "the scalar pipe (writes of s0)",
}
_CONDITIONS: Mapping[str, str] = {
    "eq": "equal, or zero",
    "ne": "not equal, or not zero",
    "ze": "zero",
    "nz": "not zero",
    "gt": "greater than",
    "ge": "greater than or equal",
    "lt": "less than",
    "le": "less than or equal",
    "ov": "overflow",
    "un": "unordered (a NaN)",
}
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "Compacted": (
        "This instruction is encoded in 8 bytes instead of 16.",
        "The encoding alone: it runs as the full form does.",
    ),
    "EOT": (
        "End of thread: the message ends this hardware thread.",
        "Only a send may carry it.",
    ),
    "Atomic": (
        "The EU goes on with this thread for the next instruction and does not switch to another in between. The "
        "compiler joins dpas instructions so.",
        "It says nothing of memory: this is no atomic memory access.",
    ),
    "ExBSO": (
        "The extended descriptor holds a larger bindless surface offset; the length of src1 is in the instruction.",
        "The register in the extended descriptor (a0) must be ready: watch its dependency.",
    ),
    "NoMask": ("All channels run, whatever the execution mask says.", "Channels of work-items that diverged run too."),
    "AccWrEn": ("The result is also written to the accumulator.", "It overwrites what acc held."),
    "NoPreempt": ("The thread may not be pre-empted after this instruction.", "Rare outside of system routines."),
    "Switch": ("The EU switches to another thread after this instruction.", "It costs a turn."),
    "Serialize": ("The next instruction waits until this one is done.", "It costs the pipeline's full latency."),
    "Breakpoint": ("A debugger's breakpoint.", "Without a debugger it has no effect."),
    "NoAccSBSet": ("The scoreboard does not follow the accumulator here.", "The compiler must order acc itself."),
    "NoSrcDepSet": ("No dependency on the sources of this send is set.", "Only on old GPUs."),
}
_REGISTERS: Mapping[str, tuple[str, str, str]] = {
    "r": (
        "General register",
        "Register of the general register file (GRF), which each hardware thread has 128 or more of. The number "
        "behind the point counts elements of the operand's type.",
        "A register is 32 bytes on Xe-HPG (DG2, ARL), 64 bytes on Xe-HPC, Xe2 and later.",
    ),
    "a": (
        "Address register",
        "Holds register numbers for indirect operands (r[a0.0]) and descriptors of messages.",
        "An indirect read waits until all earlier writes of the registers that it may touch are done.",
    ),
    "acc": (
        "Accumulator",
        "Accumulator registers: wide results of integer multiplication (mul, then mach or macl), and short-lived "
        "values that need no general register.",
        "There are few, and they do not live across most messages or branches.",
    ),
    "f": (
        "Flag register",
        "One bit per channel: a comparison writes it, predicates and sel read it. Each has two halves of 16 bits.",
        "With more than 16 channels fN.0 means the whole 32 bits of fN.",
    ),
    "ce": ("Channel enable", "The execution mask: which channels are on now.", "Read only."),
    "cr": (
        "Control register",
        "cr0.0 holds rounding modes, denormal handling and exception bits; many kernels begin by setting it.",
        "Writing it waits for the pipes to drain.",
    ),
    "sr": (
        "State register",
        "State of the hardware thread: its number, its EU, dispatch mask and priority.",
        "The layout differs between GPU generations.",
    ),
    "tm": ("Timestamp register", "A time stamp counter and events.", "Reads are not ordered against other pipes."),
    "tdr": (
        "Thread dependency register",
        "Numbers of threads that this one waits for.",
        "Not used by compute kernels.",
    ),
    "dbg": ("Debug register", "State for debuggers.", "Kernels do not use it."),
    "ip": ("Instruction pointer", "Address of this instruction in the kernel.", "Relative to the instruction base."),
    "sp": ("Stack pointer", "Stack pointer of the hardware thread.", "IGC keeps its own stack pointer in a GRF."),
    "n": ("Notification register", "Counts of barrier and host notifications.", "sync.bar reads it, no code does."),
    "s": (
        "Scalar register",
        "One 64-byte register (s0) per thread: operands of gathering sends and indirect descriptors (Xe3 and later).",
        "Its parts are counted in elements; in descriptors in bytes (s0.16 is byte 16).",
    ),
    "fc": ("Flow control register", "The hardware's own state of divergent branches.", "Read only."),
    "mme": (
        "Math macro register",
        "Extra bits of precision between the steps of a division or root macro.",
        "Macro only.",
    ),
    "null": (
        "Null register",
        "As a destination: the result is dropped, only flags are kept. As a source of a message: no payload.",
        "A load to null is a prefetch.",
    ),
}

# (16|M0)
_EXEC = re.compile(r"\((?P<size>\d+)\|M(?P<offset>\d+)\)")
# (W)    (f0.0)    (W&~f1.0)    (~f1.0.any16h)
_PREDICATE = re.compile(
    r"\((?P<w>W)?&?(?:(?P<not>~)?(?P<flag>f\d+(?:\.\d+)?)(?:\.(?P<group>any|all)(?P<count>\d+h|v)?)?)?\)"
)
_CONDITION = re.compile(r"\((?P<name>[a-z]{2})\)(?P<flag>f\d+\.\d+)?")
_TOKEN = re.compile(r"\$(?P<id>\d+)(?:\.(?P<kind>dst|src))?")
_DISTANCE = re.compile(r"(?P<pipe>[A-Z]?)@(?P<distance>\d)")
_REGION = re.compile(r"<(?:(?P<v>\d+)?;)?(?:(?P<w>\d+),)?(?P<h>\d+)>")
_TYPE = re.compile(r":(?P<name>[a-z]\w*)")
_REGISTER = re.compile(r"(?P<name>null|ip|acc|mme|tdr|dbg|[a-z]{1,2})(?P<number>\d+)?(?:\.(?P<sub>\d+))?")
_PAYLOAD = re.compile(r"(?P<name>r\d+|null):(?P<count>\d+)")
_OPERAND = re.compile(
    r"(?P<mod>[-~]?(?:\((?:abs|sat)\))?)"
    r"(?P<reg>r\[(?P<a>a\d+\.\d+)(?:,(?P<disp>-?\d+))?\]|(?:acc|mme|tdr|dbg|null|ip|[a-z]{1,2})\d*(?:\.\d+)?)"
    r"(?P<region><[^>]*>)?(?::(?P<type>[a-z]\w*))?"
)
_IMMEDIATE = re.compile(r"(?P<value>-?0x[0-9A-Fa-f]+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?::(?P<type>[a-z]+\d*))?")


def explain_annotation(token: str, *, exec_size: int | None = None, opcode: str = "") -> Help | None:
    """Any token of an instruction that is neither its opcode nor a message; None where it is none."""
    for pattern, explain in _EXPLAINERS:
        if (found := pattern.fullmatch(token)) and (help_ := explain(found)):
            return help_
    if name := _OPTIONS.get(token):
        return Help(f"{{{token}}}", name[0], "Instruction option", name[1], IGA)
    return explain_operand(token, exec_size=exec_size, opcode=opcode)


def explain_operand(text: str, *, exec_size: int | None = None, opcode: str = "", write: bool = False) -> Help | None:
    """A register operand with its region and type, `-r5.0<2;1,0>:d`, or an immediate, `0x3F800000:f`."""
    if found := _IMMEDIATE.fullmatch(text):
        return _immediate(found)
    found = _OPERAND.fullmatch(text)
    if found is None:
        return None
    name = "r" if found["a"] else re.sub(r"[\d.]+$", "", found["reg"])
    if name not in _REGISTERS:
        return None
    title, words, pitfall = _REGISTERS[name]
    region = _REGION.fullmatch(found["region"] or "")
    parts = []
    if region:
        parts.append(_region_words(region, found["reg"], found["type"], exec_size, write=write))
    if found["mod"]:
        parts.append(f"Modifier: {_modifier(found['mod'], opcode)}.")
    if found["a"]:
        parts.append(f"Indirect: the register and the byte in it are what {found['a']} holds.")
    elif name != "r" or not region:
        parts.append(f"{title}. {words}")
    known = _TYPE_NAMES.get(found["type"] or "")
    operands = f"type :{found['type']}, {known}, {_bytes_of(found['type'])} bytes each" if known else ""
    return Help(text, " ".join(parts), operands, pitfall, VISA_OPERANDS if found["region"] else PRM_ISA)


def explain_sync_token(token: str, opcode: str) -> Help | None:
    """`$5` of `sync.allrd ($5,$7)`, which takes no token but waits for one."""
    kind = {"sync.allrd": ".src", "sync.allwr": ".dst"}.get(opcode, "")
    return explain_annotation(token if "." in token else token + kind)


def _exec(found: re.Match[str]) -> Help:
    size, offset = int(found["size"]), int(found["offset"])
    channels = f"channels {offset} to {offset + size - 1}" if size > 1 else f"channel {offset}"
    return Help(
        found.group(),
        f"{size} channel{'s run' if size > 1 else ' runs'}; the execution mask and flag bits of {channels} of the "
        "hardware thread decide what is written. (W) before the opcode ignores the mask.",
        f"execution size {size}, channel offset M{offset}",
        "The sub-group is often wider than one instruction: (16|M0) and (16|M16) are the halves of SIMD32.",
        VISA_OPERANDS,
    )


def _predicate(found: re.Match[str]) -> Help | None:
    flag = found["flag"]
    if not (found["w"] or flag):
        return None
    words = []
    if found["w"]:
        words.append("Write enable (NoMask): the execution mask is ignored, channels of diverged work-items run too.")
    if flag:
        state = "clear" if found["not"] else "set"
        if found["group"]:
            reach = found["count"] or "v"
            group = "all channels" if reach == "v" else f"each group of {reach.rstrip('h')} channels"
            words.append(
                f"Predicate: {found['group']} bit{'s' if found['group'] == 'all' else ''} of {flag} over {group} "
                f"decide{'' if found['group'] == 'all' else 's'}{', inverted' if found['not'] else ''}."
            )
        else:
            words.append(f"Predicate: a channel runs where its bit of {flag} is {state}.")
    return Help(
        found.group(),
        " ".join(words),
        "decides which channels write",
        "Predicated-off channels still take their issue slot; the time is not saved.",
        VISA_OPERANDS,
    )


def _condition(found: re.Match[str]) -> Help | None:
    words = _CONDITIONS.get(found["name"])
    if words is None:
        return None
    flag = found["flag"] or "the flag register named behind it"
    return Help(
        found.group(),
        f"Condition modifier: {words}. With cmp: each channel's bit of {flag} tells whether src0 compares so to src1. "
        "With sel: src0 is taken where it compares so, hence (ge) is a maximum and (lt) a minimum, and no flag is "
        "written. With arithmetic: the result is compared to zero.",
        f"writes {flag}, except with sel",
        "A comparison with NaN is false, except ne.",
        PRM_ISA,
    )


def _sbid(found: re.Match[str]) -> Help:
    id_, kind = found["id"], found["kind"]
    words = {
        "dst": f"Waits until the instruction that took scoreboard token {id_} has written its destination.",
        "src": f"Waits until the instruction that took scoreboard token {id_} has read its sources, which may then be "
        "overwritten.",
    }.get(kind, f"Takes scoreboard token {id_}: later instructions wait for this one by ${id_}.dst or ${id_}.src.")
    return Help(
        found.group(),
        words,
        "software scoreboard (SBID), for instructions that finish out of order: send, dpas, and math where it has no "
        "pipe in order",
        "Tokens are few (numSWSB in the listing's header): one that is taken again first waits for its last user.",
        IGA,
    )


def _distance(found: re.Match[str]) -> Help | None:
    pipe, distance = found["pipe"], int(found["distance"])
    which = {1: "last", 2: "2nd last", 3: "3rd last"}.get(distance, f"{distance}th last")
    if pipe not in _PIPES:
        return None
    return Help(
        found.group(),
        f"Waits until the {which} instruction before this one on "
        f"{_PIPES[pipe]} has written its result. Only instructions of that pipe are counted."
        if pipe != "A"
        else f"Waits until, on each of the in-order pipes, the {which} "
        "instruction before this one has written its result.",
        "register distance, 1 to 7, for instructions that finish in order",
        "A distance of 1 behind a long chain is where the pipe stalls; more independent work in between hides it.",
        IGA,
    )


def _region(found: re.Match[str]) -> Help:
    return Help(
        found.group(), _region_words(found, "", None, None, write=False), "region", _REGION_PITFALL, VISA_OPERANDS
    )


_REGION_PITFALL = "Strides count elements of the operand's type, not bytes."


def region_elements(region: str, exec_size: int) -> tuple[int, ...] | None:
    """Which elements from its origin a source region reads, one per channel; None for an indirect one."""
    found = _REGION.fullmatch(region)
    if found is None:
        return None
    v, w, h = found["v"], found["w"], int(found["h"])
    if v is None:
        # <1,0> has one address per row; <2> is a destination, or the third source of a three-source instruction
        return None if w is not None else tuple(i * h for i in range(exec_size))
    vertical = int(v)
    # <1;0> of a three-source instruction: the width is what makes the vertical stride go on where a row ends
    width = int(w) if w is not None else (max(1, vertical // h) if h else 1)
    if width == 0:
        return None
    return tuple(i // width * vertical + i % width * h for i in range(exec_size))


def _region_words(found: re.Match[str], origin: str, type_: str | None, exec_size: int | None, *, write: bool) -> str:
    v, w, h = found["v"], found["w"], int(found["h"])
    if v is None and w is not None:
        return f"Region {found.group()}: each row of {w} has its own address, in consecutive parts of the register a."
    if v is None:
        step = (
            f"every {_ordinal(h)} element" if h > 1 else "one element after the other" if h else "one element for all"
        )
        words = f"Region {found.group()}: stride {h}, {step}."
    elif (v, w or "1", h) in (("0", "1", 0),):
        words = f"Region {found.group()}: one element for all channels (a scalar)."
    elif w is None:
        words = f"Region {found.group()}: vertical stride {v}, horizontal stride {h}; the row width follows from them."
    else:
        some = f"{w} element{'' if w == '1' else 's'}"
        words = f"Region {found.group()}: rows of {some}, {h} apart; the rows begin {v} apart."
    elements = region_elements(found.group(), exec_size) if exec_size else None
    if elements and len(set(elements)) > 1:
        verb = "writes" if write else "reads"
        span = f", each {_bytes_of(type_)} bytes" if type_ and type_ in _TYPE_NAMES else ""
        words += f" The {exec_size} channels {verb.rstrip('s')} elements {_series(elements)} from {origin}{span}."
    return words


def _series(elements: tuple[int, ...]) -> str:
    if len(elements) <= 6:
        return ", ".join(map(str, elements))
    return f"{', '.join(map(str, elements[:4]))}, …, {elements[-1]}"


def _ordinal(number: int) -> str:
    return {2: "second", 4: "fourth"}.get(number, f"{number}th")


def _bytes_of(type_: str) -> int:
    return BITS[type_] // 8


def _type(found: re.Match[str]) -> Help | None:
    known = _TYPE_NAMES.get(found["name"])
    if known is None:
        return None
    size = _bytes_of(found["name"])
    return Help(
        found.group(),
        f"Operand type: {known}; {size} byte{'s' if size > 1 else ''}.",
        "",
        "The destination's type decides the conversion; mixed sizes need strides that fit.",
        VISA_OPERANDS,
    )


def _payload(found: re.Match[str]) -> Help:
    count = int(found["count"])
    if found["name"] == "null" or not count:
        return Help(found.group(), "No payload.", "", "A load that returns to null is a prefetch.", IGA)
    first = int(found["name"][1:])
    last = f", r{first} to r{first + count - 1}" if count > 1 else ""
    return Help(
        found.group(),
        f"A message's payload: {count} register{'s' if count > 1 else ''}{last}.",
        "",
        "The registers are busy until the message has read them (.src) or written them (.dst).",
        IGA,
    )


def _source_modifier(found: re.Match[str]) -> Help:
    return Help(found.group(), f"Modifier: {_modifier(found.group(), '')}.", "", "It costs no instruction.", PRM_ISA)


def _modifier(text: str, opcode: str) -> str:
    words = []
    if "(abs)" in text:
        words.append("the absolute value is read")
    if "(sat)" in text:
        words.append("the result is clamped to the type's range (0 to 1 for floats)")
    if text.startswith("~") or (text.startswith("-") and opcode.partition(".")[0] in ("and", "or", "xor", "not")):
        words.append("all bits are inverted")
    elif text.startswith("-"):
        words.append("the value is negated")
    return ", ".join(words)


def _visa_mask(found: re.Match[str]) -> Help:
    offset, size = (int(found["n"]) - 1) * 4, int(found["size"])
    words = f"{size} channel{'s' if size > 1 else ''} from channel {offset} on."
    if found["nm"]:
        words += " NM: the execution mask is ignored."
    return Help(
        found.group(), words, "mask offset, execution size", "M2 is channel 4, M5 is channel 16.", VISA_OPERANDS
    )


def _immediate(found: re.Match[str]) -> Help | None:
    text, type_ = found["value"], found["type"]
    if type_ is not None and type_ not in _TYPE_NAMES:
        return None
    is_hex = "0x" in text
    if not is_hex and not re.fullmatch(r"-?\d+", text):
        words = f"Immediate {text}."
    else:
        number = int(text, 16 if is_hex else 10)
        words = f"Immediate {_number(number, type_, is_hex)}."
    known = _TYPE_NAMES.get(type_ or "", "")
    return Help(found.group(), words, known, "An immediate is the same for all channels.", PRM_ISA)


def _number(number: int, type_: str | None, is_hex: bool) -> str:
    bits = number & 0xFFFF_FFFF_FFFF_FFFF
    if is_hex and type_ is not None and type_ in _FLOATS:
        fmt, width = _FLOATS[type_]
        raw = (bits << 16 if type_ == "bf" else bits) & (2 ** (8 * width) - 1)
        (value,) = struct.unpack(fmt, raw.to_bytes(width, "little"))
        return f"{value:.9g}"
    if type_ in ("v", "uv"):
        nibbles = [(bits >> shift) & 15 for shift in range(0, 32, 4)]
        values = [n - 16 if n > 7 and type_ == "v" else n for n in nibbles]
        return f"of channels 0 to 7: {', '.join(map(str, values))}"
    if type_ == "vf":
        return f"0x{bits:X}, four packed floats"
    if is_hex and type_ is not None and type_ in ("d", "w", "b", "q"):
        width = BITS[type_]
        bits &= 2**width - 1
        return str(bits - 2**width if bits >> (width - 1) else bits)
    if not is_hex:
        return f"{number:,} (0x{number & 0xFFFF_FFFF:X})" if abs(number) > 9 else str(number)
    unsigned = f"{bits:,}" if bits > 9 else str(bits)
    negative = f", or {bits - 2**32:,} as a signed number" if type_ == "ud" and bits >> 31 == 1 else ""
    return f"{unsigned}{negative}"


_FLOATS: Mapping[str, tuple[str, int]] = {"f": ("<f", 4), "hf": ("<e", 2), "bf": ("<f", 4), "df": ("<d", 8)}
_EXPLAINERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Help | None]], ...] = (
    (_EXEC, _exec),
    (_CONDITION, _condition),
    (_PREDICATE, _predicate),
    (_TOKEN, _sbid),
    (_DISTANCE, _distance),
    (_REGION, _region),
    (_TYPE, _type),
    (_PAYLOAD, _payload),
    (re.compile(r"\((?:abs|sat)\)|[-~]"), _source_modifier),
    # (M1_NM, 16)
    (re.compile(r"\(M(?P<n>\d)(?P<nm>_NM)?,[ ]*(?P<size>\d+)\)"), _visa_mask),
)
