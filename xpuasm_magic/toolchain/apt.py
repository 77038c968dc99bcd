"""Packages from the archive that the machine's apt is configured for, with no root and nothing installed.

apt runs with lists, cache and status of its own in a private folder; its signature checks stay on.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain.sources import Source, parse_deb822, parse_one_line

# Of the machine's apt settings only how to reach an archive and whom to trust is taken over: no hooks (they
# clean the machine's own cache), no further index files (appstream, apt-file), no pins.
_KEPT = re.compile(r"^(Acquire(?!::IndexTargets)|Dir::Etc::(trusted|trustedparts|netrc|netrcparts)\b|APT::Key)")

# apt-get update can end well although an index is missing
_FAILED = re.compile(r"^(E:|W: Failed to fetch|W: Some index files)", re.MULTILINE)

_OFFLINE = "the toolchain can also come from a folder of .deb files: xpuasm toolchain install --from FOLDER"


@dataclass(frozen=True)
class Package:
    """One package of an archive, as apt would download it."""

    name: str
    version: str
    download_bytes: int
    installed_bytes: int


@dataclass(frozen=True)
class Distribution:
    """Which archive family this machine belongs to, and its own suite."""

    family: str
    """`debian` or `ubuntu`."""
    title: str
    codename: str


class AptError(SetupError):
    """apt refused; `kind` says why, so that a caller can try another suite."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def reason(error: SetupError) -> str:
    """The words of a refusal less the advice on toolchains: other things come from the archive too."""
    return re.sub(rf"(;|, or:) {re.escape(_OFFLINE)}$", "", str(error))


