"""What Inductor writes: kernel names, the wrapper of a graph, an autotuning's result."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Family

_FAMILIES: dict[str, Family] = {
    "poi": "pointwise",
    "per": "persistent_reduction",
    "red": "reduction",
    "tem": "template",
    "for": "foreach",
}
# triton_poi_fused_add_gelu_mul_0        triton_unk_fused_cumsum_0 (a kind without a prefix of its own)
_INDUCTOR_NAME = re.compile(r"triton_(?:(?P<kind>poi|per|red|tem|for)_|[a-z]{3}_fused_)")
# # kernel path: /tmp/ic/qc/cqcavducdy7r3r2xdfn64lckdxb2glkk2xp3xgwsnpmc7lqihypl.py
_KERNEL_PATH = re.compile(r"^# kernel path: (?P<path>.+)$", re.MULTILINE)


# # kernel path: …
# # Topologically Sorted Source Nodes: [sin, mul, sum_1], Original ATen: [aten.sin, aten.mul, aten.sum]
# …
# triton_red_fused_mul_sin_sum_0 = async_compile.triton('triton_red_fused_mul_sin_sum_0', '''
_FUSION = re.compile(
    r"^# kernel path: (?P<path>.+)\n(?P<comments>(?:#.*\n)*)(?P<name>\w+) = async_compile\.triton\(", re.MULTILINE
)
_ORIGINAL_ATEN = re.compile(r"Original ATen: \[(?P<ops>[^\]\n]*)\]")


@dataclass(frozen=True)
class Fusion:
    """A kernel as a graph's wrapper defines it."""

    name: str
    path: str
    """Its source file."""
    ops: tuple[str, ...]
    """The operators fused into it, e.g. `aten.gelu`, in the graph's order."""


@dataclass(frozen=True)
class BestConfig:
    """The config that Inductor's autotuner chose on a real device."""

    triton_cache_hash: str | None
    """The winner's Triton cache key; older torch leaves it out."""


def family_of(name: str) -> Family | None:
    """By the prefix that Inductor gives, or that a mangled C++ name has; None: the name tells nothing."""
    if found := _INDUCTOR_NAME.match(name):
        return _FAMILIES.get(found["kind"] or "", "other")
    return "sycl" if name.startswith(("_ZTS", "__sycl_kernel_")) else None


def kernel_paths(wrapper: str) -> tuple[str, ...]:
    """Source files of a graph's kernels, as its wrapper names them."""
    return tuple(dict.fromkeys(found["path"].strip() for found in _KERNEL_PATH.finditer(wrapper)))


def fusions(wrapper: str) -> tuple[Fusion, ...]:
    """The kernels that a graph's wrapper defines, with what is fused into each."""
    return tuple(
        Fusion(found["name"], found["path"].strip(), _operators(found["comments"]))
        for found in _FUSION.finditer(wrapper)
    )


def _operators(comments: str) -> tuple[str, ...]:
    found = _ORIGINAL_ATEN.search(comments)
    return tuple(dict.fromkeys(op.strip() for op in found["ops"].split(",") if op.strip())) if found else ()


def parse_best_config(text: str) -> BestConfig:
    """A `.best_config` file. Its `time_taken_ms` is how long the tuning took, not how long the kernel runs.

    Raises:
        ParseError: not the json that Inductor writes.

    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"damaged .best_config: {error}") from error
    if not isinstance(value, dict):
        raise ParseError("damaged .best_config: not an object")
    key = value.get("triton_cache_hash")
    return BestConfig(triton_cache_hash=key if isinstance(key, str) else None)
