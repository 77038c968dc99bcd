"""Two captures compared: who became whom, what changed, and why where that is proven."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from capture_builder import CaptureBuilder

import xpuasm_magic
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.commands.diff import add_diff
from xpuasm_magic.compare import Diff, diff
from xpuasm_magic.errors import UsageError
from xpuasm_magic.model import Capture

Made = Callable[..., Capture]

SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def twice(v):
    return v + v

@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    v = twice(v) * 3.0
    tl.store(y + i, v, mask=i < n)

@triton.jit
def other_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) - 1, mask=i < n)

x = torch.ones(1000, device="xpu")
y = torch.empty_like(x)
scale_kernel[(1,)](x, y, 1000, BLOCK=1024)
other_kernel[(1,)](x, 1000, BLOCK=1024)
"""
CHANGED = "# a line above moves all others\n" + SCRIPT.replace("twice(v) * 3.0", "tl.sqrt(twice(v))")


@pytest.fixture
def made(tmp_path: Path, corpus: Path) -> Made:
    """A capture of cases of the corpus; `igc` is the version that it states."""

    def make(name: str, *cases: str, device: str = "pvc", igc: str | None = "2.40.14", **fields: Any) -> Capture:
        builder = CaptureBuilder(tmp_path / name, corpus, device=device)
        versions = {"triton_xpu": "3.3.0b1"} | ({"igc": igc} if igc else {})
        builder.write_record(versions=versions)
        for case in cases:
            builder.kernel(case, **fields)
        return read_capture(builder.folder)

    return make


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Capture, Capture]:
    """Two runs of scripts that differ in one line of one kernel."""
    captures = []
    for name, text in (("before", SCRIPT), ("after", CHANGED)):
        path = tmp_path_factory.mktemp("scripts") / "model.py"
        path.write_text(text)
        captures.append(xpuasm_magic.run(path, device="pvc", output=tmp_path_factory.mktemp("runs") / name))
    return captures[0], captures[1]


def test_a_changed_line_is_named_as_the_cause(real: tuple[Capture, Capture]) -> None:
    found = diff(*real)
    assert [pair.name for pair in found.pairs] == ["scale_kernel", "other_kernel"]
    scale, other = found.pairs
    assert scale.cause is not None
    assert scale.cause.words == 'model.py:13 changed: "v = twice(v) * 3.0" → "v = tl.sqrt(twice(v))"'
    assert scale.source is not None
    assert [line.loc.line for line in scale.source.removed] == [12]
    assert [line.loc.line for line in scale.source.added] == [13]
    assert "because model.py:13 changed" in found.summary
    assert found.summary.startswith("before → after: 1 of 2 kernels differs\n")
    assert other.how == "source, signature, constants and config"
    assert other.isa is not None
    assert other.isa.same, "a kernel that only moved in its file is the same"
    assert "other_kernel" not in found.summary


def test_the_changed_instructions_come_from_the_changed_line(real: tuple[Capture, Capture]) -> None:
    scale = diff(*real).pairs[0]
    for stage in ("ttir", "ttgir", "llir", "isa"):
        listing = scale.listing(stage)
        assert 13 in [loc.line for loc in listing.changes.b_sources], stage
        removed = [listing.a.lines[i].text for hunk in listing.hunks for i in hunk.a_lines]
        added = [listing.b.lines[j].text for hunk in listing.hunks for j in hunk.b_lines]
        assert any("mul" in text for text in removed), stage
        assert any("sq" in text for text in added), stage
    ttir = scale.listing("ttir")
    assert ttir.changes.counts == {"removed": 2, "added": 1, "moved": 0, "rerouted": 0}


def test_devices_are_paired_by_source_and_told_as_the_cause(made: Made) -> None:
    cases = ("add", "softmax_w4", "spill", "matmul_w16_default")
    a = made("a", *(f"2.40/pvc/{case}" for case in cases))
    b = made("b", *(f"2.40/bmg/{case}" for case in reversed(cases)), device="bmg")
    assert not {kernel.key for kernel in a} & {kernel.key for kernel in b}
    found = diff(a, b)
    assert [(pair.a.name, pair.b.name) for pair in found.pairs] == [(kernel.name, kernel.name) for kernel in a]
    assert {pair.how for pair in found.pairs} == {"source, signature, constants and config"}
    assert [pair.cause.words if pair.cause else None for pair in found.pairs] == ["device pvc → bmg"] * 4
    assert not found.only_a
    assert not found.only_b


