"""One hand-written kernel, launched twice with one grid and once with another."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


x = torch.rand(4096, device="xpu")
y = torch.rand(4096, device="xpu")
out = torch.zeros_like(x)
for size in (4096, 4096, 2048):
    add_kernel[(triton.cdiv(size, 256),)](x, y, out, size, BLOCK=256)
print("sum", out.sum().item())
