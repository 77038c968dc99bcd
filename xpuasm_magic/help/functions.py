"""Opcodes whose spelling holds a function or a shape: bfn, dpas, 2D block built-ins -> help."""

from __future__ import annotations

import re
from dataclasses import replace

from xpuasm_magic.formats.dpas import PER_CHANNEL, DpasShape, parse_dpas
from xpuasm_magic.help.book import demangled, lookup
from xpuasm_magic.help.entry import Help

# bfn.(s0&s1|s2)      bfn.0xD8      bfn.xfe (vISA)
_BFN = re.compile(r"bfn\.(?:(?P<formula>\([^ ]*\))|0?x(?P<table>[0-9A-Fa-f]{1,2}))")
# dpas.hf.hf.8.8 (vISA)
_DPAS_VISA = re.compile(r"dpasw?\.(?P<weights>\w+)\.(?P<activations>\w+)\.(?P<depth>\d)\.(?P<repeat>\d)")
# intel_sub_group_2d_block_read_transform_16b_32r16x2c
_BLOCK = re.compile(
    r"intel_sub_group_2d_block_(?P<op>read|write|prefetch)(?:_(?P<order>transpose|transform))?"
    r"_(?P<bits>\d+)b_(?P<rows>\d+)r(?P<columns>\d+)x(?P<count>\d+)c"
)

_SHORT = {
    0x80: "s0&s1&s2",
    0xFE: "s0|s1|s2",
    0xF8: "s0&s1|s2",
    0xEA: "s0|s1&s2",
    0x96: "s0^s1^s2",
}
"""Truth tables that IGC makes often, as formulas."""


def truth_table(table: int) -> str:
    """Which bits of src0, src1, src2 give 1, as a sum of products."""
    terms = []
    for row in range(8):
        if table >> row & 1:
            bits = (("s0", row & 1), ("s1", row >> 1 & 1), ("s2", row >> 2 & 1))
            terms.append("&".join(name if bit else f"~{name}" for name, bit in bits))
    return " | ".join(terms) if terms else "0"


def explain_bfn(token: str) -> Help | None:
    found = _BFN.fullmatch(token)
    general = lookup("isa", "bfn")
    if found is None or general is None:
        return None
    if found["formula"]:
        words = f"Bit by bit dst = {found['formula']}, where s0, s1, s2 are the sources."
    else:
        table = int(found["table"], 16)
        rows = truth_table(table)
        words = (
            f"Bit by bit dst = {_SHORT.get(table, rows)}, where s0, s1, s2 are the sources (truth table 0x{table:02X})."
        )
    return replace(general, title=token, text=f"{general.text} {words}")


def explain_dpas(token: str) -> Help | None:
    general = lookup("isa", "dpas")
    shape, found = parse_dpas(token), _DPAS_VISA.fullmatch(token)
    if found:
        shape = DpasShape(int(found["depth"]), int(found["repeat"]))
    if shape is None or general is None:
        return None
    depth, repeat = shape
    words = (
        f"Systolic depth {depth}, repeat count {repeat}: {repeat} rows of the result, each the sum of {depth} steps of "
        "1 (tf32), 2 (16-bit), 4 (8-bit) or 8 (4-bit and less) products per channel."
    )
    if found:
        per_channel = PER_CHANNEL.get(found["weights"])
        if per_channel:
            words = (
                f"Systolic depth {depth}, repeat count {repeat}: M = {repeat}, K = {depth * per_channel}; src1 (B) is "
                f"{found['weights']}, src2 (A) is {found['activations']}."
            )
    return replace(general, title=token, text=f"{general.text} {words}")


def explain_block_builtin(token: str) -> Help | None:
    name = demangled(token.lstrip("@").strip('"'))
    found = _BLOCK.fullmatch(name)
    general = lookup("llvm", "intel_sub_group_2d_block_*")
    if found is None or general is None:
        return None
    count = int(found["count"])
    order = {
        "transpose": ", transposed: columns of memory become rows",
        "transform": ", transformed (VNNI): rows are interleaved as the B operand of dpas needs them",
        None: "",
    }[found["order"]]
    words = (
        f"2D block {found['op']}: {count} block{'s' if count > 1 else ''} of {found['rows']} rows × {found['columns']} "
        f"columns of {found['bits']}-bit elements{order}."
    )
    return replace(general, title=name, text=f"{words} {general.text}")
