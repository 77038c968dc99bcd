"""Which of a variant's builds Triton's loader would keep: the content of `loader.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xpuasm_magic.loader import LoaderRule


@dataclass(frozen=True)
class Built:
    """One ended build, as the rule needs it. `spill_bytes` is per hardware thread."""

    name: str
    status: str
    error: str | None = None
    grf_count: int | None = None
    spill_bytes: int | None = None


def decide(rule: LoaderRule | None, first: Built, second: Built | None) -> dict[str, Any]:
    """The build that the loader keeps, and why it is not the other."""
    kept, note = first, None
    rejected: list[dict[str, Any]] = []
    if rule and second and second.status == "ok":
        kept = second
        reason = f"{first.spill_bytes:,} bytes of spill: {rule.words}"
        rejected = [{"build": first.name, "reason": reason, "launched": rule.discards_retry}]
        note = _discarded(rule, first) if rule.discards_retry else None
    elif rule and second and second.status == "interrupted":
        note = f"the loader would build this kernel again ({rule.words}); that build was interrupted"
    elif rule and second:
        reason = f"the rebuild with {rule.flag} {second.status}: the loader keeps the first build"
        rejected = [{"build": second.name, "reason": reason}]
    return {
        "kept": kept.name,
        "rejected": rejected,
        "rule": rule.words if rule else None,
        "note": note,
        "status": kept.status,
        "error": kept.error,
        "n_regs": kept.grf_count,
        "spill_bytes": kept.spill_bytes,
    }


def _discarded(rule: LoaderRule, first: Built) -> str:
    return (
        f"on a GPU, {rule.source.split(',')[0]} makes the build shown here ({rule.flag}) and then launches the first "
        f"one, {first.name}, all the same: its loader drops the rebuilt module (intel-xpu-backend-for-triton#4286, "
        "mended in later versions)"
    )
