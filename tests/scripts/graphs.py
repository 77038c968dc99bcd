"""Compiled graphs with something particular to each; every value is compared with eager operators on the CPU."""

import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as attention

torch.manual_seed(0)


def same(result, expected):
    torch.testing.assert_close(result.detach().cpu(), expected.detach().cpu())


# A transposed copy, which an XPU build tries with many configs.
x = torch.randn(999, 777, device="xpu")
same(torch.compile(lambda a: (a.t() + 1).contiguous())(x), x.t() + 1)


# A change of the input, and a library call into a buffer.
@torch.compile
def changes_its_input(x):
    x.add_(1)
    return torch.mm(x, x)


x = torch.ones(4, 4, device="xpu")
same(changes_its_input(x), torch.full((4, 4), 16.0))
same(x, torch.full((4, 4), 2.0))

# A matrix multiplication that padding might make faster.
a, b = (torch.randn(1023, 1023, device="xpu", dtype=torch.float16) for _ in range(2))
same(torch.compile(lambda a, b: torch.relu(a @ b))(a, b), torch.relu(a @ b))

# Configs searched by measuring.
x = torch.randn(4096, device="xpu")
same(torch.compile(lambda x: x.sin() + 1, options={"coordinate_descent_tuning": True})(x), x.sin() + 1)

# Attention: oneDNN's kernel; plain operators (float32 with gradient); the flash kernel, whose saved tensors' strides
# the backward graph asserts.
q = torch.randn(1, 2, 16, 32, device="xpu")
same(attention(q, q, q), attention(q.cpu(), q.cpu(), q.cpu()))
q.requires_grad_()
same(attention(q, q, q), attention(q.cpu(), q.cpu(), q.cpu()))
heads = nn.Linear(64, 192, dtype=torch.bfloat16, device="xpu")


def attend(x):
    q, k, v = heads(x).view(2, 16, 3, 4, 16).permute(2, 0, 3, 1, 4)
    return attention(q, k, v, is_causal=True).float().square().mean()


x = torch.randn(2, 16, 64, device="xpu", dtype=torch.bfloat16)
attend(x).backward()
eager = heads.weight.grad.clone()
heads.weight.grad = None
torch.compile(attend)(x).backward()
torch.testing.assert_close(heads.weight.grad, eager, atol=1e-3, rtol=0.1)

# A convolution, whose layout Inductor chooses, forward and backward.
block = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)).to("xpu")
torch.compile(block)(torch.randn(2, 3, 16, 16, device="xpu")).sum().backward()
assert block[0].weight.grad.isfinite().all()

# Sizes that change.
double = torch.compile(lambda x: x * 2)
for size in (3, 5, 8):
    same(double(torch.ones(size, 7, device="xpu")), torch.full((size, 7), 2.0))


# A kernel of the user's own in a graph.
@triton.jit
def own_kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * 2)


@torch.compile
def with_own_kernel(x):
    out = x.clone()
    own_kernel[(1,)](out, BLOCK=256)
    return out + 1


print("own kernel", with_own_kernel(torch.ones(256, device="xpu")).sum().item())
