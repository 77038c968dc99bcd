"""Conditions for CI: what holds fails, and what cannot be told never passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from xpuasm_magic.compare import Diff, Pair
from xpuasm_magic.compare.fail_on import failures, parse_condition
from xpuasm_magic.compare.side import Side
from xpuasm_magic.errors import UsageError
from xpuasm_magic.model import ExecutionEnv, Kernel, ListingHeader, Variant

KERNEL = Kernel("k", "user", Variant("K1"), "spirv", "ok", {})


def kernel(spill: int | None = 0, count: int | None = 100, **fields: object) -> Kernel:
    header = ListingHeader("k", inst_count=count) if count is not None else None
    env = ExecutionEnv(spill_size=spill, simd_size=32) if spill is not None else None
    return replace(KERNEL, header=header, env=env, **fields)


def compared(a: Kernel, b: Kernel) -> Diff:
    return Diff("a", "b", (Pair(Side(a, None), Side(b, None), "given"),))


def failed(text: str, a: Kernel, b: Kernel) -> list[str]:
    return [str(one) for one in failures(compared(a, b), [parse_condition(text)])]


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("spill_bytes>0", True),
        ("spill_bytes > 64", False),
        ("spill_bytes>=64", True),
        ("spill_bytes==64", True),
        ("spill_bytes!=64", False),
        ("spill_bytes<65", True),
        ("spill_bytes>+0", True),
        ("spill_bytes>+64", False),
        ("spill_bytes>+1000%", True),  # from nothing to something is more than any share
        ("instructions>+5%", True),
        ("instructions>+10%", False),
        ("instructions>=+10%", True),
        ("instructions>+9.5%", True),
        ("instructions>+9", True),
        ("instructions<-5%", False),
        ("slm_bytes<=0", True),
        ("status!=ok", False),
        ("status==ok", True),
        ("winner==true", False),
    ],
)
def test_conditions(text: str, fails: bool) -> None:
    a = kernel(spill=0, count=100, slm_size=0, winner=False)
    b = kernel(spill=64, count=110, slm_size=0, winner=False)
    assert bool(failed(text, a, b)) is fails


def test_a_fall_is_a_negative_change() -> None:
    assert failed("instructions<-5%", kernel(count=100), kernel(count=90)) == [
        "k: instructions went from 100 to 90 (-10%)"
    ]


def test_nothing_to_nothing_is_no_change() -> None:
    assert failed("spill_bytes>+0%", kernel(spill=0), kernel(spill=0)) == []


def test_what_is_missing_never_passes() -> None:
    assert failed("spill_bytes>0", kernel(), kernel(spill=None, count=None)) == [
        "k: spill_bytes is not known in B, so 'spill_bytes>0' cannot be told"
    ]
    assert failed("instructions>+5%", kernel(count=None), kernel()) == [
        "k: instructions is not known in A, so 'instructions>+5%' cannot be told"
    ]
    assert failed("spill_bytes>0", kernel(spill=None, count=None), kernel()) == [], "B's value alone is asked for"


def test_a_kernel_that_only_b_has_is_asked_of_its_own_value() -> None:
    found = replace(compared(kernel(), kernel()), only_b=(kernel(spill=8, name="new"),))
    assert [str(one) for one in failures(found, [parse_condition("spill_bytes>0")])] == ["new: spill_bytes is 8"]
    assert failures(found, [parse_condition("spill_bytes>+0")]) == ()


def test_a_condition_that_nothing_could_be_asked_of_is_told() -> None:
    [one] = failures(Diff("a", "b", (), only_b=(kernel(),)), [parse_condition("instructions>+5%")])
    assert str(one) == "no kernel to ask 'instructions>+5%' of"
    assert not one.known


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no condition; write COLUMN OP VALUE"),
        ("spill_bytes", "is no condition"),
        ("spill_bytes>", "is no condition"),
        ("spill_bytes=>0", "is no condition"),
        ("fills>0x", "no column 'fills'|'0x' is no number"),
        ("spill_bytes>lots", "'lots' is no number; write 24, \\+24 or \\+5%"),
        ("instructions>5%", "a percentage is of A's value; write \\+5% or -5%"),
        ("name>a", "name is no number; compare it with == or !="),
        ("winner==maybe", "winner is true or false"),
    ],
)
def test_slips_say_what_to_write(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_condition(text)


def test_an_unknown_column_names_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"name, family, .*spill_bytes, .*key"):
        parse_condition("spils>0")


def test_conditions_need_no_files(tmp_path: Path) -> None:
    gone = kernel(spill=0)
    assert failures(compared(gone, gone), [parse_condition("spill_bytes>0")]) == ()
