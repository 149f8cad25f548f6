"""Trains until SIGUSR1 asks for a checkpoint."""
import pathlib
import signal
import sys
import time

import torch.distributed as dist

from said import say

dist.init_process_group("gloo")
rank = dist.get_rank()


def save(*_):
    (pathlib.Path(sys.argv[1]) / f"rank-{rank}").write_text("saved")
    say(rank, dist.get_world_size(), dist.get_world_size() * (dist.get_world_size() + 1) / 2)
    sys.exit(0)


signal.signal(signal.SIGUSR1, save)
print("trains", flush=True)
while True:
    time.sleep(0.1)