def distribution(os_release: str) -> Distribution:
    """From the text of `/etc/os-release`. Raises SetupError on what is neither Debian's nor Ubuntu's kin."""
    pairs = (line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    fields = {key: value.strip().strip('"') for key, value in pairs}
    kin = [fields.get("ID", ""), *fields.get("ID_LIKE", "").split()]
    for family, title in (("ubuntu", "Ubuntu"), ("debian", "Debian")):
        if family in kin:
            own = fields.get(f"{title.upper()}_CODENAME") or fields.get("VERSION_CODENAME", "")
            return Distribution(family=family, title=title, codename=own)
    name = fields.get("PRETTY_NAME") or "this system"
    raise SetupError(f"{name} has no Debian or Ubuntu archive to take the compiler from; {_OFFLINE}")


def machine_distribution() -> Distribution:
    for path in (Path("/etc/os-release"), Path("/usr/lib/os-release")):
        if path.is_file():
            return distribution(path.read_text(encoding="utf-8"))
    raise SetupError(f"there is no /etc/os-release that names this system; {_OFFLINE}")


def base_source(distro: Distribution) -> Source:
    """The entry of apt's configuration that stands for the distribution's own archive."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise SetupError(f"this system has no apt (apt-get, dpkg-deb) to take the compiler with; {_OFFLINE}")
    candidates = own_sources(_configured(), distro)
    if not candidates:
        raise SetupError(
            f"apt's source lists have no entry for {distro.title}'s own archive (suite {distro.codename}, "
            f"component main); add one, or: {_OFFLINE}"
        )
    return candidates[0]


def own_sources(sources: Iterable[Source], distro: Distribution) -> list[Source]:
    """Entries of the distribution itself, the likeliest first; others also name its suites."""
    suites = {distro.codename, "stable", "oldstable", "testing", "unstable", "sid", "devel"}
    own = [s for s in sources if suites & set(s.suites) and "main" in s.components and "cdrom:" not in s.uri]
    return sorted(own, key=lambda s: not s.uri.rstrip("/").endswith(f"/{distro.family}"))


def _configured() -> list[Source]:
    keys = ("LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d")
    shell = subprocess.run(["apt-config", "shell", *keys], capture_output=True, text=True, check=False).stdout
    places = dict(re.findall(r"^(LIST|PARTS)='(.*)'$", shell, re.MULTILINE))
    files = [Path(places.get("LIST", "/etc/apt/sources.list"))]
    parts = Path(places.get("PARTS", "/etc/apt/sources.list.d"))
    if parts.is_dir():
        files += sorted(parts.iterdir())
    found: list[Source] = []
    for path in files:
        if path.is_file() and path.suffix in {".list", ".sources"}:
            text = path.read_text(encoding="utf-8", errors="replace")
            found += (parse_deb822 if path.suffix == ".sources" else parse_one_line)(text)
    return found


class Archive:
    """One suite of an archive, opened in a private folder.

    Args:
        folder: an empty folder for apt's lists and settings; remove it when done.
        source: where the archive is and whose signature it bears.
        suite: e.g. `testing`.
        components: e.g. `("main",)`.
        title: for messages, e.g. `Debian testing`.
    """

    def __init__(self, folder: Path, source: Source, suite: str, components: Sequence[str], title: str) -> None:
        self.title = title
        self._conf = folder / "apt.conf"
        for name in ("lists/partial", "cache/archives/partial", "sources"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        entry = {"Types": "deb", "URIs": source.uri, "Suites": suite, "Components": " ".join(components)}
        entry["Architectures"] = "amd64"
        if source.signed_by:
            entry["Signed-By"] = source.signed_by.replace("\n", "\n ")
        _write_lines(folder / "sources" / "xpuasm.sources", [f"{key}: {value}" for key, value in entry.items()])
        _write_lines(self._conf, [*_machine_settings(), *_private_settings(folder)])

    def update(self) -> None:
        """Fetches the package index, checking its signature."""
        self._apt("apt-get", "-q", "update")

    def resolve(self, packages: Sequence[str], left_out: Sequence[str] = ()) -> list[Package]:
        """The packages and all that they need, as apt's own solver says, less those named in `left_out`."""
        # 'http://…/libigc2_2.40.14-1_amd64.deb' libigc2_2.40.14-1_amd64.deb 26104564 SHA256:…
        uris = self._apt("apt-get", "-qq", "-y", "--no-install-recommends", "--print-uris", "install", *packages)
        rows = re.findall(r"^'[^']+' (?P<name>[^_\s]+)_\S+ (?P<size>\d+)", uris, re.MULTILINE)
        sizes = {name: int(size) for name, size in rows if not name.startswith(tuple(left_out))}
        if not sizes:
            raise AptError("missing", f"{self.title} offers no {', '.join(packages)}; {_OFFLINE}")
        shown = self._apt("apt-cache", "--no-all-versions", "show", *sizes)
        found = []
        for stanza in shown.split("\n\n"):
            fields = dict(re.findall(r"^(Package|Version|Installed-Size): (.*)$", stanza, re.MULTILINE))
            if fields.get("Package") in sizes:
                found.append(
                    Package(
                        name=fields["Package"],
                        version=fields["Version"],
                        download_bytes=sizes[fields["Package"]],
                        installed_bytes=int(fields.get("Installed-Size", "0")) * 1024,
                    )
                )
        return found

    def download(self, packages: Iterable[Package], folder: Path) -> list[Path]:
        """The `.deb` files, their digests checked against the signed index."""
        folder.mkdir(parents=True, exist_ok=True)
        self._apt("apt-get", "-q", "download", *(f"{p.name}={p.version}" for p in packages), cwd=folder)
        return sorted(folder.glob("*.deb"))

    def _apt(self, *command: str, cwd: Path | None = None) -> str:
        environment = {**os.environ, "APT_CONFIG": str(self._conf), "LC_ALL": "C"}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                env=environment,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except OSError as error:
            raise AptError("other", f"{command[0]} could not be started: {error}; {_OFFLINE}") from error
        if done.returncode or _FAILED.search(done.stderr):
            raise _explained(done.stderr, self.title)
        return done.stdout


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _machine_settings() -> list[str]:
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout
    return [line for line in dump.splitlines() if _KEPT.match(line)]


def _private_settings(folder: Path) -> list[str]:
    settings = {
        "Dir::Etc::main": "/dev/null",
        "Dir::Etc::parts": "/dev/null",
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": f"{folder}/sources",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "Dir::State": str(folder),
        "Dir::State::lists": f"{folder}/lists",
        "Dir::State::status": "/dev/null",
        "Dir::Cache": f"{folder}/cache",
        "Debug::NoLocking": "true",
        "APT::Architecture": "amd64",
        "APT::Architectures": "amd64",
        "APT::Sandbox::User": "root",  # only read when root runs this: the folder is the user's alone
        "APT::Update::Error-Mode": "any",
        "APT::Get::AllowUnauthenticated": "false",
        "Acquire::AllowInsecureRepositories": "false",
        "Acquire::AllowWeakRepositories": "false",
        "Acquire::AllowDowngradeToInsecureRepositories": "false",
        "Acquire::Languages": "none",
        "Acquire::Retries": "2",
        "Acquire::http::Timeout": "30",
        "Acquire::https::Timeout": "30",
    }
    return [f'{name} "{value}";' for name, value in settings.items()]


# The first pattern that apt's words match decides the kind and the advice.
_CAUSES = (
    ("disk", r"No space left on device|enough free space", "the disk is full: free some space"),
    (
        "signature",
        r"NO_PUBKEY|EXPKEYSIG|BADSIG|is not signed|signatures? (?:couldn't|were invalid)|sqv returned",
        "its signature could not be checked with apt's keyring for it: update that keyring (package "
        "debian-archive-keyring or ubuntu-keyring)",
    ),
    ("clock", r"is not valid yet|is expired", "its index is not of this date: check the clock"),
    ("mismatch", r"Hash Sum mismatch|unexpected size", "the mirror is changing: try again later"),
    (
        "missing",
        r"Unable to locate package|no installation candidate|unmet dependencies|held broken|was not found",
        "it does not offer the packages",
    ),
    ("suite", r"404 +Not Found|does not have a Release file", "the mirror does not have this suite"),
    (
        "network",
        r"Could not resolve|Temporary failure|Could not connect|Unable to connect|"
        r"Connection (?:failed|refused|timed)|Network is unreachable|Failed to fetch",
        "it could not be reached: check the network and apt's proxy settings, then run this again",
    ),
)  # fmt: skip


def _explained(stderr: str, title: str) -> AptError:
    for kind, pattern, advice in _CAUSES:
        if re.search(pattern, stderr):
            return AptError(kind, f"{title}: {advice} ({_first_error(stderr)}); {_OFFLINE}")
    return AptError("other", f"{title}: apt failed ({_first_error(stderr)}); {_OFFLINE}")


def _first_error(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.startswith(("E:", "W:", "Err:"))]
    return " ".join((lines or [stderr])[0].split())[:300]
