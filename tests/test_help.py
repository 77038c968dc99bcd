"""Help, against every line of the corpus."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.formats.message import Message, decode_form, decode_message
from xpuasm_magic.help import Help, explain, explain_token, token_at, tokens
from xpuasm_magic.help.annotation import explain_operand, region_elements
from xpuasm_magic.help.book import entries
from xpuasm_magic.help.functions import truth_table
from xpuasm_magic.help.message import message_fields
from xpuasm_magic.view.answers import Answers, read_listing
from xpuasm_magic.view.glossary import Glossary, help_payload
from xpuasm_magic.view.html import report_html

COVERAGE = 0.98

# (W&~f0.0) goto.b (32|M0) …        bfn.(s0&s1|s2) (16|M16) …        sync.nop …
_ISA = re.compile(r"(?:\([^)\s]+\))?[ \t]+(?P<opcode>[a-z]\w*(?:\.\S+)?)(?=[ \t])")
#     (!P1) goto (M1, 32) _0_073        cmp.lt (M1, 16) P1 …
_VISA = re.compile(r"    (?:\([^)]*\) )?(?P<opcode>[a-z]\w*(?:\.\w+)*)(?=[ \t])")
#   %0:2 = tt.load …      "tt.reduce"(%1) …
_MLIR = re.compile(r'[ \t]*(?:%[\w:#, %]+ = )?"?(?P<opcode>[a-z_]\w*(?:\.\w+)*)"?(?=[ \t(<])')
#   %1 = fadd …      tail call … @_Z7barrierj(
_LLVM = re.compile(r"[ \t]+(?:%[\w.]+ = )?(?P<opcode>[a-z]+)\b")
_CALLEE = re.compile(r"\bcall\b[^@]*(?P<opcode>@[\w.]+)\(")


def _lines(corpus: Path, suffix: str) -> Iterator[str]:
    files = sorted(corpus.glob(f"**/*{suffix}"))
    assert files, f"no {suffix} under {corpus}"
    for file in files:
        yield from file.read_text(encoding="utf-8", errors="replace").split("\n")


def _messages(corpus: Path) -> Iterator[str]:
    for line in _lines(corpus, ".asm"):
        found = None if line.startswith("//") else _ISA.match(line)
        if found and re.match(r"send|load|store|atomic|fence", found["opcode"]):
            yield line


def _message(line: str) -> Message:
    message = decode_message(line)
    assert message is not None, line
    return message


@pytest.mark.parametrize(
    ("stage", "suffix", "patterns"),
    [
        ("isa", ".asm", (_ISA,)),
        ("visa", ".visaasm", (_VISA,)),
        ("ttir", ".ttir", (_MLIR,)),
        ("ttgir", ".ttgir", (_MLIR,)),
        ("llir", ".llir", (_LLVM, _CALLEE)),
    ],
)
def test_the_corpus_opcodes_are_covered(
    corpus: Path, stage: str, suffix: str, patterns: tuple[re.Pattern[str], ...]
) -> None:
    counts: Counter[str] = Counter()
    for line in _lines(corpus, suffix):
        if line.startswith(("//", ".", "_")):
            continue
        for pattern in patterns:
            found = pattern.search(line) if pattern is _CALLEE else pattern.match(line)
            if found:
                counts[found["opcode"]] += 1
    known = {opcode for opcode in counts if explain_token(stage, opcode)}
    missing = {opcode: count for opcode, count in counts.most_common() if opcode not in known}
    assert len(known) >= COVERAGE * len(counts), missing
    assert sum(counts[opcode] for opcode in known) >= COVERAGE * counts.total(), missing
    assert counts.total() > 1_000


def test_every_message_of_the_corpus_is_understood_in_all_parts(corpus: Path) -> None:
    lines = list(_messages(corpus))
    assert len(lines) > 15_000
    for line in lines:
        message = _message(line)
        assert not message.unknown, (message.unknown, line)
        assert message.operation != "message", line
        assert "not understood" not in message_fields(message), line


def test_every_visa_message_of_the_corpus_is_understood_in_all_parts(corpus: Path) -> None:
    lines = [line for line in _lines(corpus, ".visaasm") if re.match(r"    (?:\([^)]*\) )?lsc_", line)]
    assert len(lines) > 5_000
    for line in lines:
        assert not _message(line).unknown, line


def test_scratch_offsets_of_descriptor_and_comment_agree(corpus: Path) -> None:
    checked = 0
    for line in _messages(corpus):
        message = _message(line)
        if message.surface == "scratch":
            bare = _message(line.split("//  scratch space")[0])
            assert bare.spill is not None
            assert bare.spill[1] == message.spill[1] if message.spill else False, line
            checked += 1
    assert checked > 5_000


def test_data_size_and_payload_agree(corpus: Path) -> None:
    """Of loads by one address per channel: elements × their bytes fill the registers that come back."""
    checked = 0
    for line in _messages(corpus):
        message = _message(line)
        if message.destination_bytes and message.exec_size:
            width = 1 if message.transposed else message.exec_size
            assert message.destination_bytes == width * message.vector * (message.data_bits or 0) // 8, line
            checked += 1
    assert checked > 100


GOLDENS = [
    (
        "(W)     load.ugm.d32x16t.a32.ca.ca (1|M0)  r3:1 bti[255][r254:1]   {A@1,$1} // "
        "ex_desc:0xFF000000; desc:0x6218D500 //",
        {
            "operation": "load",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "32-bit elements, 16 in a row from one address (64 bytes), side by side in the register "
            "(transposed: a block access by one channel)",
            "address": "32-bit offsets; binding table entry, 255, which stands for stateless memory",
            "caching": "L1 cached, L3 cached",
            "payload": "sends 1 register (r254), returns 1 register (r3)",
            "descriptors": "ex_desc 0xFF000000, desc 0x6218D500",
        },
    ),
    (
        "        load_block2d.ugm.d16v.a64 (1|M0)  r2:31  [r85:1]            {I@4,$13} // "
        "ex_desc:0x0; desc:0x3F00283 // $210",
        {
            "operation": "load of one or more 2D blocks",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "16-bit elements; the block's count, width and height are in the address "
            "payload; transformed (VNNI): "
            "rows are interleaved so that each 32 bits hold neighbours of one column",
            "address": "64-bit base address, surface size, pitch and X, Y of the block, all in the address payload",
            "payload": "sends 1 register (r85), returns 31 registers, r2 to r32 "
            "(31 is the most the field holds; 32 is printed so too)",
            "descriptors": "ex_desc 0x0, desc 0x3F00283",
        },
    ),
    (
        "        load_block2d.ugm.d16.a64.ca.ca (1|M0)  null:0 [r64:1]      {A@1,$1} // ex_desc:0x0; "
        "desc:0x2080203 // $24",
        {
            "operation": "prefetch (load of one or more 2D blocks into the caches, no register is written)",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "16-bit elements; the block's count, width and height are in the address payload",
            "address": "64-bit base address, surface size, pitch and X, Y of the block, all in the address payload",
            "caching": "L1 cached, L3 cached",
            "payload": "sends 1 register (r64), returns nothing",
            "descriptors": "ex_desc 0x0, desc 0x2080203",
        },
    ),
    (
        "(W)     store.ugm.d32x16t.a32 (1|M0)  ss[a0.2][r3:1-0x10000] r65:1  {F@1,$1} "
        "// ex_desc:a0.2; desc:0x4200D504 //  spill to offset[3*64] of ?; ; $4",
        {
            "operation": "store",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "32-bit elements, 16 in a row from one address (64 bytes), side by side in the register "
            "(transposed: a block access by one channel)",
            "address": "32-bit offsets; surface state at an offset, as scratch space has one, a0.2; "
            "-65,536 bytes (-0x10000)",
            "payload": "sends 1 register (r3), data 1 register (r65)",
            "scratch": "spill at byte 192 of the thread's scratch space",
            "descriptors": "ex_desc a0.2, desc 0x4200D504",
        },
    ),
    (
        "(W)     send.dc0 (16|M0)         null     r0      r6:4    0x0            0x020F3032           {$22} "
        "// wr:1h+4, rd:0; hword scratch block write x8 //  scratch space spill:  from offset[50x32]; ; $1092",
        {
            "operation": "block store",
            "unit": "dc0: legacy data cache port 0",
            "data": "8 × 32 bytes = 256 bytes in a row, for the whole thread",
            "address": "the hardware thread's scratch space; the offset is in the descriptor",
            "payload": "sends 1 register (r0) (a header), data 4 registers, r6 to r9, returns nothing",
            "scratch": "spill at byte 1,600 of the thread's scratch space",
            "descriptors": "ex_desc 0x0, desc 0x020F3032",
        },
    ),
    (
        "        load.slm.d16u32.a32 (16|M0)  r23:1      [r242:1]           {$15} // ex_desc:0x0; "
        "desc:0x2100B00 // $467",
        {
            "operation": "load",
            "unit": "slm: shared local memory (LSC)",
            "data": "16-bit elements, each in 32 bits of the register, one per channel",
            "address": "32-bit offsets into the work-group's shared local memory",
            "payload": "sends 1 register (r242), returns 1 register (r23)",
            "descriptors": "ex_desc 0x0, desc 0x2100B00",
        },
    ),
    (
        "(W)     atomic_iadd.ugm.d32.a64 (1|M0)  r18:1   [r10:2]           r16:1              {$8} "
        "// ex_desc:0x0; desc:0x410058C // $66",
        {
            "operation": "atomic integer add per channel, the old value is returned",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "32-bit elements, one per channel",
            "address": "64-bit addresses; stateless: the addresses are virtual addresses",
            "payload": "sends 2 registers, r10 to r11, data 1 register (r16), returns 1 register (r18)",
            "descriptors": "ex_desc 0x0, desc 0x410058C",
        },
    ),
    (
        "(W)     send.ugm (1|M0)          r16      r0      null:0  0x0            0x0210261F           {$15} "
        "// wr:1+0, rd:1; fence.ugm.invalidate.gpu // $131",
        {
            "operation": "memory fence: waits until this hardware thread's earlier accesses to ugm "
            "can be seen by the whole "
            "GPU; then invalidates clean L1 lines, so that later loads see what others wrote",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "payload": "sends 1 register (r0), returns 1 register (r16)",
            "descriptors": "ex_desc 0x0, desc 0x0210261F",
        },
    ),
    (
        "(W)     send.gtwy (1|M0)         null     r127    null:0  0x0            0x02000010           {EOT,A@1} "
        "// wr:1+0, rd:0; end of thread // $359",
        {
            "operation": "ends this hardware thread",
            "unit": "gtwy: message gateway: barriers and the end of threads",
            "payload": "sends 1 register (r127), returns nothing",
            "descriptors": "ex_desc 0x0, desc 0x02000010",
        },
    ),
    (
        "        sendg.ugm (32|M0)        r116     r62:2  null:0  s0.16  0x100000001000 {I@6,$2} "
        "// rd:128 B; load.ugm.d32.a32u [s0.16+0x4*src0] // $64",
        {
            "operation": "load",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "32-bit elements, one per channel",
            "address": "32-bit unsigned offsets, added to a 64-bit base; the base is in s0.16; each is multiplied by 4",
            "payload": "sends 2 registers, r62 to r63, returns 128 bytes to r116",
            "descriptors": "indirect descriptor s0.16, desc 0x100000001000",
        },
    ),
    (
        "(W)     sendg.ugm (1|M0)         r1       r63:1  null:0  s0.16  0x281680 {A@1,$0} "
        "// rd:64 B; load.ugm.d32x16t.a32u.ovf.ca.ca.uc [s0.16+src0] //",
        {
            "operation": "load",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "32-bit elements, 16 in a row from one address (64 bytes), side by side in the register "
            "(transposed: a block access by one channel)",
            "address": "32-bit unsigned offsets, added to a 64-bit base; the base is in s0.16; "
            "overfetch: the cache may fetch up to 256 bytes around it",
            "caching": "L1 cached, L2 cached, L3 uncached",
            "payload": "sends 1 register (r63), returns 64 bytes to r1",
            "descriptors": "indirect descriptor s0.16, desc 0x281680",
        },
    ),
    (
        "    lsc_load_block2d.ugm (M1, 1)  V0050:d16.2x16x32nt  flat[V0120 + (0,0)]       /// $208",
        {
            "operation": "load of one or more 2D blocks",
            "unit": "ugm: untyped global memory, through the load/store cache (LSC)",
            "data": "16-bit elements; 2 blocks of 16 columns × 32 rows; transformed (VNNI): rows are "
            "interleaved so that each "
            "32 bits hold neighbours of one column",
            "address": "64-bit base address, surface size, pitch and X, Y of the block, all in the address payload",
        },
    ),
]


@pytest.mark.parametrize(("line", "fields"), GOLDENS, ids=[_message(line).spelling for line, _ in GOLDENS])
def test_a_message_is_said_field_by_field(line: str, fields: dict[str, str]) -> None:
    assert message_fields(_message(line)) == fields


def test_a_message_that_is_not_known_is_told_so() -> None:
    message = decode_form("load.xyz.d32x7q.a32.zz")
    assert message is not None
    assert message.unknown == ("xyz", "d32x7q", "zz")
    assert message_fields(message)["not understood"] == "xyz, d32x7q, zz"
    raw = _message("        send.ugm (1|M0)          r9       r0      null:0  0x0            0x0210001F           {$4}")
    assert (raw.operation, raw.unit, raw.descriptors) == (
        "message",
        "ugm",
        (("ex_desc", "0x0"), ("desc", "0x0210001F")),
    )


@pytest.mark.parametrize(
    ("region", "exec_size", "elements"),
    [
        ("<0;1,0>", 4, (0, 0, 0, 0)),
        ("<1;1,0>", 4, (0, 1, 2, 3)),
        ("<2;1,0>", 4, (0, 2, 4, 6)),
        ("<8;4,2>", 8, (0, 2, 4, 6, 8, 10, 12, 14)),
        ("<1;4,0>", 8, (0, 0, 0, 0, 1, 1, 1, 1)),
        ("<1;0>", 4, (0, 1, 2, 3)),  # of three-source instructions
        ("<0;0>", 4, (0, 0, 0, 0)),
        ("<8;1>", 4, (0, 1, 2, 3)),
        ("<2>", 4, (0, 2, 4, 6)),
        ("<1,0>", 4, None),
    ],
)
def test_a_region_says_which_elements_it_reads(region: str, exec_size: int, elements: tuple[int, ...] | None) -> None:
    assert region_elements(region, exec_size) == elements


MAD = "(W)     mad (16|M0)   (lt)f1.0  r10.0<1>:f  -r8.0<2;1>:f  r3.0<0>:f  0x3F800000:f  {Compacted,@1,$3.dst} // $4"


@pytest.mark.parametrize(
    ("at", "token", "says"),
    [
        ("(W)", "(W)", "execution mask is ignored"),
        ("mad", "mad", "src0 + src1 * src2"),
        ("(16", "(16|M0)", "channels 0 to 15"),
        ("(lt", "(lt)f1.0", "less than"),
        ("r10", "r10.0<1>:f", "channels write elements 0, 1, 2, 3, …, 15 from r10.0, each 4 bytes"),
        ("-r8", "-r8.0<2;1>:f", "value is negated"),
        (":f", ":f", "float (IEEE fp32)"),
        ("0x3F", "0x3F800000:f", "Immediate 1."),
        ("Compacted", "Compacted", "8 bytes instead of 16"),
        ("@1", "@1", "infers from this instruction's operand types"),
        ("$3", "$3.dst", "token 3 has written its destination"),
        ("$4", "$4", "vISA instruction 4"),
    ],
)
def test_each_part_of_an_instruction_has_its_help(at: str, token: str, says: str) -> None:
    column = MAD.index(at)
    help_, place = explain("isa", MAD, column), token_at("isa", MAD, column)
    assert help_ is not None
    assert place is not None
    assert MAD[slice(*place)] == token
    assert says in help_.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0xBC00:hf", "Immediate -1."),
        ("0x3FF0000000000000:df", "Immediate 1."),
        ("0x3F80:bf", "Immediate 1."),
        ("0xFFFFFFC0:ud", "4,294,967,232, or -64 as a signed number"),
        ("0xFFFF:w", "Immediate -1."),
        ("0x76543210:v", "0, 1, 2, 3, 4, 5, 6, 7"),
        ("r[a0.0]<1,0>:d", "what a0.0 holds"),
        ("acc0.0<1>:d", "Accumulator"),
        ("cr0.0<0;1,0>:ud", "one element for all channels"),
    ],
)
def test_immediates_and_registers_are_read(text: str, says: str) -> None:
    help_ = explain_operand(text, exec_size=8)
    assert help_ is not None
    assert says in help_.text


@pytest.mark.parametrize(
    ("stage", "token", "says"),
    [
        ("isa", "I@1", "the integer pipe"),
        ("isa", "A@2", "each of the in-order pipes, the 2nd last"),
        ("isa", "$5.src", "has read its sources"),
        ("isa", "(~f1.0.any16h)", "each group of 16 channels decides, inverted"),
        ("isa", "(W&~f0.0)", "its bit of f0.0 is clear"),
        ("isa", "bfn.(s0&s1|s2)", "dst = (s0&s1|s2)"),
        ("isa", "dpas.8x8", "depth 8, repeat count 8"),
        ("visa", "dpas.hf.hf.8.8", "M = 8, K = 16"),
        ("visa", "bfn.xf8", "s0&s1|s2"),
        ("visa", "(M5, 16)", "16 channels from channel 16 on"),
        ("ttgir", "ttig.prefetch", "caches"),
        ("ttgir", "#triton_intel_gpu.dpas", "accumulator of dpas"),
        (
            "llir",
            "@_Z52intel_sub_group_2d_block_read_transform_16b_32r16x2cPU3AS1viiiDv2_iPt",
            "2 blocks of 32 rows × 16 columns of 16-bit elements, transformed",
        ),
        ("llir", "@llvm.exp2.f32", "2 to the power"),
    ],
)
def test_a_token_has_help_without_its_line(stage: str, token: str, says: str) -> None:
    help_ = explain_token(stage, token)
    assert help_ is not None
    assert says in help_.text


def test_truth_tables_of_bfn_follow_the_specification() -> None:
    assert truth_table(0x80) == "s0&s1&s2"
    assert truth_table(0x02) == "s0&~s1&~s2"
    for table, formula in ((0xFE, "s0|s1|s2"), (0xF8, "s0&s1|s2"), (0xEA, "s0|s1&s2"), (0x96, "s0^s1^s2")):
        for row in range(8):
            s0, s1, s2 = row & 1, row >> 1 & 1, row >> 2 & 1
            assert eval(formula, {"s0": s0, "s1": s1, "s2": s2}) == table >> row & 1


@pytest.mark.parametrize("language", ["isa", "visa", "mlir", "llvm"])
def test_no_entry_is_empty_and_each_names_its_source(language: str) -> None:
    assert len(entries(language)) > 60
    for name, entry in entries(language).items():
        for field, value in asdict(entry).items():
            assert value.strip(), f"{language} {name}: {field}"
        assert "://" not in entry.source, name
        assert not re.search(r"  | \.|\?\?", entry.text), name


def test_all_that_is_said_of_the_corpus_is_complete(corpus: Path) -> None:
    seen: set[str] = set()
    for line in _lines(corpus / "2.40", ".asm"):
        if line.startswith("//") or (shape := re.sub(r"\d+", "0", line)) in seen:
            continue
        seen.add(shape)
        for found in re.finditer(r"(?<![^\s{,])[^\s{},()]", line.partition("//")[0]):
            help_ = explain("isa", line, found.start())
            assert help_ is not None, (line, found.group())
            assert help_.title, line
            assert help_.text, line
            assert help_.pitfall, line
            assert help_.source, line
    assert len(seen) > 1_000


HOSTILE = (
    "",
    " ",
    "</script><script>alert(1)</script>",
    "\u202eevil\u202c",
    "        mov (16|M0) \x00 r\udc80",
    "(W)     send.ugm",
    "        send",
    "        load.ugm.d32.a32 (1|M0)",
    "        load.ugm.d99999999999999999999x0t.a32 (1|M0) r1 [",
    "        store.ugm.d32.a32 (1|M0) ]][[ r9:99999999",
    "        add (16|M0) r1.0<0;0,0>:f r1.0<9;0,9>:ud 0x" + "F" * 5_000 + ":f {@9,$999.dst}",
    "        add (99999|M0) r1.0<0;0,0>:f r1.0<9;0,9>:ud 0xFFFFFFFFFFFFFFFFFFFFF:df {$9",
    "        add (16|M0) r1.0<1>:zz (zz)f1.0 0x:f {}{}}{",
    "    lsc_load.ugm (M1, 1) V0:d32 flat[",
    "@_Z999x",
    "'" * 3_000,
    "(" * 3_000,
    "a." * 1_900,
)


@pytest.mark.parametrize("stage", ["isa", "visa", "ttir", "ttgir", "llir", "visa_ll", "python", "no such stage"])
def test_hostile_text_has_no_help_and_does_no_harm(stage: str) -> None:
    for text in HOSTILE:
        for column in {-1, 0, 1, *range(min(len(text), 120)), len(text) - 1, len(text), 10**9}:
            found = explain(stage, text, column)
            assert found is None or isinstance(found, Help)
        assert explain_token(stage, text) is None or isinstance(explain_token(stage, text), Help)
        assert isinstance(tokens(stage, text), set)
    assert explain(stage, "        </script><img src=x onerror=alert(1)>", 10) is None


def test_the_page_asks_for_a_place_of_a_line(corpus: Path) -> None:
    answers = Answers(read_capture(corpus / "2.40" / "pvc" / "add"))
    line = "        add (16|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f {I@1}"
    answer = answers.answer("help", {"stage": "isa", "text": line, "column": 9})
    assert (answer["start"], answer["end"]) == (8, 11)
    assert answer["help"]["title"] == "add: Addition"
    assert answers.answer("help", {"stage": "isa", "text": line, "column": 2}) == {"help": None, "start": 0, "end": 0}
    assert answers.answer("help", {}) == {"help": None, "start": 0, "end": 0}
    with pytest.raises(XpuasmError):
        answers.answer("hilfe", {})


def test_columns_are_counted_as_javascript_does() -> None:
    line = '  %s = tt.call @"😀"() : tt.ptr'
    column = line.index("tt.ptr") + 1  # the smiley is two units there
    answer = help_payload("ttir", line, column)
    assert answer["help"] is not None
    assert answer["help"]["title"] == "tt.ptr: Pointer type"
    assert answer["start"] == column


def test_a_report_carries_what_its_tokens_mean_and_no_more(corpus: Path) -> None:
    capture = read_capture(corpus / "2.40" / "pvc" / "matmul_bp_w16_large")
    glossary = Glossary()
    for kernel in capture:
        for file in kernel.stages.values():
            glossary.add(read_listing(capture, file))
    payload = glossary.payload()
    isa = payload["index"]["isa"]
    assert payload["entries"][isa["dpas.8x8"]] == asdict(explain_token("isa", "dpas.8x8") or pytest.fail("no help"))
    assert "load_block2d.ugm.d16v.a64" in isa
    assert "xor" not in isa
    assert payload["languages"]["ttgir"] == "mlir"
    assert "tt.dot" in payload["index"]["mlir"]
    assert len(payload["entries"]) < 600


def test_the_report_holds_the_glossary(corpus: Path) -> None:
    page = report_html(read_capture(corpus / "2.40" / "pvc" / "add"))
    found = re.search(r'<script type="application/octet-stream" id="xpuasm-help">([\w+/=]+)</script>', page)
    assert found is not None
    payload = json.loads(gzip.decompress(base64.b64decode(found[1])))
    assert "load.ugm.d32.a64" in payload["index"]["isa"]
    assert set(payload) == {"languages", "tokens", "index", "entries"}
