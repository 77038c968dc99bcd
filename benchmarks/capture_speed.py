"""A capture of the quickstart's cells, against the bare recipe and against the child's own run.

The recipe: the same script with the same stand-in; then ocloc on one module after another, all dumping into one
folder; then, for each kernel name, `grep -l NAME *.asm | head -1` and a look at that file's header.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import nbformat

from benchmarks.result import Result
from xpuasm_magic import home, toolchain
from xpuasm_magic.capture import capture, prepare
from xpuasm_magic.capture.builds import find_spirv
from xpuasm_magic.capture.source import from_cell
from xpuasm_magic.options import RunOptions

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "quickstart.ipynb"


def measure(rounds: int = 3) -> list[Result]:
    ours, child, recipe = [], [], []
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch:
        root = Path(scratch)
        _run(root / "warm", build=False)  # byte code and page cache, for all alike
        for number in range(rounds):  # in turns, so that a busy machine weighs on all
            shutil.rmtree(home.builds_home(), ignore_errors=True)
            seconds, found = _run(root / f"ours{number}", build=True)
            ours.append(seconds)
            seconds, announced = _run(root / f"child{number}", build=False)
            child.append(seconds)
            recipe.append(_recipe(root / f"child{number}", root / f"flat{number}"))
            if found != announced:
                raise SystemExit(f"the runs differ: {found} kernels built, {announced} announced")
    mine, bare = min(ours), min(child)
    bare_recipe = bare + min(recipe)
    detail = (
        f"(ours {mine:.1f} s, recipe {bare_recipe:.1f} s, child alone {bare:.1f} s, {found} kernels, best of {rounds})"
    )
    return [
        Result("capture against the bare recipe", mine / bare_recipe, 0.9, "×", detail),
        Result("capture beyond the child's own run", mine - bare, 1.5, " s", detail),
    ]


def quickstart_source() -> str:
    """The bodies of the notebook's `%%xpu_asm --device pvc` cells, one after another."""
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    bodies = [c.source.split("\n", 1)[1] for c in cells if c.source.startswith("%%xpu_asm --device pvc")]
    return "\n".join(bodies) + "\n"


def _run(output: Path, *, build: bool) -> tuple[float, int]:
    options = RunOptions(device="pvc", output=output, kernel=None if build else "no kernel has this name")
    job = prepare(options, source=from_cell(quickstart_source(), "quickstart"), label="quickstart")
    start = time.perf_counter()
    made = capture(job)
    if made.info.state != "finished":
        raise SystemExit(f"the quickstart ended as {made.info.state}; see {output / 'run.log'}")
    return time.perf_counter() - start, len(made.kernels)


def _recipe(run: Path, flat: Path) -> float:
    ocloc = toolchain.find()
    variants = {}
    for line in (run / "variants.jsonl").read_text().splitlines():
        variant = json.loads(line)
        variants[variant["key"]] = variant
    flat.mkdir()
    start = time.perf_counter()
    for key, variant in variants.items():
        spv = find_spirv(run / "triton" / key)
        assert isinstance(spv, Path)
        command = ocloc.compile_command(spv, flat, "pvc", variant["build_flags"])
        env = {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(flat)}
        subprocess.run(command, env=env, capture_output=True, check=True)
    for name in dict.fromkeys(variant["name"] for variant in variants.values()):
        first = f"grep -l {name} *.asm | head -1 | xargs head -20"
        subprocess.run(first, shell=True, cwd=flat, capture_output=True, check=True)
    return time.perf_counter() - start
