"""The tours, executed: what each says in its text is what its outputs show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from xpuasm_magic import toolchain

TOURS = Path(__file__).parent.parent / "notebooks"


def executed(name: str, told: str, folder: Path) -> Any:
    """The value of an expression (as JSON has it) after the tour has run."""
    notebook = nbformat.read(TOURS / f"{name}.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(f"import json; print(json.dumps({told}))"))
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return json.loads(notebook.cells[-1].outputs[0].text)


def test_more_registers_or_more_warps_cure_the_spilling_kernel(tmp_path: Path) -> None:
    figures = "[what_if.table['spill_bytes'].tolist(), more_warps.table['spill_bytes'].tolist(), kernel.explain().text]"
    (small, large), warps, story = executed("tour_spill_cured", figures, tmp_path)
    assert re.search(r"In\[2\]:15 costs \d+ of \d+ spills and \d+ of \d+ fills", story)
    assert small > 0 == large
    assert warps[0] == small
    assert warps[1:] == [0, 0]


def test_one_kernel_on_two_devices_is_one_pair(tmp_path: Path) -> None:
    figures = "[k.device for c in (on_pvc, on_bmg) for k in c] + [len(xpuasm_magic.diff(on_pvc, on_bmg).pairs)]"
    assert executed("tour_pvc_bmg", figures, tmp_path) == ["pvc", "bmg", 1]


def test_two_generations_of_the_compiler_build_the_same_module(tmp_path: Path) -> None:
    toolchain.install("igc1")
    figures = "what_if.table[['toolchain', 'status']].values.tolist()"
    rows = executed("tour_compilers", figures, tmp_path)
    assert {status for _, status in rows} == {"ok"}
    assert len({name for name, _ in rows}) >= 2


def test_the_tour_of_compilers_says_what_brings_the_older_one(monkeypatch: Any, capsys: Any) -> None:
    notebook = nbformat.read(TOURS / "tour_compilers.ipynb", as_version=4)
    [cell] = [cell for cell in notebook.cells if "installed()" in cell.source]
    newest = toolchain.find()
    monkeypatch.setattr(toolchain, "installed", lambda: [newest])
    exec(cell.source, {})
    assert "xpuasm toolchain install igc1" in capsys.readouterr().out


def test_the_line_that_makes_two_versions_differ_is_named(tmp_path: Path) -> None:
    assert "In[3]:11 changed" in executed("tour_two_versions", "changes.summary", tmp_path)