def test_a_grf_mode_is_told_as_the_cause(made: Made) -> None:
    found = diff(made("default", "2.40/pvc/matmul_w16_default"), made("large", "2.40/pvc/matmul_w16_large"))
    [pair] = found.pairs
    assert pair.how == "source, signature and constants"
    assert pair.deltas["spill_bytes"].change == -3136
    assert pair.deltas["grf"].change == 128
    assert pair.cause is not None
    assert pair.cause.words == "GRF mode default → large"
    assert "spill_bytes 3,136 → 0, grf 128 → 256 (+100%)" in found.summary


def test_a_compiler_update_is_told_as_the_cause(made: Made) -> None:
    old = made("old", "1.0.12504/pvc/softmax_w4", igc="1.0.12504")
    new = made("new", "2.40/pvc/softmax_w4")
    assert "instructions 491 → 690 (+40.5%), because IGC 1.0.12504 → 2.40.14" in diff(old, new).summary


def test_two_things_at_once_are_no_cause(made: Made) -> None:
    old = made("old", "1.0.12504/pvc/softmax_w4", igc="1.0.12504")
    new = made("new", "2.40/bmg/softmax_w4", device="bmg")
    found = diff(old, new)
    assert found.pairs[0].cause is None
    assert "because" not in found.summary
    assert "these differ: device pvc → bmg, IGC 1.0.12504 → 2.40.14" in found.summary


def test_what_is_not_known_is_no_cause(made: Made) -> None:
    """The only known difference is the device, but the compilers are not known."""
    found = diff(made("a", "2.40/pvc/add", igc=None), made("b", "2.40/bmg/add", igc=None, device="bmg"))
    assert found.pairs[0].cause is None
    assert "these differ: device pvc → bmg (not known: IGC)" in found.summary


def test_the_compiler_is_no_cause_of_another_module(made: Made) -> None:
    """IGC reads the SPIR-V; where that differs with nothing before it known to, something unseen did."""
    a, b = made("a", "1.0.12504/pvc/softmax_w4", igc="1.0.12504"), made("b", "2.40/pvc/softmax_w4")
    [kernel] = b.kernels
    other = b.folder / "other.spv"
    other.write_bytes(kernel.path("spv").read_bytes() + b"\0\0\0\0")
    changed = replace(b, kernels=(replace(kernel, binaries={**kernel.binaries, "spv": other}),))
    assert diff(a, changed).pairs[0].cause is None


