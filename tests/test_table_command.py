"""`xpuasm table` for pull requests and CI: Markdown, and conditions that fail."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from capture_builder import CaptureBuilder
from hostile import hostile_capture

from xpuasm_magic import read_capture
from xpuasm_magic.cli import main
from xpuasm_magic.compare.fail_on import capture_failures, parse_condition
from xpuasm_magic.errors import UsageError
from xpuasm_magic.model import Capture, ExecutionEnv, Kernel, Variant
from xpuasm_magic.view.markdown import capture_markdown

KERNEL = Kernel("k", "user", Variant("K1", num_warps=4), "spirv", "ok", {}, env=ExecutionEnv(spill_size=0))


@pytest.fixture
def folder(tmp_path: Path, corpus: Path) -> Path:
    builder = CaptureBuilder(tmp_path / "capture", corpus)
    for case in ("2.40/pvc/add", "2.40/pvc/spill"):
        builder.kernel(case)
    return builder.folder


def rows(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line.startswith("|")]


def test_markdown_has_the_verdict_and_the_kernels_that_spill_first(folder: Path, capsys: Any) -> None:
    assert main(["table", str(folder), "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("### 2 kernels, 1 spill \\(worst 15,680 B/thread\\), pvc max1550, IGC 2.40.14")
    head, marks, first, second = rows(out)
    assert head.startswith("| kernel | ")
    assert first.startswith("| <code>spill_kernel</code> | ")
    assert " **15,680** " in first
    assert second.startswith("| <code>add_kernel</code> | ")
    assert {line.count("|") for line in (head, marks, first, second)} == {head.count("|")}


def test_a_condition_fails_the_command_and_is_named_in_markdown(folder: Path, capsys: Any) -> None:
    assert main(["table", str(folder), "--format", "markdown", "--fail-on", "spill_bytes>0"]) == 1
    out, err = capsys.readouterr()
    assert "**1 failed**\n\n- `spill_bytes>0`: spill\\_kernel: spill\\_bytes is 15680\n" in out
    assert err == "xpuasm: 'spill_bytes>0' failed: spill_kernel: spill_bytes is 15680\n"
    assert main(["table", str(folder), "--kernel", "add*", "--fail-on", "spill_bytes>0", "--fail-on", "grf>128"]) == 0


def test_a_change_takes_two_captures(folder: Path, capsys: Any) -> None:
    assert main(["table", str(folder), "--fail-on", "instructions>+5%"]) == 2
    assert "takes two captures: xpuasm diff A B --fail-on 'instructions>+5%'" in capsys.readouterr().err
    with pytest.raises(UsageError):
        capture_failures(Capture(folder, ()), [parse_condition("spill_bytes>+0")])


def failed(text: str, *kernels: Kernel) -> list[str]:
    return [str(one) for one in capture_failures(Capture(Path(), kernels), [parse_condition(text)])]


def test_what_cannot_be_told_never_passes() -> None:
    assert failed("spill_bytes>0", replace(KERNEL, env=None)) == [
        "k: spill_bytes is not known, so 'spill_bytes>0' cannot be told"
    ]
    assert failed("spill_bytes>0") == ["no kernel to ask 'spill_bytes>0' of"]
    assert failed("status!=ok", KERNEL) == []


def test_configs_of_one_name_are_told_apart() -> None:
    spilling = replace(KERNEL, variant=Variant("K2", num_warps=8), env=ExecutionEnv(spill_size=64))
    assert failed("spill_bytes>0", KERNEL, spilling) == ["k (num_warps=8): spill_bytes is 64"]


def test_configs_that_lost_are_left_out_unless_asked_for() -> None:
    capture = Capture(Path(), (replace(KERNEL, winner=True), replace(KERNEL, winner=False)))
    assert len(rows(capture_markdown(capture))) == 3
    assert "1 slower configs are not listed." in capture_markdown(capture)
    assert len(rows(capture_markdown(capture, all_configs=True))) == 4


def test_many_kernels_fit_a_comment() -> None:
    kernels = tuple(replace(KERNEL, name=f"triton_poi_fused_{number}_" + "x" * 60) for number in range(400))
    text = capture_markdown(Capture(Path(), kernels))
    assert "300 more kernels, none of which spills more." in text
    assert len(text) < 65_536


def test_hostile_text_formats_nothing(tmp_path: Path) -> None:
    text = capture_markdown(hostile_capture(tmp_path))
    assert set(re.findall(r"(?<!\\)</?(\w+)", text)) <= {"code", "details", "summary"}
    assert len({line.replace("\\|", "").count("|") for line in rows(text)}) == 1


def test_an_empty_capture_says_why(tmp_path: Path, corpus: Path) -> None:
    empty = read_capture(CaptureBuilder(tmp_path / "capture", corpus).folder)
    assert capture_markdown(empty).startswith("### no kernel: ")
