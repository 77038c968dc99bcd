"""apt's source entries, in both of their formats."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """One archive that apt is configured for: everything of an entry that says where and whom to trust."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str | None = None
    """A keyring's path, a fingerprint, or a whole key (with its line breaks), as the entry has it."""


def parse_deb822(text: str) -> list[Source]:
    """The enabled `deb` stanzas of a `.sources` file."""
    found = []
    for stanza in _stanzas(text):
        enabled = stanza.get("enabled", "yes").lower() not in {"no", "false"}
        if not enabled or "deb" not in stanza.get("types", "").split():
            continue
        for uri in stanza.get("uris", "").split():
            found.append(
                Source(
                    uri=uri,
                    suites=tuple(stanza.get("suites", "").split()),
                    components=tuple(stanza.get("components", "").split()),
                    signed_by=_key(stanza.get("signed-by", "")),
                )
            )
    return found


def _key(value: str) -> str | None:
    """A key within the entry keeps the line break before it: apt knows it by that."""
    return (value if "-----BEGIN PGP" in value else value.strip()) or None


def _stanzas(text: str) -> list[dict[str, str]]:
    """Fields by lower-case name; a line that starts with a space continues the field before it."""
    stanzas: list[dict[str, str]] = [{}]
    field = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line.strip():
            stanzas.append({})
            field = ""
        elif line[0] in " \t":
            if field:
                stanzas[-1][field] += f"\n{line.strip()}"
        elif ":" in line:
            name, value = line.split(":", 1)
            field = name.strip().lower()
            stanzas[-1][field] = value.strip()
    return [stanza for stanza in stanzas if stanza]


# deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://deb.example.org/debian bookworm main contrib
_ONE_LINE = re.compile(r"^deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)(?P<components>[^#]*)")


def parse_one_line(text: str) -> list[Source]:
    """The `deb` lines of a `sources.list`."""
    found = []
    for line in text.splitlines():
        match = _ONE_LINE.match(line.strip())
        if not match:
            continue
        options = dict(part.split("=", 1) for part in (match["options"] or "").split() if "=" in part)
        found.append(
            Source(
                uri=match["uri"],
                suites=(match["suite"],),
                components=tuple(match["components"].split()),
                signed_by=options.get("signed-by"),
            )
        )
    return found
