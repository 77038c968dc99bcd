"""A line and a column -> the token there, and its help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from pygments.token import Comment, Keyword, Name, Punctuation, String, _TokenType

from xpuasm_magic.formats.message import decode_form, decode_message
from xpuasm_magic.help.annotation import explain_annotation, explain_operand, explain_sync_token
from xpuasm_magic.help.book import LANGUAGES, lookup
from xpuasm_magic.help.entry import IGA, Help
from xpuasm_magic.help.functions import explain_bfn, explain_block_builtin, explain_dpas
from xpuasm_magic.help.message import message_fields, message_help
from xpuasm_magic.lexers import GenIsaLexer

LONGEST_LINE = 4_000
"""A longer line is data, not code."""

TOKENS: Mapping[str, str] = {
    # opcode with modifiers · execution size · predicate, condition · payload · region · type · {…} entries · immediates
    "isa": r"\b(?:[a-z]\w*\.\([^ \t]*\)(?=[ \t])|(?:load|store|atomic|fence)\w*(?:\.\w+)+(?:\.?\w*\[[^\] ]*\])*"
    r"|[how]+rd (?:scratch |aligned |unaligned |)block (?:read|write) x\d+|signal barrier|end of thread"
    r"|r\d+:\d+\b|(?:r|acc|a|f|s|cr|sr|ce|tm|dbg|mme)\d+\.\d+|null|[a-z]\w+(?:\.\w+)*)"
    r"|\(\d+\|M\d+\)|\((?:W|W&~?f\d+\.\d+|~?f\d+\.\d+(?:\.\w+)?)\)|\([a-z]{2}\)(?=f\d)"
    r"|<[\d;,]+>|:[a-z]+\d*\b|\$\d+(?:\.(?:dst|src)|(?=[,})]))|[A-Z]?@\d|\b(?:Compacted|EOT|Atomic|ExBSO)\b"
    r"|-?\b0x[0-9A-Fa-f]+(?::[a-z]+)?",
    "visa": r"\(M\d(?:_NM)?, ?\d+\)|\b[a-z]\w*(?:\.\w+)*|<[\d;,]+>|:[a-z]+\d*\b|0x[0-9A-Fa-f]+(?::[a-z]+)?",
    "mlir": r"[#!]?\b[a-z_]\w*(?:\.[a-z_]\w*)+|^module\b",
    "llvm": r"@[\w.$]+|(?<![%@!#.\"\w-])[a-z]+\b(?![.\w])",
}
"""What can be pointed at, by language. Regular expressions that JavaScript reads alike."""

_PATTERNS = {language: re.compile(pattern) for language, pattern in TOKENS.items()}
_OPERAND = re.compile(r"[^\s{}]+")
_EXEC_SIZE = re.compile(r"\((\d+)\|M\d+\)")
_BRANCHES = ("goto", "join", "jmpi", "if", "else", "endif", "while", "break", "cont", "halt", "brc", "brd", "call")
_MESSAGES = ("send", "load", "store", "atomic", "fence", "lsc_")


def explain(stage: str, text: str, column: int) -> Help | None:
    """Help for the token of line `text` at `column`; None where there is none."""
    return _found(stage, text, column)[0]


def token_at(stage: str, text: str, column: int) -> tuple[int, int] | None:
    """Start and end of the token that `explain` explains."""
    help_, start, end = _found(stage, text, column)
    return (start, end) if help_ else None


def explain_token(stage: str, token: str) -> Help | None:
    """Help for a token without its line: what can be said of it anywhere."""
    language = LANGUAGES.get(stage)
    if language is None or len(token) > LONGEST_LINE:
        return None
    if language == "isa":
        return _isa_token(token)
    if language == "visa":
        return _visa_token(token)
    if language == "llvm":
        return explain_block_builtin(token) or lookup(language, token)
    return lookup(language, token)


def tokens(stage: str, text: str) -> set[str]:
    """All distinct tokens of a text that may have help."""
    language = LANGUAGES.get(stage)
    return {found.group() for found in _PATTERNS[language].finditer(text)} if language else set()


def _found(stage: str, text: str, column: int) -> tuple[Help | None, int, int]:
    language = LANGUAGES.get(stage)
    if language is None or not 0 <= column < len(text) or len(text) > LONGEST_LINE or "\n" in text:
        return None, 0, 0
    if language == "isa":
        return _isa(text, column)
    for found in _PATTERNS[language].finditer(text):
        if found.start() <= column < found.end():
            token = found.group()
            help_ = None
            if language == "visa" and token.startswith("lsc_") and (message := decode_message(text)):
                help_ = message_help(message)
            return help_ or explain_token(stage, token), found.start(), found.end()
    return None, 0, 0


def _isa(text: str, column: int) -> tuple[Help | None, int, int]:
    spans = [(start, kind, value) for start, kind, value in GenIsaLexer().get_tokens_unprocessed(text)]
    index = next((i for i, (start, _, value) in enumerate(spans) if start <= column < start + len(value)), None)
    if index is None:
        return None, 0, 0
    start, kind, value = spans[index]
    end = start + len(value)
    if _is(kind, String.Symbol):
        return _visa_number(value), start, end
    if _is(kind, String.Other, Name.Exception):
        return _message_comment(text, value), start, end
    if _is(kind, Comment) or not value.strip():
        return None, start, end
    opcode_at, opcode = _opcode(spans)
    if _is(kind, Name.Attribute) or start == opcode_at:
        message = decode_message(text) if opcode.startswith(_MESSAGES) else None
        help_ = message_help(message) if message else _isa_token(opcode)
        return help_, opcode_at, opcode_at + len(opcode)
    if _is(kind, Name.Label):
        is_label = opcode.partition(".")[0] in _BRANCHES or text.strip() == f"{value}:"
        return _label(value) if is_label else None, start, end
    if opcode.startswith("sync") and value.startswith("$"):
        return explain_sync_token(value, opcode), start, end
    if _is(kind, Name.Tag, Name.Decorator, Name.Entity, Name.Constant, Keyword.Type):
        return explain_annotation(value), start, end
    if value.startswith("(") and text.startswith("f", end):  # (lt)f1.0
        flag = next((later for _, _, later in spans[index + 1 : index + 2]), "")
        return explain_annotation(value + flag), start, end + len(flag)
    return _isa_operand(text, column, opcode, opcode_at) or (None, start, end)


def _isa_operand(text: str, column: int, opcode: str, opcode_at: int) -> tuple[Help | None, int, int] | None:
    """The operand around a column: no blank is inside one."""
    size = _EXEC_SIZE.search(text)
    words = [found for found in _OPERAND.finditer(re.split(r"//|\{", text)[0]) if found.start() > opcode_at]
    words = [found for found in words if not _EXEC_SIZE.fullmatch(found.group())]
    for place, found in enumerate(words):
        if found.start() <= column < found.end():
            word = found.group()
            conditioned = place and re.match(r"\([a-z]{2}\)f", words[0].group())
            message = decode_message(text) if opcode.startswith(_MESSAGES) else None
            if message and ("[" in word or word.startswith("0x")):
                return replace(message_help(message), title=word), found.start(), found.end()
            help_ = explain_operand(
                word,
                exec_size=int(size[1]) if size else None,
                opcode=opcode,
                write=place == (1 if conditioned else 0),
            )
            if help_ is None:
                help_ = explain_annotation(word)
            return (help_, found.start(), found.end()) if help_ else None
    return None


def _opcode(spans: list[tuple[int, _TokenType, str]]) -> tuple[int, str]:
    for index, (start, kind, value) in enumerate(spans):
        if (_is(kind, Keyword) and not _is(kind, Keyword.Type)) or _is(kind, Name.Function):
            following = spans[index + 1] if index + 1 < len(spans) else (0, Punctuation, "")
            return start, value + (following[2] if _is(following[1], Name.Attribute) else "")
    return -1, ""


def _is(kind: _TokenType, *wanted: _TokenType) -> bool:
    """Whether a token type is one of others or below one."""
    return any(one in kind.split() for one in wanted)


def _isa_token(token: str) -> Help | None:
    if token.startswith(("load", "store", "atomic", "fence", "hword", "oword", "signal ", "end ")):
        message = decode_form(token)
        return message_help(message) if message else None
    return (
        explain_bfn(token) or explain_dpas(token) or _send(token) or lookup("isa", token) or explain_annotation(token)
    )


def _visa_token(token: str) -> Help | None:
    if token.startswith("lsc_"):
        message = decode_form(token.removeprefix("lsc_"))
        return replace(message_help(message), title=token) if message else None
    return explain_bfn(token) or explain_dpas(token) or lookup("visa", token) or explain_annotation(token)


def _send(token: str) -> Help | None:
    """`send.dc0`: what a send is, and the unit of this one."""
    message = decode_message(f"        {token} (1|M0)") if token.startswith("send") else None
    general = lookup("isa", token)
    if message is None or general is None:
        return None
    return replace(general, title=token, operands=f"{general.operands} Unit {message_fields(message)['unit']}.")


def _message_comment(text: str, value: str) -> Help | None:
    if message := decode_form(value):
        full = decode_message(text)
        return message_help(full or message)
    full = decode_message(text)
    return replace(message_help(full), title=value.strip()) if full else None


def _visa_number(value: str) -> Help:
    return Help(
        value,
        f"Made from vISA instruction {value[1:]}: the line that ends with /// {value} in the vISA listing.",
        "",
        "One vISA instruction may become several of these, and the scheduler moves them apart.",
        IGA,
    )


def _label(value: str) -> Help:
    return Help(
        value,
        f"Label {value}: a place in this kernel that branches and joins name.",
        "",
        "Behind a goto stand two: where the thread goes on if no channel is left, then where those that branch go.",
        IGA,
    )
