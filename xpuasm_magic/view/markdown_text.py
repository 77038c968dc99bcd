"""Text of anybody's in Markdown as GitHub reads it: it formats nothing, ends no cell and calls on nobody."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.view.highlight import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")


def plain(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", _flat(text))
    return escaped.replace("@", "@<!-- -->")  # else it would call on people


def code(text: str) -> str:
    """Names come from dumps of anybody: a table's bar or a back quote would end the cell or the code."""
    return f"<code>{_html(text).replace('|', '&#124;')}</code>"


def details(title: str, blocks: Sequence[str]) -> str:
    """Blocks of Markdown, folded under a title."""
    body = "\n".join(blocks)
    return f"<details><summary>{_html(title)}</summary>\n\n{body}\n\n</details>"


def _html(text: str) -> str:
    return _flat(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _flat(text: str) -> str:
    return visible(text.replace("\n", " "))
