"""Syncs on the bench: what Argo CD and Flux make of fleets that trainyard renders, with the webhooks and the controllers of operators.

The engines are those of scripts/e2e (tests/oracles/gitops), and so is the comparison of a sync with its plan (tests/e2e/syncs.py).
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import time

import yaml

from control_plane import Failed
from operators import LOADER
from scenarios import Scenario

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests/e2e"))
import syncs  # noqa: E402
from cluster import Cluster, Failed as Stopped  # noqa: E402
from engines import TOOLS, Engines  # noqa: E402

# Units are synced in this order, as their Kustomizations depend on each other.
UNITS = ("platform", "claims", "runtimes", "jobs")
SECONDS = 60


def is_controlled(value):
    """Of the jobs of Volcano only the webhooks are here."""
    return value["kind"] in syncs.SUSPEND and not value["apiVersion"].startswith("batch.volcano.sh/")


class BenchCluster(Cluster):
    """The bench, as tests/e2e asks its own server."""

    def __init__(self, folder):
        super().__init__("", "")
        self.folder = folder.path("syncs")
        os.makedirs(self.folder, exist_ok=True)
        self.port = json.loads(folder.read("ports.json"))["api"]
        self.authority, self.token = folder.path("pki/ca.crt"), "bench-admin"

    def delete(self, value):
        self.send("DELETE", "%s/%s" % (self.collection(value), value["metadata"]["name"]))

    def open_queue(self, value):
        """As Volcano's controller does, of which only the webhooks are here."""
        if value["kind"] == "Queue":
            self.send("PATCH", "%s/%s/status" % (self.collection(value), value["metadata"]["name"]),
                      json.dumps({"status": {"state": "Open"}}), "application/merge-patch+json")


