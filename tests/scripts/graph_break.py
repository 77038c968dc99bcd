"""Two graphs around a print."""

import torch


@torch.compile
def f(x):
    y = x.sin()
    print("between")
    return y.cos()


f(torch.ones(64, device="xpu"))
