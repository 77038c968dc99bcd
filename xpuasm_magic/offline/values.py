"""Values of compiled graphs: the same graph, run operator by operator on the CPU.

The kernels of a compiled graph are not executed, so its wrapper returns memory that nobody wrote. The wrapper still
runs (that is what records the launches), dry; then a copy of the graph is interpreted and its results are returned.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

from . import patching
from .native import Native
from .records import Records

CPU_VALUES = (
    "Values of compiled graphs are the CPU's: the same graphs run operator by operator. No GPU kernel was executed."
)


def install(records: Records, native: Native) -> None:
    """Patch Inductor, which must have been imported."""
    import torch._inductor.compile_fx as compile_fx
    import torch._inductor.output_code as output_code

    def keep_graph(original: Any) -> Any:
        @functools.wraps(original)
        def compile_inner(gm: Any, example_inputs: Any, *args: Any, **kwargs: Any) -> Any:
            graph = _copy(gm, records)
            with records.benchmarking():  # what Inductor launches while it compiles is not the script's
                compiled = original(gm, example_inputs, *args, **kwargs)
            if isinstance(compiled, output_code.CompiledFxGraph):
                compiled._xpuasm_graph = graph
            return compiled

        return compile_inner

    def call_both(original: Any) -> Any:
        @functools.wraps(original)
        def call(self: Any, inputs: Any) -> Any:
            graph = getattr(self, "_xpuasm_graph", None)
            if graph is None or not _on_device(graph):
                return original(self, inputs)
            return _run(self, list(inputs), lambda: original(self, inputs), graph, records, native)

        return call

    patching.wrap(
        compile_fx, "_compile_fx_inner", keep_graph, "keep a copy of each graph", takes=("gm", "example_inputs")
    )
    patching.wrap(
        output_code.CompiledFxGraph, "__call__", call_both, "return the CPU's values", takes=("self", "inputs")
    )


def _copy(gm: Any, records: Records) -> Any:
    try:
        return copy.deepcopy(gm)
    except Exception as error:  # noqa: BLE001  a graph may hold anything; then its values are missing, and said to be
        records.note(f"a compiled graph could not be copied, so its values are not computed ({error})")
        return None


def _on_device(graph: Any) -> bool:
    """Whether any value of the graph lies on the stand-in; a graph of CPU tensors computes its own values."""
    known: bool | None = getattr(graph, "_xpuasm_on_device", None)
    if known is None:
        known = graph._xpuasm_on_device = any(
            getattr(getattr(node.meta.get("val"), "device", None), "type", None) == "xpu" for node in graph.graph.nodes
        )
    return known


def _run(compiled: Any, inputs: list[Any], launch: Any, graph: Any, records: Records, native: Native) -> Any:
    import torch

    records.counts["graph_calls"] += 1
    before, records.values_follow = records.values_follow, True
    try:
        with native.dry():
            outputs = launch()
    finally:
        records.values_follow = before
    try:
        with torch.no_grad(), records.muted():
            values = _interpreter()(graph, records).run(*inputs)
    except Exception as error:  # noqa: BLE001  whatever an operator raises: the run goes on, the values are missing
        records.note(
            "a compiled graph's values could not be computed on the CPU, its results are meaningless: "
            f"{type(error).__name__}: {error}"
        )
        compiled._xpuasm_graph = None
        return outputs
    records.fidelity(CPU_VALUES)
    values = list(values) if isinstance(values, list | tuple) else [values]
    return [_laid_out(value, output) for value, output in zip(values, outputs, strict=True)]


def _laid_out(value: Any, output: Any) -> Any:
    """The value with the strides that Inductor chose for it: a backward graph asserts those of what it was saved."""
    import torch

    if not isinstance(value, torch.Tensor) or not isinstance(output, torch.Tensor):
        return value
    if value.stride() == output.stride() or value.shape != output.shape or value.layout != torch.strided:
        return value
    laid = torch.empty_strided(output.shape, output.stride(), dtype=value.dtype, device=value.device)
    return laid.copy_(value)


@functools.cache
def _interpreter() -> Any:
    import torch
    from torch._higher_order_ops import triton_kernel_wrap

    class Interpreter(torch.fx.Interpreter):
        """Operators as they are; a user's own Triton kernel leaves its buffers as they were."""

        def __init__(self, graph: Any, records: Records) -> None:
            super().__init__(graph)
            self._records = records

        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            if target is triton_kernel_wrap.triton_kernel_wrapper_mutation:
                self._say(kwargs)
                return None
            if target is triton_kernel_wrap.triton_kernel_wrapper_functional:
                self._say(kwargs)
                return {name: kwargs["kwargs"][name].clone() for name in kwargs["tensors_to_clone"]}
            return super().call_function(target, args, kwargs)

        def _say(self, kwargs: Any) -> None:
            kernel = triton_kernel_wrap.kernel_side_table.get_kernel(kwargs["kernel_idx"])
            name = getattr(kernel, "__name__", None) or getattr(getattr(kernel, "fn", None), "__name__", "a kernel")
            self._records.fidelity(
                f"{name}, a Triton kernel called inside a compiled graph, was not executed: what it would have written "
                "is unchanged, and the graph's values that depend on it are not those of hardware."
            )

    return Interpreter
