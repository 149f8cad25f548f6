"""Joins by TF_CONFIG; the chief, or worker 0, has rank 0."""
import json
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # pylint: disable=wrong-import-position

from said import say  # pylint: disable=wrong-import-position

config = json.loads(os.environ["TF_CONFIG"])
rank = config["task"]["index"] + (config["task"]["type"] == "worker" and "chief" in config["cluster"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.function
def add_up():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(rank + 1.0)))


say(rank, strategy.num_replicas_in_sync, float(add_up()))
