#!/usr/bin/env python3
"""Trains on what actors bring: the first process of each node listens, and the first of all waits for all actors.

Under torchrun the ranks meet by gloo, else by JAX. `--back` waits for an actor that has begun again, too.
"""
import argparse
import os
import socketserver
import sys
import threading
import time

from said import say

parser = argparse.ArgumentParser()
parser.add_argument("--listen", "--port", type=int, default=7000)
parser.add_argument("--actors", type=int, required=True)
parser.add_argument("--back", action="store_true")
arguments = parser.parse_known_args()[0]
seen, again = set(), set()


class Taken(socketserver.StreamRequestHandler):
    """One line: the host name of an actor and a word of its life."""

    def handle(self):
        host, life = self.rfile.readline().decode().split()
        if {each for each in seen if each[0] == host} - {(host, life)}:
            again.add(host)
        seen.add((host, life))


def listen():
    server = socketserver.ThreadingTCPServer(("", arguments.listen), Taken)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def met_by_torch():
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    total = torch.ones(1) * (dist.get_rank() + 1)
    dist.all_reduce(total)
    return dist.get_rank(), dist.get_world_size(), total.item(), dist.barrier


def met_by_jax():
    import jax
    from jax.experimental import multihost_utils

    count, own = int(os.environ["JAX_NUM_PROCESSES"]), int(os.environ["JAX_PROCESS_ID"])
    jax.distributed.initialize(num_processes=count, process_id=own)
    total = multihost_utils.process_allgather(jax.numpy.array([own + 1.0])).sum()
    return own, count, float(total), lambda: multihost_utils.sync_global_devices("the end")


socketserver.ThreadingTCPServer.allow_reuse_address = True
if os.environ.get("LOCAL_RANK", "0") == "0":
    listen()
rank, world, total, barrier = met_by_torch() if "LOCAL_RANK" in os.environ else met_by_jax()
if rank == 0:
    while len({host for host, _ in seen}) < arguments.actors:
        time.sleep(0.1)
    print(f"heard of {arguments.actors} actors", flush=True)
    while arguments.back and not again:
        time.sleep(0.1)
    if arguments.back:
        print("an actor came back", flush=True)
barrier()
say(rank, world, total)
sys.stdout.flush()
os._exit(0)
