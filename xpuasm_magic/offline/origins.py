"""Which of the user's lines an Inductor kernel comes from: read off the graph as its kernels are named.

Inductor's own provenance tracking (`trace.provenance_tracking_level`) has the same source, the stack traces of the
graph's nodes, and needs no turning on to be read: code generation is not touched.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from . import patching

#   File "/src/model.py", line 31, in forward
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)

_kernels: WeakKeyDictionary[Any, dict[str, dict[str, Any]]] = WeakKeyDictionary()


def install() -> None:
    """Look on as Inductor names its Triton kernels."""
    from torch._inductor.codegen.triton import TritonScheduling
    from torch._inductor.virtualized import V

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def define_kernel(self: Any, src_code: Any, node_schedule: Any, *args: Any, **kwargs: Any) -> Any:
            name = original(self, src_code, node_schedule, *args, **kwargs)
            nodes = list(_nodes(node_schedule))
            known = _kernels.setdefault(V.graph, {}).setdefault(name, {"name": name, "nodes": [], "lines": []})
            known["nodes"] = list(dict.fromkeys([*known["nodes"], *(node.name for node in nodes)]))
            known["lines"] = _unique([*known["lines"], *_user_lines(nodes)])
            return name

        return define_kernel

    patching.wrap(
        TritonScheduling,
        "define_kernel",
        make,
        "tell whose lines a kernel is",
        takes=("self", "src_code", "node_schedule"),
    )


def kernels_of(graph: Any) -> list[dict[str, Any]]:
    """What was seen of a graph's kernels: name, the graph's nodes in each, the user's lines `[file, line]`."""
    return list(_kernels.get(graph, {}).values())


def _nodes(schedule: Any) -> Iterator[Any]:
    """The graph's nodes in a kernel, in the graph's order. Markers in the schedule (a reduction's ends) have none."""
    found: dict[Any, None] = {}
    for item in schedule if isinstance(schedule, (list, tuple)) else [schedule]:
        for one in item.get_nodes() if hasattr(item, "get_nodes") else ():
            found.update(dict.fromkeys(getattr(getattr(one, "node", None), "origins", None) or ()))
    calls = [node for node in found if node.op not in ("placeholder", "output", "get_attr")]
    order = {node: at for graph in {node.graph for node in calls} for at, node in enumerate(graph.nodes)}
    yield from sorted(calls, key=lambda node: order.get(node, 0))


def _user_lines(nodes: Iterable[Any]) -> Iterator[list[Any]]:
    """Of each node's stack the innermost frame that is not torch's own."""
    import torch

    torchs = os.path.dirname(torch.__file__) + os.sep
    for node in nodes:
        frames = [(found["file"], int(found["line"])) for found in _FRAME.finditer(node.meta.get("stack_trace") or "")]
        own = [frame for frame in frames if not frame[0].startswith(torchs)] or frames
        if own:
            yield list(own[-1])


def _unique(lines: list[list[Any]]) -> list[list[Any]]:
    return [list(line) for line in dict.fromkeys(map(tuple, lines))]
