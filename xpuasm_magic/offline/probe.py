"""Run by `tiers.py` on the stand-in: one kernel, one compiled graph, one backward; which of them work."""

import json
import sys
import traceback
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton.compiler import ASTSource

verdict = {}


def attempt(tier, function):
    try:
        function()
        verdict[tier] = "ok"
    except Exception as error:  # noqa: BLE001  whatever it is, it is the verdict
        traceback.print_exc()
        verdict[tier] = f"{type(error).__name__}: {error}"
    Path(sys.argv[1]).write_text(json.dumps(verdict), encoding="utf-8")


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # noqa: N803  Triton's way with constants
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


def jit():
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    kernel = triton.compile(ASTSource(double, signature, constexprs={"BLOCK": 64}))
    assert kernel.asm["spv"], "no SPIR-V"


def compile_a_graph():
    x = torch.arange(64.0, device="xpu")
    result = torch.compile(lambda x: (x * 2 + 1).sum())(x)
    assert result.item() == 64 * 64, f"the CPU's values are wrong: {result}"


def run_backward():
    layer = torch.nn.Linear(8, 8).to("xpu")
    torch.compile(layer)(torch.ones(4, 8, device="xpu")).square().sum().backward()
    assert layer.weight.grad.device.type == "xpu", "the gradient is elsewhere"


attempt("jit", jit)
attempt("compile", compile_a_graph)
attempt("backward", run_backward)