class Fleet:
    """A folder with a fleet, of which one tool syncs one cluster."""

    def __init__(self, scenario, engines, folder, cluster, tool):
        self.scenario, self.engines, self.folder, self.cluster, self.tool = scenario, engines, folder, cluster, tool
        self.what = "%s by %s" % (cluster, tool)

    def render(self):
        done = self.scenario.ask("render", os.path.join(self.folder, "fleet.yaml"), "--only", self.cluster, "--yes")
        if done.returncode != 0:
            raise Failed("%s is not rendered:\n%s" % (self.what, done.stderr))

    def units(self):
        """(directory, its objects)."""
        tree = os.path.join(self.folder, "rendered", self.cluster)
        for unit in UNITS:
            found = {}
            for path, _, names in sorted(os.walk(os.path.join(tree, unit))):
                for name in sorted(names):
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        found.setdefault(os.path.relpath(path, tree), []).extend(each for each in yaml.load_all(file, LOADER) if each)
            yield from found.items()

    def objects(self):
        return [each for _, values in self.units() for each in values]

    def ignored(self):
        """The fields of jobs that the rendered Application or Kustomization shares with controllers."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.folder, "rendered", self.cluster, "gitops", "jobs*.yaml"))):
            with open(path, encoding="utf-8") as file:
                spec = next(each for each in yaml.load_all(file, LOADER) if each)["spec"]
            for each in spec.get("ignore", []):
                found += [(each["target"], pointer) for pointer in each["paths"]]
            for each in spec.get("template", {}).get("spec", {}).get("ignoreDifferences", []):
                found += [(each, pointer) for pointer in each.get("jsonPointers", [])]
        return syncs.defaulted(ROOT) + [
            {"group": of["group"], "kind": of["kind"], "name": of["name"], "path": pointer.strip("/").replace("/", ".")} for of, pointer in found]

    def sync(self):
        """What the tool finds to do, as texts; what it fails at comes first."""
        told = []
        for unit, values in self.units():
            said = self.engines.sync(self.tool, "%s-%s" % (self.cluster, unit.replace("/", "-")), values,
                                     ignored=self.ignored())
            if said["phase"] != "Succeeded":
                raise Failed("%s: the sync of %s: %s %s" % (self.what, unit, said["phase"], said["error"][:500]))
            for value in values:
                self.engines.cluster.open_queue(value)
            told += ["%s: %s %s of %s is %s %s" % (self.what, each["kind"], each["name"], unit, each["said"], each["message"])
                     for each in said["results"] or [] if each["said"] != "Synced"]
        return told

    def settle(self):
        """Waits until Kueue has admitted what it queues, and controllers have looked at the rest."""
        def is_settled(value):
            live = self.engines.live(value)
            if live is None or not is_controlled(value):
                return live is not None
            if syncs.QUEUE not in value["metadata"].get("labels", {}):
                return bool(live.get("status"))
            for name in syncs.SUSPEND[value["kind"]]:
                live = (live or {}).get(name)
            return not live  # KubeRay leaves `false` out

        until = time.monotonic() + SECONDS
        waiting = self.objects()
        while waiting and time.monotonic() < until:
            waiting = [each for each in waiting if not is_settled(each)]
            time.sleep(0.3)
        return ["%s: %s %s is not admitted, or nobody looks at it" % (self.what, each["kind"], each["metadata"]["name"])
                for each in waiting]

    def twice(self):
        """The first sync makes all there is to make, and the next one finds nothing to do."""
        self.sync()
        return self.settle() + ["a second sync, " + each for each in self.sync()]

    def change(self):
        """Another image of each job: its new run takes the place of the old one."""
        old = self.objects()
        kept = os.path.join(self.folder, "old", "rendered")
        shutil.copytree(os.path.join(self.folder, "rendered"), kept, dirs_exist_ok=True)
        for path, _, names in os.walk(os.path.join(self.folder, "specs")):
            for name in names:
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    file.write(text.replace("image: registry.example.com", "image: other.example.com"))
        self.render()
        done = subprocess.run([self.scenario.trainyard, "plan", "--no-config", "--output", "json", "--tool", self.tool, "--old",
                               "old/rendered/" + self.cluster, "rendered/" + self.cluster], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return ["%s: the plan of another image ends with %d:\n%s%s" % (self.what, done.returncode, done.stdout, done.stderr)]
        runs = [each for each in json.loads(done.stdout)["objects"] if each["verdict"] == "restart"]
        jobs = [each for each in old if each["kind"] in {*syncs.SUSPEND, "LeaderWorkerSet"}]
        told = [] if len(runs) == len(jobs) else ["%s: %d of %d jobs start again" % (self.what, len(runs), len(jobs))]
        self.sync()
        now = {(each["kind"], each["metadata"]["name"]) for each in self.objects()}
        told += ["%s: the old %s %s is still there" % (self.what, *each) for each in
                 {(each["kind"], each["metadata"]["name"]): each for each in old if self.is_there(each)}.keys() - now]
        told += ["%s: %s %s is not there" % (self.what, each["kind"], each["metadata"]["name"]) for each in self.objects()
                 if not self.is_there(each)]
        return told + self.settle() + ["another image, a second sync, " + each for each in self.sync()]

    def is_there(self, value):
        live = self.engines.live(value)
        return live is not None and "deletionTimestamp" not in live["metadata"]

    def remove(self):
        for value in self.objects():
            self.engines.cluster.delete(value)


class Synced(Scenario):
    def run(self):
        program = subprocess.run([os.path.join(ROOT, "scripts/oracles"), "gitops"], capture_output=True, text=True, check=False)
        if program.returncode != 0:
            raise Failed("there are no engines: " + program.stderr)
        cluster = BenchCluster(self.folder)
        shutil.rmtree(self.path("fleets"), ignore_errors=True)
        try:
            for value in self.entry["before"]:
                self.create(value)
                cluster.open_queue(value)
            with Engines(program.stdout.strip(), cluster) as engines:
                return self.plans(engines) + [each for fleet in self.fleets(engines) for each in self.of_fleet(fleet)]
        except Stopped as error:
            raise Failed(str(error)) from error
        finally:
            self.remove()

    def remove(self):
        # Volcano protects its queues `root` and `default`.
        self.made = [each for each in self.made if "/queues/" not in each]
        super().remove()

    def plans(self, engines):
        """Of syncs that a webhook has a say in: what the plan says is what comes of it."""
        # Objects of an earlier run may still be on their way out.
        first = int(time.time()) % 1000000
        table = list(syncs.of_table(os.path.join(HERE, "webhook_syncs.yaml")))
        try:
            return [each for begun in syncs.begin(engines, table, first) for each in begun.finish(self.trainyard)]
        finally:
            for number in range(first, first + len(table) * len(TOOLS)):
                engines.cluster.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sync-%d" % number}})

    def fleets(self, engines):
        for cluster, tool in (("gke", "argocd"), ("eks", "flux")):
            example = self.path("fleets/" + cluster)
            shutil.copytree(os.path.join(ROOT, "examples/fleet"), example)
            yield Fleet(self, engines, example, cluster, tool)
        for tool in TOOLS:
            yield Fleet(self, engines, self.write_fleet(tool), tool, tool)

    def of_fleet(self, fleet):
        fleet.render()
        try:
            return fleet.twice() + fleet.change()
        finally:
            fleet.remove()

    def write_fleet(self, tool):
        """A job of each target, with a queue and without one."""
        def write(name, kind, metadata, spec):
            text = yaml.safe_dump({"apiVersion": "trainyard/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}, sort_keys=False)
            self.folder.write(os.path.join("scenarios", self.name, "fleets", tool, name), text)

        write("fleet.yaml", "Fleet", {"name": tool}, {
            "clusters": [{"file": "lab.yaml", "specs": ["specs"]}], "teams": [{"name": "lab", "namespaces": ["ml"], "specs": ["specs/**"]}]})
        write("lab.yaml", "Cluster", {"name": tool}, {"gitops": {"tool": tool, "repository": "https://git.example.com/a.git"}})
        for row in self.entry["syncs"]:
            target = row["target"]
            for name, more in (("free", {}), ("queued", {"scheduling": {"system": row["system"], "queue": "syncs"}})):
                name = "%s-%s-%s" % (tool, target, name)
                write("specs/%s.yaml" % name, "TrainingJob", {"name": name, "namespace": "ml"}, {
                    "target": target, "image": "registry.example.com/ml/train:1.4", "run": {"script": "train.py"}, "nodes": 2,
                    "gpusPerNode": 1, "security": {"runAsUser": 1000}, "env": {"BENCH": "run"}, **more, **row.get("spec", {})})
        return self.path("fleets/" + tool)
