"""The front end's one stylesheet: `static/widget.css` and the token colours of both Pygments styles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pygments.style import Style

from xpuasm_magic.styles import ListingDark, ListingLight
from xpuasm_magic.view.highlight import css_class

STATIC = Path(__file__).parent / "static"


@cache
def stylesheet() -> str:
    own = (STATIC / "widget.css").read_text(encoding="utf-8")
    return "\n".join(
        (own, token_rules(ListingLight, ".xpuasm"), token_rules(ListingDark, '.xpuasm[data-theme="dark"]'))
    )


def token_rules(style: type[Style], scope: str) -> str:
    """One CSS rule per token that the style colours differently from plain text."""
    rules = []
    for token, look in style:
        css = css_class(token)
        if css and look["color"]:
            weight = ";font-weight:600" if look["bold"] else ""
            slant = ";font-style:italic" if look["italic"] else ""
            rules.append(f"{scope} .{css}{{color:#{look['color']}{weight}{slant}}}")
    return "\n".join(rules)
