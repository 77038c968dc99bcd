"""A reduction too long for one work-group: a loop, and a second kernel over the partial results."""

import torch


@torch.compile
def total(x):
    return (x * 2).sum()


x = torch.ones(1 << 20, device="xpu")
print("total", total(x).item())
