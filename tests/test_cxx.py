"""A C++ compiler is found, or brought whole or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xpuasm_magic import childenv, cxx, setup
from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain import apt

NO_COMPILER = "/nowhere"


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path / "home"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts programs of these names, and no others, on PATH."""

    def put(*names: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in names:
            (folder / name).write_text("#!/bin/sh\n")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return folder

    return put


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """The archive's g++ in a home whose name is not plain: its home, itself, what was told."""
    folder = tmp_path_factory.mktemp("cxx") / "größe 1"
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XPUASM_HOME", str(folder))
        return folder, cxx.install(told.append), told


def without_a_compiler(**variables: str) -> dict[str, str]:
    """An environment with the shell's tools on PATH, and no compiler, linker or assembler."""
    return {"PATH": variables.pop("PATH"), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **variables}


@pytest.fixture
def shell_tools(tmp_path: Path) -> str:
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("sh", "dirname", "readlink"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


def left(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "cxx").glob("*") if path.name != ".lock")


# --- find ---


@pytest.mark.parametrize(
    ("present", "chosen"),
    [(("clang++", "c++", "g++"), "g++"), (("clang++", "c++"), "c++"), (("clang++",), "clang++")],
)
def test_the_machines_own_compiler_is_found(empty_home, programs, present, chosen):
    folder = programs(*present)

    assert cxx.find() == folder / chosen


def test_cxx_comes_first_and_keeps_its_arguments(empty_home, programs, monkeypatch):
    folder = programs("g++", "ccache")
    monkeypatch.setenv("CXX", "ccache g++ -m64")

    assert cxx.find() == folder / "ccache"
    assert cxx.environment() == {"CXX": "ccache g++ -m64"}


def test_a_cxx_that_is_not_there_is_passed_over(empty_home, programs, monkeypatch):
    folder = programs("g++")
    monkeypatch.setenv("CXX", "/gone/g++")

    assert cxx.find() == folder / "g++"
    assert cxx.environment() == {"CXX": str(folder / "g++")}


def test_a_dangling_link_is_no_compiler(empty_home, programs):
    folder = programs()
    (folder / "g++").symlink_to(folder / "gone")

    assert cxx.find() is None
    assert cxx.environment() == {}


# --- install ---


def test_sizes_are_told_before_the_download(brought):
    _home, _compiler, told = brought

    assert "package index" in told[0]
    assert "MB to download" in told[1]
    assert "MB on disk" in told[1]


def test_the_brought_compiler_is_found_where_the_machine_has_none(brought, monkeypatch):
    home, compiler, _told = brought
    monkeypatch.setenv("XPUASM_HOME", str(home))
    monkeypatch.setenv("PATH", NO_COMPILER)
    monkeypatch.delenv("CXX", raising=False)

    assert cxx.find() == compiler
    assert left(home) == ["prefix"]


def test_the_brought_compiler_uses_nothing_of_the_machines_compiler(brought, shell_tools, tmp_path):
    _home, compiler, _told = brought
    source = tmp_path / "a.cpp"
    source.write_text(
        "#include <vector>\n#include <cmath>\n#include <cstdio>\nint main() { std::puts(__VERSION__); }\n"
    )

    command = [str(compiler), "-std=c++20", "-H", "-Wl,--trace", str(source), "-o", str(tmp_path / "a")]
    built = subprocess.run(
        command, env=without_a_compiler(PATH=shell_tools), capture_output=True, text=True, check=False
    )

    assert built.returncode == 0, built.stderr
    # `. /…/c++/12/vector` (-H, a dot for each level), `/…/crt1.o`, `/…/libc.a (…)` (--trace)
    used = [word for line in (built.stdout + built.stderr).splitlines() for word in line.lstrip(". ").split(" (")[:1]]
    outside = [path for path in used if path.startswith(("/usr/", "/lib"))]
    assert any(path.endswith("/vector") for path in used)
    assert outside == []
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 0


def test_the_brought_compiler_builds_the_stand_in_and_a_later_build_needs_none(brought, shell_tools, tmp_path):
    _home, compiler, _told = brought
    command = [str(childenv.find_child().path), str(setup.CHILD), "--build-native", str(tmp_path / "native")]
    quoted = f"'{compiler}'"

    def build(**variables: str) -> subprocess.CompletedProcess[str]:
        environment = without_a_compiler(PATH=shell_tools, **variables)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    refused, built, again = build(), build(CXX=quoted), build()

    assert refused.returncode == 1
    assert "no C++ compiler" in refused.stderr
    assert built.returncode == 0, built.stderr
    assert again.returncode == 0, again.stderr
    assert len(list((tmp_path / "native").glob("*.so"))) == 1


def test_a_second_installation_asks_no_archive(brought, monkeypatch):
    home, compiler, _told = brought
    monkeypatch.setenv("XPUASM_HOME", str(home))
    monkeypatch.setattr(apt, "base_source", lambda *_: pytest.fail("asked the archive"))
    told: list[str] = []

    assert cxx.install(told.append) == compiler
    assert told == []


def test_an_archive_that_cannot_be_reached_is_one_sentence_and_leaves_nothing(empty_home, tmp_path, monkeypatch):
    (tmp_path / "own.list").write_text(
        f"deb http://127.0.0.1:9/debian {apt.machine_distribution().codename} main\n", encoding="utf-8"
    )
    (tmp_path / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{tmp_path}/own.list";\nDir::Etc::sourceparts "/dev/null";\nAcquire::Retries "0";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))

    with pytest.raises(SetupError, match=r"needs a C\+\+ compiler once.*could not be reached") as error:
        cxx.install(lambda _text: None)

    assert "\n" not in str(error.value)
    assert "toolchain install" not in str(error.value)
    assert "apt install g++" in str(error.value)
    assert left(empty_home) == []


def test_a_full_disk_is_said_before_the_download(empty_home, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    monkeypatch.setattr(apt.Archive, "download", lambda *_: pytest.fail("downloaded all the same"))

    with pytest.raises(SetupError, match=r"disk of .* is full \(\d+ MB needed\)"):
        cxx.install(lambda _text: None)

    assert left(empty_home) == []


def test_a_compiler_that_does_not_run_here_is_refused_and_leaves_nothing(empty_home, tmp_path, monkeypatch):
    package = tmp_path / "package"
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN/control").write_text(
        "Package: g++\nVersion: 1\nArchitecture: amd64\nMaintainer: a <a@example.org>\nDescription: a\n"
    )
    (package / "usr/bin").mkdir(parents=True)
    (package / "usr/bin/g++").write_text("#!/bin/sh\necho GLIBC_9.99 not found >&2\nexit 1\n")
    (package / "usr/bin/g++").chmod(0o755)
    deb = tmp_path / "g++_1_amd64.deb"
    subprocess.run(["dpkg-deb", "-b", package, deb], stdout=subprocess.DEVNULL, check=True)
    monkeypatch.setattr(cxx, "_download", lambda *_: [deb])

    with pytest.raises(SetupError, match=r"does not work here \(GLIBC_9.99 not found\); .*package g\+\+"):
        cxx.install(lambda _text: None)

    assert left(empty_home) == []


def test_a_home_that_the_loader_cannot_name_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "a:b"))

    with pytest.raises(SetupError, match="XPUASM_HOME"):
        cxx.install(lambda _text: None)

    assert not (tmp_path / "a:b").exists()


