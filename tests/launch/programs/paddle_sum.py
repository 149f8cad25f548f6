"""Started by paddle.distributed.launch on each node."""
import paddle
import paddle.distributed as dist

from said import say

paddle.set_device("cpu")
dist.init_parallel_env()
total = paddle.to_tensor([dist.get_rank() + 1.0])
dist.all_reduce(total)
say(dist.get_rank(), dist.get_world_size(), float(total.numpy()[0]))
