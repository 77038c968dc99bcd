"""Conditions that failed, as a CI log and a comment on a pull request tell them."""

from __future__ import annotations

from collections.abc import Sequence

from xpuasm_magic.compare.fail_on import Failure
from xpuasm_magic.view.highlight import visible
from xpuasm_magic.view.markdown_text import plain

_MOST = 100


def failed_lines(failed: Sequence[Failure]) -> list[str]:
    """A line for each, for a log."""
    words = ((one, "failed" if one.known else "not told") for one in failed)
    return [f"xpuasm: '{one.condition.text}' {what}: {visible(str(one))}" for one, what in words]


def failed_block(failed: Sequence[Failure]) -> str:
    """A list in Markdown, cut where it is long."""
    lines = [f"- `{one.condition.text}`: {plain(str(one))}" for one in failed[:_MOST]]
    return "\n".join([f"**{len(failed)} failed**", "", *lines])
