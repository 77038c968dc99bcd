"""Help as the page gets it: the answer to one place of a line, and a report's glossary of all that occurs in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TypedDict

from xpuasm_magic.help import Help, explain, explain_token, token_at, tokens
from xpuasm_magic.help.book import LANGUAGES
from xpuasm_magic.help.explain import TOKENS
from xpuasm_magic.model import Listing


class HelpPayload(TypedDict):
    """Help for a place of a line; `help` is None where there is nothing to say."""

    help: dict[str, str] | None
    start: int
    """Of the token, in UTF-16 units, as JavaScript counts."""
    end: int


class GlossaryPayload(TypedDict):
    """What a page without Python can say: it finds the token with `tokens`, and its entry by its text."""

    languages: dict[str, str]
    """Language of each stage."""
    tokens: dict[str, str]
    """By language, the regular expression of what can be pointed at."""
    index: dict[str, dict[str, int]]
    """By language and token, the place in `entries`."""
    entries: list[dict[str, str]]


def help_payload(stage: str, text: str, column: int) -> HelpPayload:
    """`column` in UTF-16 units."""
    place = len(_utf16(text)[: 2 * column].decode("utf-16-le", "ignore")) if column >= 0 else -1
    found = explain(stage, text, place)
    start, end = token_at(stage, text, place) or (0, 0)
    return HelpPayload(
        help=asdict(found) if found else None,
        start=len(_utf16(text[:start])) // 2,
        end=len(_utf16(text[:end])) // 2,
    )


class Glossary:
    """Collects the tokens of a report's listings, and explains each once."""

    def __init__(self) -> None:
        self._tokens: dict[str, set[str]] = {}

    def add(self, listing: Listing) -> None:
        self.add_tokens(listing.stage, tokens(listing.stage, "\n".join(line.text for line in listing.lines)))

    def add_tokens(self, stage: str, found: Iterable[str]) -> None:
        """`found`: what `help.tokens` gives."""
        if language := LANGUAGES.get(stage):
            self._tokens.setdefault(language, set()).update(found)

    def payload(self) -> GlossaryPayload:
        stages = {language: stage for stage, language in LANGUAGES.items()}
        entries: dict[Help, int] = {}
        index: dict[str, dict[str, int]] = {}
        for language, found in sorted(self._tokens.items()):
            for token in sorted(found):
                if not _is_operand(token) and (help_ := explain_token(stages[language], token)):
                    index.setdefault(language, {})[token] = entries.setdefault(help_, len(entries))
        return GlossaryPayload(
            languages={stage: language for stage, language in LANGUAGES.items() if language in self._tokens},
            tokens={language: TOKENS[language] for language in self._tokens},
            index=index,
            entries=[asdict(entry) for entry in entries],
        )


def _is_operand(token: str) -> bool:
    """Registers and immediates: thousands, and of each little to say without its line."""
    return (token[:1] == "r" and token[1:2].isdigit()) or token.lstrip("-").startswith("0x")


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
