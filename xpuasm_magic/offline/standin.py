"""Putting the stand-in in place: what `capture/child.py` calls before the user's code runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import inductor, native, patching, torch_xpu, triton_driver
from .devices import find_device
from .loader import Builds
from .records import Records


@dataclass(frozen=True)
class Config:
    """The parent's wishes; see `capture/child.py`."""

    run: Path
    home: Path
    device: str | None
    """A row's name; None: a real XPU is there, and nothing of the stand-in is put in place."""
    building: bool = True
    """Whether the parent builds variants as they come, so that asking for `n_spills` can be answered."""
    patience_s: float = 600.0

    @staticmethod
    def of(raw: Mapping[str, Any]) -> Config:
        return Config(
            run=Path(raw["run"]),
            home=Path(raw["home"]),
            device=raw.get("device"),
            building=bool(raw.get("builds", True)),
            patience_s=float(raw.get("patience_s", 600.0)),
        )


def install(config: Config, records: Records) -> None:
    """Make `device="xpu"` work in this process; what cannot is written into `records.tiers` and raises when used."""
    if config.device is None:
        _record_only(records)
        return
    device = find_device(config.device)
    torch_xpu.before_import(device, records)
    import torch

    records.versions["torch"] = torch.__version__
    if torch._C._has_xpu and not getattr(torch._C, "_xpuasm", True):  # pragma: no cover
        raise RuntimeError("this torch has XPU support of its own")
    loaded = _native(config, records)
    torch_xpu.after_import(loaded, records)
    builds = Builds(config.run, building=config.building, patience_s=config.patience_s)
    try:
        triton_driver.install(device, records, builds)
        records.tiers.setdefault("jit", "ok")
    except (ImportError, patching.PatchError) as error:
        records.tiers["jit"] = str(error)
    inductor.when_imported(records, loaded, None)
    records.fidelity(f"Device {device.card} ({device.title}): {device.source}.")
    if device.warning:
        records.fidelity(device.warning + ".")
    records.write_summary()


def _native(config: Config, records: Records) -> native.Native | None:
    try:
        return native.load(config.home, records.phase)
    except native.NativeError as error:
        for tier in ("compile", "backward"):
            records.tiers[tier] = str(error)
        records.note(f"{error}. Plain @triton.jit kernels still compile where no xpu tensor is needed.", "error")
        return None


def _record_only(records: Records) -> None:
    """On a real XPU: note what Triton compiles. Nothing else is touched."""
    from . import imports

    imports.after("triton.compiler.compiler", lambda module: _record_variants(records))
    records.write_summary()


def _record_variants(records: Records) -> None:
    try:
        triton_driver.record_variants(records)
    except patching.PatchError as error:
        records.note(f"compiled kernels are not recorded: {error}")
        print(f"xpuasm: {error}", file=sys.stderr)
