"""Why a run compiled no kernel, in a sentence, from what the child counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def diagnose(told: Mapping[str, Any], state: str, status: int | None) -> str:
    """The first reason that applies.

    Args:
        told: `child.json`; empty where the child did not get so far.
        state: the run's, as in `capture.json`.
        status: the child's exit status.
    """
    counts = told.get("diagnosis", {})
    ended = _ended(told.get("exception"), state, status)
    if not told:
        return f"no kernel was compiled: the code had not begun{ended}; see run.log"
    broken = [f"{tier}: {words}" for tier, words in told.get("tiers", {}).items() if words != "ok"]
    if broken and not counts.get("graphs"):
        return f"no kernel was compiled: the stand-in could not be set up ({'; '.join(broken)})"
    if not counts.get("xpu_tensors"):
        return f'no kernel was compiled: no tensor was made on device="xpu"{ended}'
    if counts.get("compile_called") and not counts.get("compiled_calls") and not counts.get("graphs"):
        return f"no kernel was compiled: torch.compile was used, but the compiled function was never called{ended}"
    if counts.get("graphs"):
        return (
            f"no kernel was compiled: {counts['graphs']} graph(s) were, but they came out without a Triton kernel "
            f"(library calls or views only){ended}"
        )
    if counts.get("compiled_calls"):
        return (
            "no kernel was compiled: Dynamo took no graph from the compiled function (a graph break before any "
            f"xpu operator, perhaps; TORCH_LOGS=graph_breaks shows them){ended}"
        )
    return (
        "no kernel was compiled: the code ran in eager mode only, which uses no Triton; "
        f"wrap the function in torch.compile, or launch a @triton.jit kernel{ended}"
    )


def _ended(exception: Mapping[str, Any] | None, state: str, status: int | None) -> str:
    if exception:
        return f" before the code ended with {exception.get('type')}: {exception.get('message')}"
    if state == "timeout":
        return " before the time limit"
    if state == "interrupted":
        return " before the interrupt"
    if state in {"failed", "crashed"}:
        return f" before the code ended (exit status {status})"
    return ""
