"""Two kernels, one's name a prefix of the other's."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_1(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * 2)


@triton.jit
def scale_10(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.exp(tl.load(x_ptr + offsets)))


x = torch.ones(256, device="xpu")
scale_1[(1,)](x, BLOCK=256)
scale_10[(1,)](x, BLOCK=256)
