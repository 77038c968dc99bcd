"""The compiler is found, installed whole or not at all, and run so that every ending is a result."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest

from xpuasm_magic import home, toolchain
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.toolchain import Toolchain, apt
from xpuasm_magic.toolchain.installer import upstream
from xpuasm_magic.toolchain.probe import check_compiles, smallest_module
from xpuasm_magic.toolchain.sources import Source, parse_deb822, parse_one_line

BOOKWORM = apt.Distribution(family="debian", title="Debian", codename="bookworm")
NOBLE = apt.Distribution(family="ubuntu", title="Ubuntu", codename="noble")


@pytest.fixture(scope="module")
def igc2() -> Toolchain:
    return toolchain.install("igc2")  # returns what is there; without one the archive's is put into the shared home


@pytest.fixture(scope="module")
def igc1() -> Toolchain:
    return toolchain.install("igc1")


@pytest.fixture(params=["igc2", "igc1"])
def either(request: pytest.FixtureRequest) -> Toolchain:
    return request.getfixturevalue(request.param)


@pytest.fixture
def spv(tmp_path: Path) -> Path:
    path = tmp_path / "größe k.spv"
    path.write_bytes(smallest_module())
    return path


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XPUASM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Gives apt a source list of its own, as a machine with that configuration has it."""

    def configure(uri: str, signed_by: str | None = "/usr/share/keyrings/debian-archive-keyring.gpg") -> None:
        folder = tmp_path / "etc"
        (folder / "parts").mkdir(parents=True)
        lines = ["Types: deb", f"URIs: {uri}", f"Suites: {apt.machine_distribution().codename}", "Components: main"]
        if signed_by:
            lines.append(f"Signed-By: {signed_by}")
        (folder / "parts" / "own.sources").write_text("\n".join(lines) + "\n")
        (folder / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{folder}/parts";\n'
            'Acquire::AllowInsecureRepositories "true";\n'
        )
        monkeypatch.setenv("APT_CONFIG", str(folder / "apt.conf"))

    return configure


def files(folder: Path) -> list[str]:
    """What an installation left, its lock file aside."""
    return sorted(path.name for path in (folder / "toolchains").glob("*") if path.name != ".lock")


# --- compile ---


def test_both_generations_write_a_zebin_a_log_and_a_dump_under_the_same_names(either, spv, tmp_path):
    out = tmp_path / "out dir"

    result = either.compile(spv, out, "pvc", "-cl-intel-256-GRF-per-thread", 60)

    assert (result.status, result.exit, result.error) == ("ok", 0, None)
    assert (out / "kernel.bin").read_bytes()[:4] == b"\x7fELF"
    assert sorted(path.name for path in out.iterdir()) == ["dump", "kernel.bin", "ocloc.log"]
    [listing] = (out / "dump").glob("*.asm")
    assert "//.kernel k\n" in listing.read_text()
    assert "numGRF=256" in listing.read_text()
    assert next((out / "dump").glob("*.dat")).read_bytes() in (out / "kernel.bin").read_bytes()


def test_passes_are_dropped_unless_asked_for(igc2, spv, tmp_path):
    igc2.compile(spv, tmp_path / "few", "bmg", "", 60)
    igc2.compile(spv, tmp_path / "all", "bmg", "", 60, keep_passes=True)

    few = {path.name for path in (tmp_path / "few/dump").iterdir()}
    every = {path.name for path in (tmp_path / "all/dump").iterdir()}
    assert every - few == {n for n in every if n.endswith(".ll") and not n.endswith(".visa.ll")}
    assert any(name.endswith(".visa.ll") for name in few)


def test_the_repro_command_repeats_the_build(either, spv, tmp_path):
    result = either.compile(spv, tmp_path / "out", "pvc", "", 60)
    before = {path.name for path in (tmp_path / "out/dump").glob("*.asm")}
    shutil.rmtree(tmp_path / "out/dump")

    subprocess.run(result.repro, shell=True, check=True, capture_output=True)

    assert {path.name for path in (tmp_path / "out/dump").glob("*.asm")} == before


