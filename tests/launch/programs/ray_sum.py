"""The entry point of a RayJob: one process of Ray Train on each worker, and a sum of their ranks."""
import os

import ray.train
import torch
import torch.distributed as dist
from ray.train.torch import TorchConfig, TorchTrainer

from said import say


def train():
    rank, world = dist.get_rank(), dist.get_world_size()
    total = torch.ones(4) * (rank + 1)
    dist.all_reduce(total)
    del os.environ["NODE_RANK"]  # Ray's own, by the order in which it found the nodes
    say(rank, world, total[0].item())


scaling = ray.train.ScalingConfig(num_workers=3, placement_strategy="STRICT_SPREAD")
TorchTrainer(train, scaling_config=scaling, torch_config=TorchConfig(backend="gloo"),
             run_config=ray.train.RunConfig(storage_path="/tmp/ray-results")).fit()
