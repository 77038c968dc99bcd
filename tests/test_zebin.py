"""Zebins are read, and damaged ones are said to be so."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.zebin import parse_zebin


def zebin(corpus: Path, case: str) -> bytes:
    return next((corpus / case).glob("*.bin")).read_bytes()


def test_every_zebin_of_the_corpus_holds_its_module_and_its_kernels(corpus: Path) -> None:
    paths = sorted(corpus.rglob("*.bin"))
    assert len(paths) == 49
    for path in paths:
        found = parse_zebin(path.read_bytes())
        assert found.spirv == path.with_suffix(".spv").read_bytes()
        assert path.stem in found.code
        assert f"name:            {path.stem}\n" in (found.ze_info or "")


@pytest.mark.parametrize(
    ("case", "product"),
    [
        ("1.0.12504/pvc/add", 1271),
        ("2.40/acm-g10/add", 1270),
        ("2.40/arl-h/add", 1273),
        ("2.40/bmg/add", 1274),
        ("2.40/lnl/add", 1275),
        ("2.40/ptl/add", 1300),
        ("2.40/cri/add", 1380),
    ],
)
def test_the_device_is_in_the_compatibility_note(corpus: Path, case: str, product: int) -> None:
    assert parse_zebin(zebin(corpus, case)).product_family == product


def test_builtins_that_the_compiler_did_not_know_are_named(corpus: Path) -> None:
    undefined = parse_zebin(zebin(corpus, "1.0.12504/pvc/matmul_bp_w16_default")).undefined
    assert undefined
    assert all(name.startswith("_Z") and "intel_sub_group_2d_block" in name for name in undefined)


def test_what_the_driver_fills_in_is_not_undefined(corpus: Path) -> None:
    incomplete = [path for path in corpus.rglob("*.bin") if parse_zebin(path.read_bytes()).undefined]
    assert [path.parent.name for path in incomplete] == ["matmul_bp_w16_default"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"#!/bin/sh\n", "no ELF file"),
        (b"\x7fELF", "cut short"),
        (b"\x7fELF\x02\x01" + bytes(80), "machine is not Intel's GPU"),
        (b"!<arch>\nmembers", "several devices"),
    ],
)
def test_what_is_no_zebin_is_an_error_that_says_what_it_is(data: bytes, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_zebin(data)


def test_a_zebin_cut_anywhere_is_an_error(corpus: Path) -> None:
    whole = zebin(corpus, "2.40/pvc/add")
    for end in range(0, len(whole) - 1, 37):
        with pytest.raises(ParseError):
            parse_zebin(whole[:end])


def test_a_zebin_with_wrong_bytes_is_read_or_an_error(corpus: Path) -> None:
    whole = zebin(corpus, "2.40/pvc/add")
    choose = random.Random(1)
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(4):
            # the header and the section table, which stand at the two ends, decide what is read
            at = choose.choice((choose.randrange(64), choose.randrange(len(whole) - 1400, len(whole))))
            damaged[at] = choose.randrange(256)
        with contextlib.suppress(ParseError):
            parse_zebin(bytes(damaged))
