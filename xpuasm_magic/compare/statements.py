"""A listing of any stage -> statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xpuasm_magic.compare.gen_isa import isa_statements
from xpuasm_magic.compare.ssa import llvm_statements, mlir_statements, spirv_statements
from xpuasm_magic.compare.statement import Statement
from xpuasm_magic.compare.visa import visa_statements
from xpuasm_magic.model import Line, Listing

_READERS: dict[str, Callable[[Sequence[Line]], list[Statement]]] = {
    "isa": isa_statements,
    "visa": visa_statements,
    "visa_ll": llvm_statements,
    "llir": llvm_statements,
    "ttir": mlir_statements,
    "ttgir": mlir_statements,
    "spirv": spirv_statements,
}


def statements(listing: Listing) -> list[Statement]:
    """Of a stage that has no names of a compiler's (Python, metadata), each line that is not blank."""
    read = _READERS.get(listing.stage, _plain)
    return read(listing.lines)


def _plain(lines: Sequence[Line]) -> list[Statement]:
    return [Statement(index, line.text.rstrip()) for index, line in enumerate(lines) if line.text.strip()]
