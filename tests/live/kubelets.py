#!/usr/bin/env python3
"""usage: kubelets.py FOLDER

What the rest of a cluster sees of the kubelets of all nodes, without containers: keeps nodes ready, takes bound pods
through their phases as the variable BENCH of their first container says, and serves their logs.

BENCH is one of these, with `@RANK` for one rank alone (the others then run):
  done      runs for some seconds and succeeds            run       runs until it is deleted
  exit-N    ends with the exit code N                     oom       ends for lack of memory
  evict     its node evicts it                            pull      its image cannot be pulled
  crash     restarts over and over                        config    a Secret that it names is not there
  mount     a volume cannot be mounted                    slow      runs, but is never ready
In FOLDER, `lost` holds names of nodes whose kubelet is silent, `logs/POD-CONTAINER.log` or `logs/any.log` the lines of
a container, each behind its time; while `cut-logs` is there, a stream ends although its container runs.
"""

import datetime
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

from control_plane import Client, Folder

DONE_SECONDS = 4
FAULT_SECONDS = 2


def now(form="%Y-%m-%dT%H:%M:%SZ"):
    return datetime.datetime.now(datetime.timezone.utc).strftime(form)


def ended(code, reason):
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": now(), "finishedAt": now()}}


def waits(reason, message):
    return {"waiting": {"reason": reason, "message": message}}


def condition(kind, holds, **more):
    return {"type": kind, "status": "True" if holds else "False", "lastTransitionTime": now(), **more}


EVICTION = "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi."


