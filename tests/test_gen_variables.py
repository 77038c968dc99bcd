"""Where a listing says that variables lie, against the corpus and lines of it."""

from __future__ import annotations

from pathlib import Path

from corpus_kernels import corpus_kernels

from xpuasm_magic.analysis.flow import control_flow
from xpuasm_magic.formats.gen_variables import Input, Variable, parse_inputs, parse_variables

DECLARED = """//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0) IsBuiltin
//.declare V0034 (44)  rf=r size=8 type=uq align=4 words (r4.1)
//.declare V0048 (58)  rf=r size=64 type=uw alias=V0041+0 align=32 words (r1.0)
//.declare  (140)  rf=r size=64 type=ud align=32 words (r2.0)
//.declare V1095 (1106)  rf=r size=128 type=f align=32 words (spilled -> Scratch[193x64])
//.declare P01 (78)  rf=f32  size=4 type=uw align=2 words (f2.0)
//.declare %null (10)  rf=r size=4 type=ud align=32 words
"""
INPUTS = """// | id       | type     |  bytes | at       | from             |
// | V0041    | :w x 32  |   0x40 | r1       | pti[tid]+0x0     |
// | V0034    | :uq      |    0x8 | r4+0x8   | cti+0x8          |
// | V0035    | :uq      |      8 | r1+40    | general    |
"""


def test_registers_and_their_bytes_are_read() -> None:
    assert parse_variables(DECLARED.splitlines()) == (
        Variable("BuiltInR0", 0, 64, "ud"),
        Variable("V0034", 4 * 64 + 8, 8, "uq"),
        Variable("V0048", 64, 64, "uw", alias="V0041"),
        Variable("", 128, 64, "ud"),
    )


def test_inputs_of_old_and_new_tables_are_read() -> None:
    assert parse_inputs(INPUTS.splitlines()) == (
        Input("V0041", 64, 64, "pti[tid]+0x0"),
        Input("V0034", 4 * 64 + 8, 8, "cti+0x8"),
        Input("V0035", 64 + 40, 8, "general"),
    )


def test_inputs_lie_where_the_variables_of_their_names_do(corpus: Path) -> None:
    """The two tables of a listing agree, in every case; an input that the code does not read may have no place."""
    checked = 0
    for case, kernel in corpus_kernels(corpus).items():
        listing = kernel.listing("isa")
        texts = [line.text for line in listing.lines]
        size = control_flow(listing).grf_bytes
        places = {each.name: (each.first, each.size) for each in parse_variables(texts, size)}
        for each in parse_inputs(texts, size):
            if each.name in places:
                assert places[each.name] == (each.first, each.size), f"{case} {each.name}"
                checked += 1
    assert checked > 300


def test_damaged_rows_are_left_out() -> None:
    for table in (DECLARED, INPUTS):
        for end in range(len(table)):
            parse_variables(table[:end].splitlines())
            parse_inputs(table[:end].splitlines())
    assert parse_variables([f"//.declare V1 (1)  rf=r size={'9' * 5000} type=d align=2 words (r1.0)"]) == ()
    assert parse_inputs([f"// | V1 | :d |  {'0' * 5000} | r1 | x |"]) == ()
