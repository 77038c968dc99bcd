"""Which triton-xpu a PyTorch release ships with. Standard library only; read by parent and child."""

from __future__ import annotations

# intel-xpu-backend-for-triton#7363: torch 2.13 ships with triton-xpu 3.7.2.
SHIPS_WITH = {"2.13": "3.7.2"}


def release(torch: str) -> str:
    """`2.13.0+cpu` -> `2.13`."""
    return ".".join(torch.split("+")[0].split(".")[:2])
