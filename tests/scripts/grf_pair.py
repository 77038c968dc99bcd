"""One kernel in two GRF modes: the SPIR-V is the same, the builds are not."""

import torch
import triton
import triton.language as tl


@triton.jit
def square(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(x_ptr + offsets, x * x)


x = torch.ones(256, device="xpu")
square[(1,)](x, BLOCK=256, grf_mode="small")
square[(1,)](x, BLOCK=256, grf_mode="large")
