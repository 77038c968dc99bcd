"""The row of the device that a kernel was compiled for."""

from __future__ import annotations

from collections.abc import Mapping

from xpuasm_magic.model import Kernel
from xpuasm_magic.offline.devices import Device, find_device

_ALIASES: Mapping[str, str] = {"dg2": "acm-g10"}
"""A binary's product family, where the rows have another name. What one Xe core can do is the same in all of it."""


def device_of(kernel: Kernel) -> Device | None:
    """The row, or a card of the same family; what one Xe core can do is the same. None: there is no row."""
    if not kernel.device:
        return None
    try:
        return find_device(_ALIASES.get(kernel.device, kernel.device))
    except ValueError:
        return None
