"""`make demo`: execute the quickstart notebook with no GPU; leave it, and an HTML report, in the folder given."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from xpuasm_magic import read_capture
from xpuasm_magic.view.html import report_html
from xpuasm_magic.view.text import summary_text

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "quickstart.ipynb"
CAPTURES = "import json; print(json.dumps({n: str(v.folder) for n, v in globals().items() if hasattr(v, 'kernels')}))"


def main(target: Path) -> int:
    target.mkdir(exist_ok=True)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(target)}})
    start = time.monotonic()
    status = 0
    with client.setup_kernel():
        code = [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        for position, (index, cell) in enumerate(code, 1):
            first = cell.source.splitlines()[0]
            print(f"[{time.monotonic() - start:5.1f} s] cell {position} of {len(code)}: {first}", flush=True)
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                print(error, file=sys.stderr)
                status = 1
                break
        asked = nbformat.v4.new_code_cell(CAPTURES)
        notebook.cells.append(asked)
        client.execute_cell(asked, len(notebook.cells) - 1)
        notebook.cells.pop()
        folders = json.loads(asked.outputs[0].text) if asked.outputs else {}
    executed = target / "quickstart.ipynb"
    nbformat.write(notebook, executed)
    for name, folder in folders.items():
        print(f"\n== {name}: {folder}")
        print(summary_text(read_capture(folder)))
    if folders:
        report = target / "report.html"
        report.write_text(report_html(read_capture(list(folders.values())[-1])), encoding="utf-8")
        print(f"\nthe executed notebook: {executed}\nthe HTML report:       {report}")
    print(f"{time.monotonic() - start:.0f} s")
    return status


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
