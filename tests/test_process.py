"""The child process, with real processes."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import pytest

from xpuasm_magic.capture.process import Child


@pytest.fixture
def start(tmp_path):
    def run(code: str, heard: list | None = None) -> Child:
        return Child(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=dict(os.environ) | {"PYTHONUNBUFFERED": "1"},
            log=tmp_path / "run.log",
            streams=tmp_path / "streams.jsonl",
            output=lambda stream, text: heard.append((stream, text)) if heard is not None else None,
        )

    return run


def finish(child: Child) -> None:
    while child.returncode is None:
        child.pump(0.05)
    child.drain(1.0)


def merged(pieces: list) -> list:
    """A line may arrive in several writes; what counts is each stream's text, in order."""
    joined: list = []
    for stream, text in pieces:
        if joined and joined[-1][0] == stream:
            joined[-1] = (stream, joined[-1][1] + text)
        else:
            joined.append((stream, text))
    return joined


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().split()[2] != "Z"
    except OSError:
        return False


def test_output_is_heard_live_and_both_streams_are_told_apart(start, tmp_path):
    heard = []
    code = "import os, time; os.write(1, b'out\\n'); time.sleep(.3); os.write(2, b'err\\n'); time.sleep(.3)"
    with start(code, heard) as child:
        begin = time.monotonic()
        while not heard:
            child.pump(0.05)
        assert child.returncode is None, f"heard only after {time.monotonic() - begin:.2f} s"
        finish(child)
    assert merged(heard) == [("stdout", "out\n"), ("stderr", "err\n")]
    log = (tmp_path / "run.log").read_bytes()
    spans = [json.loads(line) for line in (tmp_path / "streams.jsonl").read_text().splitlines()]
    parts = [(s["stream"], log[s["start"] : s["start"] + s["bytes"]]) for s in spans]
    assert merged(parts) == [("stdout", b"out\n"), ("stderr", b"err\n")]


def test_a_character_split_between_two_writes_arrives_whole(start):
    heard = []
    code = "import os, time; os.write(1, b'\\xc3'); time.sleep(.2); os.write(1, b'\\xa9')"
    with start(code, heard) as child:
        finish(child)
    assert "".join(text for _, text in heard) == "é"


def test_the_end_takes_the_whole_group(start, tmp_path):
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('pid', 'w').write(str(p.pid)); print('up'); time.sleep(60)"
    )
    with start(code) as child:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            child.pump(0.05)
        child.end(grace_s=3)
        assert child.returncode == 1 or child.returncode == -signal.SIGINT  # KeyboardInterrupt
    grandchild = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while alive(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(grandchild)


def test_a_child_that_ignores_the_interrupt_is_killed_after_the_grace(start):
    code = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print('up'); time.sleep(60)"
    heard = []
    with start(code, heard) as child:
        while not heard:
            child.pump(0.05)
        begin = time.monotonic()
        child.end(grace_s=0.5)
        assert time.monotonic() - begin < 5
        assert child.returncode == -signal.SIGKILL


def test_a_process_left_behind_does_not_hold_the_run(start):
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('parent done')"
    with start(code) as child:
        while child.returncode is None:
            child.pump(0.05)
        begin = time.monotonic()
        child.drain(0.5)
        assert time.monotonic() - begin < 3
        assert child.left_running()


def test_the_exit_status_and_the_signal_are_kept(start):
    with start("import os; os._exit(7)") as child:
        finish(child)
        assert child.returncode == 7
    with start("import os; os.kill(os.getpid(), 11)") as child:
        finish(child)
        assert child.returncode == -11
