"""The child's environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.capture.environment import HIDING, child_environment
from xpuasm_magic.errors import UsageError

RUN = Path("/run/7")


def test_caches_are_private_and_what_hides_kernels_is_unset():
    base = dict.fromkeys(HIDING, "1") | {"HOME": "/home/u", "TRITON_CACHE_DIR": "/home/u/.triton/cache"}
    made = child_environment(base, RUN, real=False)
    assert made.variables["TRITON_CACHE_DIR"] == "/run/7/triton"
    assert made.variables["TORCHINDUCTOR_CACHE_DIR"] == "/run/7/inductor"
    assert made.variables["NEO_CACHE_PERSISTENT"] == "0"
    assert made.variables["HOME"] == "/home/u"
    assert set(made.unset) == set(HIDING)
    assert not set(HIDING) & set(made.variables)


def test_only_what_we_changed_is_recorded():
    made = child_environment({"SECRET_TOKEN": "s", "PATH": "/bin"}, RUN, real=False, extra={"FLAG": "1"})
    assert "SECRET_TOKEN" not in made.set
    assert made.set["FLAG"] == made.variables["FLAG"] == "1"
    assert made.variables["SECRET_TOKEN"] == "s"


def test_a_real_xpu_dumps_into_the_run_and_the_users_selector_is_kept():
    made = child_environment({}, RUN, real=True)
    assert made.variables["IGC_DumpToCustomDir"] == "/run/7/igc/live"
    assert made.variables["ONEAPI_DEVICE_SELECTOR"] == "level_zero:*"
    kept = child_environment({"ONEAPI_DEVICE_SELECTOR": "level_zero:1"}, RUN, real=True)
    assert kept.variables["ONEAPI_DEVICE_SELECTOR"] == "level_zero:1"
    assert "ONEAPI_DEVICE_SELECTOR" not in kept.set


def test_the_users_own_value_for_a_hiding_switch_is_obeyed_when_given_for_this_run():
    made = child_environment({"TRITON_INTERPRET": "1"}, RUN, real=False, extra={"TRITON_INTERPRET": "1"})
    assert made.variables["TRITON_INTERPRET"] == "1"
    assert made.unset == ()


def test_where_the_capture_is_written_cannot_be_changed():
    with pytest.raises(UsageError, match="TRITON_CACHE_DIR"):
        child_environment({}, RUN, real=False, extra={"TRITON_CACHE_DIR": "/elsewhere"})
