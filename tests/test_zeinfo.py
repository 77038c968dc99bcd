"""The execution environment is read from `.ze_info` of every format version."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.formats.zeinfo import parse_zeinfo
from xpuasm_magic.model import ExecutionEnv


def dumped(corpus: Path, case: str) -> str:
    return next((corpus / case / "dump").glob("*.zeinfo")).read_text(encoding="utf-8")


def test_a_kernel_of_the_current_compiler(corpus: Path) -> None:
    assert parse_zeinfo(dumped(corpus, "2.40/pvc/spill_large")) == {
        "spill_kernel": ExecutionEnv(
            simd_size=32,
            grf_count=256,
            eu_thread_count=4,
            spill_size=5440,
            private_size=0,
            slm_size=0,
            barrier_count=0,
            has_dpas=False,
            has_global_atomics=False,
            has_printf_calls=False,
            has_stack_calls=False,
            inline_data_payload_size=0,
            intel_reqd_sub_group_size=32,
        )
    }


def test_the_old_format_does_not_know_spill_so_it_is_not_zero(corpus: Path) -> None:
    section = parse_zebin((corpus / "1.0.12504/pvc/spill/spill_kernel.bin").read_bytes()).ze_info
    env = parse_zeinfo(section or "")["spill_kernel"]
    assert (env.simd_size, env.grf_count) == (32, 128)
    assert (env.spill_size, env.private_size, env.eu_thread_count) == (None, None, None)


def test_the_dumped_file_says_what_the_binary_says(corpus: Path) -> None:
    paths = sorted(corpus.rglob("*.zeinfo"))
    assert len(paths) > 40
    for path in paths:
        section = parse_zebin(path.with_suffix(".progbin").read_bytes()).ze_info
        assert parse_zeinfo(section or "") == parse_zeinfo(path.read_text(encoding="utf-8"))


def test_every_kernel_of_a_module_is_listed(corpus: Path) -> None:
    (module,) = (corpus / "2.40/pvc/sycl_rtc/dump").glob("OCL_asm555d*.zeinfo")
    assert len(parse_zeinfo(module.read_text(encoding="utf-8"))) == 5


@pytest.mark.parametrize("name", ["null", "1e5", "yes", "2026-01-01", "0x10"])
def test_a_name_that_looks_like_a_value_stays_a_name(name: str) -> None:
    assert list(parse_zeinfo(f"version: '1.73'\nkernels:\n  - name: {name}\n")) == [name]


def test_the_stated_work_group_is_read() -> None:
    text = (
        "kernels:\n  - name: k\n    execution_env:\n      simd_size: 16\n"
        "      required_work_group_size: [ 256, 1, 1 ]\n"
    )
    assert parse_zeinfo(text)["k"].required_work_group_size == (256, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kernels: 7\n",
        "kernels:\n  - execution_env:\n",
        "kernels:\n  - name: k\n    execution_env:\n      simd_size: wide\n",
        "kernels:\n  - name: k\n    execution_env:\n      required_work_group_size: [ 1, 2 ]\n",
        "kernels: [\n",
        "kernels: " + "[" * 100_000,
        "\x00\x01\x02",
        "- " * 50_000,
    ],
)
def test_a_damaged_text_is_an_error(text: str) -> None:
    with pytest.raises(ParseError, match=r"damaged \.ze_info"):
        parse_zeinfo(text)


def test_a_text_cut_or_changed_anywhere_is_read_or_an_error(corpus: Path) -> None:
    whole = dumped(corpus, "2.40/pvc/matmul_w16_large")
    choose = random.Random(2)
    for _ in range(400):
        at = choose.randrange(len(whole))
        for text in (whole[:at], whole[:at] + choose.choice(":-[]{}&*!|>'\"%@`\t\n") + whole[at + 1 :]):
            with contextlib.suppress(ParseError):
                parse_zeinfo(text)
