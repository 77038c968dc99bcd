"""What Triton's first IR says of a kernel, without names: the same source gives the same, for every device."""

from __future__ import annotations

import re

from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.compare.statements import statements
from xpuasm_magic.model import Kernel

#   tt.func public @add_kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, …) attributes {…} {
_FUNCTION = re.compile(r"\s*tt\.func public @(?P<name>\S+?)\(")
_ARGUMENT = re.compile(r"%\w*: (?P<type>[^ ,)]+)(?: (?P<attributes>\{[^}]*\}))?")


def ttir_lines(kernel: Kernel) -> tuple[str, ...]:
    """Also without the function's name; empty where there is no TTIR that can be read."""
    listing = read_stage(kernel, "ttir")
    return tuple(_FUNCTION.sub("tt.func public @(", one.text) for one in statements(listing)) if listing else ()


def declared_arguments(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Types of a kernel's arguments, with what Triton was told of their values."""
    header = next((line for line in lines if line.startswith("tt.func public @(")), "")
    return tuple(f"{found['type']} {found['attributes'] or ''}".strip() for found in _ARGUMENT.finditer(header))