def test_the_users_igc_switches_do_not_leak_in_and_explicit_ones_do(igc2, spv, tmp_path, monkeypatch):
    monkeypatch.setenv("IGC_ShaderDumpEnable", "0")
    monkeypatch.setenv("IGC_DumpUseShorterName", "0")
    igc2.compile(spv, tmp_path / "plain", "pvc", "", 60)
    igc2.compile(spv, tmp_path / "named", "pvc", "", 60, env={"IGC_DumpUseShorterName": "0"})

    assert [p.name for p in (tmp_path / "plain/dump").glob("*_entry_0001.asm")]
    assert [p.name for p in (tmp_path / "named/dump").glob("*_k.asm")]


def test_an_unknown_device_fails_with_the_compilers_words(either, spv, tmp_path):
    result = either.compile(spv, tmp_path / "out", "pvx", "", 60)

    assert result.status == "failed"
    assert "Cannot get HW Info for device pvx" in result.error
    assert str(result.exit) in result.error
    assert "-device pvx" in result.repro


def test_what_is_no_spirv_fails(either, tmp_path):
    (tmp_path / "bad.spv").write_text("hello")

    result = either.compile(tmp_path / "bad.spv", tmp_path / "out", "pvc", "", 60)

    assert result.status == "failed"
    assert "wrong magic numbers" in result.error


def test_a_crash_of_the_compiler_is_a_result_and_its_partial_dump_stays(igc2, corpus, tmp_path):
    module = corpus / "2.40/acm-g10/attn_w8_small/attn_kernel.spv"  # 2D-block builtins that acm-g10 lacks

    result = igc2.compile(module, tmp_path / "out", "acm-g10", "", 60)

    assert result.status in {"crashed", "failed"}
    assert result.exit != 0
    assert result.error
    assert not (tmp_path / "out/kernel.bin").exists()
    assert list((tmp_path / "out/dump").glob("*.spv"))


def test_a_time_limit_kills_the_compiler_and_all_that_it_started(tmp_path, spv):
    slow = tmp_path / "ocloc"
    slow.write_text("#!/bin/sh\n[ $1 = query ] && exit\necho begun\nsleep 60 & echo $! > child.pid\nwait\n")
    slow.chmod(0o755)
    started = time.monotonic()

    result = toolchain.find(str(slow)).compile(spv, tmp_path / "out", "pvc", "", 0.5)

    assert (result.status, result.exit) == ("timeout", None)
    assert "0.5 s" in result.error
    assert time.monotonic() - started < 20
    assert (tmp_path / "out/ocloc.log").read_text() == "begun\n"
    assert not running(int((tmp_path / "out/child.pid").read_text()))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_cancelled_build_ends_at_once(tmp_path, spv):
    slow = tmp_path / "ocloc"
    slow.write_text("#!/bin/sh\n[ $1 = query ] && exit\nsleep 60\n")
    slow.chmod(0o755)
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()

    result = toolchain.find(str(slow)).compile(spv, tmp_path / "out", "pvc", "", 60, cancel=cancel)

    assert result.status == "interrupted"
    assert result.seconds < 20


def test_an_ocloc_that_is_gone_is_a_failed_build(igc2, spv, tmp_path):
    gone = Toolchain(name="gone", ocloc=tmp_path / "no", command=(str(tmp_path / "no"),), igc="2.0", version="1")

    result = gone.compile(spv, tmp_path / "out", "pvc", "", 60)

    assert result.status == "failed"
    assert "ocloc could not run" in result.error


def test_a_second_build_into_a_folder_leaves_nothing_of_the_first(igc2, spv, tmp_path):
    igc2.compile(spv, tmp_path / "out", "pvc", "", 60)

    result = igc2.compile(spv, tmp_path / "out", "pvx", "", 60)

    assert result.status == "failed"
    assert not (tmp_path / "out/kernel.bin").exists()
    assert not list((tmp_path / "out/dump").iterdir())


def test_the_device_query_tells_extensions(igc2):
    pvc = toolchain.device_flags_query("pvc", igc2)

    assert "cl_khr_fp64" in pvc
    assert "cl_intel_subgroup_2d_block_io" not in toolchain.device_flags_query("acm-g10", igc2)
    with pytest.raises(SetupError, match="pvx"):
        toolchain.device_flags_query("pvx", igc2)


