"""Forward, backward and an AdamW step: the loss falls, on the CPU's values."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 1)).to("xpu")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
step = torch.compile(optimizer.step)
compiled = torch.compile(model)
x, target = torch.randn(32, 64, device="xpu"), torch.randn(32, 1, device="xpu")
losses = []
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("xpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(compiled(x).float(), target)
    loss.backward()
    step()
    losses.append(loss.item())
print("losses", losses)
assert losses[0] > losses[1] > losses[2], losses
