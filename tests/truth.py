"""What must hold of every capture made here, checked by means other than the reader's."""

from __future__ import annotations

import json

from elftools.elf.elffile import ELFFile
from yaml import safe_load

from xpuasm_magic.model import Capture


def messages(capture: Capture) -> str:
    return "\n".join(note.message for note in capture.notes)


def assert_true_rows(capture: Capture) -> None:
    """Every row is tied by its SPIR-V and says what the `.ze_info` of the kept build's zebin says."""
    assert len(capture) > 0, messages(capture) + capture.log
    table = capture.table.set_index("key")
    for kernel in capture:
        decision = json.loads((capture.folder / "igc" / kernel.key / "loader.json").read_text())
        binary = capture.folder / "igc" / kernel.key / decision["kept"] / "kernel.bin"
        with binary.open("rb") as file:
            elf = ELFFile(file)
            info = safe_load(elf.get_section_by_name(".ze_info").data().decode())
            code = elf.get_section_by_name(f".text.{kernel.name}").data()
        [env] = [k["execution_env"] for k in info["kernels"] if k["name"] == kernel.name]
        row = table.loc[kernel.key]
        assert row["match"] == "spirv", kernel.name
        assert row["status"] == "ok"
        assert row["simd"] == env["simd_size"]
        assert row["grf"] == env["grf_count"]
        assert row["spill_bytes"] == env.get("spill_size", 0)
        listing = kernel.listing("isa")
        assert f"//.kernel {kernel.name}\n" in listing.text
        assert code.startswith(kernel.path("isa").with_suffix(".dat").read_bytes())
        assert sum(line.instruction is not None for line in listing.lines) == row["instructions"]
