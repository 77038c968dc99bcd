"""ISA operands, against an independent decoding of the same bytes (tests/data/README.md) and lines worked by hand."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator
from typing import Any

import pytest
from corpus_archive import DATA

from xpuasm_magic.formats.gen_operands import Operation, decode
from xpuasm_magic.formats.gen_registers import Operand, grf_bytes_of, region_mask

_BYTES = {"b": 1, "ub": 1, "w": 2, "uw": 2, "hf": 2, "bf": 2, "d": 4, "ud": 4, "f": 4, "q": 8, "uq": 8, "df": 8}


def _samples() -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / "iga64.jsonl.xz", "rt") as lines:
        yield from map(json.loads, lines)


def _decoded(text: str, grf_bytes: int = 64) -> Operation:
    operation = decode(text, grf_bytes)
    assert operation is not None
    return operation


def _touched(operand: Operand | None) -> set[int]:
    """Bytes from r0.0."""
    if operand is None or operand.first is None:
        return set()
    return {operand.first + bit for bit in range(operand.mask.bit_length()) if operand.mask >> bit & 1}


def _by_iga(operand: dict[str, Any], size: int, channels: int, *, is_dst: bool) -> set[int]:
    """Bytes of a region, element by element as the PRM has it."""
    register, region, element = operand["reg"], operand["rgn"], _BYTES[operand["type"]]
    origin = register.get("r", 0) * size + register.get("sr", 0) * element
    found: set[int] = set()
    for channel in range(channels):
        row, column = divmod(channel, region.get("w", 1))
        place = channel * region["h"] if is_dst else row * region["v"] + column * region["h"]
        found.update(range(origin + place * element, origin + place * element + element))
    return found


def test_opcode_width_and_mask_control_equal_igas() -> None:
    for sample in _samples():
        operation = _decoded(sample["text"], grf_bytes_of(sample["platform"]))
        assert sample["op"] == ("send" if operation.is_send and sample["op"] == "send" else operation.name)
        assert (sample["es"], sample["wren"]) == (operation.exec_size or 1, operation.no_mask), sample["text"]


def test_regions_touch_the_bytes_that_iga_decodes() -> None:
    """Every operand of every instruction that is no message, from the elements of IGA's region."""
    checked = 0
    for sample in _samples():
        if sample["op"].startswith("send") or sample["op"] in ("dpas", "calla", "sync", "nop"):
            continue
        size = grf_bytes_of(sample["platform"])
        operation = _decoded(sample["text"], size)
        pairs = [(operation.dst, sample["dst"])] if sample["dst"] else []
        assert len(operation.srcs) == len(sample["srcs"]), sample["text"]
        pairs += zip(operation.srcs, sample["srcs"], strict=True)
        for place, (ours, theirs) in enumerate(pairs):
            if theirs["kind"] != "RD" or theirs["reg"]["rn"] != "r":
                assert not _touched(ours), sample["text"]
                continue
            is_dst = place == 0 and sample["dst"] is not None
            assert _touched(ours) == _by_iga(theirs, size, sample["es"], is_dst=is_dst), sample["text"]
            checked += 1
    assert checked > 2000


