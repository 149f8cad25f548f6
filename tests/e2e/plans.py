"""What `trainyard plan` says of the updates of updates.yaml and core_updates.yaml, and what server-side apply makes of them."""

import copy
import json
import os
import subprocess
import tempfile

import core_updates
import judge
from cluster import Failed

# The field manager of a plan without a tool.
MANAGER = "trainyard"
# What the server itself writes.
OF_THE_SERVER = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp")
# Verdicts of objects that the server takes with changes.
CHANGED = {"patch", "patch without effect", "restart"}


class Pair:
    """An object that an earlier sync has applied, and what the next one applies."""

    def __init__(self, name, before, after, status=None):
        self.before, self.after = copy.deepcopy(before), copy.deepcopy(after)
        for each in (self.before, self.after):
            each["metadata"]["name"] = name
        self.status = status

    def text(self):
        return "a plan of %s, from %s to %s" % (self.before["kind"], json.dumps(self.before)[:600], json.dumps(self.after)[:600])


def apply(cluster, value, more=""):
    path = "%s/%s?fieldManager=%s&force=true&fieldValidation=Strict%s" % (
        cluster.collection(value), value["metadata"]["name"], MANAGER, more)
    code, said = cluster.send("PATCH", path, json.dumps(value), "application/apply-patch+yaml")
    return code, json.loads(said)


def create(cluster, pair):
    code, said = apply(cluster, pair.before)
    if code not in (200, 201):
        raise Failed("%s is not taken: %s" % (pair.text(), said))
    if pair.status:
        set_status(cluster, pair.before, pair.status)


def set_status(cluster, value, status):
    path = "%s/%s/status" % (cluster.collection(value), value["metadata"]["name"])
    code, said = core_updates.patch(cluster, path, {"status": status})
    if code != 200:
        raise Failed("the status of %s %s is not taken: %s" % (value["kind"], value["metadata"]["name"], said))


def without_server_fields(value):
    metadata = {key: each for key, each in value["metadata"].items() if key not in OF_THE_SERVER}
    return {**value, "metadata": metadata, "status": None}


def of_server(cluster, pair):
    """(the object as the server has it, whether it is refused, unchanged or changed)."""
    live = cluster.get("%s/%s" % (cluster.collection(pair.before), pair.before["metadata"]["name"]))
    code, said = apply(cluster, pair.after, "&dryRun=All")
    if code not in (200, 201):
        return live, "refused", "; ".join("%s: %s" % each for each in judge.of_server((code, said)).causes)[:300]
    same = without_server_fields(live) == without_server_fields(said)
    return live, "unchanged" if same else "changed", ""


def of_us(program, pair, live, crds):
    """The same, as a plan says it; with its reason."""
    with tempfile.TemporaryDirectory(prefix="trainyard-plan-") as folder:
        paths = {}
        for name, value in (("old", pair.before), ("new", pair.after), ("live", live)):
            paths[name] = os.path.join(folder, name + ".json")
            with open(paths[name], "w", encoding="utf-8") as file:
                json.dump(value, file)
        schemas = os.path.join(folder, "crds")
        os.mkdir(schemas)
        for index, crd in enumerate(crds):
            with open(os.path.join(schemas, "crd%d.json" % index), "w", encoding="utf-8") as file:
                json.dump(crd, file)
        done = subprocess.run([program, "plan", "--no-config", "--output", "json", "--old", paths["old"], "--live",
                               paths["live"], *(["--schemas", schemas] if crds else []), paths["new"]], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        raise Failed("trainyard plan ended with %d:\n%s%s" % (done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    objects = json.loads(done.stdout)["objects"]
    if not objects:
        return "unchanged", ""
    verdict = objects[0]["verdict"]
    why = objects[0]["because"] or json.dumps(objects[0]["changes"])[:300]
    return "changed" if verdict in CHANGED else verdict, why


def differences(cluster, program, pairs):
    """`pairs` are (pair, CRDs of its kind)."""
    count, told = 0, []
    for pair, crds in pairs:
        count += 1
        live, theirs, reason = of_server(cluster, pair)
        ours, why = of_us(program, pair, live, crds)
        if ours != theirs:
            told.append("%s\n      the server: %s %s\n      we: %s %s" % (pair.text(), theirs, reason, ours, why))
    return count, told


def core_pairs(cluster, path):
    for index, update in enumerate(core_updates.updates(cluster, path)):
        pair = Pair("plan%d" % index, update.before, update.after, update.status)
        create(cluster, pair)
        yield pair, []


def custom_pairs(cluster, subjects):
    """Objects of kinds whose schema takes everything so far."""
    pairs = []
    for subject in subjects:
        for index, (before, after) in enumerate(subject.changes()):
            if "applied" in subject.entry["changes"][index]:
                continue
            pair = Pair("plan%d" % index, before, after)
            create(cluster, pair)
            pairs.append((pair, [subject.strict()]))
    return pairs


def run(cluster, program, pairs, core_path):
    """(how many updates, differences of both sides as texts); `pairs` are those of custom_pairs."""
    return differences(cluster, program, [*pairs, *core_pairs(cluster, core_path)])
