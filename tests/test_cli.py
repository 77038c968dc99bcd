"""The command line, as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from xpuasm_magic.cli import main


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "scale.py"
    path.write_text(
        "import sys, torch, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def scale_kernel(x, n, BLOCK: tl.constexpr):\n"
        "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n"
        "x = torch.ones(1000, device='xpu')\n"
        "scale_kernel[(1,)](x, 1000, BLOCK=1024)\n"
        "print('arguments', sys.argv[1:])\n"
        "sys.exit(int(sys.argv[2]))\n"
    )
    return path


@pytest.fixture(scope="module")
def made(script, tmp_path_factory):
    """`xpuasm run` on a script: its process, and the capture folder."""
    folder = tmp_path_factory.mktemp("cli-out") / "capture"
    command = [sys.executable, "-m", "xpuasm_magic.cli", "run", "--device", "bmg", "-o", str(folder), str(script)]
    command += ["--device", "3"]  # these come after the script, and are its own
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), check=False)
    return done, folder


def test_run_prints_the_table_and_exits_as_the_script_did(made):
    done, _ = made
    assert done.returncode == 3, done.stderr
    assert "arguments ['--device', '3']" in done.stdout
    assert "scale_kernel" in done.stdout
    assert "1 kernel" in done.stdout
    assert "bmg" in done.stdout


def test_table_in_each_format(made, capsys):
    _, folder = made
    assert main(["table", str(folder), "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["name"] == "scale_kernel"
    assert row["match"] == "spirv"
    assert row["registers"] is None
    assert main(["table", str(folder), "--format", "csv"]) == 0
    header, line = capsys.readouterr().out.splitlines()
    assert header.startswith("name,family,config,winner,time_ms,launches")
    assert line.startswith("scale_kernel,user,")
    assert main(["table", str(folder), "--kernel", "scale*"]) == 0
    assert "scale_kernel" in capsys.readouterr().out
    assert main(["table", str(folder), "--kernel", "other*"]) == 0
    assert "no kernel's name matches 'other*'; there are: scale_kernel" in capsys.readouterr().out


def test_fail_on_spill_speaks_of_the_listed_kernels(made, capsys):
    _, folder = made
    assert main(["table", str(folder), "--fail-on-spill"]) == 0


def test_isa_by_name_by_key_and_by_stage(made, capsys):
    _, folder = made
    assert main(["isa", str(folder), "scale_kernel"]) == 0
    isa = capsys.readouterr().out
    assert isa.startswith("//.kernel scale_kernel\n")
    assert "\x1b[" not in isa
    [entry] = (folder / "igc").iterdir()
    assert main(["isa", str(folder), entry.name[:8]]) == 0
    assert capsys.readouterr().out == isa
    assert main(["isa", str(folder), "scale_kernel", "--stage", "ttgir"]) == 0
    assert "ttg" in capsys.readouterr().out
    assert main(["isa", str(folder), "scale_kernel", "--color"]) == 0
    assert "\x1b[" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["isa", "{}", "scale"], "no kernel 'scale'"),
        (["isa", "{}", "scale_kernel", "--stage", "ptx"], "no stage 'ptx'"),
        (["table", "/no/such/capture"], "/no/such/capture"),
        (["report", "{}", "-o", "/no/such/folder/r.html"], "cannot write"),
        (["run", "/no/such.py"], "no such script"),
        (["toolchain", "which", "no-such-toolchain"], "no-such-toolchain"),
    ],
)
def test_a_slip_is_one_line_and_status_2(made, capsys, arguments, words):
    _, folder = made
    assert main([a.format(folder) for a in arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("xpuasm: ")
    assert words in error
    assert "Traceback" not in error


def test_report_writes_one_file(made, tmp_path, capsys):
    _, folder = made
    target = tmp_path / "r.html"
    assert main(["report", str(folder), "-o", str(target)]) == 0
    text = target.read_text()
    assert "scale_kernel" in text
    assert "http://" not in text.replace("http://www.w3.org/", "")


def test_a_closed_pipe_is_no_error(made):
    _, folder = made
    command = f"'{sys.executable}' -m xpuasm_magic.cli isa '{folder}' scale_kernel | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert done.stdout == "//.kernel scale_kernel\n"
    assert done.stderr == ""


def test_toolchain_and_doctor_say_what_is_here(capsys):
    assert main(["toolchain", "list"]) == 0
    assert "IGC 2." in capsys.readouterr().out
    assert main(["toolchain", "which"]) == 0
    assert "ocloc" in capsys.readouterr().out
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for word in ("torch", "triton", "IGC"):
        assert word in text
    assert len(text.splitlines()) < 50
