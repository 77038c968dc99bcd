"""A kernel that spills at 128 registers: the loader builds it again with 256."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def spill_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + offsets)
    b = tl.load(x_ptr + BLOCK + offsets)
    c = tl.load(x_ptr + 2 * BLOCK + offsets)
    d = tl.load(x_ptr + 3 * BLOCK + offsets)
    for _ in range(n):
        a = a * b + c
        b = b * c + d
        c = c * d + a
        d = d * a + b
    tl.store(o_ptr + offsets, a)
    tl.store(o_ptr + BLOCK + offsets, b)
    tl.store(o_ptr + 2 * BLOCK + offsets, c)
    tl.store(o_ptr + 3 * BLOCK + offsets, d)


x = torch.ones(4 * 4096, device="xpu")
kernel = spill_kernel[(1,)](x, torch.empty_like(x), 7, BLOCK=4096)
if "read" in sys.argv:
    print(f"spills {kernel.n_spills} registers {kernel.n_regs} pruned {kernel.n_spills > 16}")
