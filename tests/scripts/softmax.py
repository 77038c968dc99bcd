"""A persistent reduction: each row fits into a work-group."""

import torch


@torch.compile
def softmax(x):
    return torch.softmax(x, dim=-1)


x = torch.randn(256, 1000, device="xpu")
torch.testing.assert_close(softmax(x).cpu(), torch.softmax(x.cpu(), dim=-1))
