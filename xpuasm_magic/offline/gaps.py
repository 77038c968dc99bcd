"""What torch, or the user's code, asks of Triton and this Triton lacks: a pair of versions that do not fit."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from .frames import Shown, is_ours
from .pairs import SHIPS_WITH, release
from .records import Records

_QUOTED = (
    # module 'triton.language' has no attribute 'make_tensor_descriptor'
    re.compile(r"module 'triton[\w.]*' has no attribute '(?P<name>\w+)'"),
    # cannot import name 'TensorDescriptor' from 'triton.tools' (/…/__init__.py)
    re.compile(r"cannot import name '(?P<name>\w+)' from 'triton[\w.]*'"),
    # No module named 'triton.tools.tensor_descriptor'
    re.compile(r"No module named '(?P<name>triton\.[\w.]+)'"),
)
# ASTSource.__init__() got an unexpected keyword argument 'constexprs'
_NO_PARAMETER = re.compile(r"(?P<owner>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'")


def note(error: BaseException, shown: Shown, records: Records, kernel_file: str | None = None) -> None:
    """Say it, once for each name, where an error shows such a gap; any other error says nothing.

    Args:
        error: what ended the user's code, or a kernel's compilation.
        shown: what is the user's own.
        records: where it is said.
        kernel_file: where the kernel that did not compile was written; None: the error's frames tell who asked.
    """
    found = next(((asked, one) for one in _chain(error) if (asked := _asked(one))), None)
    torch, triton_xpu = _version("torch"), _version("triton-xpu") or _version("pytorch-triton-xpu")
    if found is None or torch is None or triton_xpu is None:
        return
    asked, one = found
    shipped = SHIPS_WITH.get(release(torch))
    if asked in records.gaps or triton_xpu == shipped:
        return
    records.gaps.add(asked)
    owner = shown.framework(kernel_file) if kernel_file else _asker(one, shown)
    pair = f"torch {release(torch)} ships with {shipped}" if shipped else "another may have it"
    lacks = f"asks Triton for `{asked}`, which triton-xpu {triton_xpu} lacks ({pair})"
    advice = "name a Python with that pair with --python"
    if owner in ("torch", "generated code"):
        records.note(f"torch {torch.split('+')[0]} {lacks}; {advice}", "error")
    else:
        records.note(f"the code {lacks}; where that is what it needs, {advice}")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then what led to it, hidden or not: Inductor and Triton wrap errors `from None`."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _asked(error: BaseException) -> str | None:
    """The name that Triton was asked for, where this error says so, or quotes one that does."""
    words = str(error)
    quoted = next(filter(None, (pattern.search(words) for pattern in _QUOTED)), None)
    if quoted:
        return quoted["name"]
    parameter = _NO_PARAMETER.search(words) if isinstance(error, TypeError) else None
    if parameter and _is_tritons(parameter["owner"]):
        return f"{parameter['owner']}({parameter['name']}=…)"
    if isinstance(error, AttributeError) and error.name and not isinstance(error.obj, ModuleType):
        owner = error.obj if isinstance(error.obj, type) else type(error.obj)
        if _root(owner.__module__) == "triton":
            return f"{owner.__qualname__}.{error.name}"
    return None


def _is_tritons(qualified_name: str) -> bool:
    """Whether a function that an error names by its qualified name alone is one of Triton's."""
    first = qualified_name.split(".")[0]
    modules = [module for name, module in list(sys.modules.items()) if _root(name) == "triton"]
    return any(_root(getattr(vars(module).get(first), "__module__", None)) == "triton" for module in modules)


def _asker(error: BaseException, shown: Shown) -> str | None:
    """Whose the innermost frame is that is neither Triton's nor Python's nor ours; None: the user's."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__) if not is_ours(frame.filename)]
    owners = [owner for owner in map(shown.framework, files) if owner not in ("triton", "Python")]
    return owners[-1] if owners else None


def _root(module: object) -> str:
    return str(module).split(".")[0]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
