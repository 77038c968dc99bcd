"""Intel GPUs: Triton's Intel back end, then IGC (the Intel Graphics Compiler)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from xpuasm_magic.backends.backend import Backend, Stage
from xpuasm_magic.backends.debug import with_debug_lines
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.llvm_ir import parse_llvm_ir
from xpuasm_magic.formats.mlir import parse_mlir
from xpuasm_magic.formats.spirv_text import parse_spirv_text
from xpuasm_magic.formats.text import parse_plain
from xpuasm_magic.formats.visa import parse_visa, parse_visa_llvm
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.model import Line, Listing, SourceLoc, StageFile

INTEL = Backend(
    name="intel",
    title="Intel GPU",
    triton_target="xpu",
    stages=(
        Stage(name="python", title="Python", origin="source", suffix=".py", language="python", parse=parse_plain),
        Stage(name="ttir", title="TTIR", origin="triton", suffix=".ttir", language="mlir", parse=parse_mlir),
        Stage(name="ttgir", title="TTGIR", origin="triton", suffix=".ttgir", language="mlir", parse=parse_mlir),
        Stage(name="llir", title="LLVM IR", origin="triton", suffix=".llir", language="llvm", parse=parse_llvm_ir),
        Stage(
            # The dump's own text is IGC 1.x's only, of those modules that its SPIR-V tools can parse; where
            # there is a `spirv-dis`, the module is disassembled instead.
            name="spirv",
            title="SPIR-V",
            origin="module",
            suffix=".spvasm",
            language="text",
            parse=parse_spirv_text,
        ),
        Stage(
            name="visa_ll",
            title="LLVM IR (IGC)",
            origin="entry",
            suffix=".visa.ll",
            language="llvm",
            parse=parse_visa_llvm,
        ),
        Stage(name="visa", title="vISA", origin="entry", suffix=".visaasm", language="text", parse=parse_visa),
        Stage(
            name="isa",
            title="ISA",
            origin="entry",
            suffix=".asm",
            language="genisa",
            parse=parse_listing,
            complete=with_debug_lines,
        ),
        Stage(
            name="metadata",
            title="Metadata",
            origin="triton",
            suffix=".json",
            language="json",
            parse=parse_plain,
        ),
        Stage(
            name="zeinfo",
            title="ze_info",
            origin="module",
            suffix=".zeinfo",
            language="yaml",
            parse=parse_plain,
        ),
        Stage(
            name="log",
            title="Compiler log",
            origin="build",
            suffix="ocloc.log",
            language="text",
            parse=parse_plain,
        ),
    ),
)

_PRODUCTS = {
    1270: "dg2",
    1271: "pvc",
    1273: "arl-h",
    1274: "bmg",
    1275: "lnl",
    1300: "ptl",
    1340: "nvl-s",
    1360: "nvl-p",
    1380: "cri",
}


def device_of_product(product_family: int | None) -> str | None:
    """The device that a zebin's compatibility note names. (A listing's `.platform` may stand for several.)"""
    if product_family is None:
        return None
    return _PRODUCTS.get(product_family, f"product {product_family}")


def threads_per_eu(device: str | None, grf_count: int | None) -> int | None:
    """Hardware threads that share a vector engine at that GRF count, by the device's row; None: not known."""
    from xpuasm_magic.offline.devices import find_device  # a table of the stand-in; standard library only

    if device is None or grf_count is None:
        return None
    try:
        return find_device(device).threads_per_eu.get(grf_count)
    except ValueError:  # a device of somebody else's dump that we have no row for
        return None


def python_source(path: Path, recorded: str) -> StageFile:
    """The Python stage: each line is the place that the other stages' lines name.

    Args:
        path: where the file lies now.
        recorded: the path that the compilers saw it under.

    """
    return StageFile("python", path, partial(_read_python, recorded))


def _read_python(recorded: str, path: Path) -> Listing:
    lines = INTEL.stage("python").file(path).parse(path).lines
    return Listing("python", tuple(Line(line.text, SourceLoc(recorded, n)) for n, line in enumerate(lines, 1)))


def zeinfo_in(zebin: Path) -> StageFile:
    """The ze_info stage of a build whose compiler wrote it into the zebin only (IGC 1.0.12504)."""
    return StageFile("zeinfo", zebin, partial(_read_zeinfo, "zeinfo"))


def _read_zeinfo(stage: str, zebin: Path) -> Listing:
    text = parse_zebin(zebin.read_bytes()).ze_info
    if text is None:
        raise ParseError(f"{zebin.name} has no .ze_info")
    return Listing(stage, parse_plain(text))
