"""Kernels that have a fault which a note names, and kernels that do the same without it."""

import torch
import triton
import triton.language as tl


@triton.jit
def strided(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * 8))


@triton.jit
def contiguous(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def wide(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, v * v + v // n)


@triton.jit
def narrow(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, v // n + v % 7)


@triton.jit
def root(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) / tl.sqrt(tl.load(y + i)))


@triton.jit
def row_scale(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, v * (1.0 / tl.sum(v, axis=0)))


@triton.jit
def strided_loop(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + i * 4
    s = tl.zeros((BLOCK,), tl.float32)
    for _ in range(n):
        s += tl.load(p)
        p += 4 * BLOCK
    tl.store(out + i, s)


floats = torch.ones(8192, device="xpu")
result = torch.empty(8192, device="xpu")
long = torch.ones(1024, device="xpu", dtype=torch.int64)
short = torch.ones(1024, device="xpu", dtype=torch.int32)
strided[(1,)](floats, result, BLOCK=1024)
strided_loop[(1,)](floats, result, 3, BLOCK=1024)
contiguous[(1,)](floats, result, BLOCK=1024)
contiguous[(1,)](floats, result, BLOCK=64)
wide[(1,)](long, torch.empty_like(long), 7, BLOCK=1024)
narrow[(1,)](short, torch.empty_like(short), 9, BLOCK=1024)
root[(1,)](floats, floats, result, BLOCK=1024)
row_scale[(1,)](floats, result, BLOCK=1024)