def test_payloads_are_the_registers_that_iga_decodes() -> None:
    checked = 0
    for sample in _samples():
        if not sample["op"].startswith("send"):
            continue
        size = grf_bytes_of(sample["platform"])
        operation = _decoded(sample["text"], size)
        payloads = [source for source in operation.srcs if source.kind in ("grf", "null")]
        theirs = [operand for operand in sample["srcs"] if operand["kind"] in ("AD", "DA")]
        for number, operand in enumerate(theirs):
            register, length = operand.get("areg", operand.get("reg")), operand.get("alen", operand.get("len"))
            if register["rn"] == "r" and length:
                assert payloads[number].first == register.get("r", 0) * size, sample["text"]
                assert payloads[number].payload == length, sample["text"]
                checked += 1
            elif register["rn"] == "s":  # registers that s0 names one by one
                assert (payloads[number].pointer, payloads[number].payload) == ("s0.0", length)
            else:
                assert number >= len(payloads) or payloads[number].kind == "null", sample["text"]
        read = sample["dst"]["len"] if sample["dst"] and sample["dst"]["reg"]["rn"] == "r" else 0
        if sample["platform"] == "XE3P_CRI":  # in bytes
            read = -(-read // size)
        assert (operation.dst.payload if operation.dst and operation.dst.kind == "grf" else 0) == read, sample["text"]
    assert checked > 200


def test_dpas_operands_start_where_iga_has_them() -> None:
    for sample in _samples():
        if sample["op"] != "dpas":
            continue
        size = grf_bytes_of(sample["platform"])
        operation = _decoded(sample["text"], size)
        for ours, theirs in zip((operation.dst, *operation.srcs), (sample["dst"], *sample["srcs"]), strict=True):
            register = theirs["reg"]
            if register["rn"] == "r":
                expected = register.get("r", 0) * size + register.get("sr", 0) * _BYTES[theirs["type"]]
                assert ours is not None
                assert ours.first == expected, sample["text"]


@pytest.mark.parametrize(
    ("region", "channels", "size", "expected"),
    [
        ("1", 4, 4, 0xFFFF),
        ("2", 4, 2, 0x3333),
        ("0;1,0", 16, 4, 0xF),
        ("8;8,1", 16, 2, 0xFFFF_FFFF),
        ("2;1,0", 4, 2, 0x3333),
        ("4;2,2", 4, 1, 0b1010101),
        ("1;0", 4, 4, 0xFFFF),
        ("2;1", 4, 4, 0xFFFF),
        ("0;0", 8, 8, 0xFF),
        ("nonsense", 8, 4, 0),
        ("1", 4096, 4, 0),
    ],
)
def test_a_region_is_the_bytes_of_its_elements(region: str, channels: int, size: int, expected: int) -> None:
    assert region_mask(region, channels, size) == expected


def test_a_message_uses_what_its_channels_use() -> None:
    """One channel's address is 4 or 8 bytes of a register; a vector's components start in registers of their own."""
    fill = _decoded(
        "(W)     load.ugm.d32x64t.a32 (1|M0)  r8:4 ss[a0.2][r3:1-0xFFC0] {$7} // ex_desc:a0.2; desc:0x4240F500"
    )
    assert fill.dst is not None
    assert (fill.dst.first, fill.dst.mask) == (512, (1 << 256) - 1)
    assert (fill.srcs[0].first, fill.srcs[0].mask, fill.srcs[0].payload) == (192, 0xF, 1)
    assert fill.srcs[1].kind == "address"
    store = _decoded("        store.ugm.d32x2.a64 (8|M0)  [r12:1] r20:2 {A@1} // ex_desc:0x0; desc:0x2001584")
    assert store.dst is None
    assert store.srcs[0].mask == (1 << 64) - 1
    assert store.srcs[1].mask == (1 << 32) - 1 | ((1 << 32) - 1) << 64
    raw = _decoded(
        "(W)     send.ugm (1|M0)          null     r3  r34:2  0x80200000:a0.2 0x4200E504 {$6} // wr:1+2, rd:0; "
        "store.ugm.d32x32t.a32.ss[a0.2][A-0xFFC0] //  spill to offset[1*64] of ?"
    )
    assert [source.mask for source in raw.srcs[:2]] == [0xF, (1 << 128) - 1]


def test_a_payload_without_a_length_has_the_descriptors() -> None:
    """Bits 25-28: registers of the address; 20-24: registers read."""
    operation = _decoded("        send.ugm (32|M0)         r16      r12  null:0  0x0            0x08200580  {$1}")
    assert operation.dst is not None
    assert (operation.dst.payload, operation.srcs[0].payload) == (2, 4)


def test_a_2d_block_of_31_registers_is_one_of_32() -> None:
    """Its descriptor has five bits: dpas reads the 32nd register."""
    operation = _decoded(
        "        load_block2d.ugm.d16.a64 (1|M0)  r53:31  [r126:1]  {$0} // ex_desc:0x0; desc:0x3F00203"
    )
    assert operation.dst is not None
    assert operation.dst.registers() == range(53, 85)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("        dpas.8x8 (16|M0)  r10:f  r26:f  r42:hf  r58.0:hf  {$1}", (512, 512, 512, 256)),
        ("        dpas.8x4 (16|M0)  r10:f  null:f r42:bf  r58.0:bf  {$1}", (256, 0, 512, 128)),
        ("        dpas.8x1 (16|M0)  r10:d  r26:d  r42:s4  r58.0:u8", (None,)),
        ("        dpas.8x1 (16|M0)  r10:d  r26:d  r42:b   r58.0:ub", (64, 64, 512, 32)),
        ("        dpas.8x8 (16|M0)  r10:d  r26:d  r42:s4  r58.0:u4", (512, 512, 512, 256)),
        ("        dpas.8x8 (16|M0)  r10:d  r26:d  r42:s2  r58.0:ub", (512, 512, 128, 256)),
    ],
)
def test_dpas_reads_rows_and_columns(text: str, sizes: tuple[int | None, ...]) -> None:
    """Bytes of dst, src0, src1, src2 by the PRM; a type that is not known leaves them open."""
    operation = _decoded(text)
    if sizes == (None,):
        assert operation.unresolved is not None
    else:
        assert tuple(operand.size for operand in (operation.dst, *operation.srcs) if operand) == sizes


