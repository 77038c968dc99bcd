"""vISA text -> statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xpuasm_magic.compare.statement import Operand, Origin, Statement
from xpuasm_magic.model import Line

# .decl V0199 v_type=G type=ud num_elts=16 align=wordx32 alias=<V0197, 0>       .decl P1 v_type=P num_elts=16
_DECLARATION = re.compile(
    r"\s*\.decl (?P<name>\w+) v_type=\w(?: type=(?P<type>\w+))?(?:.* alias=<(?P<alias>[%\w]+), (?P<offset>\d+)>)?"
)
# .input V0034 offset=136 size=8
_INPUT = re.compile(r"\.input (?P<name>\w+) ")
# _0_007:
_LABEL = re.compile(r"(?P<name>\w+):\s*$")
#     (P1) goto (M1, 1) _0_007                                                     /// $24
_STATEMENT = re.compile(r"\s+(?P<head>(?:\([^)]*\) )?(?P<opcode>[a-z][\w.]*)(?: \(M\w+, \d+\))?)(?P<operands>.*)")
_NAME = re.compile(r"\b[VPA]\d+\b|\b_\d+_\d+\b")
_NO_RESULT = ("lsc_store", "goto", "jmp", "ret", "sync", "barrier", "fence", "call", "lsc_fence")


def visa_statements(lines: Sequence[Line]) -> list[Statement]:
    """Instructions and inputs. Variables are told by their declared type; an alias stands for what it renames."""
    types: dict[str, str] = {}
    roots: dict[str, str] = {}
    for line in lines:
        if found := _DECLARATION.match(line.text):
            name, alias = found["name"], found["alias"]
            types[name] = found["type"] or ""
            if alias:
                roots[name] = roots.get(alias, alias)

    def spelled(found: re.Match[str]) -> str:
        return f"{found[0][0]}:{types[found[0]]}" if types.get(found[0]) else found[0][0]

    last: dict[str, Origin] = {}
    read: list[tuple[int, str, list[Origin | str]]] = []
    for index, line in enumerate(lines):
        text = line.text.partition("//")[0].rstrip()
        if label := _LABEL.match(text):
            last[label["name"]] = (len(read), 0)
        elif given := _INPUT.match(text):
            last[given["name"]] = (len(read), 0)
            read.append((index, _NAME.sub(spelled, text), []))
        elif (found := _STATEMENT.match(text)) and not found["opcode"].isupper():
            names = [roots.get(name, name) for name in _NAME.findall(text)]
            before = _NAME.findall(found["head"])  # a predicate is read
            uses: list[Origin | str] = [last.get(name, name) for name in names]
            if len(names) > len(before) and not found["opcode"].startswith(_NO_RESULT):
                del uses[len(before)]
                last[names[len(before)]] = (len(read), 0)
            read.append((index, " ".join(_NAME.sub(spelled, text).split()), uses))
    return [Statement(index, text, tuple(_operand(use, last) for use in uses)) for index, text, uses in read]


def _operand(use: Origin | str, last: dict[str, Origin]) -> Operand:
    """A label further down is known only at the end; any other name without an origin is the hardware's."""
    if not isinstance(use, str):
        return (use,)
    return (last[use],) if use.startswith("_") and use in last else ()
