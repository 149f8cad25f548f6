"""Joins by JAX_*: the address from the variable that JAX reads, the other two as our documents say."""
import os

import jax
from jax.experimental import multihost_utils

from said import say

processes, process = int(os.environ["JAX_NUM_PROCESSES"]), int(os.environ["JAX_PROCESS_ID"])
jax.distributed.initialize(num_processes=processes, process_id=process)
rank = jax.process_index()
total = multihost_utils.process_allgather(jax.numpy.array([rank + 1.0])).sum()
say(rank, jax.process_count(), float(total))
