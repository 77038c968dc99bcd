"""Who is whom in two captures, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from xpuasm_magic.backends.intel import python_source
from xpuasm_magic.compare.pairing import pair_kernels
from xpuasm_magic.compare.source import diff_source, kernel_source
from xpuasm_magic.model import Kernel, StageFile, Variant

ADD = """
@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    a = tl.load(x + i, mask=m)
    tl.store(y + i, a + 1, mask=m)
"""
SQUARE = """SCALE = tl.constexpr(2)
@triton.jit
def helper(v):
    return v * SCALE

@triton.jit
def square(x):
    tl.store(x, helper(tl.load(x)))
"""


class Source:
    """Kernels of a Python file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str, text: str, constants: Mapping[str, Any] | None = None, **options: Any) -> Kernel:
        path = self.folder / f"{abs(hash(text))}.py"
        path.write_text(text)
        stages: dict[str, StageFile] = {"python": python_source(path, "/src/model.py")}
        variant = Variant(f"{name}{len(list(self.folder.iterdir()))}", constants=constants or {}, **options)
        return Kernel(name, "user", variant, "spirv", "ok", stages)


@pytest.fixture
def kernel(tmp_path: Path) -> Source:
    return Source(tmp_path)


def test_the_same_source_is_paired_whatever_its_place_and_name(kernel: Source) -> None:
    """Inductor numbers its kernels: one more fusion before it renames all that follow."""
    a = [kernel("add", ADD), kernel("square", SQUARE)]
    b = [kernel("square", SQUARE), kernel("add_1", ADD.replace("def add(", "def add_1("))]
    pairs, only_a, only_b = pair_kernels(a, b)
    assert [(pair.a.name, pair.b.name) for pair in pairs] == [("add", "add_1"), ("square", "square")]
    assert {pair.how for pair in pairs} == {"source, signature, constants and config"}
    assert (only_a, only_b) == ((), ())


def test_configs_are_paired_with_their_like(kernel: Source) -> None:
    changed = ADD.replace("a + 1", "a + 2")
    a = [kernel("add", ADD, {"B": size}, num_warps=4) for size in (64, 128)]
    b = [kernel("add", changed, {"B": size}, num_warps=4) for size in (256, 128, 64)]
    pairs, only_a, only_b = pair_kernels(a, b)
    assert [(pair.a.variant.constants["B"], pair.b.variant.constants["B"]) for pair in pairs] == [
        (64, 64),
        (128, 128),
    ]
    assert {pair.how for pair in pairs} == {"name, signature, constants and config"}
    assert [one.variant.constants["B"] for one in only_b] == [256]
    assert only_a == ()


def test_other_configs_are_paired_by_constants_then_by_place(kernel: Source) -> None:
    a = [kernel("add", ADD, {"B": 64}, num_warps=4), kernel("add", ADD, {"B": 32})]
    b = [kernel("add", ADD, {"B": 16}), kernel("add", ADD, {"B": 64}, num_warps=8)]
    pairs, _, _ = pair_kernels(a, b)
    assert [(pair.how, pair.b.variant.constants["B"]) for pair in pairs] == [
        ("source, signature and constants", 64),
        ("name and position", 16),
    ]


def test_a_renamed_and_changed_kernel_is_found_by_its_source(kernel: Source) -> None:
    renamed = ADD.replace("def add(", "def plus(").replace("a + 1", "a + 2")
    pairs, _, only_b = pair_kernels([kernel("add", ADD)], [kernel("square", SQUARE), kernel("plus", renamed)])
    [pair] = pairs
    assert (pair.how, pair.b.name) == ("similar source", "plus")
    assert pair.similarity is not None
    assert 0.6 <= pair.similarity < 1
    assert [one.name for one in only_b] == ["square"]


def test_kernels_that_nothing_is_known_of_are_paired_by_name_only() -> None:
    bare = partial(Kernel, family="sycl", variant=Variant("k"), match="zebin", status="ok", stages={})
    pairs, only_a, only_b = pair_kernels([bare("x"), bare("y")], [bare("y"), bare("z")])
    assert [(pair.a.name, pair.how) for pair in pairs] == [("y", "name, signature, constants and config")]
    assert ([one.name for one in only_a], [one.name for one in only_b]) == (["x"], ["z"])


def lines(kernel: Kernel) -> list[int]:
    source = kernel_source(kernel)
    assert source is not None
    return [line.loc.line for line in source.lines]


def digest(kernel: Kernel) -> str:
    source = kernel_source(kernel)
    assert source is not None
    return source.digest


def test_the_source_is_the_function_and_what_it_names(kernel: Source) -> None:
    text = f"import triton\n{SQUARE}\nUNUSED = 1\n\ndef unused(): pass\n"
    assert lines(kernel("square", text)) == [2, 4, 5, 8, 9]


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (("i < n\n", "i < n  # in range\n"), True),
        (("m = i < n", "m = (i < n)"), True),
        (("@triton.jit", "@triton.jit(do_not_specialize=['n'])"), True),
        (("\n@triton.jit", "\n\n\n@triton.jit"), True),
        (("a + 1", "a + 2"), False),
        (("i < n", "i <= n"), False),
        (("y, n", "n, y"), False),
    ],
)
def test_the_digest_is_of_the_code(kernel: Source, edit: tuple[str, str], same: bool) -> None:
    other = ADD.replace(*edit)
    assert other != ADD
    assert (digest(kernel("add", ADD)) == digest(kernel("add", other))) is same


def test_a_changed_helper_is_a_changed_source(kernel: Source) -> None:
    a, b = kernel("square", SQUARE), kernel("square", SQUARE.replace("constexpr(2)", "constexpr(3)"))
    left, right = kernel_source(a), kernel_source(b)
    assert left is not None
    assert right is not None
    found = diff_source(left, right)
    assert [line.text for line in found.removed] == ["SCALE = tl.constexpr(2)"]
    assert [(line.loc.file, line.loc.line) for line in found.added] == [("/src/model.py", 1)]


@pytest.mark.parametrize("text", ["", "def other(): pass", "def add(:", "\0", "x = " + "(" * 5000])
def test_what_is_no_source_of_the_kernel_is_none(kernel: Source, text: str) -> None:
    assert kernel_source(kernel("add", text)) is None
