from __future__ import annotations

import pytest

from xpuasm_magic.relay import KEPT_CHARS, Relay


def test_what_fails_is_told_after_more_output_than_a_notebook_holds(capsys: pytest.CaptureFixture[str]) -> None:
    relay = Relay(limit=100)
    relay("stdout", "x" * 150)
    relay("stderr", "y" * KEPT_CHARS)
    relay("stdout", "never shown")
    relay("stderr", "Traceback …\nValueError: deep trouble\n")
    relay.end()
    out, err = capsys.readouterr()
    assert out.startswith("x" * 100 + "\n[xpuasm: more output")
    assert "never shown" not in out
    assert err.endswith("ValueError: deep trouble\n")
    assert len(err) == KEPT_CHARS
    relay.end()
    assert capsys.readouterr().err == ""
