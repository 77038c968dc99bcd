"""The front end's one stylesheet: the sheets of `static/` and the token colours of both Pygments styles."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pygments.style import Style

from xpuasm_magic.styles import ListingDark, ListingLight
from xpuasm_magic.view.highlight import css_class

STATIC = Path(__file__).parent / "static"
_SHEETS = ("widget.css", "compare.css")


@cache
def stylesheet() -> str:
    own = [(STATIC / sheet).read_text(encoding="utf-8") for sheet in _SHEETS]
    return "\n".join(
        (*own, token_rules(ListingLight, ".xpuasm"), token_rules(ListingDark, '.xpuasm[data-theme="dark"]'))
    )


def token_rules(style: type[Style], scope: str) -> str:
    """One CSS rule per token that the style colours differently from plain text."""
    rules = []
    for css, look in _looks(style).items():
        weight = ";font-weight:600" if look["bold"] else ""
        slant = ";font-style:italic" if look["italic"] else ""
        rules.append(f"{scope} .{css}{{color:#{look['color']}{weight}{slant}}}")
    return "\n".join(rules)


def coloured_classes(style: type[Style]) -> frozenset[str]:
    """The classes that look different from plain text."""
    return frozenset(_looks(style))


def _looks(style: type[Style]) -> dict[str, Any]:
    return {css_class(token): look for token, look in style if css_class(token) and look["color"]}
