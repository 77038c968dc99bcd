"""A compiled function that nobody calls."""

import torch

f = torch.compile(lambda x: x + 1)
x = torch.ones(4, device="xpu")
