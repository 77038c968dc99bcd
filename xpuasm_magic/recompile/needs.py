"""SPIR-V module bytes -> what the module asks of a device, and which of that a card lacks."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.spirv import is_spirv
from xpuasm_magic.offline.devices import Device

_HEADER_BYTES = 20
_OP_EXTENSION, _OP_EXECUTION_MODE, _OP_CAPABILITY, _OP_FUNCTION, _OP_FUNCTION_END, _OP_DECORATE = 10, 16, 17, 54, 56, 71
_MODE_SUBGROUP_SIZE, _LINKAGE_ATTRIBUTES, _IMPORT, _FLOAT64 = 35, 41, 1, 10
FP64_EMULATION = re.compile(r"-fp64-gen-(?:conv-)?emu\b")
"""IGC's options that make doubles work where the hardware has none, e.g. `-cl-fp64-gen-emu`."""


@dataclass(frozen=True)
class Feature:
    """Something that only some devices have. `flag` is the attribute of `Device` that says so."""

    flag: str
    what: str
    extension: str
    """The OpenCL extension by which a device states it; the card table's flags are compared with these."""
    spirv_extension: str
    builtin: re.Pattern[str]
    """Functions that Triton calls for it, as they are imported."""


FEATURES = (
    # _Z42intel_sub_group_2d_block_write_16b_8r16x1cPU3AS1viiiDv2_iPt, __spirv_Subgroup2DBlockLoadINTEL
    Feature(
        flag="has_2d_block_io",
        what="2D block reads and writes",
        extension="cl_intel_subgroup_2d_block_io",
        spirv_extension="SPV_INTEL_2d_block_io",
        builtin=re.compile(r"sub_group_2d_block_|Subgroup2DBlock"),
    ),
    # _Z40intel_sub_group_tf32_tf32_matrix_mad_k8Dv4_fDv8_fS0_
    Feature(
        flag="has_tf32",
        what="matrix multiplication (dpas) of tf32",
        extension="cl_intel_subgroup_matrix_multiply_accumulate_tf32",
        spirv_extension="",
        builtin=re.compile(r"sub_group_tf32_tf32_matrix_mad"),
    ),
    # _Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f
    Feature(
        flag="has_dpas",
        what="matrix multiplication (dpas)",
        extension="cl_intel_subgroup_matrix_multiply_accumulate",
        spirv_extension="SPV_INTEL_subgroup_matrix_multiply_accumulate",
        builtin=re.compile(r"sub_group_\w+_matrix_mad_k\d|SubgroupMatrixMultiplyAccumulate"),
    ),
)


@dataclass(frozen=True)
class Needs:
    """What a module asks of a device, as it declares before its first function."""

    features: tuple[Feature, ...] = ()
    fp64: bool = False
    sub_group_sizes: tuple[int, ...] = ()
    """Those that its kernels require, work-items per hardware thread."""

    def has(self, flag: str) -> bool:
        return any(feature.flag == flag for feature in self.features)


def module_needs(spirv: bytes) -> Needs:
    """Read a module's declarations.

    Raises:
        ParseError: no SPIR-V, or cut short.
    """
    extensions, imported = set(), []
    fp64, widths = False, set()
    for opcode, words, raw in _declarations(spirv):
        if opcode == _OP_CAPABILITY and words and words[0] == _FLOAT64:
            fp64 = True
        elif opcode == _OP_EXTENSION:
            extensions.add(_text(raw))
        elif opcode == _OP_EXECUTION_MODE and len(words) == 3 and words[1] == _MODE_SUBGROUP_SIZE:
            widths.add(words[2])
        elif opcode == _OP_DECORATE and len(words) > 3 and (words[1], words[-1]) == (_LINKAGE_ATTRIBUTES, _IMPORT):
            imported.append(_text(raw[8:]))
    features = tuple(
        feature
        for feature in FEATURES
        if feature.spirv_extension in extensions or any(feature.builtin.search(name) for name in imported)
    )
    return Needs(features, fp64, tuple(sorted(widths)))


def lacking(needs: Needs, device: Device, name: str, *, slm_bytes: int | None, flags: str) -> str | None:
    """Why a module cannot run on a device, in a sentence; None: nothing is known to be missing.

    The card table states what `ocloc query CL_DEVICE_EXTENSIONS` answers (its tests compare them).

    Args:
        needs: of the module.
        device: the card.
        name: what the user calls it.
        slm_bytes: shared local memory of one work-group; None: not known.
        flags: build options; IGC can emulate doubles where they say so.
    """
    for feature in needs.features:
        if not getattr(device, feature.flag):
            return f"the module uses {feature.what}, which {name} does not have ({feature.extension})"
    if needs.fp64 and not device.has_fp64 and not FP64_EMULATION.search(flags):
        return (
            f"the module computes with doubles, which {name} does not have (cl_khr_fp64); "
            "with --options=-cl-fp64-gen-emu IGC emulates them"
        )
    for width in needs.sub_group_sizes:
        if width not in device.sub_group_sizes:
            sizes = ", ".join(map(str, device.sub_group_sizes))
            return f"the module requires sub-groups of {width}; {name} has {sizes}"
    if slm_bytes is not None and slm_bytes > device.local_memory:
        return (
            f"a work-group needs {slm_bytes:,} bytes of shared local memory; {name} has {device.local_memory:,} for one"
        )
    return None


def _declarations(spirv: bytes) -> Iterator[tuple[int, tuple[int, ...], bytes]]:
    """Opcode, operands as words and as bytes, up to the first function (SPIR-V, 2.4 logical layout).

    The functions are only stepped over: of a module that is cut IGC compiles what is there, and says nothing.
    """
    if not is_spirv(spirv):
        raise ParseError("not a SPIR-V module: it does not begin with SPIR-V's magic number")
    at, opcode, declaring = _HEADER_BYTES, 0, True
    while at + 4 <= len(spirv):
        (word,) = struct.unpack_from("<I", spirv, at)
        opcode, size = word & 0xFFFF, (word >> 16) * 4
        if not size or at + size > len(spirv):
            break
        declaring = declaring and opcode != _OP_FUNCTION
        if declaring:
            yield opcode, struct.unpack_from(f"<{size // 4 - 1}I", spirv, at + 4), spirv[at + 4 : at + size]
        at += size
    if at != len(spirv) or opcode != _OP_FUNCTION_END:
        raise ParseError("the SPIR-V module is cut short or damaged")


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("utf-8", "replace")
