"""Triton's cache entries are recognised and their metadata is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.triton_cache import grf_mode, is_key, parse_metadata


def test_a_key_is_a_digest_in_base32() -> None:
    assert is_key("DR23CCVY7VKJFW2E2KXD2EFDJBZSAEY2Y6UOYEILM4LJCMVJNRFQ")
    assert not is_key("dr23ccvy7vkjfw2e2kxd2efdjbzsaey2y6uoyeilm4ljcmvjnrfq")
    assert not is_key("tmp.pid_12_3f")


def test_metadata_of_a_real_entry(corpus: Path) -> None:
    metadata = parse_metadata((corpus / "2.40/pvc/add/add_kernel.json").read_text(encoding="utf-8"))
    assert metadata["name"] == "add_kernel"
    assert metadata["threads_per_warp"] == 32


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 3}', '{"child_paths": {}}', "{" * 100_000, "[" * 100_000])
def test_what_is_not_metadata_is_an_error(text: str) -> None:
    with pytest.raises(ParseError):
        parse_metadata(text)


def test_a_grf_mode_is_what_was_asked_for(corpus: Path) -> None:
    def of(case: str) -> str | None:
        metadata = json.loads(next((corpus / case).glob("*_kernel.json")).read_text(encoding="utf-8"))
        return grf_mode(metadata, metadata["build_flags"])

    assert of("2.40/pvc/spill") is None  # triton-xpu 3.3 lists all modes where none was asked for
    assert of("2.40/pvc/spill_large") == "large"
    assert of("2.40/pvc/attn_w8_small") == "small"
    assert grf_mode({}, "-cl-intel-enable-auto-large-GRF-mode") == "auto"
    assert grf_mode({"grf_mode": "256"}, "") == "large"
