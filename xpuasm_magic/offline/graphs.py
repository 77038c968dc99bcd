"""The graphs that Inductor compiles: their wrappers, and which of the user's lines each kernel comes from.

The lines are in the graph's nodes anyhow. Inductor's own provenance tracking (`trace.provenance_tracking_level`)
reports them from there too, but at its level 1 adds to how graphs are matched: it stays as the user has it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from . import patching
from .records import Records

_DECIDING = (
    "max_autotune", "max_autotune_gemm", "max_autotune_pointwise", "coordinate_descent_tuning", "benchmark_fusion",
    "benchmark_combo_kernel", "triton.multi_kernel",
)  # fmt: skip
"""Options under which a benchmark decides which kernels exist at all."""

#   File "/src/model.py", line 31, in forward
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)

_kernels: WeakKeyDictionary[Any, dict[str, dict[str, Any]]] = WeakKeyDictionary()


def record(records: Records, on_decided: Callable[[list[str]], None] = lambda _: None) -> None:
    """Write down each graph as it is compiled. `on_decided` hears the options by which a benchmark chose kernels."""
    from torch._inductor.graph import GraphLowering

    try:
        _look_on()
    except (patching.PatchError, ImportError) as error:
        records.note(f"which of your lines a fusion comes from is not recorded: {error}")

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def compile_to_module(self: Any, *args: Any, **kwargs: Any) -> Any:
            module = original(self, *args, **kwargs)
            deciding = _deciding()
            path = getattr(module, "__file__", None)
            records.graph(
                {
                    "wrapper": os.path.relpath(path, records.folder) if path else None,
                    "benchmark_decided": bool(deciding),
                    "decided_by": deciding,
                    "kernels": list(_kernels.get(self, {}).values()),
                }
            )
            if deciding:
                on_decided(deciding)
            return module

        return compile_to_module

    patching.wrap(GraphLowering, "compile_to_module", make, "record wrappers", takes=("self",))


def _look_on() -> None:
    """As Inductor names its Triton kernels, note the graph's nodes in each and the lines these come from."""
    from torch._inductor.codegen.triton import TritonScheduling
    from torch._inductor.virtualized import V

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def define_kernel(self: Any, src_code: Any, node_schedule: Any, *args: Any, **kwargs: Any) -> Any:
            name = original(self, src_code, node_schedule, *args, **kwargs)
            with contextlib.suppress(AttributeError, TypeError):  # what another version keeps otherwise is not recorded
                nodes = _nodes(node_schedule)
                kernels = _kernels.setdefault(V.graph, {})
                known = kernels.setdefault(name, {"name": name, "nodes": [], "lines": []})
                known["nodes"] = list(dict.fromkeys([*known["nodes"], *(node.name for node in nodes)]))
                known["lines"] = list(dict.fromkeys([*known["lines"], *_user_lines(nodes)]))
            return name

        return define_kernel

    takes = ("self", "src_code", "node_schedule")
    patching.wrap(TritonScheduling, "define_kernel", make, "tell whose lines a kernel is", takes=takes)


def _nodes(schedule: Iterable[Any]) -> list[Any]:
    """The operations of the graph that are in a kernel, in the graph's order."""
    found: dict[Any, None] = {}
    for item in schedule:
        # One of several nodes (a foreach kernel); markers in the schedule (a reduction's ends) have none.
        for one in item.get_nodes() if hasattr(item, "get_nodes") else ():
            found.update(dict.fromkeys(one.node.origins if one.node is not None else ()))
    calls = [node for node in found if node.op not in ("placeholder", "output", "get_attr")]
    order = {node: at for graph in {node.graph for node in calls} for at, node in enumerate(graph.nodes)}
    return sorted(calls, key=lambda node: order.get(node, 0))


def _user_lines(nodes: Iterable[Any]) -> Iterator[tuple[str, int]]:
    """Of each node's stack the innermost frame that is not torch's own."""
    import torch

    torchs = f"{Path(torch.__file__).parent}/"
    for node in nodes:
        frames = [(found["file"], int(found["line"])) for found in _FRAME.finditer(node.meta.get("stack_trace") or "")]
        if own := [frame for frame in frames if not frame[0].startswith(torchs)]:
            yield own[-1]


def _deciding() -> list[str]:
    import torch._inductor.config as config

    found = []
    for name in _DECIDING:
        value: Any = config
        for part in name.split("."):
            value = getattr(value, part, False)
        if value:
            found.append(name)
    return found
