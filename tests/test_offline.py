"""The stand-in device: real children with real torch and Triton; what they record, return and say."""

from __future__ import annotations

import ast
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from xpuasm_magic import childenv, home, toolchain
from xpuasm_magic.capture import child as child_module
from xpuasm_magic.capture.builds import Builder, Plan
from xpuasm_magic.capture.environment import child_environment
from xpuasm_magic.loader import installed_rule
from xpuasm_magic.offline import patching, writes
from xpuasm_magic.offline.devices import find_device
from xpuasm_magic.offline.loader import Builds, Pending
from xpuasm_magic.offline.pairs import SHIPS_WITH

CHILD = Path(child_module.__file__)
OFFLINE = Path(patching.__file__).parent
SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Ran:
    """A child that has ended."""

    folder: Path
    status: int
    output: str
    errors: str

    @cached_property
    def told(self) -> dict[str, Any]:
        return json.loads((self.folder / "child.json").read_text(encoding="utf-8"))

    @cached_property
    def variants(self) -> list[dict[str, Any]]:
        return self.read("variants.jsonl")

    @cached_property
    def graphs(self) -> list[dict[str, Any]]:
        return self.read("inductor_graphs.jsonl")

    @cached_property
    def launches(self) -> Counter[tuple[str, tuple[int, ...]]]:
        """Launches by name and grid, as the contract says to count: the last count per process, added up."""
        last = {(e["pid"], e["key"], e["name"], tuple(e["grid"])): e["count"] for e in self.read("launches.jsonl")}
        found: Counter[tuple[str, tuple[int, ...]]] = Counter()
        for (_, _, name, grid), count in last.items():
            found[name, grid] += count
        return found

    @property
    def names(self) -> list[str]:
        return [variant["name"] for variant in self.variants]

    @property
    def fidelity(self) -> str:
        return "\n".join(self.told["fidelity"])

    def spirv(self, key: str) -> bytes:
        [path] = (self.folder / "triton" / key).glob("*.spv")
        return path.read_bytes()

    def checked(self) -> Ran:
        assert self.status == 0, self.errors
        return self

    def read(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="session")
