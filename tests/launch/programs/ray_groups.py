"""The entry point of a RayJob with groups of workers: an actor on each node of a group, by the resource of its name.

`GROUP=NODES`...: says for each group on which nodes its actors run.
"""
import os
import sys

import ray


@ray.remote(num_cpus=0)
class Actor:
    def host(self):
        return os.uname().nodename


def hosts(group, nodes):
    actors = [Actor.options(resources={group: 1}).remote() for _ in range(nodes)]
    return ray.get([each.host.remote() for each in actors])


ray.init()
for group, _, nodes in (each.partition("=") for each in sys.argv[1:]):
    found = hosts(group, int(nodes))
    print(f"{len(set(found))} nodes of {group}, all of its own: {all(f'-{group}-' in each for each in found)}", flush=True)
