#!/usr/bin/env python3
"""Stands in for a server: answers on its --port with its host name and a word of this life, until it is asked to end.

As vLLM and uvicorn it ends on SIGTERM, which the kernel keeps from a first process without a handler.

In one of several ranks that meet, the first answers for all.
"""
import http.server
import json
import os
import secrets
import signal
import socket
import sys
import threading

from said import say

LIFE = secrets.token_hex(4)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = json.dumps({"host": socket.gethostname(), "life": LIFE, "group": os.environ.get("ROLE_GROUP")})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())
        if self.path == "/end":
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_):
        pass


def meet():
    """The rank, after all ranks of this server have added up theirs."""
    if "RANK" not in os.environ:
        return 0
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    total = torch.ones(1) * (dist.get_rank() + 1)
    dist.all_reduce(total)
    say(dist.get_rank(), dist.get_world_size(), total.item(), server=True)
    return dist.get_rank()


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
if meet() == 0:
    port = int(sys.argv[sys.argv.index("--port") + 1])
    with http.server.ThreadingHTTPServer(("", port), Answer) as server:
        print("serves", flush=True)
        server.serve_forever()
else:
    threading.Event().wait()
