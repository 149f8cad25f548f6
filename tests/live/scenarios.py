"""Jobs of trainyard on the bench: they reach their phase, `diagnose` names the cause, and pods are as explained."""

import contextlib
import json
import os
import re
import subprocess
import time

import yaml

import explained_pods
from control_plane import Client, Failed
from operators import LOADER

HERE = os.path.dirname(os.path.abspath(__file__))
# Only what fails waits so long; a busy machine may take its time.
SECONDS = 180
LABEL = "app.kubernetes.io/instance"
# What a person would ask kubectl for.
AROUND = ["/api/v1/namespaces/ml/pods", "/api/v1/namespaces/ml/events", "/api/v1/nodes",
          "/apis/batch/v1/namespaces/ml/jobs", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ml/jobsets",
          "/apis/apps/v1/namespaces/ml/statefulsets", "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads", "/apis/ray.io/v1/namespaces/ml/rayclusters"]


def table():
    """A row with `over` is one for each of its targets, with what that target needs."""
    with open(os.path.join(HERE, "scenarios.yaml"), encoding="utf-8") as file:
        rows = yaml.load(file, LOADER)
    needed = rows.pop(0)["targets"]
    return [each for row in rows for each in spread(row, needed)]


def spread(row, needed):
    if "over" not in row:
        return [row]
    common = {key: value for key, value in row.items() if key != "over"}
    return [{**common, "target": target, "name": "%s-%s" % (row["name"], target),
             "needs": needed[target].get("needs", []) + row.get("needs", []),
             "spec": {**needed[target].get("spec", {}), **row.get("spec", {})}} for target in row["over"]]


def chosen(names):
    """All without a name; `core` stands for those that are marked so."""
    known = table()
    if names == ["core"]:
        return [each for each in known if each.get("core")]
    missing = set(names) - {each["name"] for each in known}
    if missing:
        raise Failed("there is no scenario %s" % ", ".join(sorted(missing)))
    return [each for each in known if not names or each["name"] in names]


def operators_of(names):
    return sorted({need for each in chosen(names) for need in each.get("needs", [])})


