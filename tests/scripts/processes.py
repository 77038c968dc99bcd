"""The device in processes of the script's own, spawned and forked; each launches."""

import multiprocessing
import os

import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * 2)


def work(queue):
    x = torch.ones(64, device="xpu")
    for _ in range(3):
        double[(1,)](x, BLOCK=64)
    queue.put((os.getpid(), x.sum().item()))


if __name__ == "__main__":
    double[(1,)](torch.ones(64, device="xpu"), BLOCK=64)
    for method in ("spawn", "fork"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        print(method, *queue.get(timeout=120))
        process.join()
        assert process.exitcode == 0, process.exitcode
