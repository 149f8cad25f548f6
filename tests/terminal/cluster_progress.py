"""What the program that talks to clusters shows on a terminal while many objects are on their way.

usage: cluster_progress.py TRAINYARD_CLUSTER

Each answer takes a fifth of a second, so that the work takes more than a second on any machine.
"""

import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from progress import expect, on_terminal

OBJECTS = 40
BAR = re.compile(r"\r\x1b\[K\[[#.]{24}\] \d+ of \d+ requests, [\d.]+/s")
CONFIG = """\
current-context: slow
contexts: [{name: slow, context: {cluster: slow, user: me}}]
clusters: [{name: slow, cluster: {server: "http://127.0.0.1:%d"}}]
users: [{name: me, user: {token: a}}]
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: s-%d, namespace: ml}
spec: {clusterIP: None, selector: {app: s-%d}}
---
"""


class Slow(http.server.BaseHTTPRequestHandler):
    """An API server that has Services, takes each, and takes its time."""

    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):  # pylint: disable=invalid-name
        kind = {"group": "", "version": "v1", "kind": "Service"}
        resources = [{"resource": "services", "scope": "Namespaced", "responseKind": kind}]
        core = {"metadata": {"name": ""}, "versions": [{"version": "v1", "freshness": "Current", "resources": resources}]}
        items = [core] if self.path.split("?")[0] == "/api" else []
        self.answer(200, {"kind": "APIGroupDiscoveryList", "items": items})

    def do_PATCH(self):  # pylint: disable=invalid-name
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.2)
        self.answer(201, {})

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def check(program, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (folder / "config").write_text(CONFIG % server.server_address[1])
    (folder / "services.yaml").write_text("".join(SERVICE % (number, number) for number in range(OBJECTS)))
    call = ["apply", "services.yaml", "--kubeconfig", "config"]

    code, text = on_terminal(program, call, folder)
    expect("an apply of more than a second shows a bar", code == 0 and BAR.search(text), text)
    expect("the bar is gone at the end", text.endswith("\r\x1b[K"), text)
    _, text = on_terminal(program, call, folder, TERM="dumb")
    expect("a dumb terminal gets no bar", "\x1b" not in text, text)
    _, text = on_terminal(program, ["ping", "--kubeconfig", "config"], folder)
    expect("what ends within a second shows none", "\x1b[K" not in text, text)

    piped = subprocess.run([program, *call], cwd=folder, capture_output=True, text=True, check=False)
    expect("a pipe gets none", piped.stderr == "" and "40 to add: done" in piped.stdout, piped.stderr + piped.stdout[-300:])
    server.shutdown()


def main():
    with tempfile.TemporaryDirectory(prefix="trainyard-terminal-") as folder:
        check(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))


if __name__ == "__main__":
    main()
