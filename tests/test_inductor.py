"""Inductor's names, wrappers and autotuning results are understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.inductor import Fusion, family_of, fusions, kernel_paths, parse_best_config

DATA = Path(__file__).parent / "data" / "inductor"


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("triton_poi_fused_add_gelu_mul_0", "pointwise"),
        ("triton_per_fused_native_layer_norm_0", "persistent_reduction"),
        ("triton_red_fused_sum_0", "reduction"),
        ("triton_tem_fused_mm_0", "template"),
        ("triton_for_fused_1", "foreach"),
        ("triton_unk_fused_cumsum_0", "other"),
        ("_ZTS5SaxpyIfLi4EE", "sycl"),
        ("__sycl_kernel_vec_add", "sycl"),
        ("add_kernel", None),
        ("my_triton_poi_copy", None),
    ],
)
def test_a_name_tells_the_family(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_a_wrapper_names_the_sources_of_its_kernels() -> None:
    wrapper = (DATA / "wrapper.py.txt").read_text(encoding="utf-8")
    assert kernel_paths(wrapper) == (
        "/tmp/ic/qc/cqcavducdy7r3r2xdfn64lckdxb2glkk2xp3xgwsnpmc7lqihypl.py",
        "/tmp/ic/yz/cyz6euyrnkfcsjrmn56bn6wrycdzc26i62xrd5ej3rdmjrxh2enb.py",
    )


def test_a_wrapper_says_what_is_fused_into_its_kernels() -> None:
    first, second = fusions((DATA / "wrapper.py.txt").read_text(encoding="utf-8"))
    assert first == Fusion(
        "triton_red_fused_mul_sin_sum_0",
        "/tmp/ic/qc/cqcavducdy7r3r2xdfn64lckdxb2glkk2xp3xgwsnpmc7lqihypl.py",
        ("aten.sin", "aten.mul", "aten.sum"),
    )
    assert second.ops[-1] == "aten.sum"


def test_a_kernels_source_names_no_kernels() -> None:
    assert kernel_paths((DATA / "kernel.py.txt").read_text(encoding="utf-8")) == ()


def test_the_winner_of_an_autotuning() -> None:
    found = parse_best_config((DATA / "best_config.json").read_text(encoding="utf-8"))
    assert found.triton_cache_hash == "DR23CCVY7VKJFW2E2KXD2EFDJBZSAEY2Y6UOYEILM4LJCMVJNRFQ"


def test_an_older_torch_does_not_name_the_winner() -> None:
    assert parse_best_config('{"XBLOCK": 512}').triton_cache_hash is None


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_a_damaged_result_is_an_error(text: str) -> None:
    with pytest.raises(ParseError, match=r"\.best_config"):
        parse_best_config(text)
