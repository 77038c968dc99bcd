"""`.ze_info` YAML of a zebin -> the execution environment of each of its kernels."""

from __future__ import annotations

from typing import Any

import yaml

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import ExecutionEnv

_Base: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # libyaml's, where PyYAML was built with it


class _Loader(_Base):  # type: ignore[misc]  # one of two classes, by what is there
    """Leaves every scalar a string (a kernel may be called `null` or `1e5`), and does not look for tags."""

    def resolve(self, kind: type[yaml.Node], _value: Any, _implicit: Any) -> str:
        return str(kind.__name__)


_STATES_SPILL = (1, 49)
"""Format 1.20 has neither spill_size nor private_size; 1.49 and 1.73 leave them out when zero."""


def parse_zeinfo(text: str) -> dict[str, ExecutionEnv]:
    """Kernels by name, in the module's order. An absent key takes the default of the specification, if any.

    Raises:
        ParseError: not YAML, or not the shape of a ze_info.

    """
    # What follows describes arguments for debuggers, is half of the text, and says nothing of execution.
    relevant = text.partition("\nkernels_misc_info:")[0]
    try:
        root = yaml.load(relevant, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ParseError(f"damaged .ze_info: {first}") from error
    kernels = root.get("kernels") if isinstance(root, dict) else None
    if not isinstance(kernels, list):
        raise ParseError("damaged .ze_info: it lists no kernels")
    states_spill = _version(root.get("version")) >= _STATES_SPILL
    return dict(_kernel(kernel, states_spill) for kernel in kernels)


def _kernel(kernel: Any, states_spill: bool) -> tuple[str, ExecutionEnv]:
    name = kernel.get("name") if isinstance(kernel, dict) else None
    if not isinstance(name, str):
        raise ParseError("damaged .ze_info: a kernel has no name")
    env = _mapping(kernel.get("execution_env"))
    attributes = _mapping(kernel.get("user_attributes"))
    zero_if_stated = 0 if states_spill else None
    return name, ExecutionEnv(
        simd_size=_int(env, "simd_size"),
        grf_count=_int(env, "grf_count"),
        eu_thread_count=_int(env, "eu_thread_count"),
        spill_size=_int(env, "spill_size", zero_if_stated),
        private_size=_int(env, "private_size", zero_if_stated),
        slm_size=_int(env, "slm_size", 0),
        barrier_count=_int(env, "barrier_count", 0),
        has_dpas=_flag(env, "has_dpas"),
        has_global_atomics=_flag(env, "has_global_atomics"),
        has_printf_calls=_flag(env, "has_printf_calls"),
        has_stack_calls=_flag(env, "has_stack_calls"),
        inline_data_payload_size=_int(env, "inline_data_payload_size", 0),
        required_work_group_size=_size3(env.get("required_work_group_size")),
        intel_reqd_sub_group_size=_int(attributes, "intel_reqd_sub_group_size"),
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _version(text: Any) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in str(text).split("."))
    except ValueError:
        return (0,)


def _int(mapping: dict[str, Any], key: str, default: int | None = None) -> int | None:
    value = mapping.get(key)
    if value is None:
        return default
    try:
        return int(value, 0)
    except (TypeError, ValueError) as error:
        raise ParseError(f"damaged .ze_info: {key} is {str(value)[:40]!r}, not a number") from error


def _flag(mapping: dict[str, Any], key: str) -> bool:
    return bool(mapping.get(key) == "true")


def _size3(value: Any) -> tuple[int, int, int] | None:
    if value is None:
        return None
    try:
        x, y, z = (int(part, 0) for part in value)
    except (TypeError, ValueError) as error:
        raise ParseError(f"damaged .ze_info: required_work_group_size is {str(value)[:40]!r}") from error
    return x, y, z
