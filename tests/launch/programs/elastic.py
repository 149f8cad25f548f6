"""Trains until it has started again in a world of the size of the first argument, and made some steps there."""
import os
import sys
import time

import torch
import torch.distributed as dist

from said import say

STARTED = "/tmp/started"
again = os.path.exists(STARTED)
with open(STARTED, "w", encoding="ascii"):
    pass
dist.init_process_group("gloo")
rank, world, steps = dist.get_rank(), dist.get_world_size(), 0
print(f"trains in {world}", flush=True)
total = torch.zeros(2)
while world != int(sys.argv[1]) or steps < 20 or total[1] == 0:  # a pod that was made again has not started before
    total = torch.tensor([rank + 1.0, float(again)])
    dist.all_reduce(total)
    steps += 1
    time.sleep(0.1)
say(rank, world, total[0].item())
dist.destroy_process_group()
