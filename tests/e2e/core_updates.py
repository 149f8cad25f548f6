"""Updates of Kubernetes' own kinds, as core_updates.yaml has them: what the API server takes of each, and what we say."""

import copy
import json
import os
import subprocess
import tempfile

import judge
from cluster import Failed
from corpus import documents


def merged(value, patch):
    """`value` with what `patch` has of it: maps are merged, all else is replaced, null takes away."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(value) if isinstance(value, dict) else {}
    for key, each in patch.items():
        if each is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), each)
    return result


class Update:
    """`before` is created, and gets `status` where that is not None; `after` is then applied, to which `patch` leads."""

    def __init__(self, number, before, patch, status, namespaced):
        self.name = "update%d" % number
        self.before = merged(before, {"metadata": {"name": self.name}})
        if namespaced:
            self.before["metadata"]["namespace"] = "default"
        self.after = merged(self.before, patch)
        self.patch = patch
        self.status = status

    def text(self):
        return "%s, with %s" % (self.before["kind"], json.dumps(self.patch))


def updates(cluster, path):
    number = 0
    for entry in documents(path)[0]:
        before = entry["before"]
        resource = cluster.resource(before["apiVersion"], before["kind"])
        for patch in entry["patches"]:
            number += 1
            yield Update(number, before, patch, entry.get("status"), resource["namespaced"])


def of_server(cluster, update):
    """(the object as the server has it, what it says of the change)."""
    cluster.create(update.before)
    path = cluster.collection(update.before) + "/" + update.name
    if update.status:
        code, said = patch(cluster, path + "/status", {"status": update.status})
        if code != 200:
            raise Failed("the status of %s is not taken: %s" % (update.text(), said))
    return cluster.get(path), judge.of_server(patch(cluster, path + "?dryRun=All&fieldValidation=Strict", update.patch))


def patch(cluster, path, value):
    """As `kubectl apply` does it: lists of named items are merged item by item."""
    code, said = cluster.send("PATCH", path, json.dumps(value), "application/strategic-merge-patch+json")
    return code, json.loads(said)


def of_us(program, live, after):
    """The errors that we find."""
    with tempfile.TemporaryDirectory(prefix="trainyard-update-") as folder:
        paths = {}
        for name, value in (("old", live), ("new", after)):
            paths[name] = os.path.join(folder, name + ".json")
            with open(paths[name], "w", encoding="utf-8") as file:
                json.dump(value, file)
        done = subprocess.run([program, "validate", "--no-config", "--output", "json", "--old", paths["old"],
                               paths["new"]], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failed("trainyard validate ended with %d:\n%s" % (done.returncode, done.stderr[-3000:]))
    return [each for each in json.loads(done.stdout)["diagnostics"]
            if each["severity"] == "error" and each["kind"] not in judge.LINTS]


def difference(server, errors):
    """What one side says and the other does not; None where they agree."""
    if server.refused() and not errors:
        return "only the server says: " + "; ".join("%s: %s" % cause for cause in server.causes)[:200]
    if errors and not server.refused():
        return "only we say: " + "; ".join("%s: %s" % (each.get("path"), each["message"]) for each in errors)
    return None


def run(cluster, program, path):
    """(how many updates, differences of both sides as texts)."""
    count, told = 0, []
    for update in updates(cluster, path):
        count += 1
        live, server = of_server(cluster, update)
        found = difference(server, of_us(program, live, update.after))
        if found:
            told.append("%s\n      %s" % (update.text(), found))
    return count, told