def test_a_grf_mode_for_all_kernels_is_told(made: Made) -> None:
    """`--grf 256` leaves the variant's own flags as they were; the build's say it."""
    a, b = made("a", "2.40/pvc/matmul_w16_default"), made("b", "2.40/pvc/matmul_w16_default")
    [record] = b.folder.glob("igc/*/*/build.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"flags": "-cl-intel-256-GRF-per-thread"}))
    assert [one.words for one in diff(a, b).pairs[0].inputs if one.state == "changed"] == ["GRF mode default → grf256"]


def test_a_second_build_of_the_loader_is_a_result(made: Made) -> None:
    a, b = made("a", "2.40/pvc/spill"), made("b", "2.40/pvc/spill")
    [key] = (path for path in (b.folder / "igc").iterdir())
    again = key / "pvc-grf256"
    shutil.copytree(key / "pvc-default", again)
    record = again / "build.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"flags": "-cl-intel-256-GRF-per-thread"}))
    decision = {"kept": again.name, "rejected": [{"build": "pvc-default", "reason": "it spills"}]}
    (key / "loader.json").write_text(json.dumps(decision))
    assert [one.state for one in diff(a, read_capture(b.folder)).pairs[0].inputs] == ["same"] * 7


def test_the_version_that_built_the_code_is_the_builds_own(made: Made) -> None:
    a, b = made("a", "2.40/pvc/add", igc=None), made("b", "2.40/pvc/add", igc=None)
    for capture, version in ((a, "2.1"), (b, "2.2")):
        [record] = capture.folder.glob("igc/*/*/build.json")
        record.write_text(json.dumps(json.loads(record.read_text()) | {"igc": version}))
    cause = diff(a, b).pairs[0].cause
    assert cause is not None
    assert cause.words == "IGC 2.1 → 2.2"


def test_the_same_capture_differs_in_nothing(made: Made) -> None:
    a = made("a", "2.40/pvc/add", "2.40/pvc/spill")
    found = diff(a, a)
    assert [pair.a is pair.b for pair in found.pairs] == [True, True]
    assert found.summary == f"{a.folder} → {a.folder}: no kernel differs"


def test_kernels_without_a_like_are_listed(made: Made) -> None:
    found = diff(made("a", "2.40/pvc/add", "2.40/pvc/spill"), made("b", "2.40/pvc/trans", "2.40/pvc/spill"))
    assert [pair.name for pair in found.pairs] == ["spill_kernel"]
    assert [kernel.name for kernel in found.only_a] == ["add_kernel"]
    assert [kernel.name for kernel in found.only_b] == ["trans_kernel"]
    assert found.summary.splitlines()[-2:] == ["only in a: add_kernel", "only in b: trans_kernel"]


def test_nothing_in_common_is_said(made: Made) -> None:
    found = diff(made("a", "2.40/pvc/add"), made("b", "2.40/pvc/trans"))
    assert found.summary.startswith("a → b: no kernel of the one is in the other\n")
    assert len(found.table) == 0


def test_the_table_has_both_values_and_the_change(made: Made) -> None:
    a = made("a", "2.40/pvc/add", "2.40/pvc/spill")
    b = made("b", "2.40/bmg/add", "2.40/bmg/spill", device="bmg")
    table = diff(a, b).table
    assert list(table["instructions"].columns) == ["a", "b", "change"]
    assert table["instructions", "change"].tolist() == [293 - 333, 3250 - 4732]
    assert table["device", "b"].tolist() == ["bmg", "bmg"]
    assert table["time_ms", "change"].isna().all()
    assert str(table["spill_bytes", "change"].dtype) == "Int64"
    assert table["paired", "by"].notna().all()


def test_missing_stays_missing(made: Made) -> None:
    a, b = made("a", "2.40/pvc/add"), made("b", "2.40/pvc/add")
    bare = replace(b, kernels=tuple(replace(k, header=None, env=None, isa_bytes=None) for k in b))
    found = diff(a, bare)
    delta = found.pairs[0].deltas["instructions"]
    assert (delta.a, delta.b, delta.change, delta.percent) == (333, None, None, None)
    assert found.table["instructions", "change"].isna().all()
    assert "instructions 333 → not known" in found.summary


def test_two_variants_of_one_capture(made: Made) -> None:
    capture = made("both", "2.40/pvc/matmul_w16_default", "2.40/pvc/matmul_w16_large")
    default, large = capture.kernels
    found = diff(default, large)
    [pair] = found.pairs
    assert pair.how == "given"
    assert pair.cause is not None, "both are of one capture, and so of the same compilers"
    assert pair.cause.words == "GRF mode default → large"
    with pytest.raises(TypeError, match="a kernel compares with a kernel"):
        diff(default, capture)


def test_paths_are_read(made: Made) -> None:
    a, b = made("a", "2.40/pvc/add"), made("b", "2.40/pvc/add")
    assert len(diff(str(a.folder), b.folder).pairs) == 1
    with pytest.raises(UsageError, match="does not exist"):
        diff(a, "/no/such/capture")


def test_a_capture_that_is_gone_costs_its_listings_only(made: Made) -> None:
    a, b = made("a", "2.40/pvc/add"), made("b", "2.40/bmg/add", device="bmg")
    shutil.rmtree(b.folder)
    found = diff(a, b)
    assert found.pairs[0].isa is None
    assert "no machine code to compare: it cannot be read" in found.summary
    assert isinstance(found.table, pd.DataFrame)


def xpuasm(*args: str) -> int:
    parser = argparse.ArgumentParser()
    add_diff(parser.add_subparsers())
    parsed = parser.parse_args(["diff", *args])
    status: int = parsed.do(parsed)
    return status


@pytest.fixture
def folders(made: Made) -> tuple[str, str]:
    cases = ("matmul_w16_default", "add")
    a = made("a", *(f"2.40/pvc/{case}" for case in cases))
    b = made("b", "2.40/pvc/matmul_w16_large", "2.40/pvc/add")
    return str(a.folder), str(b.folder)


def test_the_command_prints_the_summary(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert xpuasm(*folders) == 0
    out = capsys.readouterr().out
    assert out.startswith("a → b: 1 of 2 kernels differs\nmatmul_kernel: spill_bytes 3,136 → 0")
    assert "\x1b[" not in out


def test_the_command_prints_a_stage(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert xpuasm(*folders, "--stage", "isa", "--color") == 0
    out = capsys.readouterr().out
    assert "--- matmul_kernel, isa" in out
    assert "--- add_kernel" not in out
    assert "\x1b[31m- " in out
    assert "kernels.py:" in out


def test_json_has_every_column_and_the_hunks_of_a_stage(
    folders: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert xpuasm(*folders, "--format", "json", "--stage", "visa", "--kernel", "matmul*") == 0
    record = json.loads(capsys.readouterr().out)
    [pair] = record["pairs"]
    assert pair["columns"]["spill_bytes"] == {"a": 3136, "b": 0, "change": -3136, "percent": -100.0}
    assert pair["columns"]["time_ms"] == {"a": None, "b": None, "change": None, "percent": None}
    assert pair["cause"] == "GRF mode"
    assert pair["isa"]["same"] is False
    assert pair["stage"]["name"] == "visa"
    row = next(row for row in pair["stage"]["hunks"][0]["rows"] if row["change"] == "removed")
    assert row["a_text"]
    assert row["b"] is None


def test_markdown_is_fit_for_a_pull_request(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert xpuasm(*folders, "--format", "markdown", "--fail-on", "instructions<-5%", "--stage", "isa") == 1
    out = capsys.readouterr().out
    assert out.startswith("### a → b: 1 of 2 kernels differs\n")
    assert "**1 failed**" in out
    assert "| <code>matmul_kernel</code> |" in out
    assert "**3,136 → 0**" in out
    assert "```diff" in out
    assert "<summary>1 the same</summary>" in out
    assert len(out) < 65_536


def test_markdown_shows_names_of_anybody_as_text(made: Made) -> None:
    a, b = made("a", "2.40/pvc/matmul_w16_default"), made("b", "2.40/pvc/matmul_w16_large")
    evil = "k|`<img src=x>\n# @team"
    renamed = [replace(one, kernels=tuple(replace(kernel, name=evil) for kernel in one)) for one in (a, b)]
    out = diff(*renamed).markdown()
    assert "<img" not in out
    row = next(line for line in out.splitlines() if line.startswith("| <code>k"))
    assert row.count("|") == out.splitlines()[2].count("|")


def test_a_condition_that_holds_fails_the_command(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    a, b = folders
    assert xpuasm(a, b, "--fail-on", "spill_bytes>0", "--fail-on", "instructions>+5%") == 0
    assert xpuasm(b, a, "--fail-on", "spill_bytes>0", "--fail-on", "instructions>+5%") == 1
    assert capsys.readouterr().err.splitlines() == [
        "xpuasm: 'spill_bytes>0' failed: matmul_kernel: spill_bytes is 3136",
        "xpuasm: 'instructions>+5%' failed: matmul_kernel: instructions went from 1784 to 2338 (+31.05%)",
    ]


def test_two_kernels_by_key(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    capture = made("both", "2.40/pvc/matmul_w16_default", "2.40/pvc/matmul_w16_large")
    keys = [kernel.key for kernel in capture]
    assert xpuasm(str(capture.folder), "--a", keys[0][:8], "--b", keys[1]) == 0
    assert "because GRF mode default → large" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["{a}"], "name a second capture"),
        (["{a}", "{b}", "--a", "add_kernel"], "--a and --b go together"),
        (["{a}", "{b}", "--a", "nobody", "--b", "add_kernel"], "no kernel 'nobody'"),
        (["{a}", "{b}", "--kernel", "softmax*"], "neither capture has a kernel whose name matches"),
        (["{a}", "{b}", "--fail-on", "spils>0"], "no column 'spils'; the columns are name, family,"),
    ],
)
def test_slips_are_told(folders: tuple[str, str], args: list[str], words: str) -> None:
    a, b = folders
    with pytest.raises(UsageError, match=words):
        xpuasm(*(arg.format(a=a, b=b) for arg in args))


def test_a_kernel_that_no_longer_compiles_is_told_first(made: Made) -> None:
    a, b = made("a", "2.40/pvc/add", "2.40/pvc/spill"), made("b", "2.40/pvc/add", "2.40/pvc/spill")
    [key] = [kernel.key for kernel in b if kernel.name == "add_kernel"]
    [build] = (b.folder / "igc" / key).glob("*/build.json")
    failed = {"status": "failed", "exit": 1, "error": "error: undefined builtin\nmore"}
    build.write_text(json.dumps(json.loads(build.read_text()) | failed))
    shutil.rmtree(build.parent / "dump")
    (build.parent / "kernel.bin").unlink()
    (build.parent.parent / "loader.json").unlink()
    summary = diff(a, read_capture(b.folder)).summary
    assert summary.splitlines() == [
        "a → b: 1 of 2 kernels differs",
        "add_kernel: status ok → failed; no machine code to compare: B failed (error: undefined builtin)",
    ]


def test_an_empty_capture_says_why(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = made("a", "2.40/pvc/add"), made("b")
    assert xpuasm(str(a.folder), str(b.folder), "--fail-on", "spill_bytes>0") == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "only in a: add_kernel"
    assert "xpuasm: B, " in err
    assert "no kernel to ask 'spill_bytes>0' of" in err


def test_a_diff_says_what_it_is(made: Made) -> None:
    found = diff(made("a", "2.40/pvc/add"), made("b", "2.40/pvc/add"))
    assert isinstance(found, Diff)
    assert repr(found) == "<Diff of a and b: 1 pairs>"
    assert repr(found.pairs[0]) == "<Pair add_kernel: source, signature, constants and config>"
