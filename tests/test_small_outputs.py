"""A notebook grows little by a capture: what would be saved of 300 kernels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from capture_builder import CaptureBuilder
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Capture
from xpuasm_magic.view.widget import Browser

CASES = ("add", "softmax_w4", "spill", "trans")


@pytest.fixture(scope="module")
def capture(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    builder = CaptureBuilder(tmp_path_factory.mktemp("many") / "run", corpus)
    for index in range(300):
        builder.kernel(f"2.40/pvc/{CASES[index % len(CASES)]}", seed=f"{index}", constants={"XBLOCK": 16 << index % 6})
    return read_capture(builder.folder)


def _outputs(browser: Browser) -> list[dict[str, object]]:
    InteractiveShell.instance()
    with capture_output() as shown:
        browser._ipython_display_()
    return [output.data for output in shown.outputs]


def test_the_outputs_of_300_kernels_are_small(capture: Capture) -> None:
    assert len(capture) == 300
    assert len(json.dumps(_outputs(Browser(capture)))) < 160_000


def test_the_widget_of_300_kernels_is_small_where_its_state_is_saved(capture: Capture) -> None:
    assert len(json.dumps(Browser(capture).get_state(drop_defaults=False), default=str)) < 150_000


def test_what_is_saved_stops_growing(capture: Capture) -> None:
    kernels = tuple(kernel for kernel in capture.kernels for _ in range(10))
    assert len(json.dumps(_outputs(Browser(replace(capture, kernels=kernels))))) < 160_000
