#!/usr/bin/env python3
"""Tells learners of itself again and again: `--learner HOST:PORT`, or `--replay HOST,HOST --port PORT`."""
import argparse
import secrets
import socket
import time

parser = argparse.ArgumentParser()
parser.add_argument("--learner", "--replay", required=True)
parser.add_argument("--port")
arguments = parser.parse_args()
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