class Kubelets:
    def __init__(self, folder):
        self.folder = folder
        self.client = Client(folder)
        self.port = json.loads(folder.read("ports.json"))["kubelets"]
        self.since = {}

    def lost(self):
        try:
            return self.folder.read("lost").split()
        except OSError:
            return []

    # ---- nodes -----------------------------------------------------------------------------------

    def keep_nodes(self):
        while True:
            try:
                for node in (self.client.get("/api/v1/nodes") or {}).get("items", []):
                    if node["metadata"]["name"] not in self.lost():
                        self.keep_node(node)
            except OSError as error:
                print("nodes:", error, flush=True)
            time.sleep(3)

    def keep_node(self, node):
        name = node["metadata"]["name"]
        conditions = node["status"].get("conditions", [])
        if not any(each["type"] == "Ready" and each["status"] == "True" for each in conditions):
            fine = [condition(kind, False, reason="Fine", message="", lastHeartbeatTime=now())
                    for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")]
            ready = condition("Ready", True, reason="KubeletReady", message="ready", lastHeartbeatTime=now())
            self.client.send("PATCH", "/api/v1/nodes/%s/status" % name, {"status": {
                "conditions": [ready, *fine],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": self.port}}}}, "application/merge-patch+json")
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name},
                 "spec": {"holderIdentity": name, "leaseDurationSeconds": 10, "renewTime": now("%Y-%m-%dT%H:%M:%S.%fZ")}}
        self.client.apply("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + name, lease)

    # ---- pods ------------------------------------------------------------------------------------

    def report(self, pod, phase, state, *, ready=False, restarts=0, last=None, conditions=(), **more):
        """Writes the status of a pod: all of its containers alike."""
        containers = [{"name": each["name"], "image": each["image"], "imageID": "", "ready": ready, "started": ready,
                       "restartCount": restarts, "state": state, **({"lastState": last} if last else {})}
                      for each in pod["spec"]["containers"]]
        kept = [each for each in pod["status"].get("conditions", []) if each["type"] in ("PodScheduled", "DisruptionTarget")]
        number = zlib.crc32(pod["metadata"]["uid"].encode())
        status = {"phase": phase, "hostIP": "127.0.0.1", "podIP": "10.9.%d.%d" % (number % 250, 1 + number // 250 % 250),
                  "startTime": pod["status"].get("startTime") or now(), "containerStatuses": containers,
                  "conditions": [*kept, condition("Initialized", True), condition("Ready", ready),
                                 condition("ContainersReady", ready), *conditions], **more}
        first = [self.init_status(each) for each in pod["spec"].get("initContainers", [])]
        if first:
            status["initContainerStatuses"] = first
        meta = pod["metadata"]
        self.client.send("PATCH", "/api/v1/namespaces/%s/pods/%s/status" % (meta["namespace"], meta["name"]),
                         {"status": status}, "application/merge-patch+json")

    @staticmethod
    def init_status(container):
        one = {"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0, "ready": True}
        if container.get("restartPolicy") == "Always":
            return {**one, "started": True, "state": {"running": {"startedAt": now()}}}
        return {**one, "state": ended(0, "Completed")}

    @staticmethod
    def rank(pod):
        meta = pod["metadata"]
        for names in (meta.get("annotations", {}), meta.get("labels", {})):
            for key in ("batch.kubernetes.io/job-completion-index", "training.kubeflow.org/replica-index",
                        "leaderworkerset.sigs.k8s.io/worker-index"):
                if key in names:
                    return names[key]
        return "0"

    def mode(self, pod):
        variables = pod["spec"]["containers"][0].get("env", [])
        wanted = next((each.get("value", "") for each in variables if each["name"] == "BENCH"), "done")
        mode, _, only = wanted.partition("@")
        return mode if not only or only == self.rank(pod) else "run"

    def step(self, pod):
        phase = pod["status"].get("phase")
        node = pod["spec"].get("nodeName")
        if not node or node in self.lost():
            return
        if pod["metadata"].get("deletionTimestamp"):
            self.end(pod, phase)
        elif phase == "Pending":
            self.begin(pod)
        elif phase == "Running":
            self.go_on(pod)

    def end(self, pod, phase):
        meta = pod["metadata"]
        if phase in ("Pending", "Running"):
            self.report(pod, "Failed", ended(143, "Error"))
        self.client.send("DELETE", "/api/v1/namespaces/%s/pods/%s" % (meta["namespace"], meta["name"]),
                         {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})

    def begin(self, pod):
        mode, uid = self.mode(pod), pod["metadata"]["uid"]
        image = pod["spec"]["containers"][0]["image"]
        stuck = {"pull": waits("ImagePullBackOff", 'Back-off pulling image "%s": ErrImagePull: not found' % image),
                 "config": waits("CreateContainerConfigError", 'secret "tracking" not found'),
                 "mount": waits("ContainerCreating", "")}
        if mode not in stuck:
            self.since[uid] = time.monotonic()
            self.report(pod, "Running", {"running": {"startedAt": now()}}, ready=mode != "slow")
        elif uid not in self.since:
            self.since[uid] = time.monotonic()
            self.report(pod, "Pending", stuck[mode])

    def go_on(self, pod):
        mode, uid = self.mode(pod), pod["metadata"]["uid"]
        began = self.since.setdefault(uid, time.monotonic())
        if mode in ("run", "slow") or time.monotonic() - began < (DONE_SECONDS if mode == "done" else FAULT_SECONDS):
            return
        if mode == "oom":
            self.fail(pod, ended(137, "OOMKilled"))
        elif mode.startswith("exit-"):
            self.fail(pod, ended(int(mode[5:]), "Error"))
        elif mode == "crash":
            self.restart(pod, ended(1, "Error"))
        elif mode == "evict":
            why = condition("DisruptionTarget", True, reason="TerminationByKubelet", message=EVICTION)
            self.report(pod, "Failed", ended(137, "Error"), conditions=[why], reason="Evicted", message=EVICTION)
        else:
            self.report(pod, "Succeeded", ended(0, "Completed"))

    def fail(self, pod, state):
        if pod["spec"].get("restartPolicy") == "Always":
            self.restart(pod, state)
        else:
            self.report(pod, "Failed", state)

    def restart(self, pod, state):
        self.since[pod["metadata"]["uid"]] = time.monotonic() + 1e9
        self.report(pod, "Running", waits("CrashLoopBackOff", "back-off 40s restarting failed container"),
                    restarts=3, last=state)

    def run_pods(self):
        while True:
            try:
                for pod in (self.client.get("/api/v1/pods") or {}).get("items", []):
                    self.step(pod)
            except OSError as error:
                print("pods:", error, flush=True)
            time.sleep(0.5)


# ---- logs ----------------------------------------------------------------------------------------


def logs_of(folder):
    class Logs(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            url = urllib.parse.urlparse(self.path)
            query = urllib.parse.parse_qs(url.query)
            _, _, _, pod, container = (url.path + "////").split("/")[:5]
            names = ("logs/%s-%s.log" % (pod, container), "logs/any.log")
            path = next((folder.path(each) for each in names if os.path.exists(folder.path(each))), None)
            if path is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            try:
                self.serve(path, query)
            except (OSError, ssl.SSLError):
                pass

        def serve(self, path, query):
            def asked(name):
                return query.get(name, ["false"])[0] == "true"

            lines = read_lines(path)
            sent = len(lines)
            since = query.get("sinceTime", [""])[0]
            tail = int(query.get("tailLines", [str(sent)])[0])
            for line in [each for each in lines if each.split(" ", 1)[0] >= since][-tail:] if tail else []:
                self.send_line(line, asked("timestamps"))
            while asked("follow") and not os.path.exists(folder.path("cut-logs")):
                lines = read_lines(path)
                for line in lines[sent:]:
                    self.send_line(line, asked("timestamps"))
                sent = len(lines)
                self.wfile.flush()
                time.sleep(0.2)

        def send_line(self, line, with_time):
            when, _, text = line.partition(" ")
            self.wfile.write(((when + " " if with_time else "") + text).encode())

    return Logs


def read_lines(path):
    with open(path) as file:
        return [each for each in file.read().splitlines(True) if each.endswith("\n")]


def main():
    folder = Folder(sys.argv[1])
    kubelets = Kubelets(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", kubelets.port), logs_of(folder))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder.path("pki/server.crt"), folder.path("pki/server.key"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=kubelets.keep_nodes, daemon=True).start()
    kubelets.run_pods()


if __name__ == "__main__":
    main()
