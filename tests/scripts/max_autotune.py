"""A matrix multiplication with an epilogue, whose template and fusion Inductor would choose by benchmarks."""

import torch
import torch._inductor.config as config

config.test_configs.autotune_choice_name_regex = r"mm_?[0-3]?$"  # fewer, since each takes its time
a, b = (torch.ones(64, 64, device="xpu", dtype=torch.float16) for _ in range(2))
result = torch.compile(lambda a, b: torch.relu(a @ b) + 1, mode="max-autotune-no-cudagraphs")(a, b)
assert result[0, 0].item() == 65
