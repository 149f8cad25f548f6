"""Joins by JAX_*: the address from the variable that JAX reads, the other two as our documents say."""
import os

import jax
from jax.experimental import multihost_utils

from said import say

jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"]))
rank = jax.process_index()
total = multihost_utils.process_allgather(jax.numpy.array([rank + 1.0])).sum()
say(rank, jax.process_count(), float(total))
