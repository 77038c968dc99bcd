"""Loop nests of a control-flow graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """Blocks each of which can reach all the others."""

    header: int
    """The block by which it is entered (the first of them, where there are several)."""
    blocks: frozenset[int]
    depth: int
    """1: outermost."""
    parent: int | None
    """Index of the loop around it."""


def find_loops(successors: Sequence[Sequence[int]], order: Sequence[int]) -> tuple[Loop, ...]:
    """The loops of a graph, outer ones before inner ones.

    A loop is a strongly connected component, what is nested in it the components that are left without its header
    (Steensgaard's nesting forest, for which a graph needs not be reducible). `order` is reverse postorder.
    """
    rank = {block: place for place, block in enumerate(order)}
    loops: list[Loop] = []
    pending: list[tuple[list[int], int | None]] = [(list(order), None)]
    while pending:
        blocks, parent = pending.pop()
        for component in _components(blocks, successors):
            header = min(component, key=rank.__getitem__)
            if len(component) == 1 and header not in successors[header]:
                continue
            depth = loops[parent].depth + 1 if parent is not None else 1
            pending.append(([block for block in component if block != header], len(loops)))
            loops.append(Loop(header, frozenset(component), depth, parent))
    return tuple(loops)


def reverse_postorder(successors: Sequence[Sequence[int]], entry: int = 0) -> list[int]:
    """The blocks that can be reached from `entry`, each before its successors but for those of a loop."""
    seen = {entry}
    finished: list[int] = []
    stack = [(entry, iter(successors[entry]))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors[successor])))
                break
        else:
            finished.append(block)
            stack.pop()
    return finished[::-1]


def _components(blocks: Sequence[int], successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components of the graph that `blocks` span (Tarjan, without recursion)."""
    inside = set(blocks)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for root in blocks:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_.append(root)
        is_open.add(root)
        stack = [(root, iter(successors[root]))]
        while stack:
            block, rest = stack[-1]
            for successor in rest:
                if successor not in inside:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    open_.append(successor)
                    is_open.add(successor)
                    stack.append((successor, iter(successors[successor])))
                    break
                if successor in is_open:
                    low[block] = min(low[block], index[successor])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[block])
                if low[block] == index[block]:
                    place = open_.index(block)
                    found.append(open_[place:])
                    is_open.difference_update(open_[place:])
                    del open_[place:]
    return found
