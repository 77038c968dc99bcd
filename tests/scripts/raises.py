"""Compiles a graph, then fails in a function of its own, three frames deep, one of them in torch."""

import torch


@torch.compile
def f(x):
    return x * 2


def helper(x):
    return torch.nn.functional.linear(x, torch.ones(3, 3, device="xpu"))


def main():
    return helper(f(torch.ones(4, 4, device="xpu")))


main()
