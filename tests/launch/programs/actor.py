#!/usr/bin/env python3
"""Tells learners of itself again and again: `--learner HOST:PORT`, or `--replay HOST,HOST --port PORT`.

Ends on SIGTERM, which the kernel keeps from a first process without a handler.
"""
import argparse
import secrets
import signal
import socket
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--learner", "--replay", required=True)
parser.add_argument("--port")
arguments = parser.parse_args()
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
life = secrets.token_hex(4)
print("acts", flush=True)
while True:
    for each in arguments.learner.split(","):
        host, _, port = each.partition(":")
        try:
            with socket.create_connection((host, int(port or arguments.port)), timeout=5) as learner:
                learner.sendall(f"{socket.gethostname()} {life}\n".encode())
        except OSError:
            pass
    time.sleep(0.2)
