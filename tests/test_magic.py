"""The magics, in a real IPython shell, with real captures."""

from __future__ import annotations

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from xpuasm_magic.model import Capture

ADD = """import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

x = torch.ones(1000, device="xpu")
add_kernel[(1,)](x, 1000, BLOCK=1024)
"""


@pytest.fixture(scope="module")
def shell():
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(display_pub_class=CapturingDisplayPublisher, config=config)
    made.run_line_magic("load_ext", "xpuasm_magic")
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def run(shell, capsys):
    def go(cell: str):
        shell.display_pub.outputs.clear()
        result = shell.run_cell(cell, store_history=True)
        return result, capsys.readouterr()

    return go


def test_the_value_of_the_cell_is_the_browser(run, shell):
    result, out = run(f"%%xpu_asm --device pvc --name found\n{ADD}")
    result.raise_error()
    browser = result.result
    assert browser.capture.kernels[0].name == "add_kernel"
    assert list(browser.table["match"]) == ["spirv"]
    assert isinstance(shell.user_ns["found"], Capture)
    assert shell.user_ns["_"] is browser
    assert "Traceback" not in out.err


def test_what_the_code_prints_is_passed_on_with_both_streams(run):
    result, out = run("%%xpu_asm\nimport sys\nprint('to out')\nprint('to err', file=sys.stderr)\n")
    result.raise_error()
    assert "to out" in out.out
    assert "to err" in out.err


def test_quiet_passes_nothing_on(run):
    _, out = run("%%xpu_asm --quiet\nprint('to out')\n")
    assert "to out" not in out.out


def test_a_cell_that_fails_shows_what_it_has_and_fails(run, shell):
    result, out = run(f"%%xpu_asm\n{ADD}\n1 / 0\n")
    assert result.error_in_exec is not None
    assert "ZeroDivisionError" in str(result.error_in_exec)
    assert shell.display_pub.outputs, "the browser is displayed before the error"
    assert "ZeroDivisionError" in out.err
    assert "In[" in out.err


def test_a_name_from_an_earlier_cell_is_traced_to_it(run, shell):
    number = shell.execution_count
    run("scale = 3.0")
    result, _ = run("%%xpu_asm\nprint(scale)\n")
    assert f"`scale` is defined in In[{number}]; run with `--cells {number}`" in str(result.error_in_exec)
    result, out = run(f"%%xpu_asm --cells {number}\nprint('scale is', scale)\n")
    result.raise_error()
    assert "scale is 3.0" in out.out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%%xpu_asm --device pcv\n1", "pvc"),
        ("%%xpu_asm --nonsense\n1", "--nonsense"),
        ("%%xpu_asm --timeout soon\n1", "--timeout"),
        ("%%xpu_asm --timeout -1\n1", "--timeout"),
        ("%%xpu_asm --env NOVALUE\n1", "NAME=VALUE"),
        ("%%xpu_asm --cells 900\n1", "no In[900]"),
        ("%%xpu_asm --env 'open\n1", "quotation"),
        ("%xpu_asm /no/such/folder_or_script.py", "no such script"),
        ("%xpu_asm", "TARGET"),
    ],
)
def test_a_slip_of_the_users_is_one_sentence(run, line, words):
    result, out = run(line)
    assert type(result.error_in_exec).__name__ == "UsageError"
    assert words in str(result.error_in_exec)
    assert "Traceback" not in out.out + out.err


def test_help_ends_nothing(run):
    result, out = run("%%xpu_asm -h\n1")
    assert result.success
    assert "--device NAME" in out.out


def test_the_docstring_lists_the_options(shell):
    text = shell.find_cell_magic("xpu_asm").__doc__
    assert "--cells" in text
    assert "--grf MODE" in text


def test_a_capture_is_opened_by_its_folder_or_zip(run, shell, tmp_path):
    import shutil

    folder = shell.user_ns["found"].folder
    result, _ = run(f"%xpu_asm --name opened {folder}")
    result.raise_error()
    assert [k.key for k in shell.user_ns["opened"]] == [k.key for k in shell.user_ns["found"]]
    archive = shutil.make_archive(str(tmp_path / "sent"), "zip", folder)
    result, _ = run(f"%xpu_asm {archive}")
    result.raise_error()
    assert result.result.capture.kernels[0].listing("isa").text


def test_options_and_their_values_are_completed(shell):
    from xpuasm_magic.magic import complete

    class Event:
        def __init__(self, line: str) -> None:
            self.line = line

    assert "--device" in complete(shell, Event("%%xpu_asm --de"))
    assert "bmg" in " ".join(complete(shell, Event("%%xpu_asm --device ")))
    assert complete(shell, Event("%%xpu_asm --grf ")) == ["128", "256", "512", "auto"]
    _, matches = shell.complete("--dev", "%%xpu_asm --dev")
    assert "--device" in matches
