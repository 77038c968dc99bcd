"""LLVM IR text with debug information -> Lines with the source lines that their instructions come from."""

from __future__ import annotations

import re
from functools import cache

from xpuasm_magic.formats.text import split_lines
from xpuasm_magic.model import Line, SourceLoc

#   %7 = trunc i64 %6 to i32, !dbg !22
_DBG = re.compile(r"!dbg !(?P<id>\d+)")
# !29 = !DILocation(line: 163, column: 27, scope: !30, inlinedAt: !33)
# !30 = distinct !DILexicalBlockFile(scope: !32, file: !31, discriminator: 0)
# !5 = !DIFile(filename: "kernels.py", directory: "/src")
_NODE = re.compile(r"!(?P<id>\d+) = (?:distinct )?!(?P<kind>DI[A-Za-z]+)\((?P<fields>.*)\)[ \t]*$")
# line: 163      scope: !30      filename: "kernels.py"
_FIELD = re.compile(r'(?P<name>\w+): (?:!(?P<ref>\d+)|(?P<number>\d+)|"(?P<string>[^"]*)")')
_DEPTH = 64

Frames = tuple[SourceLoc, ...]


def parse_llvm_ir(text: str) -> tuple[Line, ...]:
    """Instructions by their `!dbg`; a definition by its subprogram. Line 0 is no source line: the compiler's own."""
    lines = split_lines(text)
    nodes = _Nodes(lines)
    parsed = []
    for line in lines:
        frames: Frames = ()
        # Declarations name the line of the function that calls them first, which is not where they come from.
        if (found := _DBG.search(line)) and not line.startswith(("declare", "!", ";")):
            frames = nodes.frames(int(found["id"]))
        parsed.append(Line(line, loc=frames[0], callers=frames[1:]) if frames else Line(line))
    return tuple(parsed)


class _Nodes:
    """The debug information of a module, by number."""

    def __init__(self, lines: list[str]) -> None:
        self._nodes: dict[int, tuple[str, dict[str, int | str]]] = {}
        for line in lines:
            if found := _NODE.match(line):
                fields: dict[str, int | str] = {}
                for field in _FIELD.finditer(found["fields"]):
                    value = field["string"]
                    fields[field["name"]] = int(field["ref"] or field["number"]) if value is None else value
                self._nodes[int(found["id"])] = found["kind"], fields
        self.frames = cache(self._frames)

    def _frames(self, id_: int) -> Frames:
        """The chain of a location: where it is, then where that was inlined."""
        frames: list[SourceLoc] = []
        at: int | None = id_
        while at is not None and len(frames) < _DEPTH:
            kind, fields = self._node(at)
            line, column = fields.get("line"), fields.get("column")
            if kind not in ("DILocation", "DISubprogram") or not isinstance(line, int) or not line:
                break
            file = self._file(at)
            frames.append(SourceLoc(file, line, column if isinstance(column, int) and column else None))
            inlined = fields.get("inlinedAt")
            at = inlined if isinstance(inlined, int) else None
        return tuple(frames)

    def _file(self, id_: int) -> str:
        """A node's own file, or that of the scope it is in."""
        for _ in range(_DEPTH):
            kind, fields = self._node(id_)
            if kind == "DIFile":
                name, folder = str(fields.get("filename", "")), str(fields.get("directory", ""))
                return name if name.startswith("/") or not folder else f"{folder.rstrip('/')}/{name}"
            up = fields.get("file", fields.get("scope"))
            if not isinstance(up, int):
                break
            id_ = up
        return ""

    def _node(self, id_: int) -> tuple[str, dict[str, int | str]]:
        return self._nodes.get(id_, ("", {}))
