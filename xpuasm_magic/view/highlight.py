"""A listing's text as coloured lines, through Pygments: the one place where anything is highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.token import STANDARD_TYPES, Token, _TokenType
from pygments.util import ClassNotFound

from xpuasm_magic.lexers import GenIsaLexer
from xpuasm_magic.view.stages import stage_view

# Characters that change the order or the look of others: C0 but tab and newline, C1 (terminals obey U+009B as ESC [),
# separators of lines that are no line feed, bidirectional controls, what has no width.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


_ENORMOUS = re.compile(r"[^\n]{5000,}")


def visible(text: str) -> str:
    """The text with such characters shown, one sign for each, and not obeyed."""
    return _CONTROLS.sub("␦", text)


def stage_lexer(stage: str) -> Lexer:
    language = stage_view(stage).language
    if language in GenIsaLexer.aliases:
        return GenIsaLexer()
    try:
        found: Lexer = get_lexer_by_name(language)
    except ClassNotFound:  # e.g. MLIR, which not every Pygments knows
        return TextLexer()
    return found


def tokens(lexer: Lexer, text: str) -> Iterator[tuple[_TokenType, str]]:
    """The lexer's tokens, which add up to the text; a line of enormous length is one, for lexers take its square."""
    at = 0
    for line in _ENORMOUS.finditer(text):
        if at < line.start():
            yield from _lexed(lexer, text[at : line.start()])
        yield Token.Text, line[0]
        at = line.end()
    if at < len(text):
        yield from _lexed(lexer, text[at:])


def _lexed(lexer: Lexer, text: str) -> Iterator[tuple[_TokenType, str]]:
    return ((token, value) for _, token, value in lexer.get_tokens_unprocessed(text))


def token_lines(lexer: Lexer, text: str) -> Iterator[list[tuple[str, str]]]:
    """Each line of a text as (CSS class, text) in order; a line's texts add up to the line."""
    line: list[tuple[str, str]] = []
    for token, value in tokens(lexer, text):
        css = css_class(token)
        if "\n" not in value:
            line.append((css, value))
            continue
        first, *others = value.split("\n")
        if first:
            line.append((css, first))
        for other in others:
            yield line
            line = [(css, other)] if other else []
    yield line


@cache
def css_class(token: _TokenType) -> str:
    """Pygments' short name of the nearest standard token, e.g. `kt` for `Keyword.Type`."""
    while token not in STANDARD_TYPES:
        token = token.parent or Token
    return STANDARD_TYPES[token]
