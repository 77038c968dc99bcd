"""MLIR text (Triton's TTIR and TTGIR) -> Lines with the Python lines that their operations come from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xpuasm_magic.formats.text import split_lines
from xpuasm_magic.model import Line, SourceLoc

# #loc12 = loc("/src/kernels.py":17:8)
# #loc28 = loc(callsite(#loc24 at #loc10))
_ALIAS = re.compile(r"#(?P<name>loc\d*) = loc\((?P<loc>.*)\)[ \t]*$")
# %2 = arith.muli %0, %c128_i32 : i32 loc(#loc4)
_TRAILING = " loc("

# One token of a location: "/src/kernels.py":17:8 (a range adds `to 17:12`), "offsets"(#loc5), #loc4, callsite, …
_TOKEN = re.compile(
    r'\s*(?:"(?P<string>(?:[^"\\]|\\.)*)"(?::(?P<line>\d+):(?P<column>\d+)(?: to (?:\d+)?:\d+)?)?'
    r"|#(?P<alias>loc\d*)|(?P<word>\w+)|(?P<mark>[()\[\],])|<(?P<attribute>[^>]*)>)"
)
_DEPTH = 64
"""Locations nest as calls do; a file whose aliases name one another in a circle ends here."""

Frames = tuple[SourceLoc, ...]
"""The innermost source line first, then the lines it was called from."""


def parse_mlir(text: str) -> tuple[Line, ...]:
    """Operations have their location at their end: an operation with a body has it after the closing brace."""
    lines = split_lines(text)
    known = _Locations({found["name"]: found["loc"] for line in lines if (found := _ALIAS.match(line))})
    frames: list[Frames] = []
    open_: list[list[int]] = []  # lines that begin, or go on with (`} else {`), an operation that is not closed
    for index, line in enumerate(lines):
        here: Frames = () if line.startswith(("#", "module")) else known.trailing(line)
        frames.append(here)
        stripped = line.strip()
        opening = open_.pop() if stripped.startswith("}") and open_ else []
        if stripped.endswith("{"):
            open_.append([*opening, index])
        elif here:
            for begun in opening:
                if not lines[begun].startswith("module"):
                    frames[begun] = here
            if line.startswith("}"):
                frames[index] = ()  # the module's end
    return tuple(
        Line(line, loc=own[0], callers=own[1:]) if own else Line(line) for line, own in zip(lines, frames, strict=True)
    )


class _Locations:
    """The aliases of a file, resolved when asked for."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases
        self._resolved: dict[str, Frames] = {}

    def trailing(self, line: str) -> Frames:
        at = line.rfind(_TRAILING)
        if at < 0 or not line.endswith(")"):
            return ()
        return self._frames(line[at + len(_TRAILING) : -1])

    def _frames(self, text: str, depth: int = 0) -> Frames:
        if text not in self._resolved:
            tokens = list(_TOKEN.finditer(text))
            self._resolved[text] = self._read(tokens, depth) if depth < _DEPTH else ()
        return self._resolved[text]

    def _read(self, tokens: list[re.Match[str]], depth: int) -> Frames:
        """Reads one location from the front of the tokens, and takes it off them."""
        if not tokens:
            return ()
        token = tokens.pop(0)
        if token["line"]:
            return (SourceLoc(token["string"], int(token["line"]), int(token["column"])),)
        if token["string"] is not None:  # a name: "offsets"(#loc5), or a name alone
            return self._bracketed(tokens, depth)[0] if _next(tokens) == "(" else ()
        if token["alias"] is not None:
            return self._frames(self._aliases.get(token["alias"], ""), depth + 1)
        if token["word"] == "callsite" and _next(tokens) == "(":
            parts = self._bracketed(tokens, depth)
            return tuple(frame for part in parts for frame in part)
        if token["word"] == "fused":
            if tokens and tokens[0]["attribute"] is not None:
                tokens.pop(0)
            parts = self._bracketed(tokens, depth) if _next(tokens) == "[" else []
            return next((part for part in parts if part), ())
        return ()

    def _bracketed(self, tokens: list[re.Match[str]], depth: int) -> list[Frames]:
        """`(a)`, `(a at b)`, `[a, b]`."""
        tokens.pop(0)
        parts = []
        while tokens and _next(tokens) not in (")", "]"):
            if tokens[0]["mark"] == "," or tokens[0]["word"] == "at":
                tokens.pop(0)
            else:
                parts.append(self._read(tokens, depth))
        if tokens:
            tokens.pop(0)
        return parts or [()]


def _next(tokens: list[re.Match[str]]) -> str | None:
    return tokens[0]["mark"] if tokens else None
