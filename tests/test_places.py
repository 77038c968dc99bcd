from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.analysis.places import cell_sources, place
from xpuasm_magic.model import Capture, CaptureInfo, SourceLoc
from xpuasm_magic.view.payload import capture_payload

SEGMENTS = [
    {"line": 1, "count": 4, "label": "In[3]", "start": 1},
    {"line": 5, "count": 10, "label": "In[5]", "start": 2},
]


def _capture(**source: object) -> Capture:
    info = CaptureInfo(source=source, raw={"run_path": "/live/0"})
    return Capture(Path("/captures/now"), (), info=info)


@pytest.mark.parametrize("root", ["/live/0", "/captures/now"])
def test_a_line_is_named_by_its_own_cell_wherever_the_folder_lies(root: str) -> None:
    capture = _capture(kind="cell", label="In[5]", path="cell.py", segments=SEGMENTS)
    names = [place(capture, SourceLoc(f"{root}/cell.py", line)) for line in (1, 4, 5, 14)]
    assert names == ["In[3]:1", "In[3]:4", "In[5]:2", "In[5]:11"]


def test_a_script_and_other_files_keep_their_names() -> None:
    assert place(_capture(kind="script", path="cell.py"), SourceLoc("/home/me/model.py", 31)) == "model.py:31"
    cell = _capture(kind="cell", label="In[5]", path="cell.py", segments=SEGMENTS)
    assert place(cell, SourceLoc("/elsewhere/cell.py", 3)) == "cell.py:3"


def test_the_page_gets_what_it_needs_to_name_lines_likewise() -> None:
    payload = capture_payload(_capture(kind="cell", label="In[5]", path="cell.py", segments=SEGMENTS))
    first, second = [cell for cell in payload["cells"] if cell["file"] == "/live/0/cell.py"][:2]
    assert (first["label"], first["first"], first["count"], first["start"]) == ("In[3]", 1, 4, 1)
    assert (second["label"], second["first"], second["start"]) == ("In[5]", 5, 2)
    assert capture_payload(_capture(kind="script"))["cells"] == []


@pytest.mark.parametrize(
    "segments",
    [None, 3, [None], ["x"], [{}], [{"line": "1", "count": 2, "start": 1}], [{"line": -1, "count": 1 << 80}]],
)
def test_segments_without_sense_are_left_out(segments: object) -> None:
    capture = _capture(kind="cell", label="In[5]", path="cell.py", segments=segments)
    assert place(capture, SourceLoc("/live/0/cell.py", 3)) == "In[5]:3"
    assert {cell.label for cell in cell_sources(capture)} == {"In[5]"}
