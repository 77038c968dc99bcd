"""The quickstart, as `make demo` executes it; and the scripts that the exact match is for."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from conftest import SCRIPTS
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from truth import assert_true_rows

import xpuasm_magic
from xpuasm_magic.model import Capture

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "quickstart.ipynb"
NAMES = ("gelu", "reductions", "training", "matmul", "bmg_run")


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> tuple[nbformat.NotebookNode, dict[str, Capture]]:
    """The executed notebook and its captures by name."""
    folder = tmp_path_factory.mktemp("quickstart")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = f"import json; print(json.dumps({{n: str(globals()[n].folder) for n in {NAMES}}}))"
    notebook.cells.append(nbformat.v4.new_code_cell(where))
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    folders = json.loads(notebook.cells.pop().outputs[0].text)
    return notebook, {name: xpuasm_magic.read_capture(path) for name, path in folders.items()}


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_the_quickstart_is_true(executed, name):
    _, captures = executed
    assert captures[name].info.state == "finished"
    assert_true_rows(captures[name])


def test_the_quickstart_has_the_kernels_it_speaks_of(executed):
    _, captures = executed
    assert {k.family for k in captures["gelu"]} == {"pointwise"}
    assert {k.family for k in captures["reductions"]} == {"persistent_reduction", "reduction"}
    assert len({k.name for k in captures["training"]}) >= 3
    [matmul] = captures["matmul"]
    assert matmul.family == "user"
    assert captures["matmul"].table["dpas"].item() > 0
    assert matmul.variant.shared <= 64 * 1024
    assert captures["bmg_run"].info.device["card"] == "b580"
    together = [k.name for n in NAMES[:4] for k in captures[n]]
    assert len(captures["bmg_run"]) >= len(set(together))


def test_no_winner_is_invented_without_a_clock(executed):
    _, captures = executed
    table = captures["gelu"].table
    assert len(table) > 1
    assert table["winner"].isna().all()
    assert table["time_ms"].isna().all()


def test_the_saved_notebook_is_readable_where_no_widget_runs(executed):
    notebook, _ = executed
    cell = next(c for c in notebook.cells if c.source.startswith("%%xpu_asm --device pvc --name gelu"))
    [bundle] = [o.data for o in cell.outputs if "text/html" in o.get("data", {})]
    for form in ("text/html", "text/plain"):
        assert "triton_poi_fused_add_gelu_mul_0" in bundle[form]
    assert 'class="' in bundle["text/html"].split("_main:", 1)[1], "the highlighted ISA is in the saved output"
    assert "<script" not in bundle["text/html"]
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "triton_red_fused" in page
    assert len(nbformat.writes(notebook)) < 2_000_000


def rows(name: str, device: str = "pvc") -> Capture:
    capture = xpuasm_magic.run(SCRIPTS / f"{name}.py", device=device)
    assert_true_rows(capture)
    return capture


def test_configs_of_one_name_have_each_their_own_listing():
    capture = rows("autotuned_matmul")
    by_name: dict[str, list[str]] = {}
    for kernel in capture:
        by_name.setdefault(kernel.name, []).append(kernel.listing("isa").text)
    assert any(len(texts) >= 3 for texts in by_name.values()), {n: len(t) for n, t in by_name.items()}
    for texts in by_name.values():
        assert len(set(texts)) == len(texts)


def test_names_that_begin_another_name_are_kept_apart():
    names = [kernel.name for kernel in rows("prefix_names")]
    assert any(a != b and b.startswith(a) for a in names for b in names)


def test_variants_that_differ_in_grf_mode_alone_have_each_their_own_build():
    capture = rows("grf_pair")
    small, large = sorted(capture, key=lambda k: k.env.grf_count)
    assert (small.env.grf_count, large.env.grf_count) == (128, 256)
    assert small.path("spv").read_bytes() == large.path("spv").read_bytes()
    assert small.listing("isa").text != large.listing("isa").text


def test_a_spilling_kernel_is_the_row_that_the_loaders_rule_asks_for():
    capture = rows("spill")
    [kernel] = capture
    [rejected] = [attempt for attempt in kernel.attempts if attempt.label == "pvc-default"]
    assert (kernel.env.grf_count, rejected.env.grf_count) == (256, 128)
    assert rejected.env.spill_size > 1000
    assert kernel.env.spill_size < rejected.env.spill_size
    assert "1,000 bytes" in rejected.reason
    assert "//.kernel" in rejected.stages["isa"].parse(rejected.stages["isa"].path).text
    assert any("#4286" in note.message for note in kernel.notes)
