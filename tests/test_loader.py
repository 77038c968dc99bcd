"""The rule of Triton's loader, read from its source."""

from __future__ import annotations

import pytest

from xpuasm_magic.childenv import find_child
from xpuasm_magic.loader import grf_label, installed_rule, read_rule, with_grf

LARGE = "-cl-intel-256-GRF-per-thread"

# The form of a version that binds the rebuilt module to the outer names, as releases after 3.3 do.
MENDED = """
  const char *LARGE_GRF_FLAG{"-cl-intel-256-GRF-per-thread"};
  auto [l0_module, l0_kernel, n_spills] = compileLevelZeroObjects(a);
  constexpr int32_t max_reg_spill = 0;
  auto [l0_module_dgrf, l0_kernel_dgrf, n_spills_dgrf] = compileLevelZeroObjects(b);
"""


def test_the_rule_of_the_installed_triton():
    child = find_child(None)
    rule = installed_rule(child.site_packages, child.triton_xpu)
    assert rule is not None, "this Triton's driver.c states no rule that is understood"
    assert rule.flag == LARGE
    assert child.triton_xpu in rule.source
    if child.triton_xpu.startswith("3.3.0"):
        assert rule.threshold_bytes == 1000
        assert rule.discards_retry
        assert "1,000 bytes" in rule.words


def test_a_later_form_of_the_rule():
    rule = read_rule(MENDED, "test")
    assert (rule.threshold_bytes, rule.discards_retry) == (0, False)
    assert rule.wants_retry("", 1)
    assert not rule.wants_retry("", 0)


@pytest.mark.parametrize("flags", [LARGE, "-cl-intel-128-GRF-per-thread", "-cl-intel-enable-auto-large-GRF-mode"])
def test_a_kernel_with_a_grf_flag_is_never_built_again(flags):
    assert not read_rule(MENDED, "test").wants_retry(f"-x {flags}", 100_000)


@pytest.mark.parametrize("text", ["", "int main() {}", "constexpr int max_reg_spill = 4;"])
def test_a_rule_that_is_not_understood_is_none(text):
    assert read_rule(text, "test") is None


def test_grf_flags_are_replaced_not_added():
    assert with_grf("-a -cl-intel-128-GRF-per-thread", "256") == f"-a {LARGE}"
    assert with_grf("", "auto") == "-cl-intel-enable-auto-large-GRF-mode"
    assert grf_label("") == "default"
    assert grf_label(f"-a {LARGE}") == "grf256"
    assert grf_label(f"-cl-intel-128-GRF-per-thread {LARGE}") == "grf128"
