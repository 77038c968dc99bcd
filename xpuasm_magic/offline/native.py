"""Building and loading `native.cpp`, once per torch version and for all processes."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

SOURCE = Path(__file__).with_name("native.cpp")

_REFUSALS = {
    1: "another XPU device guard is registered already",
    2: "libtorch made its XPU hooks before the stand-in was loaded",
}


class NativeError(RuntimeError):
    """The native part could not be built or loaded; the message says why and what it costs."""


class Native:
    """The loaded library."""

    def __init__(self, library: ctypes.CDLL, path: Path) -> None:
        self._library = library
        self.path = path

    @contextlib.contextmanager
    def dry(self) -> Iterator[None]:
        """Within, operators on the device that only write into given tensors do nothing."""
        self._library.xpuasm_dry(1)
        try:
            yield
        finally:
            self._library.xpuasm_dry(0)

    def memory(self) -> tuple[int, int, int, int]:
        """Bytes: live, peak, allocated in all, freed in all."""
        numbers = (ctypes.c_int64 * 4)()
        self._library.xpuasm_memory(numbers)
        live, peak, allocated, freed = numbers
        return live, peak, allocated, freed

    def reset_peak_memory(self) -> None:
        self._library.xpuasm_reset_peak_memory()

    def attention_calls(self) -> dict[str, int]:
        """How many calls of scaled_dot_product_attention went to each of an XPU build's implementations."""
        numbers = (ctypes.c_int64 * 3)()
        self._library.xpuasm_attention_calls(numbers)
        return dict(zip(("overrideable", "flash", "math"), numbers, strict=True))


def library_path(home: Path) -> Path:
    """Where the library for the imported torch lies, built or not. The name holds all that its code depends on."""
    import torch

    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    return home / f"standin-torch{torch.__version__}-abi{_abi()}-{digest}.so"


def build(home: Path, announce: Callable[[str], None]) -> Path:
    """The library, built under a lock where it is not there yet.

    Raises:
        NativeError: no compiler, no headers, a changed interface, no disk.
    """
    target = library_path(home)
    if target.exists():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target.with_suffix(".lock"), "w") as lock:  # noqa: PTH123  fcntl wants the file itself
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                announce("building the stand-in's native part (once per torch version, about 30 s)")
                _compile(target)
    except OSError as error:
        raise NativeError(f"the stand-in's native part cannot be stored in {home}: {error}") from error
    return target


def load(home: Path, announce: Callable[[str], None]) -> Native:
    """Build where needed, load and install.

    Raises:
        NativeError: it could not be built, or this torch refuses it.
    """
    path = build(home, announce)
    try:
        library = ctypes.CDLL(str(path))
        refusal = library.xpuasm_install()
    except (OSError, AttributeError) as error:
        raise NativeError(f"the stand-in's native part does not load: {error}") from error
    if refusal:
        raise NativeError(f"the stand-in's native part was refused: {_REFUSALS.get(refusal, refusal)}")
    return Native(library, path)


def compiler() -> list[str] | None:
    """The C++ compiler: CXX, else g++, c++ or clang++; None where there is none."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    found = next(filter(None, map(shutil.which, ("g++", "c++", "clang++"))), None)
    return [found] if found else None


def _abi() -> int:
    import torch

    return int(torch._C._GLIBCXX_USE_CXX11_ABI)


def _compile(target: Path) -> None:
    import torch

    command = compiler()
    if command is None:
        raise NativeError(
            "there is no C++ compiler (looked for $CXX, g++, c++, clang++), so tensors on the stand-in device "
            "cannot exist; run `xpuasm setup`, which brings one without root, or install g++"
        )
    home = Path(torch.__file__).parent
    part = target.with_suffix(f".{os.getpid()}.tmp")
    arguments = [
        *command, "-O1", "-std=c++20", "-fPIC", "-shared", f"-D_GLIBCXX_USE_CXX11_ABI={_abi()}", str(SOURCE),
        "-o", str(part), f"-I{home}/include", f"-I{home}/include/torch/csrc/api/include", f"-L{home}/lib",
        "-lc10", "-ltorch_cpu",
    ]  # fmt: skip
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            words = [line for line in done.stderr.splitlines() if "error" in line][:5] or done.stderr.splitlines()[-5:]
            raise NativeError(
                f"{' '.join(command)} cannot compile the stand-in's native part against torch {torch.__version__}:\n"
                + "\n".join(words)
            )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
