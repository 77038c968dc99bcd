"""Fails while Dynamo traces it: the frames between the user's two lines are torch's."""

import torch


@torch.compile
def f(x):
    return x @ torch.ones(7, 7, device="xpu")


f(torch.ones(4, 4, device="xpu"))
