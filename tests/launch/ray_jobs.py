"""What KubeRay does with a RayJob of mode HTTPMode: submits its program to the head, and follows it to its end.

As `ray job submit` (ray-project/kuberay ray-operator/controllers/ray/utils/dashboardclient/dashboard_httpclient.go).
"""

import json
import threading
import time
import types
import urllib.error
import urllib.request

import yaml

ROLE = "submission"
ENDS = {"SUCCEEDED": 0, "FAILED": 1, "STOPPED": 1}


class Submission(threading.Thread):
    """Looks as a running pod does: its code is that of the program, its text is the program's log."""

    def __init__(self, job, head):
        super().__init__(daemon=True)
        self.spec, self.head = job["spec"], head
        self.pod = types.SimpleNamespace(name="submission", hostname="", role=ROLE)
        self.fault, self.deleted, self.lost = None, False, False
        self.log, self.result = "", None

    def asked(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.head.ip}:8265/api/jobs/{path}", data,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def run(self):
        body = {"entrypoint": self.spec["entrypoint"], "submission_id": "train"}
        if "runtimeEnvYAML" in self.spec:
            body["runtime_env"] = yaml.safe_load(self.spec["runtimeEnvYAML"])
        while self.result is None and not self.deleted:
            time.sleep(1)
            try:
                if body:
                    self.asked("", body)
                    body = None
                self.log = self.asked("train/logs")["logs"]
                self.result = ENDS.get(self.asked("train")["status"])
            except urllib.error.HTTPError as error:
                self.log = f"{error}: {error.read().decode(errors='replace')}"
            except OSError as error:  # until the head serves
                self.log = str(error)
        if self.result is not None:
            self.log = self.asked("train/logs")["logs"]

    def delete(self, grace=None):
        self.deleted = grace is None or self.is_alive()

    def code(self):
        return self.result

    @property
    def codes(self):
        return {ROLE: self.result}

    def text(self):
        return self.log


def submissions(documents, pods):
    """One for each RayJob."""
    head = next((each for each in pods if each.role == "head"), None)
    return [Submission(each, head) for each in documents if each["kind"] == "RayJob"]
