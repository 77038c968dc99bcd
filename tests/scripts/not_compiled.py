"""Kernels that Triton refuses, and code that goes on all the same."""

import torch
import triton
import triton.language as tl


@triton.jit
def inner(x, SIZE: tl.constexpr):
    tl.static_assert(SIZE > 64, "SIZE must exceed 64")
    return x + SIZE


@triton.jit
def asserting(x_ptr, SIZE: tl.constexpr):
    offsets = tl.arange(0, SIZE)
    tl.store(x_ptr + offsets, inner(tl.load(x_ptr + offsets), SIZE))


@triton.jit
def misshapen(x_ptr):
    tl.store(x_ptr + tl.arange(0, 16), tl.load(x_ptr + tl.arange(0, 32)))


x = torch.ones(128, device="xpu")
for size in (32, 64, 128):
    try:
        asserting[(1,)](x, size)
    except triton.CompilationError as error:
        print(type(error.__cause__).__name__)
try:
    triton.compile(triton.compiler.ASTSource(misshapen, {"x_ptr": "*fp32"}))
except triton.CompilationError:
    print("caught")
