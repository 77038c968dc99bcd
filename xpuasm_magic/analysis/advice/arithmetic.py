"""Notes on arithmetic that the hardware has no instruction for, or a slow one."""

from __future__ import annotations

from collections.abc import Iterator

from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.advice.tensors import Operation

_INTEGER_DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
_INT64 = ("arith.muli", *_INTEGER_DIVISIONS)


def int64_emulation(code: Code) -> Iterator[Advice]:
    """Tensors of 64-bit integers, multiplied or divided element by element.

    No Intel GPU does either in one instruction: IGC builds it of 32-bit halves (`mul`, `mach`, `macl`, `addc`), a
    division of a hundred instructions and more. The same opcodes serve index arithmetic and the range reduction of
    `sin`, so only TTIR's types prove it. What to do: 32-bit integers where the values fit. Source: TTIR; Intel's PRM,
    "mach", "addc".
    """
    if not code.instructions:
        return
    wide = [
        op for op in code.tensors.named(*_INT64) if op.element == "i64" and op.elements > 1 and not _is_shift(code, op)
    ]
    for file, line in dict.fromkeys((op.loc.file, op.loc.line) for op in wide if op.loc):
        if lines := code.from_line(file, line):
            yield Advice(
                "int64-emulation",
                f"line {line} multiplies or divides 64-bit integers, which the hardware does in 32-bit halves: "
                f"{len(lines)} instructions come from this line. Use 32-bit integers where the values fit.",
                lines,
            )


def div_sqrt(code: Code) -> Iterator[Advice]:
    """Divisions and roots that could be fewer or cheaper, each told with what takes its place.

    * many elements divided by one value (`e / s` of a softmax): one reciprocal, then multiplications;
    * a quotient by a square root: `tl.rsqrt`;
    * integers divided by a number that is known only at run time: tens of instructions an element.

    A division is a reciprocal on the math unit (a quarter of the rate, or less) and instructions around it that treat
    special values. Results of the replacements may differ in the last bit. Source: TTIR; `math.inv`, `math.sqt`,
    Intel's PRM, "Extended Math Function".
    """
    told: set[tuple[str, int]] = set()
    for op in code.tensors.named("arith.divf", *_INTEGER_DIVISIONS):
        divisor = code.tensors.defined.get(op.operands[1]) if len(op.operands) == 2 else None
        lines = code.from_source(op.loc)
        if divisor is None or op.loc is None or op.elements < 2 or not lines or (op.loc.file, op.loc.line) in told:
            continue
        for advice in (
            _integers(op, divisor, lines) if op.element.startswith("i") else _floats(code, op, divisor, lines)
        ):
            told.add((op.loc.file, op.loc.line))
            yield advice


def _floats(code: Code, op: Operation, divisor: Operation, lines: tuple[int, ...]) -> Iterator[Advice]:
    line = op.loc.line if op.loc else 0
    reciprocals = code.with_opcode("math.inv", among=lines)
    if divisor.name == "math.sqrt" and reciprocals:
        yield Advice(
            "div-sqrt",
            f"line {line} divides by a square root: {len(lines)} instructions come from this line, "
            f"{len(reciprocals)} of them reciprocals. Multiply by tl.rsqrt.",
            lines,
        )
    elif (shared := _shared_by(code, divisor)) > 1 and len(reciprocals) > 1:
        values = op.elements // shared
        yield Advice(
            "div-sqrt",
            f"line {line} divides {op.elements:,} elements by {values:,} value{'s' if values > 1 else ''}: "
            f"{len(lines)} instructions come from this line, {len(reciprocals)} of them reciprocals. Compute the "
            "reciprocal first (1 / x), then multiply.",
            lines,
        )


def _integers(op: Operation, divisor: Operation, lines: tuple[int, ...]) -> Iterator[Advice]:
    if op.element != "i64" and divisor.name == "tt.splat" and divisor.constant is None:
        yield Advice(
            "div-sqrt",
            f"line {op.loc.line if op.loc else 0} divides integers by a number known only at run time: {len(lines)} "
            "instructions come from this line. A power of two, or a tl.constexpr, makes it cheap.",
            lines,
        )


def _is_shift(code: Code, op: Operation) -> bool:
    """By a constant power of two, for which shifts and masks do."""
    operands = [code.tensors.defined.get(name) for name in op.operands]
    constants = [operand.constant for operand in operands if operand and operand.constant]
    return any(constant > 0 and constant & (constant - 1) == 0 for constant in constants)


def _shared_by(code: Code, divisor: Operation) -> int:
    """How many elements have the same divisor, by a splat or a broadcast."""
    if divisor.constant is not None or not divisor.operands:
        return 1
    if divisor.name == "tt.splat":
        return divisor.elements
    origin = code.tensors.defined.get(divisor.operands[0]) if divisor.name == "tt.broadcast" else None
    return divisor.elements // origin.elements if origin else 1
