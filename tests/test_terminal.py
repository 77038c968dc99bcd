"""IPython and `xpuasm` in a real terminal: colours, a pager, and nothing of a capture that the terminal would obey."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from capture_builder import CaptureBuilder
from hostile import hostile_capture

from xpuasm_magic.view.text import browser_text, coloured, saved_text

ROOT = Path(__file__).parents[1]
COLOUR = re.compile(r"\x1b\[[\d;]*m")
PROMPT = r"In \[\d+\]: "


@pytest.fixture(scope="module")
def folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = CaptureBuilder(tmp_path_factory.mktemp("terminal") / "run", corpus)
    for case in ("add", "spill"):
        builder.kernel(f"2.40/pvc/{case}")
    return builder.folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PAGER", "LESS")}
    return {**kept, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "TERM": "xterm-256color"}


@pytest.fixture
def terminals() -> Iterator[list[pexpect.spawn]]:
    opened: list[pexpect.spawn] = []
    yield opened
    for terminal in opened:
        terminal.close(force=True)


def _spawn(terminals: list[pexpect.spawn], environment: dict[str, str], *arguments: str) -> pexpect.spawn:
    terminal = pexpect.spawn(
        sys.executable, ["-m", *arguments], env=environment, dimensions=(30, 110), encoding="utf-8", timeout=60
    )
    terminals.append(terminal)
    return terminal


def test_ipython_shows_a_table_in_colour_and_a_listing_in_its_pager(
    terminals: list[pexpect.spawn], environment: dict[str, str], folder: Path
) -> None:
    shell = _spawn(terminals, environment, "IPython", "--no-banner", "--simple-prompt", "--no-confirm-exit")
    shell.expect(PROMPT)
    shell.sendline("%load_ext xpuasm_magic")
    shell.expect(PROMPT)
    shell.sendline(f"%xpu_asm {folder}")
    shell.expect(r"_\.page\('(\w+)'\)")
    name = shell.match.group(1)
    assert COLOUR.search(shell.before)
    rows = COLOUR.sub("", shell.before).splitlines()
    assert any(row.startswith("spill_kernel") for row in rows)
    assert max(len(row.rstrip()) for row in rows if row.startswith(("kernel ", "add_", "spill_"))) <= 110
    shell.expect(PROMPT)

    shell.sendline(f"_.page('{name}')")
    shell.expect(r"//\.kernel")
    shell.expect(":")  # less waits: the listing is longer than the screen
    shell.send("/store\\.ugm\n")
    shell.expect(r"store")
    assert COLOUR.search(shell.before + shell.after)
    shell.send("q")
    shell.expect(PROMPT)
    shell.sendline("repr(_)")
    shell.expect(r"<Browser of 2 kernels, .*\.page\(NAME\) shows a listing>")


def test_a_listing_is_paged_on_a_terminal(
    terminals: list[pexpect.spawn], environment: dict[str, str], folder: Path
) -> None:
    command = _spawn(terminals, environment, "xpuasm_magic.cli", "isa", str(folder), "add_kernel")
    command.expect(r"//\.kernel")
    command.send("G")
    command.expect(r"\(END\)")
    assert COLOUR.search(command.before)
    command.send("q")
    command.expect(pexpect.EOF)
    command.wait()
    assert command.exitstatus == 0


@pytest.mark.parametrize("pager", ["cat", "", "/nowhere/pager", "head -n 1"])
def test_any_pager_will_do(
    terminals: list[pexpect.spawn], environment: dict[str, str], folder: Path, pager: str
) -> None:
    arguments = ("xpuasm_magic.cli", "isa", str(folder), "add_kernel")
    command = _spawn(terminals, {**environment, "PAGER": pager}, *arguments)
    command.expect(r"//\.kernel")
    command.expect(pexpect.EOF)
    command.wait()
    assert command.exitstatus == 0


def test_a_pipe_has_the_listing_as_it_is(environment: dict[str, str], folder: Path) -> None:
    command = [sys.executable, "-m", "xpuasm_magic.cli", "isa", str(folder), "add_kernel"]
    printed = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    [listing] = [path for path in folder.rglob("*.asm") if "add_kernel" in path.read_text(encoding="utf-8")]
    assert printed == listing.read_bytes()


def test_a_terminal_obeys_nothing_of_a_capture(tmp_path: Path) -> None:
    capture = hostile_capture(tmp_path)
    listing = capture.kernels[0].listing("isa").text
    texts = (browser_text(capture, color=True), saved_text(capture), coloured(listing, "isa"))
    for text in texts:
        assert "onerror=" in text
        assert set(COLOUR.sub("", text)) & set("\x00\x07\x1b\x9b\u202e\u2066\u2028\u200b") == set()
