"""The Python of a capture is found without importing torch, and made from nothing by the user's own pip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from xpuasm_magic import childenv, home
from xpuasm_magic.childenv import maker, probe, pythons, search
from xpuasm_magic.childenv.pip import Coming
from xpuasm_magic.errors import SetupError, UsageError


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XPUASM_PYTHON", raising=False)
    return tmp_path / "home"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A virtual environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    return tmp_path / "bare"


def add(env: Path, files: dict[str, str]) -> None:
    [site] = env.glob("lib/python3*/site-packages")
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)


TORCH = {"torch/__init__.py": "raise SystemExit('torch was imported')", "torch/version.py": "__version__ = '2.9.1'\n"}
TORCH_XPU = {**TORCH, "torch/version.py": "__version__ = '2.14.0+xpu'\nxpu: Optional[str] = '20260100'\n"}
TRITON = {"triton/__init__.py": "raise SystemExit('triton was imported')\n__version__ = '3.7.0'\n"}
INTEL = {"triton/backends/intel/compiler.py": ""}


def distribution(name: str, version: str) -> dict[str, str]:
    return {f"{name}-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}


# --- find_child ---


def test_the_child_environment_is_found_with_its_versions():
    child = childenv.find_child()

    assert child.path == home.child_home() / "bin/python"
    assert child.origin == "child environment"
    assert child.torch.startswith("2.13.0")
    assert child.triton_xpu == "3.3.0b1"
    assert not child.has_real_xpu_build
    assert (child.site_packages / "triton/backends/intel/driver.c").is_file()


def test_an_interpreter_asked_for_goes_before_the_environments(monkeypatch, bare):
    add(bare, {**TORCH_XPU, **TRITON, **INTEL, **distribution("triton_xpu", "3.7.0")})
    monkeypatch.setenv("XPUASM_PYTHON", str(bare))

    chosen = childenv.find_child()
    asked = childenv.find_child(str(home.child_home()))

    assert (chosen.torch, chosen.triton, chosen.triton_xpu) == ("2.14.0+xpu", "3.7.0", "3.7.0")
    assert chosen.has_real_xpu_build
    assert chosen.origin == "XPUASM_PYTHON"
    assert asked.torch.startswith("2.13.0")


def test_the_running_interpreter_is_taken_where_it_has_all(empty_home, monkeypatch):
    facts = {**probe.describe(), "torch": "2.14.0", "triton": "3.7.0", "intel_backend": True, "site_packages": "/s"}
    monkeypatch.setattr(probe, "describe", lambda: facts)

    child = childenv.find_child()

    assert (child.path, child.origin, child.torch) == (Path(sys.executable), "running", "2.14.0")


def test_finding_imports_nothing_and_is_quick_the_second_time(bare):
    add(bare, {**TORCH, **TRITON, **INTEL})  # importing them would end the interpreter
    childenv.find_child(str(bare))

    started = time.perf_counter()
    childenv.find_child(str(bare))

    assert time.perf_counter() - started < 0.05


def test_an_installed_package_is_seen_at_once(bare):
    add(bare, {**TORCH, **TRITON, **INTEL})
    assert childenv.find_child(str(bare)).triton_xpu is None

    add(bare, distribution("pytorch_triton_xpu", "3.5.0"))

    assert childenv.find_child(str(bare)).triton_xpu == "3.5.0"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "has no torch;"),
        (TORCH, "has no triton-xpu;"),
        ({**TORCH, **TRITON}, "triton 3.7.0 has no Intel backend"),
        (
            {**TORCH, **TRITON, **INTEL, **distribution("triton", "3.7.0"), **distribution("triton_xpu", "3.3.0b1")},
            "triton 3.7.0 lies in the same folder",
        ),
    ],
)
def test_what_an_interpreter_lacks_is_named(bare, files, words):
    add(bare, files)

    with pytest.raises(SetupError) as caught:
        childenv.find_child(str(bare))

    assert words in str(caught.value)
    assert "xpuasm setup" in str(caught.value)


def test_what_is_no_interpreter_is_said(tmp_path):
    (tmp_path / "python").write_text("#!/bin/sh\necho oops >&2\nexit 3\n")
    (tmp_path / "python").chmod(0o755)

    with pytest.raises(UsageError, match="no Python interpreter"):
        childenv.find_child(str(tmp_path / "missing"))
    with pytest.raises(SetupError, match=r"does not run as a Python interpreter \(oops\)"):
        childenv.find_child(str(tmp_path / "python"))


def test_without_any_the_message_says_setup(empty_home):
    with pytest.raises(SetupError, match=r"no Python with torch and triton-xpu .* run `xpuasm setup`"):
        childenv.find_child()


def test_a_damaged_cache_and_a_read_only_home_cost_time_only(bare, empty_home, monkeypatch):
    add(bare, {**TORCH, **TRITON, **INTEL})
    empty_home.mkdir()
    (empty_home / "pythons.json").write_text("[")
    assert childenv.find_child(str(bare)).torch == "2.9.1"

    monkeypatch.setenv("XPUASM_HOME", "/proc/xpuasm")

    assert childenv.find_child(str(bare)).torch == "2.9.1"


# --- setup: the real pip, on small stand-ins of the wheels ---

WHEELS = (
    ("numpy", "2.0", {"numpy.py": ""}, ()),
    ("setuptools", "80.0", {"setuptools/__init__.py": ""}, ()),
    ("nvidia_cudnn_cu13", "9.0", {"nvidia/cudnn/__init__.py": ""}, ()),
    ("triton", "3.7.1", {"triton/__init__.py": "__version__ = '3.7.1'\n", "triton/backends/__init__.py": ""}, ()),
    (
        "torch",
        "2.13.0",
        {"torch/__init__.py": "", "torch/version.py": "__version__ = '2.13.0+cu130'\n"},
        ("triton==3.7.1", "nvidia-cudnn-cu13"),
    ),
    (
        "triton_xpu",
        "3.3.0b1",
        {
            "triton/__init__.py": "__version__ = '3.3.0'\n",
            "triton/backends/__init__.py": "",
            "triton/backends/intel/__init__.py": "",
            "triton/backends/intel/compiler.py": "",
        },
        (),
    ),
)


def make_wheel(folder: Path, name: str, version: str, files: dict[str, str], needs: tuple[str, ...]) -> None:
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {need}\n" for need in needs)
    content = {
        **files,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in {**content, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for row in WHEELS:
        make_wheel(folder, *row)
    return folder


@pytest.fixture(scope="session")
def supported() -> str:
    """A Python that triton-xpu has wheels for; the one that runs the tests may be newer."""
    return str(childenv.find_child().path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, wheels: Path, supported: str) -> tuple[Path, list[str]]:
    """A home with an environment that `setup` made by the user's pip settings, and what it told."""
    folder = tmp_path_factory.mktemp("setup") / "home"
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        use_wheels(patch, wheels)
        patch.setenv("XPUASM_HOME", str(folder))
        childenv.setup(progress=told.append, python=supported)
    return folder, told


