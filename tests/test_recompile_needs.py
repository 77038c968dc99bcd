"""What a SPIR-V module asks of a device, and that the compiler agrees with what is refused."""

from __future__ import annotations

import pytest

from xpuasm_magic import toolchain
from xpuasm_magic.childenv import find_child
from xpuasm_magic.errors import ParseError
from xpuasm_magic.offline.devices import DEVICES, find_device
from xpuasm_magic.recompile import ttir
from xpuasm_magic.recompile.needs import FEATURES, lacking, module_needs

TARGETS = {device.ocloc: device for device in DEVICES}


def spirv(corpus, case: str) -> bytes:
    return next((corpus / "2.40" / "pvc" / case).glob("*.spv")).read_bytes()


@pytest.mark.parametrize(
    ("case", "flags", "widths"),
    [
        ("add", set(), (32,)),
        ("matmul_w16_default", {"has_dpas"}, (16,)),
        ("matmul_bp_w16_default", {"has_dpas", "has_2d_block_io"}, (16,)),
        ("attn_w8_small", {"has_dpas", "has_2d_block_io"}, (16,)),
        ("softmax_w4", set(), (32,)),
    ],
)
def test_a_modules_needs_are_read_from_its_declarations(corpus, case, flags, widths):
    needs = module_needs(spirv(corpus, case))
    assert {feature.flag for feature in needs.features} == flags
    assert needs.sub_group_sizes == widths
    assert not needs.fp64


def test_a_module_cut_anywhere_is_damaged_and_nothing_else(corpus):
    whole = spirv(corpus, "add")
    for end in range(0, len(whole), 61):
        with pytest.raises(ParseError):
            module_needs(whole[:end])
    with pytest.raises(ParseError, match="not a SPIR-V module"):
        module_needs(b"\x7fELF" + whole)


@pytest.mark.parametrize("target", TARGETS)
def test_a_features_extension_is_the_one_that_its_flag_stands_for(target):
    extensions = toolchain.device_flags_query(target)
    assert {f.flag: getattr(TARGETS[target], f.flag) for f in FEATURES} == {
        f.flag: f.extension in extensions for f in FEATURES
    }


def test_nothing_is_lacking_where_the_module_was_made_for(corpus):
    for case in ("add", "matmul_bp_w16_default", "trans"):
        needs = module_needs(spirv(corpus, case))
        assert lacking(needs, find_device("pvc"), "pvc", slm_bytes=128 << 10, flags="") is None


def test_a_refused_2d_block_module_is_one_that_the_compiler_cannot_build(corpus, tmp_path):
    data = spirv(corpus, "matmul_bp_w16_default")
    said = lacking(module_needs(data), find_device("a770"), "a770", slm_bytes=0, flags="")
    assert said == "the module uses 2D block reads and writes, which a770 does not have (cl_intel_subgroup_2d_block_io)"
    (tmp_path / "m.spv").write_bytes(data)
    assert toolchain.find().compile(tmp_path / "m.spv", tmp_path / "out", "acm-g10").status != "ok"


def test_doubles_are_refused_where_there_are_none_unless_igc_emulates_them(corpus, tmp_path):
    # GIVEN the module of a kernel that adds doubles, made by Triton from the corpus' kernel of floats
    source = next((corpus / "2.40/pvc/add").glob("*.ttir")).read_text().replace("f32", "f64")
    (tmp_path / "add_kernel.ttir").write_text(source)
    job = ttir.Job(tmp_path / "add_kernel.ttir", find_device("pvc"), {"num_warps": 4}, {}, find_child())
    answers = []
    out = tmp_path / "out"
    ttir.run([job], [out], lambda _, answer: answers.append(answer), timeout_s=120, stopped=lambda: False)
    assert [answer["status"] for answer in answers] == ["ok"]
    [module] = out.glob("*.spv")
    needs = module_needs(module.read_bytes())

    # THEN it is refused for the card without them, and the compiler is of the same mind
    assert needs.fp64
    a770, emulated = find_device("a770"), "-cl-fp64-gen-emu"
    assert lacking(needs, find_device("pvc"), "pvc", slm_bytes=0, flags="") is None
    said = lacking(needs, a770, "a770", slm_bytes=0, flags="")
    assert said is not None
    assert "a770 does not have (cl_khr_fp64)" in said
    assert lacking(needs, a770, "a770", slm_bytes=0, flags=emulated) is None
    compiler = toolchain.find()
    assert compiler.compile(module, tmp_path / "plain", a770.ocloc).status != "ok"
    assert compiler.compile(module, tmp_path / "emulated", a770.ocloc, emulated).status == "ok"


def test_sub_groups_and_shared_memory_are_compared_with_the_cards(corpus):
    needs = module_needs(spirv(corpus, "add"))
    assert lacking(needs, find_device("a770"), "a770", slm_bytes=65_537, flags="") == (
        "a work-group needs 65,537 bytes of shared local memory; a770 has 65,536 for one"
    )
    narrow = type(needs)(sub_group_sizes=(8,))
    assert lacking(narrow, find_device("arl-h"), "arl-h", slm_bytes=None, flags="") is None
    assert lacking(narrow, find_device("bmg"), "bmg", slm_bytes=None, flags="") == (
        "the module requires sub-groups of 8; bmg has 16, 32"
    )
