"""Putting the stand-in in place: what `capture/child.py` calls before the user's code runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import failures, inductor, native, observe, patching, tiers, torch_xpu, triton_driver
from .devices import find_device
from .frames import Shown
from .loader import Builds
from .records import Records


@dataclass(frozen=True)
class Config:
    """The parent's wishes; see `capture/child.py`."""

    run: Path
    home: Path
    shown: Shown
    """What is the user's own, and how its lines are called."""
    device: str | None
    """A row's name; None: a real XPU is there, and nothing of the stand-in is put in place."""
    building: bool = True
    """Whether the parent builds variants as they come, so that asking for `n_spills` can be answered."""
    patience_s: float = 600.0
    probing: bool = False
    """Whether this is the run that finds out what works."""

    @staticmethod
    def of(raw: Mapping[str, Any]) -> Config:
        return Config(
            run=Path(raw["run"]),
            home=Path(raw["home"]),
            shown=Shown.of(raw),
            device=raw.get("device"),
            building=bool(raw.get("builds", True)),
            patience_s=float(raw.get("patience_s", 600.0)),
            probing=bool(raw.get("probing")),
        )


class Unusable(RuntimeError):
    """The stand-in cannot be put in place at all."""


def install(config: Config, records: Records) -> None:
    """Make `device="xpu"` work in this process; what cannot is written into `records.tiers` and raises when used.

    Raises:
        Unusable: nothing of it can work with this torch.
    """
    if config.device is None:
        observe.install(records, config.shown)
        records.write_summary()
        return
    device = find_device(config.device)
    torch_xpu.before_import(device, records)
    try:
        import torch
    except patching.PatchError as error:
        raise Unusable(str(error)) from None

    records.versions["torch"] = torch.__version__
    records.fidelity(f"Device {device.card} ({device.title}). {device.source}.")
    if device.warning:
        records.fidelity(f"{device.warning}.")
    loaded = _native(config, records)
    torch_xpu.after_import(loaded, records)
    if not config.probing:
        _consult(config, records, loaded)
    builds = Builds(config.run, building=config.building, patience_s=config.patience_s)
    try:
        triton_driver.install(device, records, builds)
        failures.record(records, config.shown)
    except (ImportError, patching.PatchError) as error:
        records.tiers["jit"] = str(error)
    inductor.when_imported(records, loaded)
    _switch_off(records)
    records.before_summary(lambda: _count_dynamo(records))
    records.write_summary()


def prebuild(home: Path) -> int:
    """`child.py --build-native HOME`: what the first capture would otherwise wait for. The value is an exit status."""
    import torch  # noqa: F401  native reads its version

    def announce(text: str) -> None:
        print(text, flush=True)

    try:
        library = native.build(home, announce)
    except native.NativeError as error:
        print(error, file=sys.stderr)
        return 1
    found = tiers.verdict(home, library, announce)
    for tier, word in found.items():
        print(f"{tier}: {word}")
    return 0 if all(word == "ok" for word in found.values()) else 1


def _native(config: Config, records: Records) -> native.Native | None:
    try:
        return native.load(config.home, records.phase)
    except native.NativeError as error:
        for tier in ("compile", "backward"):
            records.tiers[tier] = str(error)
        records.note(f"{error}. Without it, only kernels whose arguments are no xpu tensors compile.", "error")
        return None


def _consult(config: Config, records: Records, loaded: native.Native | None) -> None:
    if loaded is None:
        records.tiers.setdefault("jit", "ok")
        return
    try:
        found = tiers.verdict(config.home, loaded.path, records.phase)
    except OSError as error:
        records.note(f"whether the stand-in works with this torch and Triton was not checked: {error}")
        return
    for tier, word in found.items():
        records.tiers.setdefault(tier, word)
        if word != "ok":
            records.note(f"{_WHAT[tier]} off on the stand-in device: {word}", "error")


_WHAT = {"jit": "Triton kernels are", "compile": "torch.compile is", "backward": "backward is"}


def _switch_off(records: Records) -> None:
    if not records.is_on("jit") and "triton.runtime.jit" in sys.modules:
        patching.refuse(
            sys.modules["triton.runtime.jit"].JITFunction, "run",
            f"Triton kernels are off on the stand-in device: {records.tiers['jit']}",
        )  # fmt: skip
    if not records.is_on("backward"):
        import torch

        patching.refuse(
            torch.autograd, "_engine_run_backward",
            f"backward is off on the stand-in device: {records.tiers['backward']}",
        )  # fmt: skip


def _count_dynamo(records: Records) -> None:
    """What Dynamo has counted, where it was used."""
    utils = sys.modules.get("torch._dynamo.utils")
    if utils is not None:
        records.counts["graph_breaks"] = sum(utils.counters["graph_break"].values())
        records.counts["compiled_calls"] = records.counts["graph_calls"] + utils.counters["frames"]["total"]
