"""What Inductor fused into a kernel is read from its wrapper and from what the child saw."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_builder import RUN_PATH, CaptureBuilder

import xpuasm_magic
from xpuasm_magic.analysis.links import link
from xpuasm_magic.analysis.places import origin_text
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Capture, Origin, SourceLoc

ADD = "2.40/pvc/add"
SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def made(tmp_path: Path, corpus: Path) -> CaptureBuilder:
    return CaptureBuilder(tmp_path, corpus)


def test_a_fusion_knows_its_operators_and_the_users_lines(made: CaptureBuilder) -> None:
    wrapper = (
        f"# kernel path: {RUN_PATH}/inductor/k.py\n"
        "# Topologically Sorted Source Nodes: [gelu, mul], Original ATen: [aten.gelu, aten.mul]\n"
        "# Source node to ATen node mapping:\n"
        "triton_poi_fused_gelu_mul_0 = async_compile.triton('triton_poi_fused_gelu_mul_0', '''\n"
    )
    (made.folder / "inductor" / "wrapper.py").write_text(wrapper, encoding="utf-8")
    kernels = [
        {"name": "triton_poi_fused_gelu_mul_0", "lines": [[f"{RUN_PATH}/cell.py", 5], ["/m.py", 31], "odd", [1, 2]]},
        {"name": "another", "lines": [["/other.py", 1]]},
        None,
    ]
    made.lines("inductor_graphs.jsonl", {"graph": 0, "wrapper": "inductor/wrapper.py", "kernels": kernels})
    made.kernel(ADD, fn_file=f"{RUN_PATH}/inductor/k.py")
    assert read_capture(made.folder)["add_kernel"].origin == Origin(
        ops=("aten.gelu", "aten.mul"), lines=(SourceLoc(f"{RUN_PATH}/cell.py", 5), SourceLoc("/m.py", 31))
    )


def test_a_kernel_of_the_users_has_no_origin(made: CaptureBuilder) -> None:
    made.kernel(ADD)
    assert read_capture(made.folder)["add_kernel"].origin is None


@pytest.fixture(scope="module")
def fused() -> Capture:
    """A real run: a training step, and a softmax that Inductor rewrites."""
    return xpuasm_magic.run((SCRIPTS / "fused_lines.py").read_text(encoding="utf-8"), device="pvc")


def test_a_fusion_says_from_which_lines_of_the_cell_it_is_forward_and_backward(fused: Capture) -> None:
    label = fused.info.source["label"]
    told = {kernel.name: origin_text(fused, kernel) for kernel in fused}
    assert told["triton_per_fused_add_gelu_mul_native_layer_norm_0"] == (
        f"gelu, mul, native_layer_norm, add from {label}:14, {label}:15, {label}:16"
    )
    backward = [text or "" for name, text in told.items() if "backward" in name]
    assert len(backward) == 2
    assert all(f"{label}:{line}" in text for text in backward for line in (14, 15, 16))
    rewritten = told["triton_per_fused__softmax_prepare_softmax_online_sin_0"]
    assert rewritten is not None
    assert rewritten.endswith(f"_softmax, sin from {label}:26, {label}:27")


def test_lines_of_inductors_source_link_through_the_whole_chain(fused: Capture) -> None:
    for kernel in fused:
        links = link(kernel)
        stores = [at for at, line in enumerate(links.stages["python"]) if "tl.store(" in line.text]
        assert stores, kernel.name
        for store in stores:
            linked = links.linked_lines("python", store)
            assert set(linked) == {"ttir", "ttgir", "llir", "spirv", "visa_ll", "visa", "isa"}
            assert any("tt.store" in links.stages["ttir"][at].text for at in linked["ttir"])
            assert any("store" in links.stages["isa"][at].text for at in linked["isa"])
