"""Joins by DMLC_*: the worker of task 0 also runs the tracker, as the Trainer's runtimes have it."""
import os
import socket
import threading
import time

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

from said import say

host, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
task, workers = os.environ["DMLC_TASK_ID"], int(os.environ["DMLC_NUM_WORKER"])
if task == "0":
    tracker = RabitTracker(host_ip=socket.gethostbyname(host), n_workers=workers, port=port, sortby="task")
    tracker.start()
    threading.Thread(target=tracker.wait_for, daemon=True).start()
address = None
while address is None:
    try:
        address = socket.gethostbyname(host)
        socket.create_connection((address, port), 1).close() if task != "0" else None
    except OSError:
        address = None
        time.sleep(0.5)
with collective.CommunicatorContext(dmlc_tracker_uri=address, dmlc_tracker_port=port, dmlc_task_id=task):
    rank, world = collective.get_rank(), collective.get_world_size()
    total = collective.allreduce(numpy.array([rank + 1.0]), collective.Op.SUM)
    data = numpy.random.RandomState(rank).rand(50, 3)
    model = xgboost.train({"max_depth": 2}, xgboost.DMatrix(data, label=data[:, 0]), num_boost_round=2)
    say(rank, world, float(total[0]), task=task, trees=len(model.get_dump()))