# --- find ---


def test_a_toolchain_is_found_by_name_generation_version_and_path(igc2, igc1):
    assert toolchain.find() == toolchain.installed()[0]
    assert toolchain.find().generation == 2
    assert toolchain.find("igc1") == toolchain.find(igc1.name) == toolchain.find("1.0") == igc1
    assert toolchain.find("igc2").igc.startswith("2.")
    assert toolchain.find(str(igc1.ocloc)) == igc1
    assert toolchain.find(str(home.toolchains_home() / igc1.name)) == igc1


def test_a_folder_of_unpacked_packages_is_a_toolchain(igc2, spv, tmp_path):
    root = home.toolchains_home() / igc2.name / "root"
    link = tmp_path / "unpacked"
    link.symlink_to(root)

    found = toolchain.find(str(link))

    assert found.igc == igc2.igc
    assert igc2.version.startswith(found.version.split(".")[0])
    assert found.compile(spv, tmp_path / "out", "pvc", "", 60).status == "ok"


def test_the_ocloc_on_path_is_taken_where_none_is_installed(igc2, empty_home, tmp_path, monkeypatch):
    wrapper = tmp_path / "bin" / "ocloc"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join(igc2.command)} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)

    found = toolchain.find()

    assert (found.name, found.ocloc, found.origin) == ("system", wrapper, "PATH")
    assert igc2.version.split(".")[0] == found.version.split(".")[0]
    assert toolchain.find("system") == found


