"""Whole captures: a real child with the stand-in, real Triton, real ocloc."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from truth import assert_true_rows, messages

import xpuasm_magic
from xpuasm_magic.capture.builds import Builder
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.model import Capture
from xpuasm_magic.toolchain import Toolchain

ADD = """
import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

x = torch.ones(1000, device="xpu")
y = torch.empty_like(x)
add_kernel[(1,)](x, y, 1000, BLOCK=1024)
"""


@pytest.fixture(scope="module")
def added(tmp_path_factory) -> Capture:
    return xpuasm_magic.run(ADD, device="pvc")


def test_a_triton_kernel_is_captured_with_its_exact_listing(added):
    assert added.info.state == "finished", messages(added) + added.log
    assert [(k.name, k.family, k.match, k.status) for k in added] == [("add_kernel", "user", "spirv", "ok")]
    assert_true_rows(added)
    [launch] = added["add_kernel"].launches
    assert (launch.grid, launch.count) == ((1, 1, 1), 1)
    assert added["add_kernel"].variant.constants["BLOCK"] == 1024


def test_the_source_stays_byte_for_byte(added):
    assert (added.folder / "cell.py").read_text() == ADD


def test_a_second_run_builds_nothing_again(added):
    again = xpuasm_magic.run(ADD, device="pvc")
    [build] = (again.folder / "igc").glob("*/*/build.json")
    assert json.loads(build.read_text())["cached"] is True
    assert_true_rows(again)


def test_the_cell_finds_modules_and_files_beside_the_notebook(tmp_path, monkeypatch):
    (tmp_path / "helper_beside.py").write_text("WORD = 'found me'\n")
    (tmp_path / "data.txt").write_text("and me")
    monkeypatch.chdir(tmp_path)
    words = "helper_beside.WORD, open('data.txt').read(), __name__, __file__, sys.argv"
    code = f"import helper_beside, sys\nprint({words})\n"
    capture = xpuasm_magic.run(code)
    assert "found me and me __main__ " in capture.log
    assert "cell.py" in capture.log


def test_the_error_of_the_code_is_its_own_and_what_came_before_is_shown():
    capture = xpuasm_magic.run(ADD + "\ndef deeper():\n    return undefined_name\n\ndeeper()\n")
    assert capture.info.state == "failed"
    assert capture.info.exit_status == 1
    assert len(capture) == 1
    assert_true_rows(capture)
    trace = capture.log[capture.log.index("Traceback") :]
    assert "undefined_name" in trace
    assert "source:16" in trace
    assert "capture/child.py" not in trace
    assert capture.info.raw["child"]["exception"]["name"] == "undefined_name"


def test_a_syntax_error_is_said_at_once_with_its_line():
    begin = time.monotonic()
    capture = xpuasm_magic.run("x = 1\ndef f(:\n    pass\n")
    assert capture.info.state == "failed"
    assert "SyntaxError" in capture.log
    assert "line 2" in capture.log or "source:2" in capture.log
    assert time.monotonic() - begin < 60
    assert "SyntaxError" in messages(capture)


def test_code_that_never_ends_is_ended_at_the_time_limit_and_its_kernels_are_shown():
    capture = xpuasm_magic.run(ADD + "\nprint('compiled', flush=True)\nwhile True: pass\n", timeout=25)
    assert capture.info.state == "timeout"
    assert "--timeout" in messages(capture)
    assert_true_rows(capture)


def test_a_flood_of_output_is_kept_within_bounds_and_does_not_stall():
    code = "line = 'x' * 99 + '\\n'\nfor _ in range(1_000_000): print(line, end='')\nprint('the end')\n"
    capture = xpuasm_magic.run(code)
    assert capture.info.state == "finished"
    assert (capture.folder / "run.log").stat().st_size > 100_000_000
    assert "no kernel" in capture.table.attrs.get("verdict", "no kernel")


@pytest.mark.parametrize(
    ("end", "state", "status", "word"),
    [
        ("import os; os._exit(7)", "failed", 7, ""),
        ("import ctypes; ctypes.string_at(0)", "crashed", 139, "SIGSEGV"),
        ("import sys; sys.exit('bye')", "failed", 1, ""),
        ("raise SystemExit(0)", "finished", 0, ""),
    ],
)
def test_however_the_process_ends_its_kernels_are_shown(end, state, status, word):
    capture = xpuasm_magic.run(f"{ADD}\n{end}\n")
    assert (capture.info.state, capture.info.exit_status) == (state, status)
    assert word in messages(capture)
    assert_true_rows(capture)


def test_a_process_left_behind_is_ended_and_said():
    capture = xpuasm_magic.run("import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('parent')\n")
    assert capture.info.state == "finished"
    assert "left processes running" in messages(capture)
    assert capture.info.elapsed_s < 60


def test_processes_of_the_codes_own_see_the_device_too(tmp_path):
    script = tmp_path / "spawner.py"
    script.write_text(
        f"{ADD.split('x = torch.ones')[0]}\n"
        "def work(n):\n"
        "    x = torch.ones(n, device='xpu'); y = torch.empty_like(x)\n"
        "    add_kernel[(1,)](x, y, n, BLOCK=256)\n"
        "    return float(x.sum())\n"
        "if __name__ == '__main__':\n"
        "    import multiprocessing as mp\n"
        "    with mp.get_context('spawn').Pool(1) as pool:\n"
        "        print('sums', pool.map(work, [3]))\n"
    )
    capture = xpuasm_magic.run(script)
    assert "sums [3.0]" in capture.log
    assert [k.name for k in capture] == ["add_kernel"]
    assert_true_rows(capture)


def test_names_and_sources_beyond_ascii(tmp_path, monkeypatch):
    folder = tmp_path / "Grüße 世界"
    folder.mkdir()
    monkeypatch.chdir(folder)
    script = folder / "скрипт.py"
    script.write_text(ADD + "\n# größer → ≥\nprint('α→β')\n", encoding="utf-8")
    capture = xpuasm_magic.run("скрипт.py", output=folder / "émission")
    assert "α→β" in capture.log
    assert capture.folder == folder / "émission"
    assert_true_rows(capture)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('hello')\n\n", 'no tensor was made on device="xpu"'),
        ("import torch\ntorch.compile(lambda x: x + 1)(torch.ones(4))\n", "xpu"),
        ("import torch\nx = torch.ones(4, device='xpu')\ny = x * 2\n", "eager"),
        ("import torch\nf = torch.compile(lambda x: x + 1)\nx = torch.ones(4, device='xpu')\n", "never called"),
    ],
    ids=["no torch", "no xpu tensor", "eager only", "never called"],
)
def test_a_run_without_kernels_says_why(code, reason):
    capture = xpuasm_magic.run(code)
    assert len(capture) == 0
    assert reason in messages(capture)
    assert capture.table.empty


def test_an_unknown_device_names_the_nearest():
    with pytest.raises(UsageError, match=r"pcv.*pvc"):
        xpuasm_magic.run("x = 1\n", device="pcv")


def test_a_real_xpu_that_is_not_there_is_said():
    with pytest.raises(xpuasm_magic.errors.XpuasmError, match="no Intel GPU"):
        xpuasm_magic.run("x = 1\n", device="xpu:1")


def test_a_script_that_does_not_exist_is_said():
    with pytest.raises(UsageError, match="no such script"):
        xpuasm_magic.run("nowhere.py")


def test_a_python_without_torch_is_said(tmp_path):
    with pytest.raises(SetupError):
        xpuasm_magic.run("x = 1\n", python=sys.executable if _lacks_torch() else str(tmp_path / "none"))


def _lacks_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is None


def test_without_ocloc_the_kernels_are_listed_and_the_way_out_is_told(private_home, tmp_path, monkeypatch):
    bare = tmp_path / "home"
    bare.mkdir()
    for name in ("child", "native"):
        (bare / name).symlink_to((private_home / name).resolve())
    monkeypatch.setenv("XPUASM_HOME", str(bare))
    monkeypatch.setenv("PATH", "/usr/sbin")
    capture = xpuasm_magic.run(ADD)
    [kernel] = capture
    assert kernel.status == "not built"
    assert "xpuasm setup" in f"{kernel.error}" or "toolchain install" in f"{kernel.error}"
    assert "ttir" in kernel.stages


def test_kernels_compiled_into_a_cache_that_the_code_chose_are_found_all_the_same(tmp_path):
    code = f"import os\nos.environ['TRITON_CACHE_DIR'] = {str(tmp_path / 'mine')!r}\n{ADD}"
    capture = xpuasm_magic.run(code)
    assert [k.name for k in capture] == ["add_kernel"]
    assert_true_rows(capture)
    assert "TRITON_CACHE_DIR" in messages(capture) or str(tmp_path / "mine") in messages(capture)


ENDLESS = ADD + "\nprint('waiting', flush=True)\nimport time\nwhile True: time.sleep(1)\n"


@pytest.fixture
def endless(tmp_path):
    """`xpuasm run` on a script that compiles a kernel and then waits for ever."""
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "xpuasm_magic.cli", "run", "-o", str(out), str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    )
    deadline = time.monotonic() + 120
    log = out / "run.log"
    while time.monotonic() < deadline and process.poll() is None and "waiting" not in _text(log):
        time.sleep(0.1)
    yield process, out
    process.kill()
    process.wait()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(
    ("signals", "status"),
    # The last of many may come when all is printed and Python itself is leaving.
    [([signal.SIGINT], {130}), ([signal.SIGINT] * 4, {130, -signal.SIGINT}), ([signal.SIGTERM], {143})],
    ids=["Ctrl-C", "Ctrl-C again and again", "SIGTERM"],
)
def test_an_interrupt_ends_the_whole_group_and_shows_what_was_captured(endless, signals, status):
    process, out = endless
    for number in signals:
        process.send_signal(number)
        time.sleep(0.1)
    text, _ = process.communicate(timeout=60)
    assert process.returncode in status, text
    assert "add_kernel" in text
    assert "cli.py" not in text
    capture = xpuasm_magic.read_capture(out)
    assert capture.info.state == "interrupted"
    assert_true_rows(capture)
    assert not _alive_in(out)


def test_an_interrupt_while_ocloc_still_builds_ends_the_run_as_interrupted(monkeypatch):
    """The code is done by then; "run all" must stop all the same."""
    compile_, wait = Toolchain.compile, Builder.wait

    def slow(self, *args, cancel, **kwargs):
        cancel.wait(60)
        return compile_(self, *args, cancel=cancel, **kwargs)

    def interrupted(self, seconds):
        os.kill(os.getpid(), signal.SIGINT)
        wait(self, seconds)

    monkeypatch.setattr(Toolchain, "compile", slow)
    monkeypatch.setattr(Builder, "wait", interrupted)
    # A number that no build has seen: none is taken from the cache.
    capture = xpuasm_magic.run(ADD.replace(" + 1,", f" + {time.time_ns() % 10**9}.0,"))
    assert capture.info.state == "interrupted"
    assert any("still compiling" in note.message for note in capture.notes)


def test_a_killed_run_leaves_no_process_and_nothing_of_it_reaches_the_next(endless):
    process, out = endless
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while _alive_in(out) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _alive_in(out)
    assert [k.name for k in xpuasm_magic.run("import torch\nx = torch.ones(2, device='xpu')\n")] == []


def test_a_process_that_outlives_its_run_keeps_its_path_to_itself(tmp_path):
    """A daemon of the code's own session cannot be ended with it; what it still compiles is not the next run's."""
    daemon = (
        f"{ADD}\nimport os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    for block in (64, 128, 256, 512):\n"
        "        add_kernel[(1,)](x, y, 1000, BLOCK=block)\n"
        "        time.sleep(1.5)\n"
        "    os._exit(0)\n"
    )
    first = xpuasm_magic.run(daemon)
    second = xpuasm_magic.run("import torch, time\nx = torch.ones(2, device='xpu')\ntime.sleep(3)\n")
    assert first.info.raw["run_path"] != second.info.raw["run_path"]
    assert len(second) == 0


def test_two_runs_never_write_to_one_folder(endless, tmp_path):
    _, out = endless
    with pytest.raises(UsageError, match="another run is writing"):
        xpuasm_magic.run("x = 1\n", output=out)


def _alive_in(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in (process / "cmdline").read_bytes().decode("utf-8", "replace"):
                found.append(process.name)
        except OSError:
            continue
    return found
