"""Conditions that fail a capture or a comparison: `spill_bytes>0`, `instructions>+5%`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xpuasm_magic.analysis.table import COLUMNS, Column, config_text
from xpuasm_magic.compare.comparison import Diff
from xpuasm_magic.compare.delta import Delta
from xpuasm_magic.errors import UsageError
from xpuasm_magic.model import Capture, Kernel

GRAMMAR = "COLUMN OP VALUE, as 'spill_bytes>0', 'instructions>+5%', 'status!=ok'"

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_EXPRESSION = re.compile(r"\s*(?P<column>\w+)\s*(?P<op>>=|<=|==|!=|>|<)\s*(?P<value>\S.*?)\s*")
_NUMBER = re.compile(r"(?P<sign>[+-])?(?P<number>\d+(?:\.\d+)?)(?P<percent>%)?")
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Condition:
    """`change`: the value is compared with B's change against A, in percent of A where `percent`."""

    text: str
    column: Column
    holds: Callable[[Any, Any], bool]
    value: float | str | bool
    change: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Failure:
    """A kernel that a condition holds for, or for which it cannot be told."""

    condition: Condition
    kernel: str | None
    """None: there was none that the condition could be asked of."""
    words: str
    known: bool = True

    def __str__(self) -> str:
        return f"{self.kernel}: {self.words}" if self.kernel else self.words


def parse_condition(text: str) -> Condition:
    """Reads `COLUMN OP VALUE[%]`; a VALUE with a sign is a change against A.

    Raises:
        UsageError: it is none; the message names the columns where that is what is wrong.

    """
    found = _EXPRESSION.fullmatch(text)
    if not found:
        raise UsageError(f"--fail-on {text!r} is no condition; write {GRAMMAR}")
    column = next((column for column in COLUMNS if column.name == found["column"]), None)
    if column is None:
        names = ", ".join(column.name for column in COLUMNS)
        raise UsageError(f"--fail-on {text!r}: no column {found['column']!r}; the columns are {names}")
    holds, value = _OPERATORS[found["op"]], found["value"]
    if column.dtype in ("string", "boolean"):
        if found["op"] not in ("==", "!="):
            raise UsageError(f"--fail-on {text!r}: {column.name} is no number; compare it with == or !=")
        if column.dtype == "string":
            return Condition(text, column, holds, value)
        if value not in _FLAGS:
            raise UsageError(f"--fail-on {text!r}: {column.name} is true or false")
        return Condition(text, column, holds, _FLAGS[value])
    number = _NUMBER.fullmatch(value)
    if not number:
        raise UsageError(f"--fail-on {text!r}: {value!r} is no number; write 24, +24 or +5%")
    if number["percent"] and not number["sign"]:
        raise UsageError(f"--fail-on {text!r}: a percentage is of A's value; write +{value} or -{value}")
    size = float(f"{number['sign'] or ''}{number['number']}")
    return Condition(text, column, holds, size, bool(number["sign"]), bool(number["percent"]))


def failures(found: Diff, conditions: Sequence[Condition]) -> tuple[Failure, ...]:
    """Every kernel that a condition holds for; and where it cannot be told, which never counts as passed.

    A condition on B's own value is asked also of kernels that only B has.
    """
    failed: list[Failure] = []
    for condition in conditions:
        rows = [(pair.name, pair.deltas[condition.column.name]) for pair in found.pairs]
        if not condition.change:
            name = condition.column.name
            rows += [(kernel.name, Delta(name, None, condition.column.value(kernel))) for kernel in found.only_b]
        if not rows:
            failed.append(Failure(condition, None, f"no kernel to ask '{condition.text}' of", known=False))
        failed += (failure for name, delta in rows if (failure := _failure(condition, name, delta)))
    return tuple(failed)


def capture_failures(capture: Capture, conditions: Sequence[Condition]) -> tuple[Failure, ...]:
    """Every kernel of a capture that a condition holds for, or for which it cannot be told.

    Raises:
        UsageError: a condition is of a change, for which there is nothing to compare with.

    """
    for condition in conditions:
        if condition.change:
            raise UsageError(
                f"--fail-on {condition.text!r} is of a change, which takes two captures: "
                f"xpuasm diff A B --fail-on {condition.text!r}"
            )
    failed: list[Failure] = []
    for condition in conditions:
        if not capture.kernels:
            failed.append(Failure(condition, None, f"no kernel to ask '{condition.text}' of", known=False))
        asked = ((_told_apart(kernel, capture), condition.column.value(kernel)) for kernel in capture)
        failed += (failure for name, value in asked if (failure := _own(condition, name, value)))
    return tuple(failed)


def _failure(condition: Condition, kernel: str, delta: Delta) -> Failure | None:
    if not condition.change:
        return _own(condition, kernel, delta.b, " in B")
    column = condition.column.name
    if delta.b is None or delta.a is None:
        return _untold(condition, kernel, " in B" if delta.b is None else " in A")
    amount = delta.percent if condition.percent else delta.change
    if not condition.holds(amount, condition.value):
        return None
    shown = f"{amount:+.4g}%" if condition.percent and delta.a else f"{delta.change:+g}"
    return Failure(condition, kernel, f"{column} went from {delta.a} to {delta.b} ({shown})")


def _told_apart(kernel: Kernel, capture: Capture) -> str:
    """Its name, and its config where others have the name too."""
    alone = sum(other.name == kernel.name for other in capture) == 1
    return kernel.name if alone else f"{kernel.name} ({config_text(kernel)})"


def _own(condition: Condition, kernel: str, value: Any, side: str = "") -> Failure | None:
    """What a condition on one code's own value says of it."""
    if value is None:
        return _untold(condition, kernel, side)
    failed = condition.holds(value, condition.value)
    return Failure(condition, kernel, f"{condition.column.name} is {value}") if failed else None


def _untold(condition: Condition, kernel: str, side: str) -> Failure:
    words = f"{condition.column.name} is not known{side}, so '{condition.text}' cannot be told"
    return Failure(condition, kernel, words, known=False)