def start(tmp_path_factory) -> Start:
    """Start a child on a script; `folder` is its capture folder."""

    def start(
        folder: Path,
        script: Path,
        *args: str,
        native: Path | None = None,
        env: Mapping[str, str] | None = None,
        **config: Any,
    ):
        python = childenv.find_child(None)
        settings = {
            "run": str(folder),
            "path": str(script),
            "argv": [str(script), *args],
            "sys_path": [str(script.parent)],
            "cwd": str(folder),
            "device": "pvc",
            "builds": False,
            "home": str(native or home.data_home() / "native"),
            **config,
        }
        (folder / "child_config.json").write_text(json.dumps(settings), encoding="utf-8")
        variables = child_environment(os.environ, folder, real=False).variables
        return subprocess.Popen(
            [str(python.path), str(CHILD), str(folder / "child_config.json")],
            env={**variables, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


@pytest.fixture(scope="session")
def run(start, tmp_path_factory) -> Callable[..., Ran]:
    def run(script: Path, *args: str, **config: Any) -> Ran:
        folder = tmp_path_factory.mktemp(script.stem)
        process = start(folder, script, *args, **config)
        output, errors = process.communicate(timeout=300)
        return Ran(folder, process.returncode, output, errors)

    return run


@pytest.fixture(scope="session")
def ran(run) -> Callable[..., Ran]:
    """A script of `tests/scripts`, run once per session and device."""
    done: dict[tuple[str, str], Ran] = {}

    def ran(name: str, device: str = "pvc") -> Ran:
        if (name, device) not in done:
            done[name, device] = run(SCRIPTS / f"{name}.py", device=device)
        return done[name, device]

    return ran


@pytest.fixture
def script(tmp_path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


# ---------------------------------------------------------------- hand-written kernels


def test_a_kernel_is_compiled_once_and_each_launch_is_counted(ran):
    added = ran("jit_add").checked()
    [variant] = added.variants
    assert variant["name"] == "add_kernel"
    assert variant["constants"] == {"BLOCK": 256}
    assert variant["signature"] == {
        "x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr",
    }  # fmt: skip
    assert variant["autotuned"] is False
    assert variant["fn_file"] == str(SCRIPTS / "jit_add.py")
    assert added.spirv(variant["key"])[:4] == b"\x03\x02\x23\x07"
    assert added.launches == {("add_kernel", (16, 1, 1)): 2, ("add_kernel", (8, 1, 1)): 1}
    assert added.read("launches.jsonl")[0]["args"] == ["*fp32:16", "*fp32:16", "*fp32:16", "i32:16"]


def test_what_a_kernel_would_have_written_is_unchanged_and_named(ran):
    added = ran("jit_add")
    assert "sum 0.0" in added.output
    assert "add_kernel (out_ptr)" in added.fidelity


def test_configs_of_an_autotuner_are_told_apart_and_none_is_called_the_winner(ran):
    tuned = ran("autotuned_matmul").checked()
    assert tuned.names == ["matmul_kernel"] * 3
    assert all(variant["autotuned"] for variant in tuned.variants)
    assert len({variant["key"] for variant in tuned.variants}) == 3
    assert sum(tuned.launches.values()) == 3, "a benchmark's launches are not the script's"
    assert "not measured" in tuned.fidelity


def test_kernels_whose_names_are_prefixes_are_two(ran):
    assert sorted(ran("prefix_names").checked().names) == ["scale_1", "scale_10"]


def test_variants_that_differ_in_grf_mode_only_share_their_spirv_and_not_their_key(ran):
    pair = ran("grf_pair").checked()
    small, large = pair.variants
    assert "128" in small["build_flags"]
    assert "256" in large["build_flags"]
    assert small["key"] != large["key"]
    assert pair.spirv(small["key"]) == pair.spirv(large["key"])


def test_too_much_shared_memory_raises_as_on_the_device(ran):
    fits = ran("shared_memory", "pvc").checked()
    needed = int(fits.output.split()[-1])
    assert find_device("arl-h").local_memory < needed <= find_device("pvc").local_memory
    refused = ran("shared_memory", "arl-h")
    assert refused.status == 1
    assert (
        f"OutOfResources: out of resource: shared memory, Required: {needed}, Hardware limit: 65536" in refused.errors
    )
    assert refused.names == ["transpose_kernel"]


def test_benchmarks_answer_that_nothing_was_measured(run, script):
    done = run(
        script(
            "import math, torch, triton.testing as t\n"
            "x = torch.ones(4, device='xpu')\n"
            "assert math.isnan(t.do_bench(lambda: x + 1))\n"
            "assert all(map(math.isnan, t.do_bench(lambda: x + 1, quantiles=[.2, .8])))\n"
        )
    ).checked()
    assert "benchmarks answer nan" in done.fidelity


# ---------------------------------------------------------------- torch.compile


def test_a_fusion_is_compiled_with_all_its_configs_and_returns_the_cpus_values(ran):
    gelu = ran("gelu").checked()  # the script compares its result with eager operators
    assert gelu.names == ["triton_poi_fused_add_gelu_mul_0"] * 3
    assert all(variant["autotuned"] for variant in gelu.variants)
    assert list(gelu.launches.values()) == [1]
    assert "Values of compiled graphs are the CPU's" in gelu.fidelity
    assert "not executed" not in gelu.fidelity
    [graph] = gelu.graphs
    assert graph["benchmark_decided"] is False
    assert "async_compile.triton('triton_poi_fused_add_gelu_mul_0'" in (gelu.folder / graph["wrapper"]).read_text()


def test_reductions_come_out_as_inductor_names_them(ran):
    assert any(name.startswith("triton_per_fused__softmax") for name in ran("softmax").checked().names)
    long = ran("long_reduction").checked()
    assert any(name.startswith("triton_red_fused_") for name in long.names)
    assert f"total {2.0 * (1 << 20)}" in long.output


def test_the_number_of_xe_cores_shapes_the_code(ran):
    """As on hardware: 64 cores split a long reduction otherwise than 8 do."""
    grids = {device: dict(ran("long_reduction", device).checked().launches) for device in ("pvc", "lnl")}
    assert grids["pvc"] != grids["lnl"]


def test_a_training_step_learns(ran):
    trained = ran("training_step").checked()
    assert "losses" in trained.output
    families = {name.split("_")[1] for name in trained.names}
    assert {"poi", "per", "for"} <= families, "forward, backward and the optimizer were compiled"
    assert trained.told["tiers"] == {"jit": "ok", "compile": "ok", "backward": "ok"}


def test_values_of_graphs_are_those_of_eager_operators(ran):
    """Changed inputs, library calls, chosen layouts, changing sizes: the script compares each."""
    graphs = ran("graphs").checked()
    assert graphs.told["notes"] == []


def test_a_transposed_copy_gets_the_configs_of_an_xpu_build(ran):
    """With `torch.version.xpu` unset Inductor would try one config only."""
    assert sum("_clone_t_" in name for name in ran("graphs").names) > 4


def test_graphs_whose_kernels_a_benchmark_decided_are_marked(ran):
    graphs = ran("graphs").graphs
    [marked] = [graph for graph in graphs if graph["benchmark_decided"]]
    assert marked["decided_by"] == ["coordinate_descent_tuning"]
    assert "sin" in (ran("graphs").folder / marked["wrapper"]).read_text()
    assert "coordinate_descent_tuning" in ran("graphs").fidelity


def test_an_eligible_padding_is_said_and_not_made(ran):
    assert "eligible for padding" in ran("graphs").fidelity


def test_each_attention_call_is_routed_as_an_xpu_build_would_and_said(ran):
    [sentence] = [line for line in ran("graphs").told["fidelity"] if "scaled_dot_product_attention" in line]
    assert "oneDNN's fused kernel" in sentence
    assert "the fused flash kernel" in sentence
    assert "plain operators" in sentence


def test_a_kernel_of_the_users_inside_a_graph_is_compiled_by_inductor_alone_and_said(ran):
    graphs = ran("graphs")
    assert graphs.names.count("own_kernel") == 1
    assert re.search(r"own_kernel.*inside a compiled graph, was not executed", graphs.fidelity)
    assert "own kernel 512.0" in graphs.output, "as if the kernel had done nothing: 256 * (1 + 1)"


def test_no_time_that_nothing_took_is_printed(built):
    tuned = built(SCRIPTS / "max_autotune.py", toolchain=toolchain.find()).checked()
    assert not re.search(r"AUTOTUNE|Autotune|best_time| ms ", tuned.output + tuned.errors)
    assert "first of its choices for mm" in tuned.fidelity
    # of the same run, since it takes long
    candidates = [variant for variant in tuned.variants if variant["name"] in ("triton_mm", "triton_")]
    assert len({variant["name"] for variant in candidates}) == 2
    assert all(variant["autotuned"] for variant in candidates), "what competes has no winner"
    templates = [variant["constants"] for variant in candidates if variant["name"] == "triton_mm"]
    assert len({(t["BLOCK_M"], t["BLOCK_N"], t["BLOCK_K"]) for t in templates}) > 1
    assert templates[0]["ACC_TYPE"] == "tl.float32"
    assert templates[0]["ALLOW_TF32"] is False


def test_a_bandwidth_profile_has_no_numbers(run, script):
    done = run(
        script(
            "import torch, torch._inductor.config as config\n"
            "config.profile_bandwidth = True\n"
            "print(torch.compile(lambda x: x.sin() + 1)(torch.zeros(1024, device='xpu')).sum().item())\n"
        )
    ).checked()
    assert done.output.splitlines()[-1] == "1024.0"
    assert "GB/s" not in done.output + done.errors
    assert "bandwidths" in done.fidelity


# ---------------------------------------------------------------- what does not compile


def test_a_kernel_that_does_not_compile_is_noted_though_the_code_goes_on(ran):
    failed = ran("not_compiled").checked()
    assert failed.output.split() == ["CompileTimeAssertionFailure"] * 2 + ["caught"], "the exceptions are Triton's own"
    assert failed.names == ["asserting"]
    asserting, misshapen = (note["message"] for note in failed.told["notes"])
    path = SCRIPTS / "not_compiled.py"
    assert asserting == f"kernel asserting did not compile: SIZE must exceed 64 ({path}:{_line(path, 'inner(tl.load')})"
    assert misshapen.startswith("kernel misshapen did not compile: ")
    assert "shape" in misshapen.lower()
    assert misshapen.endswith(f"({path}:{_line(path, 'tl.arange(0, 16)')})")
    assert {note["severity"] for note in failed.told["notes"]} == {"error"}


def test_a_kernel_that_does_not_compile_is_called_by_its_cell(run, script):
    text = (SCRIPTS / "not_compiled.py").read_text()
    segments = [{"line": 8, "count": len(text.splitlines()), "label": "In[4]", "start": 1}]
    failed = run(script(text), segments=segments)
    assert failed.told["notes"][0]["message"].endswith("(In[4]:10)")


def test_a_kernel_that_does_not_compile_is_noted_on_a_real_device(run, script):
    """No XPU exists here: Triton compiles for a target that it is told."""
    text = (SCRIPTS / "not_compiled.py").read_text().split("x = torch")[0]
    failed = run(
        script(
            f"{text}"
            "properties = {'max_work_group_size': 1024, 'sub_group_sizes': [32]}\n"
            "target = triton.backends.compiler.GPUTarget('xpu', properties, 32)\n"
            "try: triton.compile(triton.compiler.ASTSource(misshapen, {'x_ptr': '*fp32'}), target=target)\n"
            "except Exception as error: print(type(error).__name__)\n"
        ),
        device=None,
    ).checked()
    [note] = failed.told["notes"]
    assert note["severity"] == "error"
    assert note["message"].startswith("kernel misshapen did not compile: ")


def _line(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


@pytest.fixture
def lacking_here() -> str:
    """The sentence's middle for this pair; a pair that ships has no gap to tell of."""
    python = childenv.find_child(None)
    assert python.triton_xpu != SHIPS_WITH["2.13"], "this test needs a pair that is not the one that ships"
    return f"which triton-xpu {python.triton_xpu} lacks (torch 2.13 ships with {SHIPS_WITH['2.13']})"


def test_what_torch_asks_of_triton_in_vain_is_explained(run, script, lacking_here):
    """The asking line lies where Inductor's generated code does."""
    failed = run(
        script(
            "import importlib.util, os, pathlib\n"
            "path = pathlib.Path(os.environ['TORCHINDUCTOR_CACHE_DIR'], 'generated.py')\n"
            "path.parent.mkdir(exist_ok=True)\n"
            "path.write_text('import triton.language as tl\\ntl.make_tensor_descriptor\\n')\n"
            "spec = importlib.util.spec_from_file_location('generated', path)\n"
            "spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        )
    )
    [note] = failed.told["notes"]
    assert note["severity"] == "error"
    assert note["message"] == (
        f"torch 2.13.0 asks Triton for `make_tensor_descriptor`, {lacking_here}; "
        "name a Python with that pair with --python"
    )


@pytest.mark.parametrize(
    ("asking", "asked"),
    [
        ("tl.make_tensor_descriptor", "make_tensor_descriptor"),
        ("from triton.tools.tensor_descriptor import TensorDescriptor", "triton.tools.tensor_descriptor"),
        ("from triton.testing import absent", "absent"),
        ("triton.Config({}, ctas=1)", "Config.__init__(ctas=…)"),
        ("triton.Config({}).ctas", "Config.ctas"),
        ("kernel[(1,)](torch.ones(16, device='xpu'))", "make_tensor_descriptor"),
    ],
)
def test_what_the_code_itself_asks_in_vain_is_told_as_its_own(run, script, lacking_here, asking, asked):
    failed = run(
        script(
            "import torch, triton, triton.language as tl\n"
            "@triton.jit\n"
            "def kernel(x):\n"
            "    tl.make_tensor_descriptor(x, [16], [1], [16])\n"
            f"{asking}\n"
        )
    )
    [note] = [note for note in failed.told["notes"] if "asks Triton" in note["message"]]
    assert note["severity"] == "warning"
    assert f"the code asks Triton for `{asked}`, {lacking_here}" in note["message"]


def test_any_other_error_is_not_blamed_on_the_pair(ran):
    assert ran("raises").told["notes"] == []


# ---------------------------------------------------------------- the loader's numbers


@pytest.fixture
def built(start, tmp_path) -> Iterator[Callable[..., Ran]]:
    """A child whose variants are built as they come, as a capture does."""

    def built(script: Path, *args: str, toolchain: Any) -> Ran:
        python = childenv.find_child(None)
        rule = installed_rule(python.site_packages, python.triton_xpu or "")
        builder = Builder(Plan(folder=tmp_path, toolchain=toolchain, device="pvc", rule=rule))
        process = start(tmp_path, script, *args, builds=True)
        ended = threading.Event()

        def follow() -> None:
            while not ended.wait(0.05):
                path = tmp_path / "variants.jsonl"
                for line in path.read_text().splitlines() if path.exists() else ():
                    builder.announce(json.loads(line))

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            output, errors = process.communicate(timeout=300)
        finally:
            ended.set()
            thread.join()
            builder.close()
        return Ran(tmp_path, process.returncode, output, errors)

    return built


def test_spills_and_registers_are_the_kept_binarys(built):
    spilled = built(SCRIPTS / "spill.py", "read", toolchain=toolchain.find()).checked()
    [variant] = spilled.variants
    decision = json.loads((spilled.folder / "igc" / variant["key"] / "loader.json").read_text())
    assert decision["kept"] == "pvc-grf256"
    assert decision["spill_bytes"] > 0
    words = f"spills {decision['spill_bytes']} registers {decision['n_regs']} pruned True"
    assert words in spilled.output


def test_a_build_that_failed_raises_in_the_compilers_words_when_looked_at(built):
    failed = built(SCRIPTS / "spill.py", "read", toolchain=None)
    assert failed.status == 1
    assert "RuntimeError: kernel spill_kernel has no binary to load: " in failed.errors
    assert "ocloc" in failed.errors


def test_spills_are_never_guessed_and_nobody_waits_who_does_not_look(run):
    run(SCRIPTS / "spill.py").checked()
    looked = run(SCRIPTS / "spill.py", "read")
    assert looked.status == 1
    assert "n_spills of kernel spill_kernel is the compiled binary's" in looked.errors
    assert "not guessed" in looked.errors


def test_a_pending_number_asks_once_it_is_used_and_behaves_as_one():
    asked = []

    def ask() -> int:
        asked.append(1)
        return 20

    number = Pending(ask)
    copied = number
    assert asked == []
    assert copied > 16
    assert number == 20
    assert number <= 20
    assert number > 10
    assert f"{number:4d}|{number}" == "  20|20"
    assert "%d" % number == "20"  # noqa: UP031  loggers format so
    assert number + 1 == 21
    assert 2 * number == 40
    assert [0] * (number + 1) == [0] * 21
    assert math.floor(number / 3) == 6
    assert bool(number)
    assert not isinstance(number, int)


def test_a_build_that_does_not_end_is_given_up(tmp_path):
    builds = Builds(tmp_path, building=True, patience_s=0.1)
    with pytest.raises(RuntimeError, match="did not end within"):
        builds.number("KEY", "k", "n_spills")


# ---------------------------------------------------------------- errors and ends


def test_a_traceback_begins_with_the_users_lines_and_holds_none_of_ours(ran):
    raised = ran("raises")
    assert raised.status == 1
    trace = raised.errors[raised.errors.index("Traceback (most") :]
    assert trace.splitlines()[1].endswith('raises.py", line 19, in <module>')
    assert trace.rstrip().endswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x4 and 3x3)")
    assert "child.py" not in trace
    assert raised.names, "what was compiled before the error is kept"
    assert raised.told["exception"]["type"] == "RuntimeError"
    assert raised.told["exception"]["place"] == "line 12"
    assert "raises.py" in (raised.folder / "traceback.txt").read_text()


def test_frames_of_frameworks_are_folded_into_one_line(ran):
    trace = ran("raises_in_graph").errors
    trace = trace[trace.rindex("Traceback (most") :]
    assert re.search(r"^  … \d+ frames in torch \(traceback.txt has them\)$", trace, re.MULTILINE)
    assert "torch/_dynamo" not in trace.split("from user code")[0]
    assert "torch/_dynamo" in (ran("raises_in_graph").folder / "traceback.txt").read_text()


def test_a_line_is_called_by_its_cell(run, script):
    path = script("x = 1\n\ndef f():\n    return missing\nf()\n")
    segments = [
        {"line": 1, "count": 2, "label": "In[3]", "start": 1},
        {"line": 3, "count": 3, "label": "In[7]", "start": 1},
    ]
    failed = run(path, segments=segments)
    assert "\n  In[7]:3, in <module>\n    f()\n" in failed.errors
    assert "\n  In[7]:2, in f\n    return missing\n" in failed.errors
    assert str(path) not in failed.errors
    assert failed.told["exception"]["name"] == "missing"
    assert failed.told["exception"]["place"] == "In[7]:2"


def test_a_syntax_error_names_its_cell(run, script):
    segments = [
        {"line": 1, "count": 1, "label": "In[3]", "start": 1},
        {"line": 2, "count": 2, "label": "In[7]", "start": 2},
    ]
    failed = run(script("x = 1\ny = 2\nif x\n"), segments=segments)
    assert failed.errors.startswith("  In[7]:3\n    if x\n")
    assert "SyntaxError" in failed.errors
    assert failed.told["exception"]["place"] == "In[7]:3"


def test_lines_of_cells_that_torch_quotes_are_called_by_them_too(run, script):
    text = "import torch\n@torch.compile(fullgraph=True)\ndef f(x):\n    return x.tolist(1)\nf(torch.ones(2))\n"
    failed = run(script(text), segments=[{"line": 1, "count": 5, "label": "In[2]", "start": 1}])
    assert "\n  In[2]:5, in <module>" in failed.errors
    assert re.search(r"from user code:\n\s+In\[2\]:4, in f", failed.errors)


def test_frames_that_repeat_are_counted(run, script):
    failed = run(script("def f(): return f()\nf()\n"))
    assert "Previous line repeated" in failed.errors
    assert failed.errors.count("in f") < 10


def test_a_syntax_error_is_shown_as_python_does(run, script):
    failed = run(script("x = 1\nif x\n    pass\n"))
    assert failed.status == 1
    assert "line 2" in failed.errors
    assert "SyntaxError" in failed.errors
    assert "Traceback" not in failed.errors


@pytest.mark.parametrize(
    ("end", "status"),
    [("raise SystemExit", 0), ("import sys; sys.exit(4)", 4), ("exit('no more')", 1), ("import os; os._exit(7)", 7)],
)
def test_exit_statuses_are_the_scripts_and_launches_are_whole(run, script, end, status):
    text = (SCRIPTS / "prefix_names.py").read_text()
    done = run(script(f"{text}\nfor _ in range(4): scale_1[(1,)](x, BLOCK=256)\n{end}\n"))
    assert done.status == status
    assert done.launches["scale_1", (1, 1, 1)] == 5


def test_a_crash_keeps_what_was_known_and_names_the_line(run, script):
    done = run(script((SCRIPTS / "prefix_names.py").read_text() + "\nimport ctypes\nctypes.string_at(0)\n"))
    assert done.status == -signal.SIGSEGV
    assert "script.py" in done.errors
    assert sorted(done.names) == ["scale_1", "scale_10"]


def test_an_interrupt_ends_with_130_and_whole_records(start, script, tmp_path):
    path = script(
        (SCRIPTS / "prefix_names.py").read_text()
        + "\nfor _ in range(2): scale_1[(1,)](x, BLOCK=256)\nprint('ready', flush=True)\nimport time\ntime.sleep(300)\n"
    )
    process = start(tmp_path, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    done = Ran(tmp_path, process.returncode, output, errors)
    assert done.status == 130, errors
    assert "KeyboardInterrupt" in errors
    assert done.launches["scale_1", (1, 1, 1)] == 3


def test_processes_of_the_scripts_own_have_the_device_and_count_for_themselves(ran):
    done = ran("processes").checked()
    assert re.search(r"spawn \d+ 64.0", done.output)
    assert re.search(r"fork \d+ 64.0", done.output)
    assert done.launches == {("double", (1, 1, 1)): 7}
    assert len({variant["pid"] for variant in done.variants}) >= 2


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("eager_only", {"xpu_tensors": 1, "compile_called": 0, "graphs": 0, "variants": 0}),
        ("never_called", {"xpu_tensors": 1, "compile_called": 1, "compiled_calls": 0, "graphs": 0}),
        ("graph_break", {"xpu_tensors": 1, "compile_called": 1, "graphs": 2, "graph_breaks": 1}),
    ],
)
def test_what_tells_why_there_is_no_kernel_is_counted(ran, name, counts):
    told = ran(name).checked().told["diagnosis"]
    assert {key: told.get(key, 0) for key in counts} == counts


# ---------------------------------------------------------------- torch.xpu


def test_the_device_answers_what_scripts_ask(ran):
    done = ran("device_api").checked()
    assert "all answered" in done.output
    assert "xpu:1 does not exist" in done.output
    assert "host's clock" in done.fidelity


def test_every_name_that_torch_xpu_takes_from_an_xpu_build_is_there(run, script):
    done = run(
        script(
            "import pathlib, re, torch\n"
            "used = set()\n"
            "for file in pathlib.Path(torch.__file__).parent.joinpath('xpu').glob('*.py'):\n"
            r"    used |= set(re.findall(r'torch\._C\.(_xpu_\w+|_Xpu\w+|_XPU\w+)', file.read_text()))" + "\n"
            "missing = sorted(name for name in used if not hasattr(torch._C, name))\n"
            "print('missing', missing)\n"
        )
    ).checked()
    known = ["_xpu_changeCurrentAllocator", "_xpu_customAllocator", "_xpu_getAllocator", "_xpu_getStreamFromExternal"]
    missing = ast.literal_eval(done.output.split("missing", 1)[1].strip())
    assert set(missing) <= set(known), "custom allocators and foreign queues have no meaning here; anything else must"


REVIEWED = {
    ("_inductor/fx_passes/b2b_gemm.py", "is_xpu"),
    ("_inductor/fx_passes/pad_mm.py", "is_xpu"),
    ("_inductor/decomposition.py", "is_xpu"),
    ("_inductor/lowering.py", "is_xpu"),
    ("_inductor/lowering.py", "xpu._is_compiled"),
    ("_inductor/kernel/bmm.py", "xpu._is_compiled"),
    ("_inductor/codegen/cutlass/utils.py", "xpu._is_compiled"),
    ("_inductor/runtime/triton_heuristics.py", "version.xpu"),
    ("_inductor/codegen/xpu/xpu_env.py", "version.xpu"),
    ("_dynamo/variables/optimizer.py", "is_xpu"),
    ("_dynamo/device_interface.py", "xpu._is_compiled"),
    ("_dynamo/trace_rules.py", "xpu._is_compiled"),
    ("_higher_order_ops/out_dtype.py", "is_xpu"),
    ("_subclasses/fake_tensor.py", "xpu._is_compiled"),
    ("_subclasses/fake_impls.py", "is_xpu"),
}
"""Where the compiler asks whether this is an XPU build; each answers as on hardware (a tensor on xpu is_xpu, and the
build's flag and version are set before anything reads them)."""


def test_every_question_for_an_xpu_build_in_the_compiler_has_been_reviewed():
    torch = childenv.find_child(None).site_packages / "torch"
    asked = set()
    for part in ("_inductor", "_dynamo", "_higher_order_ops", "_functorch", "_subclasses"):
        for path in (torch / part).rglob("*.py"):
            words = re.findall(
                r"\b(version\.xpu|_C\._has_xpu|is_xpu|xpu\._is_compiled)\b", path.read_text(encoding="utf-8")
            )
            asked |= {(str(path.relative_to(torch)), word) for word in words}
    assert asked - REVIEWED == set(), "new questions: see what they decide, then add them to the list"


# ---------------------------------------------------------------- tiers


def test_without_a_compiler_the_tier_says_so_and_triton_still_compiles(run, script, tmp_path):
    path = script(
        (OFFLINE / "probe.py").read_text().split('attempt("jit')[0]
        + "jit()\nprint('compiled')\ntorch.ones(1, device='xpu')\n"
    )
    done = run(path, native=tmp_path / "native", env={"CXX": "no-such-compiler"})
    assert "compiled" in done.output
    assert done.status == 1
    assert "no-such-compiler" in done.told["tiers"]["compile"]
    assert done.told["tiers"]["jit"] == "ok"
    assert done.names == ["double"]


def test_a_broken_tier_is_off_with_its_own_message(run, script, ran, tmp_path):
    ran("jit_add").checked()  # the verdict of this pair has been made
    native = tmp_path / "native"
    native.mkdir()
    for path in (home.data_home() / "native").resolve().iterdir():
        (native / path.name).write_bytes(path.read_bytes())
    for path in native.glob("tiers-*.json"):
        path.write_text(json.dumps({"jit": "ok", "compile": "the moon is full", "backward": "so it is"}))
    done = run(
        script(
            "import torch\n"
            "x = torch.ones(4, device='xpu', requires_grad=True)\n"
            "for attempt in (lambda: torch.compile(lambda x: x + 1)(x), lambda: x.sum().backward()):\n"
            "    try: attempt()\n"
            "    except Exception as error: print(error)\n"
        ),
        native=native,
    )
    assert "torch.compile is off on the stand-in device: the moon is full" in done.output
    assert "backward is off on the stand-in device: so it is" in done.output
    assert any("the moon is full" in note["message"] for note in done.told["notes"])


def test_an_xpu_build_of_torch_without_a_gpu_is_refused_in_a_sentence(run, script, tmp_path):
    """Acted: what an XPU build's own torch says of itself is put into this one before it is asked."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class BeforeXpu:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'torch._tensor':\n"
        "            sys.modules['torch._C']._has_xpu = True\n"
        "sys.meta_path.insert(0, BeforeXpu())\n"
    )
    done = run(script("print('ran')\n"), env={"PYTHONPATH": str(tmp_path)})
    assert done.status == 1
    assert "ran" not in done.output
    [line] = [line for line in done.errors.splitlines() if line.startswith("xpuasm: ")]
    assert "this torch is an XPU build" in line
    assert "Traceback" not in done.errors


def test_on_a_real_device_nothing_of_the_stand_in_is_put_in_place(run, script):
    done = run(
        script(
            "import torch, triton.compiler.compiler as compiler\n"
            "recorded = hasattr(compiler.CompiledKernel.__init__, '__wrapped__')\n"
            "print(torch.version.xpu, torch.xpu.is_available(), recorded)\n"
        ),
        device=None,
    ).checked()
    assert done.output.split() == ["None", "False", "True"], "compiled kernels are recorded, and that is all"
    assert done.told["fidelity"] == []


def test_a_real_devices_autotuner_is_recorded_with_times_and_winner(run, script):
    """No XPU exists here: a clock that gives the n-th config n ms stands for it; the autotuners are the real ones."""
    done = run(
        script(
            "from pathlib import Path\n"
            "import torch, triton, triton.language as tl\n"
            "from triton.backends import backends\n"
            "from xpuasm_offline import observe\n"
            "from xpuasm_offline.records import Records\n"
            "Path('observed').mkdir()\n"
            "records = Records(Path('observed'), own_child_json=False)\n"
            "import triton.runtime.autotuner, torch._inductor.runtime.triton_heuristics as heuristics\n"
            "ticks = iter(range(1, 100))\n"
            "class Clock:\n"
            "    def __call__(self, fn, quantiles=None, **_):\n"
            "        fn(); t = float(next(ticks)); return [t, t, t] if quantiles else t\n"
            "triton.runtime.driver.active.get_benchmarker = lambda: Clock()\n"
            "launcher = triton.runtime.driver.active.launcher_cls\n"
            "backends['intel'].driver.__init__.__globals__['XPULauncher'] = launcher\n"
            "observe.record_launches(records)\n"
            "observe.record_autotuner(records)\n"
            "torch.compile(lambda x: x + 1)(torch.ones(8, device='xpu'))  # puts the stand-in's own bench in place\n"
            "heuristics.CachingAutotuner.bench = lambda self, launcher, *a, **k: float(next(ticks))\n"
            "observe.record_inductor(records)\n"
            "@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 128)], key=['n'])\n"
            "@triton.jit\n"
            "def twice(x, n, B: tl.constexpr):\n"
            "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n"
            "x = torch.ones(256, device='xpu')\n"
            "for _ in range(3): twice[lambda meta: (256 // meta['B'],)](x, 256)\n"
            "torch.compile(lambda x: torch.nn.functional.gelu(x) * 2)(torch.ones(1024, 1024, device='xpu'))\n"
            "records.flush()\n"
        )
    ).checked()
    names = {variant["key"]: (variant["name"], variant["constants"]) for variant in done.variants}
    measured = [(*names[m["key"]], m["time_ms"], m["winner"]) for m in done.read("observed/autotune.jsonl")]
    assert [m for m in measured if m[0] == "twice"] == [
        ("twice", {"B": 64}, 1.0, True),
        ("twice", {"B": 128}, 2.0, False),
    ]
    fusion = [(time_ms, winner) for name, _, time_ms, winner in measured if name.startswith("triton_poi")]
    assert len(fusion) > 1
    assert [winner for _, winner in fusion] == [True] + [False] * (len(fusion) - 1)
    [launched] = {launch["key"] for launch in done.read("observed/launches.jsonl") if launch["name"] == "twice"}
    assert names[launched][1] == {"B": 64}


def test_every_change_to_a_foreign_module_is_on_record_with_its_reason(ran):
    patches = ran("gelu").told["patches"]
    targets = {patch["target"] for patch in patches}
    assert {"torch._C._has_xpu", "torch.version.xpu"} <= targets
    assert any("CachingAutotuner.bench" in target for target in targets)
    assert all(patch["reason"] for patch in patches)


def test_a_patch_whose_target_is_gone_or_changed_is_refused():
    with pytest.raises(patching.PatchError, match=r"json\.nothing does not exist in this version; it is needed to try"):
        patching.replace(json, "nothing", None, "try")
    with pytest.raises(patching.PatchError, match="takes"):
        patching.replace(json, "loads", None, "try", takes=("text",))
    assert callable(json.loads)


# ---------------------------------------------------------------- small parts


@pytest.mark.parametrize(
    ("case", "written"),
    [
        ("add", ["arg2"]),
        ("matmul_bp_w16_default", ["arg2"]),
        ("matmul_w16_default", ["arg2"]),
        ("atomic", ["arg1"]),
        ("softmax_w4", ["arg1"]),
        ("spill", ["arg1"]),
    ],
)
def test_written_arguments_are_traced_to_the_kernels_own(corpus, case, written):
    paths = list(corpus.glob(f"2.40/pvc/{case}/*.ttir"))
    assert paths, f"the test data lacks the TTIR of {case}"
    assert writes.written_arguments(paths[0].read_text()) == written


def test_the_childs_code_needs_only_python_3_10_torch_and_triton():
    allowed = sys.stdlib_module_names | {"torch", "triton", "xpuasm_offline"}
    for path in (CHILD, *OFFLINE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {str(node.module).split(".")[0]}
            else:
                continue
            assert names <= allowed, f"{path.name}, line {node.lineno}"


def test_our_package_is_not_put_on_the_users_path(run, script):
    done = run(
        script(
            "import sys\n"
            "try: import xpuasm_magic\n"
            "except ImportError: print('absent')\n"
            "print(sys.path[0], __name__, __file__, sys.argv[1:])\n"
        ),
        "one",
        "two words",
        env={"PYTHONPATH": ""},
    ).checked()
    assert "absent" in done.output
    assert "__main__" in done.output
    assert "['one', 'two words']" in done.output
    assert done.output.splitlines()[1].startswith(str(Path(done.output.split()[3]).parent))


def test_a_plain_kernel_has_its_spirv_within_seconds(run):
    """From the start of the process; most of it is the import of torch. The bound leaves room for a busy machine."""
    begin = time.time()
    [variant] = run(SCRIPTS / "jit_add.py").checked().variants
    assert variant["t"] - begin < 20
