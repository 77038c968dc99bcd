"""Tensors on the device, and nothing compiled."""

import torch

x = torch.ones(4, device="xpu")
print((x * 2).sum().item())