class Scenario:
    def __init__(self, entry, folder, client, trainyard):
        self.entry, self.folder, self.client, self.trainyard = entry, folder, client, trainyard
        self.name = entry["name"]
        self.made = []

    # ---- running it ------------------------------------------------------------------------------

    def run(self):
        """What does not hold, in words."""
        spec = self.write_spec()
        objects = self.build(spec)
        try:
            for value in self.entry.get("before", []):
                self.create(value)
            self.made += [self.client.resource_path(value) for value in objects]
            self.made.append("/api/v1/namespaces/ml/configmaps/trainyard-" + self.name)
            self.apply(spec, "created")
            if self.entry.get("pods") == "explained":
                # Before they end: then their controller takes its finalizers off.
                self.wait(lambda: len(self.started()) >= self.entry.get("running", 2))
                faults = explained_pods.differences(self.client, self.trainyard, spec, self.pods())
            else:
                faults = []
            with self.disturbance():
                if "ends" in self.entry:
                    faults += self.wait_for_end(self.job_of(objects))
                if not faults and "finding" in self.entry:
                    faults = self.wait_for_finding()
            # By now controllers have filled in what they fill in.
            if self.entry.get("ends") != "gone":
                self.apply(spec, "unchanged: done")
        finally:
            self.remove()
        return faults

    def path(self, name):
        return self.folder.path("scenarios", self.name, name)

    def write_spec(self):
        spec = {"target": self.entry["target"], "image": "registry.example.com/ml/train:1.4", "run": {"script": "train.py"},
                "nodes": 2, "gpusPerNode": 8, "security": {"runAsUser": 1000}, "env": {"BENCH": self.entry["bench"]},
                **self.entry.get("spec", {})}
        return self.folder.write(os.path.join("scenarios", self.name, "spec.yaml"), yaml.safe_dump({
            "apiVersion": "trainyard/v1alpha1", "kind": "TrainingJob",
            "metadata": {"name": self.name, "namespace": "ml"}, "spec": spec}, sort_keys=False))

    def ask(self, *arguments):
        return subprocess.run([self.trainyard, *arguments], capture_output=True, text=True, check=False)

    def build(self, spec):
        done = self.ask("build", spec)
        if done.returncode != 0:
            raise Failed("%s does not compile:\n%s" % (self.name, done.stderr))
        return [each for each in yaml.load_all(done.stdout, LOADER) if each]

    def apply(self, spec, wanted):
        done = self.ask("apply", spec, "--kubeconfig", self.folder.path("admin.kubeconfig"))
        if done.returncode != 0 or wanted not in done.stdout:
            raise Failed("%s is not %s:\n%s%s" % (self.name, wanted, done.stdout, done.stderr))

    def create(self, value):
        path = self.client.resource_path(value)
        self.client.apply(path, value)
        self.made.append(path)

    def remove(self):
        """By trainyard, as a person would; what was there first, by hand."""
        self.ask("delete", self.name, "-n", "ml", "--yes", "--kubeconfig", self.folder.path("admin.kubeconfig"))
        for path in reversed(self.made):
            self.client.send("DELETE", path, {"propagationPolicy": "Foreground"})
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and (self.pods() or any(map(self.client.get, self.made))):
            time.sleep(0.2)

    @contextlib.contextmanager
    def disturbance(self):
        lost = self.entry.get("during", {}).get("lost")
        if lost is None:
            yield
            return
        self.wait(lambda: len(self.running()) >= 2)
        # The names of pods are in the order of roles and ranks.
        node = sorted(self.running(), key=lambda each: each["metadata"]["name"])[lost]["spec"]["nodeName"]
        self.folder.write("lost", node)
        try:
            yield
        finally:
            self.folder.write("lost", "")

    # ---- what must hold --------------------------------------------------------------------------

    def pods(self):
        everything = self.client.get("/api/v1/namespaces/ml/pods")["items"]
        return [each for each in everything if each["metadata"].get("labels", {}).get(LABEL) == self.name
                or each["metadata"]["name"].startswith(self.name + "-")]

    def started(self):
        return [each for each in self.pods() if each["status"].get("phase") not in (None, "Pending")]

    def running(self):
        return [each for each in self.pods() if each["status"].get("phase") == "Running"]

    @staticmethod
    def wait(holds):
        """The last answer, true or not."""
        until = time.monotonic() + SECONDS
        while True:
            answer = holds()
            if answer or time.monotonic() > until:
                return answer
            time.sleep(0.3)

    def job_of(self, objects):
        return next(each for each in objects if each["metadata"]["name"] == self.name and each["kind"] != "Service"
                    and each["kind"] != "ConfigMap" and each["kind"] != "PodGroup")

    def wait_for_end(self, job):
        """A job may pass through the wanted phase on its way to another: the last word counts for what waits."""
        path = self.client.resource_path(job)
        if self.entry["ends"] == "gone":
            return self.wait_until_gone(path)
        told = ""

        def reached():
            nonlocal told
            self.dump("job.json", [self.client.get(path)])
            told = self.ask("explain", "status", self.path("job.json")).stdout
            return re.search(": %s\\b" % self.entry["ends"], told) is not None

        if self.wait(reached):
            return []
        return ["the job is not %s, but %s" % (self.entry["ends"], told.strip() or "nothing")]

    def wait_until_gone(self, path):
        done = self.ask("wait", self.path("spec.yaml"), "--kubeconfig", self.folder.path("admin.kubeconfig"))
        if done.returncode != 0:
            return ["`wait` ends with %d: %s" % (done.returncode, done.stderr)]
        return [] if self.wait(lambda: self.client.get(path) is None) else ["the job is still there"]

    def dump(self, name, values):
        self.folder.write(os.path.join("scenarios", self.name, name),
                          json.dumps({"apiVersion": "v1", "kind": "List", "items": values}))

    def wait_for_finding(self):
        first = None

        def found():
            nonlocal first
            values = [item for path in [*AROUND, *self.made] for item in self.items(path)]
            self.dump("dump.json", values)
            told = self.ask("diagnose", "--from", self.path("dump.json"), "--output", "json", self.name)
            jobs = json.loads(told.stdout or "{}").get("jobs", [])
            findings = [each["id"] for job in jobs for each in job.get("findings", [])]
            first = findings[0] if findings else told.stderr.strip()
            return first == self.entry["finding"]

        if self.wait(found):
            return []
        return ["the first finding is %s, not %s" % (first, self.entry["finding"])]

    def items(self, path):
        value = self.client.get(path)
        if value is None:
            return []
        if "items" not in value:
            return [value]
        kind = value["kind"].removesuffix("List")
        return [{"apiVersion": value["apiVersion"], "kind": kind, **each} for each in value["items"]]


def run(folder, arguments, kinds):
    """`kinds` has the classes of scenarios that are not of a job, by the key that marks them."""
    client = Client(folder)
    bad = 0
    for entry in chosen(arguments.names):
        began = time.monotonic()
        try:
            kind = next((made for key, made in kinds.items() if key in entry), Scenario)
            faults = kind(entry, folder, client, os.path.abspath(arguments.trainyard)).run()
        except Failed as error:
            faults = [str(error)]
        bad += bool(faults)
        print("%s %s, %.0f s" % ("FAILED" if faults else "ok    ", entry["name"], time.monotonic() - began), flush=True)
        for fault in faults:
            print("       " + fault.replace("\n", "\n       "))
    secrets = secrets_read(folder)
    for each in secrets:
        print("FAILED  a Secret was read: " + each)
    return 1 if bad or secrets else 0


def secrets_read(folder):
    """By trainyard, as the audit log tells."""
    found = []
    with open(folder.path("audit.log"), encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if event.get("userAgent", "").startswith("trainyard") and event.get("objectRef", {}).get("resource") == "secrets":
                found.append(event["verb"] + " " + event["requestURI"])
    return found
