"""`xpuasm recompile`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys

import pytest
from capture_builder import CaptureBuilder

from xpuasm_magic.commands.recompile import add_recompile
from xpuasm_magic.errors import UsageError


@pytest.fixture
def folder(tmp_path, corpus):
    builder = CaptureBuilder(tmp_path / "capture", corpus)
    for case in ("add", "matmul_bp_w16_default", "spill"):
        builder.kernel(f"2.40/pvc/{case}")
    return builder.folder


def command(*words) -> int:
    top = argparse.ArgumentParser()
    add_recompile(top.add_subparsers())
    args = top.parse_args(["recompile", *map(str, words)])
    status: int = args.do(args)
    return status


def test_the_matrix_is_printed_with_the_question_that_it_answers(folder, capsys):
    assert command(folder, "--kernel", "spill*", "--grf", "128,256,auto", "--device", "pvc,bmg") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "the same SPIR-V, compiled by IGC again:"
    assert lines[1].split()[:4] == ["kernel", "device", "GRF", "mode"]
    assert [line.split()[1:3] for line in lines[2:8]] == [
        [device, mode] for device in ("pvc", "bmg") for mode in ("128", "256", "auto")
    ]
    assert "open it like a capture" in lines[-1]
    assert err == ""


def test_refused_cells_are_an_answer_and_are_explained_below(folder, capsys):
    assert command(folder, "--device", "arl-h,pvc") == 0
    out = capsys.readouterr().out
    assert "refused [1]" in out
    assert "\n[1] the module uses 2D block reads and writes, which arl-h does not have" in out


def test_json_is_a_list_of_records_with_the_tables_names(folder, capsys):
    assert command(folder, "--kernel", "add*", "--num-warps", "4,8", "--format", "json") == 0
    records = json.loads(capsys.readouterr().out)
    assert [(r["question"], r["kernel"], r["device"], r["num_warps"], r["status"]) for r in records] == [
        ("source", "add_kernel", "pvc", 4, "ok"),
        ("source", "add_kernel", "pvc", 8, "ok"),
    ]
    names = list(records[0])
    assert names[:9] == [
        "question", "kernel", "device", "grf_mode", "options", "toolchain", "triton", "status", "reason",
    ]  # fmt: skip
    assert records[0]["options"] is None
    assert command(folder, "--kernel", "add*", "--num-warps", "4,8", "--format", "csv") == 0
    assert capsys.readouterr().out.splitlines()[0].split(",") == names


def test_a_cell_that_failed_is_the_exit_status(folder):
    assert command(folder, "--kernel", "matmul*", "--toolchain", "1.0.12504,2") == 1
    assert command(folder, "--kernel", "matmul*", "--device", "mtl") == 1  # nothing could be compiled


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--device", "pcv"), "known, nearest first: pvc"),
        (("--grf", "97"), "the known devices have"),
        (("--grf", "96", "--device", "pvc"), "the devices asked for have 128, 256, auto"),
        (("--toolchain", "igc-7"), "installed: igc-2"),
        (("--kernel", "nothing*"), "no kernel's name matches 'nothing[*]'; there are: add_kernel"),
    ],
)
def test_a_slip_is_answered_with_the_known_ones(folder, words, said):
    with pytest.raises(UsageError, match=said):
        command(folder, *words)


def test_numbers_are_numbers(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        command(folder, "--num-warps", "four")
    assert ended.value.code == 2
    assert "'four': give whole numbers, such as 16,32" in capsys.readouterr().err


def test_an_interrupt_prints_what_there_is(folder):
    code = (
        "import argparse, sys; from xpuasm_magic.commands import recompile as r\n"
        "class Told(r.StatusLine):\n"
        "    def __call__(self, p):\n"
        "        if p.done: print('one', file=sys.stderr, flush=True)\n"
        "r.StatusLine = Told\n"
        "top = argparse.ArgumentParser(); r.add_recompile(top.add_subparsers())\n"
        "args = top.parse_args(sys.argv[1:]); sys.exit(args.do(args))\n"
    )
    words = ["recompile", str(folder), "--device", "pvc,bmg,lnl,ptl", "--grf", "128,256", "--opt-disable"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "one\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in out
    assert "ok" in out


def test_help_tells_the_two_questions_apart(capsys):
    with pytest.raises(SystemExit):
        command("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "the same SPIR-V (the default), or, with --source or one of Triton's options, the same source" in text
