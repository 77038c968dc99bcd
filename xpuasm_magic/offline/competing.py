"""Which of Inductor's kernels are one of several that a benchmark would choose among."""

from __future__ import annotations

import functools
from typing import Any

from . import patching
from .records import Records


def record(records: Records) -> None:
    """Mark what Inductor's autotuner compiles as it compiles it; `torch._inductor` must be importable."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    def make_precompile(original: Any) -> Any:
        @functools.wraps(original)
        def precompile(self: Any, *args: Any, **kwargs: Any) -> Any:
            with records.one_of_many(len(self.configs or ()) > 1 or _is_candidate(self)):
                return original(self, *args, **kwargs)

        return precompile

    def make_descent(original: Any) -> Any:
        @functools.wraps(original)
        def coordinate_descent_tuning(self: Any, *args: Any, **kwargs: Any) -> Any:
            with records.one_of_many():
                return original(self, *args, **kwargs)

        return coordinate_descent_tuning

    reason = "tell configs that compete"
    patching.wrap(CachingAutotuner, "precompile", make_precompile, reason, takes=("self",))
    patching.wrap(CachingAutotuner, "coordinate_descent_tuning", make_descent, reason, takes=("self",))


def _is_candidate(autotuner: Any) -> bool:
    """Whether a kernel was made to be benchmarked: a template's choice, or a fusion that is being considered.

    Inductor replaces the placeholder by the kernel's name where it puts a kernel into a wrapper, and nowhere else.
    """
    from torch._inductor.utils import Placeholder

    return (autotuner.inductor_meta or {}).get("kernel_name") == str(Placeholder.DESCRIPTIVE_NAME)
