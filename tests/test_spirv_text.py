"""SPIR-V is disassembled when it is opened, and its instructions know their Python line."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.backends import spirv_tools
from xpuasm_magic.backends.spirv_tools import disassembled_module, find_spirv_dis
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.spirv_text import parse_spirv_text
from xpuasm_magic.model import Line, SourceLoc

KERNELS, STANDARD = "/src/kernels.py", "/opt/venv/lib/python3.11/site-packages/triton/language/standard.py"


def disassembled(path: Path) -> tuple[Line, ...]:
    assert find_spirv_dis(), f"spirv-dis is missing: {spirv_tools.HOW}"
    return disassembled_module(path).parse(path).lines


def test_lines_hold_until_the_next_and_no_longer_than_their_block(corpus: Path) -> None:
    lines = disassembled(corpus / "2.40/pvc/softmax_w4/softmax_kernel.spv")
    first = next(index for index, line in enumerate(lines) if "OpLine" in line.text)
    assert lines[first].loc == lines[first + 1].loc == SourceLoc(KERNELS, 22, 24)
    assert all(line.loc is None for line in lines[:first])
    assert all(line.loc is None for line in lines if "OpLabel" in line.text)


def test_an_inlined_instruction_has_its_call_site(corpus: Path) -> None:
    lines = disassembled(corpus / "2.40/pvc/softmax_w4/softmax_kernel.spv")
    maximum = next(line for line in lines if " fmax " in line.text)
    assert (maximum.loc, maximum.callers) == (SourceLoc(STANDARD, 163, 27), (SourceLoc(KERNELS, 26),))


def test_the_dumps_own_text_reads_the_same(corpus: Path) -> None:
    dump = corpus / "1.0.12504/pvc/add/dump"
    theirs = parse_spirv_text(next(dump.glob("*.spvasm")).read_text(encoding="utf-8"))
    ours = disassembled(next(dump.glob("*.spv")))
    assert [line.loc for line in theirs if line.loc] == [line.loc for line in ours if line.loc] != []


def test_every_module_of_the_corpus_is_disassembled(corpus: Path) -> None:
    kernels = [kernel for kernel in read_capture(corpus / "2.40" / "bmg") if "spv" in kernel.binaries]
    assert len(kernels) > 3
    for kernel in kernels:
        assert "OpEntryPoint" in kernel.listing("spirv").text


def test_what_is_no_module_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.spv"
    path.write_bytes(b"\x03\x02\x23\x07 cut short")
    with pytest.raises(ParseError, match=r"damaged\.spv"):
        disassembled(path)
    path.write_bytes(b"not a module")
    with pytest.raises(ParseError):
        disassembled(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        disassembled(path)


def test_without_the_tool_the_stage_is_absent(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("kernels", "outcome"):
        monkeypatch.setattr(f"xpuasm_magic.catalog.{module}.find_spirv_dis", lambda: None)
    assert all("spirv" not in kernel.stages for kernel in read_capture(corpus / "2.40/pvc/add"))
