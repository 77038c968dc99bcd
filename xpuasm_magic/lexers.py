"""Pygments lexer for Intel GPU ISA text, as IGC's shader dump spells it (and `iga64`, `ocloc disasm`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
    _TokenType,
)

__all__ = ["GenIsaLexer"]

Tokens = Iterator[tuple[int, _TokenType, str]]


@dataclass(frozen=True)
class _Rule:
    token: _TokenType
    pattern: str


class _Scanner:
    """Rules tried in order at each place, as one alternation.

    Every character is looked at a bounded number of times: 60,000 lines take a second, not a minute.
    """

    def __init__(self, *rules: _Rule) -> None:
        # Each rule is one group, so that `lastindex` names the rule; inner groups must not capture.
        self._regex = re.compile("|".join(f"({rule.pattern})" for rule in rules))
        self._tokens = (Text, *(rule.token for rule in rules))

    def scan(self, text: str, start: int, end: int, offset: int) -> Tokens:
        """The tokens of `text[start:end]`; `offset` is where `text` begins in the whole."""
        tokens = self._tokens
        for found in self._regex.finditer(text, start, end):
            yield offset + found.start(), tokens[found.lastindex or 0], found.group()


_SPACE = _Rule(Whitespace, r"[ \t\r\f\v]+")
_UNKNOWN = _Rule(Text, r".")

# (W)     mad (16|M0)   (lt)f1.0  r10.0<1>:f  -r8.0<8;8,1>:f  r3.0<0>:f   {Compacted,@1,$3.dst}
#         send.gtwy (8|M0)   null  r127  null:0  0x0  0x02000010   {EOT,F@1}
#         load.ugm.d32x16t.a32 (1|M0)  r4:1  ss[a0.2][r3:1-0x10000]   {I@1,$2}
_OPERANDS = _Scanner(
    _SPACE,
    # Execution size and channel offset: (16|M0)
    _Rule(Name.Tag, r"\(\d+\|M\d+\)"),
    # Conditional modifier: (lt)f1.0
    _Rule(Operator.Word, r"\([a-z]{1,2}\)(?=f\d)"),
    _Rule(Operator, r"\((?:abs|sat)\)|[-~](?=[a-z(])"),
    # Dependencies: the distance and the software scoreboard, {A@1,$3.dst}, ($0,$2,$14)
    _Rule(Name.Entity, r"\$\d+(?:\.(?:dst|src))?|(?<=[{,])[A-Z]?@\d+"),
    # Instruction options: {Compacted,EOT,Atomic,ExBSO}
    _Rule(Name.Constant, r"(?<=[{,])[A-Z][A-Za-z]+(?=[,}])"),
    _Rule(Name.Builtin.Pseudo, r"\bnull\b"),
    _Rule(Name.Variable, r"\br(?:\d+(?:\.\d+)?\b|(?=\[))"),
    _Rule(Name.Variable.Global, r"\b(?:(?:acc|mme|ce|cr|sr|fc|tm|tdr|dbg|sp|a|f|s|n)\d+(?:\.\d+)?|ip)\b"),
    # Source operand of a message in Xe3P: surf[s0.56][src0+0x11C0]
    _Rule(Name.Namespace, r"\b(?:bti|bss|ss|surf|flat|src\d)(?![\w.])"),
    _Rule(Punctuation.Marker, r"<[\d;,]+>|:\d+(?![\w.])"),
    _Rule(Keyword.Type, r":(?![as]\d)[a-z][a-z0-9]*(?![\w.])"),
    _Rule(Number.Hex, r"-?\b0x[0-9A-Fa-f]+\b"),
    _Rule(Number.Float, r"-?\b\d+\.\d+(?:[eE][-+]?\d+)?\b"),
    _Rule(Number.Integer, r"-?\b\d+\b"),
    _Rule(Punctuation, r"[][{}(),:;+*&|^-]"),
    _Rule(Name.Label, r"[A-Za-z_.$][\w.$]*"),
    _UNKNOWN,
)

# // ex_desc:0xFF000000; desc:0x6228E500 // $111
# // wr:1h+1, rd:0; hword scratch block write x1 //  scratch space spill: SP_GRF_V0048_0 from offset[0x32]
# // rd:64 B; load.ugm.d32x16t.a32u.ovf.ca.ca.uc [s0.16+src0] //
_TRAILING_COMMENT = _Scanner(
    _SPACE,
    _Rule(Comment.Single, r"//"),
    # The number of the vISA instruction that this one was made from.
    _Rule(String.Symbol, r"\$\d+"),
    _Rule(Name.Exception, r"(?:scratch space )?(?<!/)\b(?:spill|fill)\b(?!/)[^;/]*"),
    _Rule(String.Other, r"\b(?:ex_)?desc:0x[0-9A-Fa-f]+|\b(?:wr|rd):[^;/]*"),
    _Rule(String.Other, r"\b(?:load|store|atomic|oword|hword|byte|dword|qword|untyped|typed)[ \w.]*[^;/]*"),
    _Rule(Comment.Single, r"[^ \t/$;]+|."),
)

# //.declare V0076 (86)  rf=r size=64 type=d align=32 words (spilled -> Scratch[0x64])
_DECLARATION = _Scanner(
    _SPACE,
    _Rule(Name.Exception, r"\(spilled[^)]*\)"),
    _Rule(Name.Variable, r"\((?:r|acc|a|f|s)\d+\.\d+\)"),
    _Rule(Comment.PreprocFile, r"[^ \t(]+|."),
)

# (W&~f0.1) goto.b (32|M0) …      predicate, opcode, what follows its first dot
_INSTRUCTION = re.compile(
    r"(?P<indent>[ \t]*)"
    r"(?P<predicate>\((?:W(?:&~?f\d+\.\d+)?|~?f\d+\.\d+(?:\.\w+)?)\))?"
    r"(?P<gap>[ \t]*)"
    r"(?P<opcode>[a-z]\w*)"
    r"(?P<modifiers>\.\S*)?"
    r"(?=[ \t]|$)"
)
# _0_073:      L784:      per_thread_prolog:
_LABEL = re.compile(r"[ \t]*(?P<name>[A-Za-z_.$][\w.$]*):[ \t]*$")
# //.kernel add_kernel
_DIRECTIVE = re.compile(r"//\.[\w-]+(?:\.\w+)?:?")
# // Line 17:  tl.store(o_ptr+offs, x+y, mask=m)        // File: /src/kernels.py
_SOURCE = re.compile(r"// (?:Line \d+|File):?")
# // B003: [inDivergent],  Preds:{B002},  Succs:{B005}
_BLOCK = re.compile(r"// (?=B\d+:)")

# fmt: off
_BRANCHES = frozenset((
    "brc", "brd", "break", "call", "calla", "cont", "else", "endif", "goto", "halt", "if", "illegal", "jmpi",
    "join", "ret", "while",
))
# fmt: on
_SYNCHRONIZATION = frozenset(("sync", "nop", "wait"))
_MATRIX = ("dpas", "bdpas")
_MESSAGES = ("send", "load", "store", "atomic", "read", "fence")


def _opcode_token(opcode: str) -> _TokenType:
    if opcode in _BRANCHES:
        return Keyword.Reserved
    if opcode in _SYNCHRONIZATION:
        return Keyword.Pseudo
    if opcode.startswith(_MATRIX):
        return Name.Function.Magic
    return Name.Function if opcode.startswith(_MESSAGES) else Keyword


class GenIsaLexer(Lexer):
    """Intel GPU ISA: the `.asm` files of IGC's shader dump, from Xe-HPG to Xe3P.

    No token spans lines and none depends on a line before it, so any run of lines can be lexed by itself.
    A word that is not understood is plain `Text`; nothing is an `Error`.
    """

    name = "Intel GPU ISA"
    aliases: ClassVar[list[str]] = ["genisa", "intel-gpu-isa"]
    filenames: ClassVar[list[str]] = []
    mimetypes: ClassVar[list[str]] = ["text/x-intel-gpu-isa"]
    url = "https://github.com/intel/intel-graphics-compiler"
    version_added = "0.1"

    @staticmethod
    def analyse_text(text: str) -> float:
        return 1.0 if text.startswith("//.kernel ") else 0.0

    def get_tokens_unprocessed(self, text: str) -> Tokens:
        offset = 0
        for line in text.split("\n"):
            if line:
                yield from self._line(line, offset)
            offset += len(line)
            if offset < len(text):
                yield offset, Whitespace, "\n"
            offset += 1

    def _line(self, line: str, offset: int) -> Tokens:
        if line.startswith("//"):
            return _comment_line(line, offset)
        if label := _LABEL.match(line):
            return _spans(
                offset,
                (Whitespace, line[: label.start("name")]),
                (Name.Label, label["name"]),
                (Punctuation, line[label.end("name") :].rstrip()),
                (Whitespace, line[len(line.rstrip()) :]),
            )
        return _instruction_line(line, offset)


def _spans(offset: int, *parts: tuple[_TokenType, str]) -> Tokens:
    for token, text in parts:
        if text:
            yield offset, token, text
            offset += len(text)


def _comment_line(line: str, offset: int) -> Tokens:
    if directive := _DIRECTIVE.match(line):
        end = directive.end()
        yield offset, Comment.Preproc, directive.group()
        if directive.group() == "//.declare":
            yield from _DECLARATION.scan(line, end, len(line), offset)
        else:
            yield from _spans(offset + end, (Comment.PreprocFile, line[end:]))
    elif source := _SOURCE.match(line):
        end = source.end()
        yield from _spans(offset, (Comment.Single, source.group()), (Comment.Special, line[end:]))
    elif block := _BLOCK.match(line):
        colon = line.index(":")
        yield from _spans(
            offset,
            (Comment.Single, block.group()),
            (Name.Label, line[block.end() : colon]),
            (Comment.Single, line[colon:]),
        )
    else:
        yield offset, Comment.Single, line


def _instruction_line(line: str, offset: int) -> Tokens:
    comment = line.find("//")
    end = len(line) if comment < 0 else comment
    start = 0
    if head := _INSTRUCTION.match(line, 0, end):
        start = head.end()
        yield from _spans(
            offset,
            (Whitespace, head["indent"]),
            (Name.Decorator, head["predicate"] or ""),
            (Whitespace, head["gap"]),
            (_opcode_token(head["opcode"]), head["opcode"]),
            (Name.Attribute, head["modifiers"] or ""),
        )
    yield from _OPERANDS.scan(line, start, end, offset)
    if end < len(line):
        yield from _TRAILING_COMMENT.scan(line, end, len(line), offset)
