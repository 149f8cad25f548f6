"""Joins by env://, adds up the ranks, and says where each of them is."""

import torch
import torch.distributed as dist

from said import say

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
total = torch.ones(4) * (rank + 1)
dist.all_reduce(total)
say(rank, world, total[0].item())
dist.destroy_process_group()
