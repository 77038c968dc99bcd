"""What is known of one kernel, told: in a terminal, in a notebook, or as plain values."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from xpuasm_magic.catalog.around import capture_around
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.view.highlight import visible
from xpuasm_magic.view.known import Known
from xpuasm_magic.view.story import Section, Table, headline, sections

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_INDENT, _HANGING = "  ", "    "
_CSS = """
.xpuasm-story{background:#fff;color:#1f2328;padding:8px;font:13px/1.45 system-ui,sans-serif}
.xpuasm-story table{border-collapse:collapse;font-size:12px;color:inherit}
.xpuasm-story td,.xpuasm-story th{padding:2px 8px;text-align:right;background:#fff}
.xpuasm-story td:first-child,.xpuasm-story th:first-child{text-align:left}
.xpuasm-story thead th{border-bottom:1px solid #d5dae0;color:#59636e}
.xpuasm-story ul{margin:2px 0 8px;padding-left:20px}
""".strip()


@dataclass(frozen=True, repr=False)
class Explanation:
    """The story of one kernel, made when it is asked for."""

    known: Known

    def __repr__(self) -> str:
        return f"<Explanation of {self.known.kernel.name} {self.known.kernel.key[:12]}>"

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return sections(self.known)

    @property
    def text(self) -> str:
        return self.to_text()

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """The story in lines; sentences are wrapped where a width is given."""
        parts = [_title(headline(self.known), color)]
        for section in self.sections:
            parts += ["", _title(section.title, color)] if section.title else []
            parts += [_sentence(sentence, width) for sentence in section.sentences]
            parts += _table_lines(section.table) if section.table else []
        return "\n".join(parts) + "\n"

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The figures behind it, as plain values; None: not known."""
        from xpuasm_magic.view.story_record import story_record

        return story_record(self.known)

    def _repr_html_(self) -> str:
        return f'<style>{_CSS}</style><div class="xpuasm-story">{self._body()}</div>'

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The story, where a notebook or IPython shows text."""
        printer.text(repr(self) if cycle else self.text.rstrip("\n"))

    def _body(self) -> str:
        parts = [f"<p><strong>{_html(headline(self.known))}</strong></p>"]
        for section in self.sections:
            parts += [f"<strong>{_html(section.title)}</strong>"] if section.title else []
            if section.sentences:
                parts.append(f"<ul>{''.join(f'<li>{_html(one)}</li>' for one in section.sentences)}</ul>")
            parts += [_table_html(section.table)] if section.table else []
        return "".join(parts)


def explain(kernel: Kernel, capture: Capture | None = None) -> Explanation:
    """The story of a kernel. `capture`: the one that it is of; None: the one that its files lie in."""
    return Explanation(Known(kernel, capture or capture_around(kernel)))


def _title(text: str, color: bool) -> str:
    flat = visible(text.replace("\n", " "))
    return f"{_BOLD}{flat}{_PLAIN}" if color else flat


def _sentence(sentence: str, width: int | None) -> str:
    """Whatever it quotes begins no line of its own."""
    flat = visible(sentence).replace("\n", f"\n{_HANGING}")
    if width is None:
        return f"{_INDENT}{flat}"
    return "\n".join(
        textwrap.fill(
            line, max(width, 40), initial_indent=_INDENT, subsequent_indent=_HANGING, break_long_words=False,
            break_on_hyphens=False,
        )
        for line in flat.split("\n")
    )  # fmt: skip


def _table_lines(table: Table) -> list[str]:
    rows = [table.head, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.head))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append(f"{_INDENT}{'  '.join(cells)}".rstrip())
    return lines


def _table_html(table: Table) -> str:
    head = "".join(f"<th>{_html(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_html(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html(text: str) -> str:
    return escape(visible(text))
