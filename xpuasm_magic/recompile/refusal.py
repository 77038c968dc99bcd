"""Why a cell cannot be what was asked for: told before a compiler is run."""

from __future__ import annotations

from xpuasm_magic.recompile.axes import device_name
from xpuasm_magic.recompile.cells import Cell
from xpuasm_magic.recompile.needs import Needs, lacking
from xpuasm_magic.recompile.source import Module


def refusal(cell: Cell, module: Module, needs: Needs) -> str | None:
    """Why a module cannot be what was asked for; None: it is compiled."""
    name, kernel = device_name(cell.device), cell.kernel
    threads = cell.device.threads_per_eu
    if cell.grf not in (None, "auto") and int(cell.grf or 0) not in threads:
        counts = ", ".join(map(str, threads))
        return f"{name} has no mode of {cell.grf} registers; it has {counts}"
    static = kernel.env.slm_size if kernel.env else None
    shared = module.numbers["shared"]
    slm = None if static is None and shared is None else (static or 0) + (shared or 0)
    missing = lacking(needs, cell.device, name, slm_bytes=slm, flags=cell.flags)
    return missing or _too_wide(cell, module)


def _too_wide(cell: Cell, module: Module) -> str | None:
    """A work-group runs on one Xe core: its sub-groups have to fit there, at that number of registers."""
    warps = module.numbers["num_warps"]
    if not isinstance(warps, int) or not cell.grf_mode.isdecimal():
        return None
    device = cell.device
    threads = device.threads_per_eu.get(int(cell.grf_mode))
    room = None if threads is None else threads * device.xves_per_core
    if room is None or warps <= room:
        return None
    return (
        f"a work-group of {warps} sub-groups does not fit on a Xe core of {device_name(device)} at {cell.grf_mode} "
        f"registers: {device.xves_per_core} vector engines of {threads} hardware threads"
    )


def unaskable(cell: Cell) -> str | None:
    """What is wrong with a wish before Triton is asked."""
    device, change, variant = cell.device, cell.change, cell.kernel.variant
    name = device_name(device)
    if change.threads_per_warp is not None and change.threads_per_warp not in device.sub_group_sizes:
        sizes = ", ".join(map(str, device.sub_group_sizes))
        return f"{name} has sub-groups of {sizes}, not of {change.threads_per_warp}"
    warps, width = change.num_warps or variant.num_warps, change.threads_per_warp or variant.threads_per_warp
    if warps and width and warps * width > device.max_work_group_size:
        return (
            f"{warps} sub-groups of {width} are {warps * width:,} work-items; "
            f"{name} has at most {device.max_work_group_size:,} in a work-group"
        )
    return None
