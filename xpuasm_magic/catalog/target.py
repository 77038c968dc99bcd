"""The device that Triton's metadata or a run's record names -> its row, to hold a binary's product against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xpuasm_magic.offline.devices import DEVICES, Device, find_device

_PRODUCTS = {"pvc": "pvc", "bmg": "bmg", "lnl": "lnl", "ptl": "ptl", "arl-h": "arl-h", "acm-g10": "dg2"}
"""What a zebin calls a family."""


def named_device(metadata: Mapping[str, Any], run_device: Mapping[str, Any]) -> Device | None:
    """The device that a variant was compiled for; None: no device of ours is named."""
    target = metadata.get("target")
    arch = target.get("arch") if isinstance(target, dict) else None
    if isinstance(arch, dict) and (found := _row(arch)):
        return found
    for field in ("card", "ocloc", "name"):
        name = run_device.get(field)
        if isinstance(name, str):
            try:
                return find_device(name)
            except ValueError:
                continue
    return None


def product_of(device: Device) -> str | None:
    return _PRODUCTS.get(device.family)


def _row(arch: Mapping[str, Any]) -> Device | None:
    """By what tells families apart: the card's own name and number, then its IP version."""
    for device in DEVICES:
        if device.title == arch.get("name") or device.device_id == arch.get("device_id"):
            return device
    version = arch.get("version")
    return next((d for d in DEVICES if ".".join(map(str, d.ip_version)) == version), None)
