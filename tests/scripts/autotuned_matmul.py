"""Three configs of one name; tiles that fit 64 KiB of shared memory."""

import torch
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BM": 32, "BN": 32, "BK": 32}, num_warps=4),
    triton.Config({"BM": 64, "BN": 32, "BK": 32}, num_warps=4),
    triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=8),
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        a = tl.load(a_ptr + rows[:, None] * k + (start + inner)[None, :])
        b = tl.load(b_ptr + (start + inner)[:, None] * n + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total.to(tl.float16))


a, b = (torch.randn(128, 128, device="xpu", dtype=torch.float16) for _ in range(2))
c = torch.empty_like(a)
for _ in range(3):
    matmul_kernel[lambda meta: (128 // meta["BM"], 128 // meta["BN"])](a, b, c, 128, 128, 128)
print("chosen", matmul_kernel.best_config)
