"""The run folder and the stable path."""

from __future__ import annotations

import json

import pytest

from xpuasm_magic.capture.folder import JsonLines, new_run_folder, read_json, stable_path, write_json
from xpuasm_magic.errors import UsageError, XpuasmError


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_each_run_gets_a_folder_of_its_own(own_home):
    first, _ = new_run_folder()
    second, _ = new_run_folder()
    assert first != second
    assert first.parent == second.parent == own_home / "captures"


def test_an_earlier_capture_in_the_output_folder_is_kept_elsewhere(own_home, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "capture.json").write_text("{}")
    (out / "mine.txt").write_text("keep me")
    run, moved = new_run_folder(out)
    assert run == out
    assert list(run.iterdir()) == []
    [kept] = (own_home / "captures").iterdir()
    assert (kept / "mine.txt").read_text() == "keep me"
    assert str(kept) in moved


def test_a_folder_that_is_no_capture_is_never_written_to(own_home, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="is no capture"):
        new_run_folder(tmp_path)
    with pytest.raises(UsageError, match="a file of that name exists"):
        new_run_folder(tmp_path / "thesis.tex")


def test_a_place_that_cannot_be_written_is_one_clear_error(monkeypatch):
    monkeypatch.setenv("XPUASM_HOME", "/proc/no/such")
    with pytest.raises(XpuasmError, match=r"cannot write a capture to .*XPUASM_HOME"):
        new_run_folder()


def test_a_run_sees_the_same_path_as_the_run_before(own_home):
    run, _ = new_run_folder()
    other, _ = new_run_folder()
    with stable_path(run) as (first, _):
        assert first.resolve() == run.resolve()
        with stable_path(other) as (beside, _):
            assert beside != first
            assert beside.resolve() == other.resolve()
    with stable_path(other) as (again, _):
        assert again == first
        assert again.resolve() == other.resolve()


def test_half_a_line_waits_for_its_end(tmp_path):
    path = tmp_path / "x.jsonl"
    follow = JsonLines(path)
    assert follow.new() == []
    path.write_text('{"a": 1}\n{"a"')
    assert follow.new() == [{"a": 1}]
    assert follow.new() == []
    with path.open("a") as file:
        file.write(': 2}\nnot json\n[3]\n{"a": 4}\n')
    assert follow.new() == [{"a": 2}, {"a": 4}]


def test_json_is_whole_or_absent(tmp_path):
    write_json(tmp_path / "a.json", {"x": 1})
    assert json.loads((tmp_path / "a.json").read_text()) == {"x": 1}
    (tmp_path / "b.json").write_text('{"x"')
    assert read_json(tmp_path / "b.json") == {}
    assert read_json(tmp_path / "none.json") == {}
