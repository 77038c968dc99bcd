"""The rule by which Triton's own loader builds a spilling kernel again with more registers, read from that Triton.

Intel's loader is C code inside the package (`triton/backends/intel/driver.c`). The rule moved between versions
(more than 1000 bytes, then any spill, then 16 dwords per lane), so it is read from the installed file and
never assumed. See intel-xpu-backend-for-triton #7615, #7959, #8115 for the moves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GRF_FLAGS = {
    "128": "-cl-intel-128-GRF-per-thread",
    "256": "-cl-intel-256-GRF-per-thread",
    "512": "-cl-intel-512-GRF-per-thread",
    "auto": "-cl-intel-enable-auto-large-GRF-mode",
}

#   constexpr int32_t max_reg_spill = 1000;
_THRESHOLD = re.compile(r"\bmax_reg_spill\s*=\s*(?P<bytes>\d+)\s*;")
#   const char *LARGE_GRF_FLAG{"-cl-intel-256-GRF-per-thread"};
_LARGE_FLAG = re.compile(r'LARGE_GRF_FLAG\s*[{=]\s*\{?\s*"(?P<flag>[^"]+)"')
#   auto [l0_module, l0_kernel, n_spills] = compileLevelZeroObjects(
_BUILD = re.compile(r"auto\s*\[\s*(?P<module>\w+)\s*,\s*\w+\s*,\s*\w+\s*\]\s*=\s*compileLevelZeroObjects\b")


@dataclass(frozen=True)
class LoaderRule:
    """When the loader builds a second time. `threshold_bytes` is spill per hardware thread."""

    threshold_bytes: int
    flag: str
    discards_retry: bool
    """The rebuilt module is bound to new names in an inner block and dropped at its end
    (intel-xpu-backend-for-triton#4286): the first build is what such a version launches."""
    source: str

    @property
    def words(self) -> str:
        return (
            f"more than {self.threshold_bytes:,} bytes of spill and no GRF flag: built again with {self.flag} "
            f"({self.source})"
        )

    def wants_retry(self, build_flags: str, spill_bytes: int) -> bool:
        """Whether the loader would build a kernel of these flags and this spill again."""
        return spill_bytes > self.threshold_bytes and not has_grf_flag(build_flags)


def read_rule(driver_c: str, source: str) -> LoaderRule | None:
    """The rule in the text of a Triton's `driver.c`; None where this text states none that we understand."""
    threshold = _THRESHOLD.search(driver_c)
    flag = _LARGE_FLAG.search(driver_c)
    if not threshold or not flag:
        return None
    builds = _BUILD.findall(driver_c)
    return LoaderRule(
        threshold_bytes=int(threshold["bytes"]),
        flag=flag["flag"],
        discards_retry=len(builds) > 1 and len(set(builds)) == 1,
        source=source,
    )


def installed_rule(site_packages: Path, version: str) -> LoaderRule | None:
    """The rule of the Triton in `site_packages`; None where there is none or its form is not known."""
    path = site_packages / "triton" / "backends" / "intel" / "driver.c"
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return read_rule(text, f"triton-xpu {version}, backends/intel/driver.c")


def recorded_rule(record: Any) -> LoaderRule | None:
    """The rule as a capture recorded it (`loader_rule` of `capture.json`); None where it did not."""
    if not isinstance(record, dict):
        return None
    threshold, flag = record.get("threshold_bytes"), record.get("flag")
    if not isinstance(threshold, int) or not isinstance(flag, str):
        return None
    return LoaderRule(threshold, flag, record.get("discards_retry") is True, str(record.get("source") or "Triton"))


def has_grf_flag(build_flags: str) -> bool:
    """Whether the flags fix a GRF mode, in which case the loader never builds again."""
    return any(flag in build_flags for flag in GRF_FLAGS.values())


def with_grf(build_flags: str, mode: str) -> str:
    """The flags with their GRF mode replaced by `mode` (128, 256, 512, auto)."""
    kept = [flag for flag in build_flags.split() if flag not in GRF_FLAGS.values()]
    return " ".join([*kept, GRF_FLAGS[mode]])


def grf_label(build_flags: str) -> str:
    """`default`, `grf128`, `grf256`, `grf512` or `auto`: the first GRF flag, which is the one IGC heeds."""
    for flag in build_flags.split():
        for mode, known in GRF_FLAGS.items():
            if flag == known:
                return mode if mode == "auto" else f"grf{mode}"
    return "default"