def test_predicates_conditions_and_options_are_told_apart() -> None:
    operation = _decoded(
        "(W&~f0.1) cmp (16|M16)   (eq)f2.0   null<1>:d     r4.0<1;1,0>:d    0:w   {Compacted,I@1}  // $1"
    )
    assert (operation.no_mask, operation.predicate, operation.flag) == (True, "~f0.1", "f2.0")
    assert (operation.exec_offset, operation.options, operation.guarded) == (16, ("Compacted", "I@1"), True)
    assert operation.dst is not None
    assert operation.dst.kind == "null"
    chooses = _decoded("(f1.0)  sel (16|M0)  r10.0<1>:f  r8.0<1;1,0>:f  acc0.0<1;1,0>:f")
    assert (chooses.predicate, chooses.guarded) == ("f1.0", False)


def test_branches_have_their_labels_in_order() -> None:
    assert _decoded("(f0.0)  goto.b (32|M0)                       _0_007            _0_009  ").targets == (
        "_0_007",
        "_0_009",
    )
    assert _decoded("(W)     jmpi                                 _0_073     // $12").targets == ("_0_073",)
    call = _decoded("        calla (16|M0)            r127.0        r127.0      {$7.src}")
    assert call.dst is not None
    assert (call.dst.size, call.targets) == (8, ())


@pytest.mark.parametrize("text", ["", "// a comment", "_0_073:", "add (16|M0) r1.0<1>:f", "//.declare V1 (1)  rf=r"])
def test_what_is_no_instruction_is_none(text: str) -> None:
    assert decode(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "        frobnicate (16|M0)  r1.0<1>:f  r2.0<1;1,0>:f",
        "        mov (16|M0)  r99999999999999999999999.0<1>:f  r2.0<1;1,0>:f",
        "        mov (99999999|M0)  r9.0<1>:f  r2.0<1;1,0>:f",
        "        mov (16|M0)  r9.0<99999999>:f  r2.0<9999999;1,0>:f",
        "        load.ugm.d32x9999999.a32 (16|M0)  r9:99999999 [r2:99999999]",
        "        dpas.99999x999999 (16|M0)  r9:f r2:f r3:f r4:f",
        "        send.ugm (1|M0) r1",
        "        send",
        "        store.ugm.d32.a32 (16|M0)",
        "        goto",
        "        mad (16|M0)  r1.0<1>:e9m9  r2.0<;;;>:f  r3",
    ],
)
def test_hostile_operands_are_taken_as_they_are(text: str) -> None:
    operation = _decoded(text)
    assert operation.opcode == text.split()[0]
    assert all(operand is None or operand.size <= 1 << 16 for operand in (operation.dst, *operation.srcs))


def test_damaged_lines_raise_nothing() -> None:
    chance = random.Random(4)
    for sample in _samples():
        text = sample["text"]
        for _ in range(4):
            cut = chance.randrange(len(text))
            decode(text[:cut])
            decode(text[:cut] + chance.choice("[](){}<>:;,./rsa0x\u00e4 ") + text[cut + 1 :])
