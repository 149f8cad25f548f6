#!/usr/bin/env python3
"""Trains with servers: the first rank asks each of them, then again until all answer and one of them has come back.

`--hosts A,B --port N`; REWARD_URL is asked, too. With `--back` one of the servers is made again meanwhile, and with
`--end` the servers end when they are told to.
"""
import argparse
import json
import os
import time
import urllib.request

import torch
import torch.distributed as dist

from said import say


def asked(url):
    """The answer; None while no server is there."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return None


def answers(urls):
    found = [asked(each) for each in urls]
    while None in found:
        time.sleep(0.2)
        found = [each or asked(url) for each, url in zip(found, urls)]
    return found


def train(arguments):
    urls = [f"http://{each}:{arguments.port}/answer" for each in arguments.hosts.split(",")]
    first = answers(urls)
    hosts = {each["host"] for each in first}
    print(f"answers of {len(hosts)} servers", *sorted(hosts), flush=True)
    if "REWARD_URL" in os.environ:
        print("a score from", answers([os.environ["REWARD_URL"]])[0]["host"], flush=True)
    lives = {each["life"] for each in first}
    while arguments.back and not {each["life"] for each in answers(urls)} - lives:
        time.sleep(0.2)
    if arguments.back:
        print("a server came back, and answers", flush=True)
    if arguments.end:
        reward = [os.environ["REWARD_URL"]] if "REWARD_URL" in os.environ else []
        for each in urls + reward:
            asked(each.rsplit("/", 1)[0] + "/end")


parser = argparse.ArgumentParser()
parser.add_argument("--hosts", "--teachers", required=True)
parser.add_argument("--port", required=True)
parser.add_argument("--back", action="store_true")
parser.add_argument("--end", action="store_true")
arguments = parser.parse_args()
dist.init_process_group("gloo")
total = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(total)
if dist.get_rank() == 0:
    train(arguments)
dist.barrier()
say(dist.get_rank(), dist.get_world_size(), total.item())
dist.destroy_process_group()
