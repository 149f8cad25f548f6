"""Syncs objects to the server as Argo CD and Flux do, by tests/oracles/gitops, and says what became of each."""

import json
import subprocess

import yaml

import plans
from cluster import Failed

TOOLS = ("flux", "argocd")


class Engines:
    """The program that has both engines, for as long as a `with` lasts."""

    def __init__(self, program, cluster):
        self.program, self.cluster = program, cluster

    def __enter__(self):
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": "https://127.0.0.1:%d" % self.cluster.port,
                "certificate-authority": self.cluster.authority}}],
            "users": [{"name": "u", "user": {"token": self.cluster.token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}
        path = self.cluster.write("kubeconfig", yaml.safe_dump(config))
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={"KUBECONFIG": path, "HOME": self.cluster.folder})
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def sync(self, tool, unit, objects, **more):
        """What the engine says: `phase`, `error`, and `results` of what it has found to do."""
        self.process.stdin.write(json.dumps({"tool": tool, "unit": unit, "objects": objects, "seconds": 120, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the engines of Argo CD and Flux end with %s" % self.process.wait())
        return json.loads(line)

    def states(self, objects):
        """What the server has of objects: by key, (UID, values), or None where it has none that is not being deleted."""
        return {key(each): self.state(each) for each in objects}

    def state(self, value):
        live = self.live(value)
        if live is None or "deletionTimestamp" in live["metadata"]:
            return None
        return live["metadata"]["uid"], plans.without_server_fields(live)

    def live(self, value):
        return self.cluster.get("%s/%s" % (self.cluster.collection(value), value["metadata"]["name"]))


def key(value):
    return value["kind"], value["metadata"].get("namespace", ""), value["metadata"]["name"]


def became(before, after):
    """What became of an object, of whose states this is what `states` said."""
    if before is None:
        return "absent" if after is None else "created"
    if after is None:
        return "deleted"
    if before[0] != after[0]:
        return "recreated"
    return "unchanged" if before[1] == after[1] else "changed"
