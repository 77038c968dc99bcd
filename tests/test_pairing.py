"""The pair of torch and triton-xpu against the one that ships."""

from __future__ import annotations

from xpuasm_magic.pairing import pairing_sentence


def test_the_pair_that_ships_needs_no_word():
    assert pairing_sentence("2.13.0+xpu", "3.7.2") is None


def test_another_pair_is_said_with_both_versions():
    said = pairing_sentence("2.13.0+cpu", "3.3.0b1")
    assert "3.7.2" in said
    assert "3.3.0b1" in said


def test_an_unknown_release_is_said_to_be_unknown():
    assert "not known" in pairing_sentence("2.99.1", "3.3.0b1")
    assert pairing_sentence(None, "3.3.0b1") is None
