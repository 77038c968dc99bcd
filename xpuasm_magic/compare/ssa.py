"""Texts whose names are given once (LLVM IR, MLIR, SPIR-V) -> statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from xpuasm_magic.compare.statement import Origin, Statement
from xpuasm_magic.model import Line

# %12   %invariant.op   %arg0   %13#1   %"class.x"
_VALUE = r'%(?:"[^"]*"|[-\w.$]+)(?:#\d{1,6})?'
# %31, %32 = …       %13:5 = scf.for …
_RESULTS = re.compile(rf"(?P<names>{_VALUE}(?::\d+)?(?:, {_VALUE})*) = ")

# … local_unnamed_addr #3 !dbg !15 {           attributes #3 = { convergent nounwind }
_LLVM_NAME = re.compile(rf"{_VALUE}|(?<![\w.])#\d+")
_LLVM_ATTRIBUTES = re.compile(r"attributes (?P<name>#\d+) = ")
# 27:                  ; preds = %10          .lr.ph:          ; preds = %10
_LLVM_LABEL = re.compile(r'(?P<name>"[^"]*"|[-\w.$]+):')
# call void @f() #7, !dbg !22, !spirv.DecorationCacheControlINTEL !26
_LLVM_METADATA = re.compile(r",? !(?P<kind>[\w.]+) !(?P<id>\d+)")
# !26 = !{!27, !28}
_LLVM_NODE = re.compile(r"!(?P<id>\d+) = (?:distinct )?!\{(?P<content>.*)\}")
_LLVM_REFERENCE = re.compile(r"!(\d+)")
_LLVM_NO_CODE = ("dbg", "stats.", "remat", "llvm.loop")
"""Metadata that tells of the source, of an estimate, or only of its own name."""
# A comment, which is not in a string
_LLVM_COMMENT = re.compile(r'(?P<code>(?:[^";]|"[^"]*")*);.*')

# #blocked1 = #ttg.blocked<{…}>
_MLIR_NAME = re.compile(rf"{_VALUE}|#[A-Za-z_]\w*(?![\w.])")
_MLIR_ALIAS = re.compile(r"(?P<name>#[A-Za-z_]\w*) = ")
# loc(#loc4)   loc("/src/kernels.py":32:0)   loc(callsite(#loc24 at #loc10))
_MLIR_LOC = re.compile(r' ?\bloc\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\))*\)')
_MLIR_LOC_ALIAS = re.compile(r"#loc\d* = ")
# What a line gives beside its results: (%arg10 = %cst, …   ^bb0(%arg4: f32, …   @kernel(%arg0: !tt.ptr<f16>, …
_MLIR_GIVEN = re.compile(rf"(?P<name>{_VALUE})(?= = |: )")

_SPIRV_NAME = re.compile(_VALUE)
_SPIRV_COMMENT = re.compile(r";.*")
# What tells of the source, or gives a name for people.
_SPIRV_DEBUG = re.compile(
    r"(?:%\w+ = )?Op(?:Line|NoLine|String|Source\w*|Name|MemberName|ModuleProcessed|ExtInst %void %\w+ Debug\w+)\b"
)


def llvm_statements(lines: Sequence[Line]) -> list[Statement]:
    """LLVM IR, Triton's or IGC's. Value names begin anew in each function; metadata stand with what they say."""
    metadata = {found["id"]: found["content"] for line in lines if (found := _LLVM_NODE.match(line.text))}

    def said(found: re.Match[str]) -> str:
        if found["kind"].startswith(_LLVM_NO_CODE):
            return ""
        content = metadata.get(found["id"], "")
        return f" !{found['kind']} {_LLVM_REFERENCE.sub(lambda node: metadata.get(node[1], ''), content)}"

    names = _Names(_LLVM_NAME)
    for index, line in enumerate(lines):
        text = line.text
        code = _code(text).strip()
        if not code or code.startswith("!"):
            continue
        if label := _LLVM_LABEL.fullmatch(code):
            names.label(f"%{label['name']}")
            continue
        code = _LLVM_METADATA.sub(said, code)
        if code.startswith("define "):
            names.begin_scope()
            names.add(index, code, [name for name in _LLVM_NAME.findall(code) if name[0] == "%"])
        elif attributes := _LLVM_ATTRIBUTES.match(code):
            names.add(index, code, [attributes["name"]], everywhere=True)
        else:
            names.add(index, code, _results(code))
    return names.statements()


def mlir_statements(lines: Sequence[Line]) -> list[Statement]:
    """MLIR without its locations. Aliases of attributes (`#blocked`) are names, given at the file's start."""
    names = _Names(_MLIR_NAME)
    for index, line in enumerate(lines):
        if _MLIR_LOC_ALIAS.match(line.text) or not (code := _MLIR_LOC.sub("", line.text).strip()):
            continue
        if alias := _MLIR_ALIAS.match(code):
            names.add(index, code, [alias["name"]], everywhere=True)
        else:
            beside = [found["name"] for found in _MLIR_GIVEN.finditer(code)]
            names.add(index, code, [*_results(code), *beside])
    return names.statements()


def spirv_statements(lines: Sequence[Line]) -> list[Statement]:
    """SPIR-V as `spirv-dis` prints it, without what tells of the source."""
    names = _Names(_SPIRV_NAME)
    for index, line in enumerate(lines):
        code = _SPIRV_COMMENT.sub("", line.text).strip()
        if code and not _SPIRV_DEBUG.match(code):
            names.add(index, code, _results(code))
    return names.statements()


def _code(text: str) -> str:
    """Without the comment."""
    if '"' not in text:
        return text.partition(";")[0]
    found = _LLVM_COMMENT.match(text)
    return found["code"] if found else text


def _results(code: str) -> list[str]:
    found = _RESULTS.match(code)
    return [name.split(":")[0] for name in found["names"].split(", ")] if found else []


_Scope: TypeAlias = dict[str, Origin]


class _Names:
    """Statements as they are read. A name may be used before it is given, as a phi's or a label's."""

    def __init__(self, name: re.Pattern[str]) -> None:
        self._name = name
        self._everywhere: _Scope = {}
        self._scope: _Scope = {}
        self._read: list[tuple[int, str, list[str | Origin], _Scope]] = []

    def begin_scope(self) -> None:
        self._scope = {}

    def label(self, name: str) -> None:
        """It stands for the statement that comes next."""
        self._scope[name] = (len(self._read), -1)

    def add(self, index: int, code: str, given: Sequence[str], *, everywhere: bool = False) -> None:
        new = dict.fromkeys(given)
        uses = [self._origin(name, self._scope) or name for name in self._name.findall(code) if name not in new]
        scope = self._everywhere if everywhere else self._scope
        scope.update((name, (len(self._read), ordinal)) for ordinal, name in enumerate(new))
        self._read.append((index, self._name.sub(_sign, code), uses, self._scope))

    def statements(self) -> list[Statement]:
        made = []
        for index, text, uses, scope in self._read:
            origins = (self._origin(use, scope) if isinstance(use, str) else use for use in uses)
            made.append(Statement(index, text, tuple((origin,) if origin else () for origin in origins)))
        return made

    def _origin(self, name: str, scope: _Scope) -> Origin | None:
        found = scope.get(name) or self._everywhere.get(name)
        if found or name[0] == "#":
            return found
        whole, _, result = name.partition("#")  # %13#1: the second result of %13
        found = scope.get(whole) if result else None
        return (found[0], int(result)) if found else None


def _sign(found: re.Match[str]) -> str:
    return found[0][0]
