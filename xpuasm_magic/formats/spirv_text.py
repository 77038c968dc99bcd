"""SPIR-V as `spirv-dis` prints it -> Lines with the source lines that their instructions come from."""

from __future__ import annotations

import re

from xpuasm_magic.formats.text import split_lines
from xpuasm_magic.model import Line, SourceLoc

#         %286 = OpString "/src/kernels.py"
#         %213 = OpString "/src/kernels.py" ; 0x00000120        (IGC's own, with the offset)
_STRING = re.compile(r'\s*(?P<id>%\w+) = OpString "(?P<text>.*)"\s*(?:;.*)?$')
#                OpLine %286 25 16
_LINE = re.compile(r"\s*OpLine (?P<file>%\w+) (?P<line>\d+) (?P<column>\d+)")
#         %317 = OpExtInst %void %2 DebugScope %306 %316
#         %316 = OpExtInst %void %2 DebugInlinedAt 26 %302
_DEBUG = re.compile(r"\s*(?P<id>%\w+) = OpExtInst %void %\w+ Debug(?P<kind>\w+)(?P<operands>[^;]*)")
#               OpBranchConditional %74 %21 %22
_ENDS_BLOCK = re.compile(r"\s*Op(?:Branch|BranchConditional|Switch|Return|ReturnValue|Unreachable|Kill)\b")
_IN_FUNCTION = re.compile(r"\s*%\w+ = OpFunction |\s*OpFunctionEnd\b")

# Where the operands of a scope have its source and the scope around it.
_SOURCE_OPERAND = {"Function": 2, "LexicalBlock": 0, "LexicalBlockDiscriminator": 0, "CompilationUnit": 2}
_DEPTH = 64


def parse_spirv_text(text: str) -> tuple[Line, ...]:
    """`OpLine` holds until the next one, `OpNoLine`, or the end of its block; `DebugScope` until the next one."""
    debug = _Debug()
    loc: SourceLoc | None = None
    callers: tuple[SourceLoc, ...] = ()
    parsed = []
    for line in split_lines(text):
        own = None
        if "OpLine " in line and (found := _LINE.match(line)):
            loc = own = SourceLoc(debug.strings.get(found["file"], ""), int(found["line"]), int(found["column"]))
        elif "OpNoLine" in line:
            loc = None
        elif "OpString" in line and (found := _STRING.match(line)):
            debug.strings[found["id"]] = found["text"]
        elif "OpExtInst %void" in line and (found := _DEBUG.match(line)):
            operands = found["operands"].split()
            debug.nodes[found["id"]] = found["kind"], operands
            if found["kind"] in ("Scope", "NoScope"):
                callers = debug.inlined_at(operands[1] if len(operands) > 1 else None)
        elif "OpLabel" in line:
            loc = None
        elif "OpFunction" in line and _IN_FUNCTION.match(line):
            loc, callers = None, ()
        else:
            own = loc
        parsed.append(Line(line, loc=own, callers=callers if own else ()))
        if own and _ENDS_BLOCK.match(line):
            loc = None
    return tuple(parsed)


class _Debug:
    """What the module says of its source, by result id."""

    def __init__(self) -> None:
        self.strings: dict[str, str] = {}
        self.nodes: dict[str, tuple[str, list[str]]] = {}

    def inlined_at(self, id_: str | None) -> tuple[SourceLoc, ...]:
        """The lines that the current scope was inlined at, innermost first."""
        frames: list[SourceLoc] = []
        while id_ is not None and len(frames) < _DEPTH:
            kind, operands = self.nodes.get(id_, ("", []))
            if kind != "InlinedAt" or len(operands) < 2 or not operands[0].isdigit():
                break
            frames.append(SourceLoc(self._file(operands[1]), int(operands[0])))
            id_ = operands[2] if len(operands) > 2 else None
        return tuple(frames)

    def _file(self, scope: str) -> str:
        kind, operands = self.nodes.get(scope, ("", []))
        at = _SOURCE_OPERAND.get(kind)
        if at is None or at >= len(operands):
            return ""
        source, names = self.nodes.get(operands[at], ("", []))
        return self.strings.get(names[0], "") if source == "Source" and names else ""
