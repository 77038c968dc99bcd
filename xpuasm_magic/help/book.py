"""The written entries: `opcodes.yaml`, by language and name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from xpuasm_magic.help.entry import Help

LANGUAGES: Mapping[str, str] = {
    "isa": "isa",
    "visa": "visa",
    "ttir": "mlir",
    "ttgir": "mlir",
    "llir": "llvm",
    "visa_ll": "llvm",
}
"""The language of each stage that has help."""

# _Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f
_MANGLED = re.compile(r"_Z(?P<length>\d{1,3})")
# llvm.exp2.f32    llvm.vector.reduce.fadd.v8f32    llvm.memcpy.p0.p1.i64
_LLVM_TYPE = re.compile(r"(?:\.(?:[fip]\d+|bf16|v\d+[fip]\d+|nxv\w+))+$")
# Earlier and later spellings of one dialect.
_DIALECTS = (("ttig.", "triton_intel_gpu."), ("triton_gpu.", "ttg."))


@cache
def entries(language: str) -> Mapping[str, Help]:
    """All entries of a language; a name may be a pattern with `*`."""
    return _book().get(language, {})


def lookup(language: str, name: str) -> Help | None:
    """The entry for a name as a listing spells it, e.g. `cmp.lt`, `_Z7barrierj`, `ttig.prefetch`."""
    book = entries(language)
    for known in _spellings(language, name):
        if known in book:
            return book[known]
        for pattern in _patterns(language):
            if fnmatchcase(known, pattern):
                return book[pattern]
    return None


def demangled(name: str) -> str:
    """The function's name out of an Itanium-mangled one; any other name as it is."""
    if found := _MANGLED.match(name):
        inner = name[found.end() : found.end() + int(found["length"])]
        if len(inner) == int(found["length"]):
            return inner
    return name


def _spellings(language: str, name: str) -> tuple[str, ...]:
    if language == "llvm":
        plain = demangled(name.lstrip("@").strip('"'))
        return (plain, _LLVM_TYPE.sub("", plain))
    if language == "mlir":
        name = name.lstrip("#!")
        for old, new in _DIALECTS:
            if name.startswith(old):
                name = new + name.removeprefix(old)
        return (name,)
    # cmp.lt, goto.b, dpas.hf.hf.8.8: the modifiers do not change what the opcode is
    return (name, name.partition(".")[0])


@cache
def _patterns(language: str) -> tuple[str, ...]:
    return tuple(name for name in entries(language) if "*" in name)


@cache
def _book() -> Mapping[str, Mapping[str, Help]]:
    text = files("xpuasm_magic.help").joinpath("opcodes.yaml").read_text(encoding="utf-8")
    raw: Mapping[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    sources = raw["sources"]
    return {
        language: {
            name: Help(
                title=f"{name.replace('*', '…')}: {entry['title']}",
                text=entry["does"],
                operands=entry["operands"],
                pitfall=entry["pitfall"],
                source=f"{sources[entry['source']]}: {entry.get('section', entry['title'])}",
            )
            for name, entry in raw[language].items()
        }
        for language in ("isa", "visa", "mlir", "llvm")
    }
