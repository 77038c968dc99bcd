"""The Python that a kernel was made of: its own function, and what that names in its file."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.compare.lcs import common
from xpuasm_magic.model import Kernel, SourceLoc

_Part: TypeAlias = ast.FunctionDef | ast.Assign | ast.AnnAssign

#   tt.func public @add_kernel(%arg0: …
_MLIR_FUNCTION = re.compile(r"\s*tt\.func public @")


@dataclass(frozen=True)
class SourceLine:
    """A line of Python, as its file has it."""

    text: str
    loc: SourceLoc


@dataclass(frozen=True)
class KernelSource:
    """`digest` is equal where the code is: comments, layout and the function's name do not matter."""

    lines: tuple[SourceLine, ...]
    """Without blank lines and comments, in the file's order."""
    digest: str


@dataclass(frozen=True)
class SourceDiff:
    """Lines that only one side has."""

    removed: tuple[SourceLine, ...]
    added: tuple[SourceLine, ...]


def kernel_source(kernel: Kernel) -> KernelSource | None:
    """None where the source is not known, or is not Python that can be read here."""
    listing = read_stage(kernel, "python")
    parts = _parts(listing.text, kernel.name, _line_of(kernel)) if listing else None
    if listing is None or parts is None:
        return None
    digest, numbers = parts
    lines = []
    for number in numbers:
        line = listing.lines[number - 1]
        text = line.text.strip()
        if text and not text.startswith("#") and line.loc:
            lines.append(SourceLine(line.text.rstrip(), line.loc))
    return KernelSource(tuple(lines), digest)


def diff_source(a: KernelSource, b: KernelSource) -> SourceDiff:
    """Nothing where the digests are equal: a comment changes no code."""
    if a.digest == b.digest:
        return SourceDiff((), ())
    pairs = common([line.text for line in a.lines], [line.text for line in b.lines])
    kept_a, kept_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return SourceDiff(
        tuple(line for i, line in enumerate(a.lines) if i not in kept_a),
        tuple(line for j, line in enumerate(b.lines) if j not in kept_b),
    )


def _line_of(kernel: Kernel) -> int | None:
    """Where the function begins, as Triton's IR states it: a file may have several of one name."""
    for stage in ("ttir", "ttgir"):
        if listing := read_stage(kernel, stage):
            found = (line.loc.line for line in listing.lines if line.loc and _MLIR_FUNCTION.match(line.text))
            return next(found, None)
    return None


@lru_cache(maxsize=1024)
def _parts(text: str, name: str, line: int | None) -> tuple[str, tuple[int, ...]] | None:
    """The digest of a kernel's function and of what it names, and the numbers of their lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    own = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    if line is not None and len(own) > 1:
        own = [node for node in own if _first(node) <= line <= _last(node)] or own
    if not own:
        return None
    parts = sorted(_named(own[-1], _top_level(tree)), key=lambda node: node.lineno)
    said = [_said(node, own[-1]) for node in parts]
    digest = hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()
    return digest, tuple(number for node in parts for number in range(node.lineno, _last(node) + 1))


def _top_level(tree: ast.Module) -> dict[str, _Part]:
    """What a file names in its own scope, the last of a name."""
    named: dict[str, _Part] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            named[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named.update((target.id, node) for target in targets if isinstance(target, ast.Name))
    return named


def _named(own: ast.FunctionDef, top_level: dict[str, _Part]) -> Iterator[_Part]:
    """The function, and all of the file that it names, and that these name."""
    seen: set[int] = set()
    waiting: list[_Part] = [own]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        names = {inner.id for body in _bodies(node) for inner in ast.walk(body) if isinstance(inner, ast.Name)}
        waiting += (top_level[name] for name in sorted(names) if name in top_level and top_level[name] is not own)


def _bodies(node: _Part) -> list[ast.AST]:
    """Without decorators: an autotuner's configs, and what Inductor writes of the device, are no code."""
    return [node.args, *node.body] if isinstance(node, ast.FunctionDef) else [node]


def _said(node: _Part, own: ast.FunctionDef) -> str:
    name = "" if node is own or not isinstance(node, ast.FunctionDef) else node.name
    return name + "".join(ast.dump(body) for body in _bodies(node))


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _last(node: _Part) -> int:
    return node.end_lineno or node.lineno