def test_nothing_installed_says_how_to_install(empty_home, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(SetupError, match="xpuasm toolchain install"):
        toolchain.find()
    with pytest.raises(SetupError, match="installed: none"):
        toolchain.find("igc2")
    with pytest.raises(UsageError, match="neither an ocloc nor a folder"):
        toolchain.find("/nowhere/ocloc")


def test_a_damaged_description_says_what_to_delete(empty_home):
    prefix = empty_home / "toolchains" / "igc-9.9"
    prefix.mkdir(parents=True)
    (prefix / "toolchain.json").write_text("{")

    with pytest.raises(SetupError, match=r"igc-9\.9.*damaged.*delete"):
        toolchain.installed()


# --- install ---


def test_install_finds_what_is_installed_and_asks_no_archive(igc2, monkeypatch):
    monkeypatch.setenv("APT_CONFIG", "/dev/full")
    told: list[str] = []

    assert toolchain.install("igc2", progress=told.append) == toolchain.find("igc2")
    assert told == [f"{toolchain.find('igc2').name} is installed already"]


def test_an_upgrade_reads_the_archive_with_signatures_checked_and_tells_sizes_first(igc2, empty_home, monkeypatch):
    told: list[str] = []

    def stop(self, packages, folder):
        raise apt.AptError("network", "stopped before the download")

    monkeypatch.setattr(apt.Archive, "download", stop)

    with pytest.raises(SetupError, match="stopped before the download"):
        toolchain.install("igc2", progress=told.append, upgrade=True)

    assert "package index" in told[0]
    assert "MB to download" in told[-1]
    assert "MB on disk" in told[-1]
    assert files(empty_home) == []


def make_deb(folder: Path, name: str, version: str, tree: Path, architecture: str = "amd64") -> Path:
    (tree / "DEBIAN").mkdir(parents=True, exist_ok=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
        "Maintainer: a test <a@test.invalid>\nDescription: for a test\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    deb = folder / f"{name}_{version}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--build", str(tree), str(deb)], check=True, capture_output=True)
    return deb


def test_vendor_packages_from_a_folder_become_a_toolchain(igc2, empty_home, spv, tmp_path):
    libraries = Path(igc2.command[2].split(":")[0])
    ocloc, igc = tmp_path / "ocloc", tmp_path / "igc"  # a vendor's layout: /usr/local/lib
    (ocloc / "usr/bin").mkdir(parents=True)
    os.link(igc2.ocloc, ocloc / "usr/bin/ocloc")
    for tree, pattern in ((ocloc, "libocloc.so*"), (igc, "libig*.so*"), (igc, "libstdc++.so*"), (igc, "libz.so*")):
        (tree / "usr/local/lib").mkdir(parents=True, exist_ok=True)
        for library in libraries.glob(pattern):
            shutil.copy(library, tree / "usr/local/lib", follow_symlinks=False)
    make_deb(tmp_path / "debs", "intel-ocloc", "26.99.1-0", ocloc)
    make_deb(tmp_path / "debs", "intel-igc-core-2", "2.99.7+1234", igc)
    libc = tmp_path / "libc"
    (libc / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
    for pattern in ("ld-linux-*", "lib[cm].so*", "lib*pthread.so*", "libdl.so*", "libgcc_s.so*"):
        for library in libraries.glob(pattern):
            shutil.copy(library, libc / "usr/lib/x86_64-linux-gnu", follow_symlinks=False)
    make_deb(tmp_path / "debs", "libc6", "2.99", libc)
    (empty_home / "toolchains/.installing-old").mkdir(parents=True)  # left by an installation that was killed

    made = toolchain.install(from_folder=tmp_path / "debs")

    assert (made.name, made.igc, made.version) == ("igc-2.99.7", "2.99.7", "26.99.1")
    assert made.origin == str(tmp_path / "debs")
    assert files(empty_home) == ["igc-2.99.7"]
    assert made.compile(spv, tmp_path / "out", "pvc", "", 60).status == "ok"
    assert toolchain.remove("igc-2.99.7") == empty_home / "toolchains/igc-2.99.7"
    assert files(empty_home) == []


def test_a_compiler_for_a_newer_system_is_told_what_it_lacks(spv, tmp_path):
    newer = tmp_path / "ocloc"
    newer.write_text('#!/bin/sh\necho "ocloc: libc.so.6: version \\`GLIBC_9.99\' not found" >&2\nexit 1\n')
    newer.chmod(0o755)

    with pytest.raises(SetupError, match=r"needs a newer C library.*libc6.*GLIBC_9\.99"):
        check_compiles(toolchain.find(str(newer)), tmp_path / "probe")


def test_a_folder_without_the_compiler_is_refused_and_leaves_nothing(igc2, empty_home, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "text").mkdir()
    (tmp_path / "text/a.deb").write_text("not a package")
    make_deb(tmp_path / "half", "intel-ocloc", "1", tmp_path / "tree1")
    make_deb(tmp_path / "foreign", "intel-ocloc", "1", tmp_path / "tree2", architecture="arm64")
    (tmp_path / "tree3/usr/bin").mkdir(parents=True)
    (tmp_path / "tree4/usr/lib").mkdir(parents=True)
    (tmp_path / "tree3/usr/bin/ocloc").write_text("no program")
    (tmp_path / "tree4/usr/lib/libigc.so.2.1.0").write_text("no library")
    make_deb(tmp_path / "broken", "intel-ocloc", "1", tmp_path / "tree3")
    make_deb(tmp_path / "broken", "libigc2", "2.1.0", tmp_path / "tree4")

    for folder, words in (
        ("none", "no .deb file"),
        ("text", "not a readable .deb"),
        ("half", "lacks IGC"),
        ("foreign", "arm64"),
        ("broken", "does not compile"),
    ):
        with pytest.raises(SetupError, match=words):
            toolchain.install(from_folder=tmp_path / folder)
    with pytest.raises(UsageError, match="not a folder"):
        toolchain.install(from_folder=tmp_path / "missing")
    assert files(empty_home) == []


def test_an_archive_that_cannot_be_reached_is_one_sentence_and_leaves_nothing(empty_home, sources):
    sources("http://127.0.0.1:9/debian")

    with pytest.raises(SetupError, match=r"could not be reached: check the network.*--from FOLDER$") as caught:
        toolchain.install("igc2")

    assert "\n" not in str(caught.value)
    assert files(empty_home) == []


def local_archive(folder: Path, packages: str = "") -> str:
    """An unsigned archive for every suite that may be asked for."""
    for suite in ("testing", "sid"):
        index = folder / "dists" / suite / "main/binary-amd64"
        index.mkdir(parents=True)
        (index / "Packages").write_text(packages)
        (folder / "dists" / suite / "Release").write_text(f"Suite: {suite}\nComponents: main\nArchitectures: amd64\n")
    return f"file:{folder}"


def test_an_unsigned_archive_is_refused_whatever_the_machines_apt_allows(empty_home, sources, tmp_path):
    sources(local_archive(tmp_path / "archive"))

    with pytest.raises(SetupError, match="signature could not be checked"):
        toolchain.install("igc2")

    assert files(empty_home) == []


def test_a_mirror_without_the_suites_is_said(empty_home, sources, tmp_path):
    (tmp_path / "archive/dists").mkdir(parents=True)
    sources(f"file:{tmp_path}/archive")

    with pytest.raises(SetupError, match=r"Debian sid: .*--from FOLDER"):
        toolchain.install("igc2")

    assert files(empty_home) == []


def test_packages_that_the_archive_lacks_are_said(tmp_path):
    source = apt.base_source(apt.machine_distribution())
    archive = apt.Archive(tmp_path, source, "testing", ["main"], "Debian testing")

    with pytest.raises(apt.AptError, match="does not offer the packages") as caught:
        archive.resolve(["no-such-compiler"])

    assert caught.value.kind == "missing"


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        ("Err:1 http://deb.example.org testing InRelease\nE: You don't have enough free space", "disk"),
        ("W: GPG error: x InRelease: the following signatures couldn't be verified: NO_PUBKEY 1234", "signature"),
        ("E: The repository 'x testing Release' is not signed.", "signature"),
        ("E: Release file for x is not valid yet (invalid for another 3h)", "clock"),
        ("E: Failed to fetch x  Hash Sum mismatch", "mismatch"),
        ("E: Unable to locate package intel-ocloc", "missing"),
        ("E: The repository 'x devel Release' does not have a Release file.", "suite"),
        ("W: Failed to fetch x  Temporary failure resolving 'deb.example.org'", "network"),
        ("E: something never seen", "other"),
    ],
)
def test_apts_words_become_a_kind_and_an_advice(stderr, kind):
    error = apt._explained(stderr, "Debian testing")

    assert error.kind == kind
    assert str(error).startswith("Debian testing: ")
    assert str(error).endswith("--from FOLDER")
    assert "\n" not in str(error)


def test_a_foreign_processor_is_refused_before_anything_is_fetched(empty_home, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")

    with pytest.raises(SetupError, match=r"x86-64 processors only.*aarch64.*portable"):
        toolchain.install("igc2")

    assert not empty_home.exists()


def test_a_home_that_cannot_be_written_names_XPUASM_HOME(tmp_path, monkeypatch):  # noqa: N802  its own name
    (tmp_path / "file").write_text("in the way")
    for target in (tmp_path / "file", Path("/proc/xpuasm")):
        monkeypatch.setenv("XPUASM_HOME", str(target))
        with pytest.raises(SetupError, match=r"cannot write .* set XPUASM_HOME"):
            toolchain.install("igc2")


def test_a_full_disk_is_said_before_the_download(empty_home, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    monkeypatch.setattr(apt.Archive, "download", lambda *_: pytest.fail("downloaded all the same"))

    with pytest.raises(SetupError, match=r"disk of .* is full \(\d+ MB needed\)"):
        toolchain.install("igc2")

    assert files(empty_home) == []


def test_a_system_without_apt_is_sent_to_the_vendors_packages(empty_home, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(SetupError, match=r"no apt.*--from FOLDER"):
        toolchain.install("igc2")

    assert files(empty_home) == []


def test_an_unknown_recipe_lists_the_known_ones():
    with pytest.raises(UsageError, match="igc2, igc1"):
        toolchain.install("igc3")


def test_the_second_of_two_installations_waits_and_finds_it_done(igc2, empty_home, monkeypatch):
    told: list[str] = []
    fetched: list[str] = []
    begun = threading.Event()

    def first(recipe, scratch, progress):
        fetched.append(recipe.name)
        begun.set()
        time.sleep(0.5)
        target = home.toolchains_home() / igc2.name
        target.mkdir()
        origin = igc2.ocloc.parents[3] / "toolchain.json"
        (target / "toolchain.json").write_text(origin.read_text())
        return toolchain.find(str(target))

    monkeypatch.setattr("xpuasm_magic.toolchain.installer._install_recipe", first)
    other = threading.Thread(target=toolchain.install)
    other.start()
    begun.wait(10)

    made = toolchain.install("igc2", progress=told.append)
    other.join()

    assert fetched == ["igc2"]
    assert told == ["waiting for another installation to end …", f"{igc2.name} is installed already"]
    assert made.name == igc2.name


def test_nothing_in_a_prefix_is_run_as_root_or_setuid(igc2):
    for path in (home.toolchains_home() / igc2.name).rglob("*"):
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID), path


# --- the machine's apt configuration ---


def test_deb822_stanzas_are_read_with_their_key():
    text = (
        "# a comment\nTypes: deb deb-src\nURIs: http://deb.example.org/debian\n"
        "Suites: bookworm bookworm-updates\nComponents: main\nSigned-By:\n"
        " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
        "\nTypes: deb-src\nURIs: http://src.example.org\nSuites: x\nComponents: main\n"
        "\nEnabled: no\nTypes: deb\nURIs: http://off.example.org\nSuites: x\nComponents: main\n"
    )

    assert parse_deb822(text) == [
        Source(
            uri="http://deb.example.org/debian",
            suites=("bookworm", "bookworm-updates"),
            components=("main",),
            signed_by="\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n.\nabc",
        )
    ]


def test_one_line_entries_are_read_with_their_options():
    text = (
        "deb [arch=amd64 signed-by=/k.gpg] http://deb.example.org/debian bookworm main contrib # note\n"
        "deb-src http://deb.example.org/debian bookworm main\n# deb http://off.example.org x main\n"
        "deb mirror+file:/etc/apt/mirrors.list bookworm-updates main\n"
    )

    assert parse_one_line(text) == [
        Source("http://deb.example.org/debian", ("bookworm",), ("main", "contrib"), "/k.gpg"),
        Source("mirror+file:/etc/apt/mirrors.list", ("bookworm-updates",), ("main",)),
    ]


def test_the_distributions_own_archive_is_told_from_others_that_name_its_suite():
    others = [
        Source("http://vendor.example.org/apt", ("bookworm",), ("main",)),
        Source("http://docker.example.org/linux/debian", ("bookworm",), ("stable",)),
        Source("http://deb.example.org/debian-security", ("bookworm-security",), ("main",)),
        Source("cdrom:[Debian]/", ("bookworm",), ("main",)),
    ]
    own = Source("http://deb.example.org/debian/", ("bookworm", "bookworm-updates"), ("main",))

    assert apt.own_sources([*others, own], BOOKWORM) == [own, others[0]]
    ubuntu = Source("http://archive.example.org/ubuntu", ("noble",), ("main", "universe"))
    assert apt.own_sources([*others[:2], ubuntu], NOBLE) == [ubuntu]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ID=debian\nVERSION_CODENAME=bookworm\n", BOOKWORM),
        ("ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n", NOBLE),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n', NOBLE),
    ],
)
def test_the_distribution_is_known_by_its_kin(text, expected):
    assert apt.distribution(text) == expected


def test_another_distribution_is_sent_to_the_vendors_packages():
    with pytest.raises(SetupError, match=r"Fedora Linux 42.*--from FOLDER"):
        apt.distribution('ID=fedora\nPRETTY_NAME="Fedora Linux 42"\n')


def test_the_machines_hooks_and_further_indexes_are_not_taken_over():
    kept = "\n".join(apt._machine_settings())

    assert "Invoke" not in kept
    assert "IndexTargets" not in kept
    assert "Acquire" in kept


def test_versions_lose_what_the_distribution_added():
    assert [upstream(v) for v in ("2.40.14-1", "1:14.0.6-12", "1.0.12504.6-1+deb12u1", "22.3.3+ds1-1")] == [
        "2.40.14",
        "14.0.6",
        "1.0.12504.6",
        "22.3.3",
    ]
