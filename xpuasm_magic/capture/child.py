"""What runs inside the child: put the stand-in device in place when asked, then run the user's file as `__main__`.

    python child.py CONFIG.json                      one capture
    python child.py --spawned CONFIG.json k=v …      a process of the user's own `multiprocessing` (spawn)
    python child.py --build-native HOME              build the native part ahead of the first capture

Standard library, torch and triton only; any CPython from 3.10. The package that this file lies in is not importable
here: its `offline` part is loaded by location, as `xpuasm_offline`, so that the user's `sys.path` is all theirs.

The configuration, as json: `run` (the capture folder), `path` (the file to run), `argv`, `sys_path` (entries before
the interpreter's own), `cwd`, `device` (a row of `offline/devices.py`; null: a real XPU), `home` (where the native part
is kept), and where they are not the defaults: `segments` (which lines are which cell's), `builds` (whether the parent
builds variants), `patience_s` (how long to wait for one build).
"""

from __future__ import annotations

import atexit
import faulthandler
import importlib.util
import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

INTERRUPTED = 130


def load_offline() -> types.ModuleType:
    """The `offline` package beside this one, under a name that cannot meet the user's."""
    if "xpuasm_offline" in sys.modules:
        return sys.modules["xpuasm_offline"]
    folder = Path(__file__).resolve().parent.parent / "offline"
    spec = importlib.util.spec_from_file_location(
        "xpuasm_offline", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["xpuasm_offline"] = module
    spec.loader.exec_module(module)
    return module


def main(arguments: list[str]) -> int:
    if arguments[0] == "--build-native":
        load_offline()
        from xpuasm_offline import standin

        return int(standin.prebuild(Path(arguments[1])))
    spawned = arguments[0] == "--spawned"
    config_path = Path(arguments[1] if spawned else arguments[0]).absolute()
    config = json.loads(config_path.read_text(encoding="utf-8"))
    try:
        if not spawned:
            _end_with(config.get("parent"))
        records = prepare(config, config_path, own_child_json=not spawned)
    except KeyboardInterrupt:
        return INTERRUPTED
    if spawned:
        return run_spawned(arguments[2:])
    return run_user_file(config, records)


def prepare(config: dict[str, Any], config_path: Path, *, own_child_json: bool) -> Any:
    """Everything that must be in place before the user's first line."""
    load_offline()
    from xpuasm_offline import standin
    from xpuasm_offline.records import Records

    os.chdir(config["cwd"])
    _set_path(config.get("sys_path", []))
    records = Records(Path(config["run"]), own_child_json=own_child_json)
    records.versions["python"] = ".".join(map(str, sys.version_info[:3]))
    _spawn_through_here(config_path)
    _flush_at_every_end(records)
    try:
        standin.install(standin.Config.of(config), records)
    except standin.Unusable as error:
        raise SystemExit(f"xpuasm: the stand-in device cannot be put in place: {error}") from None
    return records


def run_user_file(config: dict[str, Any], records: Any) -> int:
    """Run the file as Python would have; the value is the process's exit status."""
    from xpuasm_offline import gaps
    from xpuasm_offline.frames import Shown, show

    path = config["path"]
    sys.argv = list(config.get("argv") or [path])
    faulthandler.enable()  # a crash below Python then names the user's line
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    signal.signal(signal.SIGINT, signal.default_int_handler)
    shown = Shown.of(config)
    status = 0
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as end:
        status = _status(end)
    except KeyboardInterrupt as error:
        show(error, shown)
        status = INTERRUPTED
    except BaseException as error:  # noqa: BLE001  the user's; shown as Python would, with our frames left out
        show(error, shown)
        records.exception = {
            "type": type(error).__name__,
            "message": str(error),
            "name": getattr(error, "name", None),
            "place": shown.innermost(error),
        }
        gaps.note(error, shown, records)
        status = 1
    return status


def run_spawned(arguments: list[str]) -> int:
    """What `python -c "from multiprocessing.spawn import spawn_main; spawn_main(k=v, …)"` would have done."""
    from multiprocessing import spawn

    values = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    sys.argv = [sys.argv[0], "--multiprocessing-fork"]
    spawn.spawn_main(**{name: None if value == "None" else int(value) for name, value in values.items()})
    return 0


def _end_with(parent: int | None) -> None:
    """Not to outlive the process that asked for this run, however that ends (Linux)."""
    import ctypes

    set_parent_death_signal = 1  # PR_SET_PDEATHSIG
    if parent is not None and hasattr(ctypes.CDLL(None), "prctl"):
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before that took hold
            os._exit(1)


def _status(end: SystemExit) -> int:
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    print(end.code, file=sys.stderr)
    return 1


def _set_path(entries: list[str]) -> None:
    """The user's entries in the place of this file's folder, which Python put first."""
    here = str(Path(__file__).resolve().parent)
    rest = [entry for entry in sys.path if str(Path(entry).absolute()) != here and entry not in entries]
    sys.path[:] = [*entries, *rest]


def _spawn_through_here(config_path: Path) -> None:
    """Have `multiprocessing` (spawn) start its processes by this file, so that the stand-in is in place there too."""
    from multiprocessing import spawn, util

    def get_command_line(**values: Any) -> list[str]:
        options = util._args_from_interpreter_flags()
        words = [f"{name}={value!r}" for name, value in values.items()]
        executable = os.fsdecode(spawn.get_executable())
        return [
            executable,
            *options,
            str(Path(__file__).absolute()),
            "--spawned",
            str(config_path),
            *words,
            "--multiprocessing-fork",
        ]

    spawn.get_command_line = get_command_line  # type: ignore[assignment]


def _flush_at_every_end(records: Any) -> None:
    """Keep the records whole at a normal end and at `os._exit`, which multiprocessing's forked processes end by."""
    atexit.register(records.flush)
    leave = os._exit

    def _exit(status: int) -> Any:
        records.flush()
        leave(status)

    os._exit = _exit  # type: ignore[assignment]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