# --- setup ---


def test_a_second_set_up_makes_nothing_in_no_time_and_needs_no_compiler(monkeypatch):
    setup.run(progress=print)  # builds the native part, should its source have changed
    monkeypatch.setenv("PATH", NO_COMPILER)
    monkeypatch.setattr(cxx, "install", lambda _progress: pytest.fail("brought a compiler all the same"))
    told: list[str] = []

    start = time.monotonic()
    setup.run(progress=told.append)

    assert [line.split(":")[0] for line in told] == ["set up"]
    assert time.monotonic() - start < 3


def test_set_up_brings_a_compiler_only_where_there_is_none(empty_home, programs, tmp_path, monkeypatch):
    child = childenv.ChildPython(
        path=Path(sys.executable),
        version="3.11",
        torch="2.13.0",
        triton="3.3.0",
        triton_xpu=None,
        has_real_xpu_build=False,
        site_packages=tmp_path,
        origin="test",
    )
    told: list[str] = []
    reached = tmp_path / "reached.py"
    reached.write_text("import os, sys; sys.exit('built with ' + os.environ['CXX'])\n")
    monkeypatch.setattr(setup, "CHILD", reached)
    monkeypatch.setattr(setup, "_child", lambda *_: child)
    monkeypatch.setattr(setup.toolchain, "installed", lambda: [setup.toolchain.Toolchain("t", tmp_path, (), "2", "1")])
    folder = programs("g++")
    monkeypatch.setattr(cxx, "install", lambda _progress: pytest.fail("brought a compiler all the same"))

    with pytest.raises(SetupError, match=f"^built with {folder}/g\\+\\+$"):
        setup.run(progress=told.append)

    assert len(told) == 1