def use_wheels(patch: pytest.MonkeyPatch, wheels: Path) -> None:
    """The user's own settings of pip: no index, a folder of wheels, and no configuration file of this machine."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        patch.delenv(name)
    patch.setenv("PIP_CONFIG_FILE", os.devnull)
    patch.setenv("PIP_NO_INDEX", "1")
    patch.setenv("PIP_TARGET", "/nowhere")  # where to install is not the user's to say here
    patch.setenv("XPUASM_PIP_ARGS", f"--find-links '{wheels}'")


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, wheels: Path, made: tuple[Path, list[str]]) -> pytest.MonkeyPatch:
    use_wheels(monkeypatch, wheels)
    monkeypatch.setenv("XPUASM_HOME", str(made[0]))
    return monkeypatch


def test_setup_tells_the_cuda_build_and_sizes_before_it_downloads(made):
    _, told = made
    asked = next(index for index, text in enumerate(told) if "MB to download" in text)

    assert "torch 2.13.0, triton-xpu 3.3.0b1" in told[asked]
    assert "CUDA build: 2 packages" in told[asked]
    assert "PyTorch's CPU wheel index" in told[asked]
    assert not any(text.startswith(("downloading", "installing")) for text in told[:asked])


def test_setup_leaves_one_triton_and_it_is_intels(made, settings):
    child = childenv.find_child(str(made[0] / "child"))

    assert (child.torch, child.triton, child.triton_xpu) == ("2.13.0+cu130", "3.3.0", "3.3.0b1")
    assert not list((made[0] / "child").glob("lib/python3*/site-packages/triton-3*"))
    assert any("removing the CUDA build's triton" in text for text in made[1])


def test_a_finished_environment_is_not_made_again(made, settings):
    settings.setenv("PATH", "/nowhere")
    told: list[str] = []
    started = time.perf_counter()

    child = childenv.setup(progress=told.append)

    assert told == []
    assert child.origin == "child environment"
    assert time.perf_counter() - started < 0.5


def test_an_unfinished_environment_is_not_used_and_is_completed(made, settings):
    marker = made[0] / "child" / search.MARKER
    versions = json.loads(marker.read_text())
    marker.unlink()
    [backend] = made[0].glob("child/lib/python3*/site-packages/triton_xpu-*/METADATA")
    backend.unlink()
    told: list[str] = []

    with pytest.raises(SetupError, match="unfinished; run `xpuasm setup`"):
        childenv.find_child()
    childenv.setup(progress=told.append)

    assert told[0].startswith("completing the environment")
    assert json.loads(marker.read_text()) == versions


def test_saying_no_to_the_sizes_downloads_nothing(settings, tmp_path, supported):
    settings.setenv("XPUASM_HOME", str(tmp_path / "home"))
    subprocess.run([supported, "-m", "venv", "--without-pip", tmp_path / "home/child"], check=True)
    asked: list[str] = []

    with pytest.raises(SetupError, match="nothing was downloaded"):
        childenv.setup(python=supported, yes=lambda text: bool(asked.append(text)))

    assert "MB to download" in asked[0]
    assert not list((tmp_path / "home/child").glob("lib/python3*/site-packages/torch"))
    assert childenv.remove() == tmp_path / "home/child"
    assert not (tmp_path / "home/child").exists()
    assert childenv.remove() is None


def test_an_index_that_lacks_the_packages_or_cannot_be_reached_is_one_sentence(settings, tmp_path, bare):
    pip = maker.Pip(bare / "bin/python")  # has no pip: the running interpreter's serves it

    settings.setenv("XPUASM_PIP_ARGS", f"--find-links {tmp_path}")
    with pytest.raises(SetupError, match=r"does not offer what is needed .*torch==2\.13\.0") as lacking:
        pip.plan(["torch==2.13.0"], tmp_path / "report.json")
    settings.delenv("PIP_NO_INDEX")
    settings.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    settings.setenv("PIP_RETRIES", "1")
    with pytest.raises(SetupError, match="could not reach its package index") as unreachable:
        pip.plan(["torch==2.13.0"], tmp_path / "report.json")

    assert "\n" not in str(lacking.value) + str(unreachable.value)


def test_a_home_that_cannot_be_written_names_XPUASM_HOME(monkeypatch):  # noqa: N802  its own name
    monkeypatch.setenv("XPUASM_HOME", "/proc/xpuasm")

    with pytest.raises(SetupError, match="set XPUASM_HOME"):
        childenv.setup(python=sys.executable)


def test_a_foreign_processor_is_refused(empty_home, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")

    with pytest.raises(SetupError, match=r"x86-64 only.*aarch64.*portable"):
        childenv.setup()

    assert not empty_home.exists()


def test_sizes_that_an_index_does_not_tell_are_said_to_be_unknown(tmp_path):
    coming = [Coming("torch", "2.13.0+cpu", 200_000_000), Coming("triton-xpu", "3.3.0b1", None)]

    text = maker.sizes(coming, tmp_path)

    assert text.startswith("torch 2.13.0+cpu, triton-xpu 3.3.0b1 and 0 packages beside: 200 MB to download")
    assert "1 of unknown size" in text
    assert "CUDA" not in text


# --- the interpreter to make it from ---


def stub_python(path: Path, answer: str) -> Path:
    path.write_text(f"#!/bin/sh\necho {answer}\n")
    path.chmod(0o755)
    return path


def test_a_version_without_wheels_is_refused(tmp_path):
    newer = stub_python(tmp_path / "python3.14", "3.14 cpython")
    other = stub_python(tmp_path / "pypy", "3.11 pypy")

    with pytest.raises(UsageError, match=r"is CPython 3\.14; triton-xpu needs CPython 3\.10, 3\.11, 3\.12"):
        pythons.base_python(str(newer), print)
    with pytest.raises(UsageError, match="no working CPython"):
        pythons.base_python(str(other), print)


def test_python_311_is_preferred_and_a_broken_one_passed_over(empty_home, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    stub_python(tmp_path / "bin/python3.11", "pyenv: version not installed")
    good = stub_python(tmp_path / "bin/python3.12", "3.12 cpython")
    monkeypatch.setattr(pythons, "_candidates", lambda version: iter([tmp_path / f"bin/python{version}"]))

    assert pythons.base_python(None, print) == good

    stub_python(tmp_path / "bin/python3.11", "3.11 cpython")
    assert pythons.base_python(None, print) == tmp_path / "bin/python3.11"


def test_an_earlier_releases_python_is_brought_from_the_archive_without_root(empty_home, monkeypatch):
    monkeypatch.setattr(pythons, "_candidates", lambda version: iter(()))
    told: list[str] = []

    brought = pythons.base_python(None, told.append)

    assert pythons.runs_as(brought) in pythons.VERSIONS
    assert brought.is_relative_to(empty_home)
    assert "MB to download" in told[-1]
    assert [path.name for path in (empty_home / "pythons").iterdir()] == [brought.parents[2].name]


def test_where_none_can_be_brought_one_sentence_says_what_to_install(empty_home, monkeypatch):
    def refuse(_progress):
        raise SetupError("no network")

    monkeypatch.setattr(pythons, "_candidates", lambda version: iter(()))
    monkeypatch.setattr(pythons, "_from_archive", refuse)
    monkeypatch.setattr(pythons, "_from_uv", refuse)

    with pytest.raises(SetupError, match=r"needs CPython 3\.10, 3\.11 or 3\.12.*install python3\.11"):
        pythons.base_python(None, print)
