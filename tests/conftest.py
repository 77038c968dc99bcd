"""Fixtures that many tests share. What a test needs and does not find makes it fail, never skip."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from corpus_archive import unpack_corpus

from xpuasm_magic import home
from xpuasm_magic.view.widget import Browser

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture(scope="session", autouse=True)
def _interrupts_arrive() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and their children inherit it; the tests send it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for captures and builds of the tests alone, with the compilers that `xpuasm setup` made."""
    made = {name: home.data_home() / name for name in ("child", "toolchains", "native")}
    private = tmp_path_factory.mktemp("home", numbered=False)
    for name, real in made.items():
        if not real.exists() and name != "native":
            pytest.exit(f"{real} is missing: run `xpuasm setup` (make test does)", returncode=3)
        real.mkdir(parents=True, exist_ok=True)
        (private / name).symlink_to(real, target_is_directory=True)
    os.environ["XPUASM_HOME"] = str(private)
    return private


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real IGC dumps, `<igc>/<device>/<case>` (tests/data/README.md says how they were made)."""
    return unpack_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], Any]]:
    """What browsers send to their pages."""
    messages: list[tuple[dict[str, Any], Any]] = []
    monkeypatch.setattr(
        Browser, "send", lambda self, content, buffers=None: messages.append((content, buffers)), raising=True
    )
    return messages
