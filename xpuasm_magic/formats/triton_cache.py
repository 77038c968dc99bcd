"""Triton's cache: the key that names an entry's folder, and the metadata json in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from xpuasm_magic.errors import ParseError

# DR23CCVY7VKJFW2E2KXD2EFDJBZSAEY2Y6UOYEILM4LJCMVJNRFQ: a SHA-256 in base32
_KEY = re.compile(r"[A-Z2-7]{52}")
_GRF_FLAG = re.compile(r"-cl-intel-\d+-GRF-per-thread|-cl-intel-enable-auto-large-GRF-mode")
GROUP_PREFIX = "__grp__"
"""`__grp__<name>.json` lists absolute paths of the entry's files: useless once a folder has moved."""

GRF_MODES = {"128": "small", "256": "large", "small": "small", "large": "large", "512": "512", "auto": "auto"}


def is_key(name: str) -> bool:
    return _KEY.fullmatch(name) is not None


def parse_metadata(text: str) -> Mapping[str, Any]:
    """The metadata of a compiled variant; `name` is there.

    Raises:
        ParseError: not the json that Triton writes.

    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"damaged metadata: {error}") from error
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ParseError("not Triton's metadata: it names no kernel")
    return value


def without_grf_flags(build_flags: str) -> frozenset[str]:
    """Build flags other than those of the GRF mode; their order means nothing."""
    return frozenset(flag for flag in build_flags.split() if not _GRF_FLAG.fullmatch(flag))


def grf_mode(metadata: Mapping[str, Any], build_flags: str) -> str | None:
    """The GRF mode asked for: `small`, `large`, `512`, `auto`; None where it is left to the loader.

    triton-xpu 3.3 writes the list of all modes in the place of the default, so that the flags decide.
    """
    mode = metadata.get("grf_mode")
    if isinstance(mode, str) and mode in GRF_MODES:
        return GRF_MODES[mode]
    # -cl-intel-256-GRF-per-thread
    if found := re.search(r"-cl-intel-(\d+)-GRF-per-thread", build_flags):
        return GRF_MODES.get(found[1])
    return "auto" if "-cl-intel-enable-auto-large-GRF-mode" in build_flags else None
