"""What a rank tells the bench: one line."""
import json
import os
import socket
import sys


def say(rank, world, total, **more):
    line = {"rank": rank, "world": world, "sum": total}
    line.update(host=socket.gethostname(), node_rank=os.environ.get("NODE_RANK"))
    sys.stdout.write("launched " + json.dumps(dict(line, **more)) + "\n")
    sys.stdout.flush()
