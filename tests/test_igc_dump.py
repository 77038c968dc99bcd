"""Names of a shader dump are understood, and what is not a dump's is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.igc_dump import DumpFile, parse_file_name, spirv_hash
from xpuasm_magic.formats.spirv import entry_points


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "OCL_asm71b594dce90d210c_simd16_entry_0001.asm",
            DumpFile("71b594dce90d210c", ".asm", retry=0, simd=16, entry="entry_0001"),
        ),
        (
            "OCL_asm71b594dce90d210c_1_simd16_entry_0001.visa.ll",
            DumpFile("71b594dce90d210c", ".visa.ll", retry=1, simd=16, entry="entry_0001"),
        ),
        (
            "OCL_asm35eec053db8466ff_simd16_Intel_Symbol_Table_Void_Program.dat",
            DumpFile("35eec053db8466ff", ".dat", simd=16, entry="Intel_Symbol_Table_Void_Program"),
        ),
        (
            "OCL_asm555d1d3929ae9241_simd32__ZTS5SaxpyIfLi4EE.visaasm",
            DumpFile("555d1d3929ae9241", ".visaasm", simd=32, entry="_ZTS5SaxpyIfLi4EE"),
        ),
        ("OCL_asm71b594dce90d210c.spv", DumpFile("71b594dce90d210c", ".spv")),
        ("OCL_asm71b594dce90d210c_options.txt", DumpFile("71b594dce90d210c", "_options.txt")),
        ("OCL_asm71b594dce90d210c_1_optimized.ll", None),
        ("OCL_asm71b594dce90d210c_optimized_1.ll", None),
        ("OCL_asm71b594dce90d21.spv", None),
        ("HardwareCaps.txt", None),
        ("OCL_asm", None),
        ("", None),
    ],
)
def test_a_file_name(name: str, expected: DumpFile | None) -> None:
    assert parse_file_name(name) == expected


def test_the_hash_in_the_names_is_that_of_the_module(corpus: Path) -> None:
    modules = sorted({path.name: path for path in corpus.rglob("dump/*.spv")}.values())
    assert len(modules) > 8
    for path in modules:
        assert f"OCL_asm{spirv_hash(path.read_bytes())}.spv" == path.name


def test_the_kernels_of_a_module_are_its_entry_points(corpus: Path) -> None:
    for path in corpus.glob("2.40/*/*/*_kernel.spv"):
        assert entry_points(path.read_bytes()) == (path.stem,)


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x03\x02\x23\x07", b"\x03\x02\x23\x07" + bytes(64)])
def test_what_is_no_whole_module_is_an_error(data: bytes) -> None:
    with pytest.raises(ParseError):
        entry_points(data)
