"""Parameter servers and workers serve; the chief places a variable on each server, and each worker adds to it."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # pylint: disable=wrong-import-position

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
spec = resolver.cluster_spec()
if resolver.task_type != "chief":
    tf.distribute.Server(spec, resolver.task_type, resolver.task_id).join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    totals = [tf.Variable(0.0) for _ in range(spec.num_tasks("ps"))]
places = [tf.DeviceSpec.from_string(each.device) for each in totals]
print("variables on", [f"{each.job} {each.task}" for each in places], flush=True)


@tf.function
def add(number):
    for each in totals:
        each.assign_add(number)
    return number


for worker in range(spec.num_tasks("worker")):
    with tf.device(f"/job:worker/task:{worker}"):
        assert f"/job:worker/replica:0/task:{worker}/" in add(tf.constant(worker + 1.0)).backing_device
coordinator.join()
print("the sums are", [float(each.read_value()) for each in totals], flush=True)
