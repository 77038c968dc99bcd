"""What scripts for an XPU commonly call, each checked for what it should answer."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

xpu = torch.device("xpu:0")
assert torch.xpu.is_available()
assert torch.version.xpu
assert torch.xpu.device_count() == 1
assert torch.xpu.get_device_properties().gpu_subslice_count == 64
assert torch.accelerator.current_accelerator() == torch.device("xpu")
torch.accelerator.synchronize()
torch.xpu.synchronize()

torch.manual_seed(3)
on_cpu = torch.randn(3)
torch.manual_seed(3)
on_xpu = torch.randn(3, device="xpu")
assert torch.equal(torch.randn(3), on_cpu), "the device draws from a generator of its own"
torch.manual_seed(3)
assert torch.equal(torch.randn(3, device="xpu").cpu(), on_xpu.cpu())
generator = torch.Generator(device="xpu").manual_seed(1)
assert torch.rand(2, device="xpu", generator=generator).device == xpu
state = torch.xpu.get_rng_state()
drawn = torch.rand(2, device="xpu")
torch.xpu.set_rng_state(state)
assert torch.equal(torch.rand(2, device="xpu").cpu(), drawn.cpu())

stream = torch.xpu.Stream()
assert torch.xpu.current_stream() != stream
begin, end = torch.xpu.Event(enable_timing=True), torch.xpu.Event(enable_timing=True)
with torch.xpu.stream(stream):
    assert torch.xpu.current_stream() == stream
    begin.record()
    end.record()
stream.synchronize()
assert begin.elapsed_time(end) >= 0

before = torch.xpu.memory_allocated()
kept = torch.zeros(1 << 20, device="xpu")
assert torch.xpu.memory_allocated() - before == 4 << 20
assert torch.xpu.max_memory_allocated() >= 4 << 20
torch.xpu.empty_cache()

with torch.device("xpu"):
    assert torch.ones(2).device == xpu
torch.set_default_device("xpu")
assert torch.get_default_device() == torch.device("xpu:0")
torch.set_default_device("cpu")

model = nn.Sequential(nn.Linear(4, 4), nn.Conv1d(4, 2, 1)).to("xpu")
copy.deepcopy(model).load_state_dict(model.state_dict())
with torch.autocast("xpu", dtype=torch.bfloat16):
    assert model[0](torch.ones(2, 4, device="xpu")).dtype == torch.bfloat16
for (batch,) in DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4, pin_memory=True, num_workers=1):
    assert batch.to("xpu", non_blocking=True).device == xpu

q = torch.ones(2, 2, 8, 4, device="xpu", dtype=torch.float16, requires_grad=True)
nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()
assert q.grad.shape == q.shape
for recurrent in (nn.LSTM(4, 8, 2), nn.GRU(4, 8, 2)):
    sequence = torch.randn(5, 2, 4)
    on_xpu = copy.deepcopy(recurrent).to("xpu")
    torch.testing.assert_close(on_xpu(sequence.to("xpu"))[0].cpu(), recurrent(sequence)[0])
    on_xpu(sequence.to("xpu"))[0].sum().backward()
try:
    torch.ones(1, device="xpu:1")
except RuntimeError as error:
    print("second device:", error)
print("all answered")
