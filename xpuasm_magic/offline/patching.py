"""The one way in which the stand-in changes a foreign module, and the record of what it changed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


class PatchError(RuntimeError):
    """What a patch relies on is not there in this version: the tier that needs it is switched off."""


@dataclass(frozen=True)
class Patch:
    """One change to a foreign module."""

    target: str
    kind: str
    """`replaced`, or `added` where a build without the device lacks the name."""
    reason: str


_applied: list[Patch] = []


def applied() -> list[dict[str, str]]:
    """Every change made in this process, in order, as json-able records."""
    return [asdict(patch) for patch in _applied]


def replace(owner: Any, name: str, value: Any, reason: str, *, takes: tuple[str, ...] | None = None) -> Any:
    """Replace `owner.name` and return what was there.

    Args:
        owner: a module or a class.
        name: an attribute that must exist.
        value: its replacement.
        reason: why, for the record and for the message where it fails.
        takes: the original's leading parameter names that the replacement relies on; None: not a Python callable.

    Raises:
        PatchError: the attribute does not exist, or its parameters are not those.
    """
    target = _label(owner, name)
    if not hasattr(owner, name):
        raise PatchError(f"{target} does not exist in this version; it is needed to {reason}")
    original = getattr(owner, name)
    if takes is not None:
        _check_parameters(target, original, takes)
    setattr(owner, name, value)
    _applied.append(Patch(target, "replaced", reason))
    return original


def wrap(owner: Any, name: str, make: Callable[[Any], Any], reason: str, *, takes: tuple[str, ...]) -> None:
    """Replace `owner.name` by `make(original)`; see `replace`."""
    if not hasattr(owner, name):
        raise PatchError(f"{_label(owner, name)} does not exist in this version; it is needed to {reason}")
    replace(owner, name, make(getattr(owner, name)), reason, takes=takes)


def replace_global(function: Any, name: str, value: Any, reason: str, *, takes: tuple[str, ...]) -> None:
    """Replace a name that `function` reads from its module, where that module is not in `sys.modules`."""
    namespace = function.__globals__
    target = f"{namespace['__name__']} ({namespace.get('__file__')}).{name}"
    if name not in namespace:
        raise PatchError(f"{target} does not exist in this version; it is needed to {reason}")
    _check_parameters(target, namespace[name], takes)
    namespace[name] = value
    _applied.append(Patch(target, "replaced", reason))


def add(owner: Any, name: str, value: Any, reason: str) -> None:
    """Set an attribute that this build may lack. What is there is replaced: it is a build's own dummy."""
    kind = "replaced" if hasattr(owner, name) else "added"
    setattr(owner, name, value)
    _applied.append(Patch(_label(owner, name), kind, reason))


def configure(module: Any, name: str, value: Any, reason: str) -> None:
    """Set an option of a configuration module; an option that does not exist is a `PatchError`."""
    replace(module, name, value, reason)


def refuse(owner: Any, name: str, sentence: str) -> None:
    """Have a function raise why what it does is off."""

    def off(*_: Any, **__: Any) -> Any:
        raise RuntimeError(sentence)

    replace(owner, name, off, "say why this is off")


def _check_parameters(target: str, original: Any, takes: tuple[str, ...]) -> None:
    try:
        names = tuple(inspect.signature(original).parameters)
    except (TypeError, ValueError) as error:
        raise PatchError(f"{target} is no longer a Python function ({error})") from None
    if names[: len(takes)] != takes:
        raise PatchError(f"{target} takes ({', '.join(names)}) in this version, not ({', '.join(takes)}, …)")


def _label(owner: Any, name: str) -> str:
    module = getattr(owner, "__module__", None)
    own = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", repr(owner))
    return f"{module}.{own}.{name}" if module and inspect.isclass(owner) else f"{own}.{name}"
