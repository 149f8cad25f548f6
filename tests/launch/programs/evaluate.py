#!/usr/bin/env python3
"""Follows the checkpoints of a folder until the last one is there: `--follow FOLDER --until NAME`; `--out FOLDER` writes
them, as one rank of several."""
import argparse
import os
import pathlib
import time

parser = argparse.ArgumentParser()
parser.add_argument("--follow", type=pathlib.Path)
parser.add_argument("--until")
parser.add_argument("--out", type=pathlib.Path)
arguments = parser.parse_args()


def write(folder):
    import torch
    import torch.distributed as dist

    from said import say

    dist.init_process_group("gloo")
    total = torch.ones(1) * (dist.get_rank() + 1)
    dist.all_reduce(total)
    for name in ("step-1", "step-2", "done"):
        if dist.get_rank() == 0:
            (folder / name).write_text(name)
        time.sleep(0.5)
        dist.barrier()
    say(dist.get_rank(), dist.get_world_size(), total.item())
    dist.destroy_process_group()


def follow(folder, last):
    seen = []
    while last not in seen:
        seen += sorted(each for each in os.listdir(folder) if each not in seen)
        time.sleep(0.1)
    print(f"evaluated {len(seen)} checkpoints", flush=True)


if arguments.out:
    write(arguments.out)
else:
    follow(arguments.follow, arguments.until)
