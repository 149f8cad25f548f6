"""What `trainyard plan --tool` says of syncs, and what Argo CD and Flux make of them; and that a second sync finds nothing to do.

The syncs are those of syncs.yaml, the updates of core_updates.yaml, and the trees of golden/plan.
"""

import copy
import glob
import json
import os
import subprocess
import tempfile

import apply_twice
import core_updates
import plans
from cluster import Failed
from corpus import documents, is_object
from engines import TOOLS, Engines, became, key

# What becomes of an object by its verdict; without one it stays as it is.
BECOMES = {
    "create": {"created"}, "runs again": {"created", "recreated"}, "patch": {"changed"}, "restart": {"changed", "created"},
    "patch without effect": {"changed", "unchanged"}, "recreate": {"recreated"}, "prune": {"deleted"},
    "data loss": {"deleted", "recreated"}, "refused": {"unchanged", "absent"}, "kept": {"unchanged"}}
STAYS = {"unchanged", "absent"}
# Where Kueue writes whether a job runs. It does so in a webhook, and when it admits the job.
SUSPEND = {"Job": ("spec", "suspend"), "JobSet": ("spec", "suspend"), "TrainJob": ("spec", "suspend"), "RayJob": ("spec", "suspend"),
           "PyTorchJob": ("spec", "runPolicy", "suspend"), "MPIJob": ("spec", "runPolicy", "suspend")}
QUEUE = "kueue.x-k8s.io/queue-name"


class Sync:
    """The objects of one directory before and after a merge. `unit` is what its Kustomization or Application says, by tool."""

    def __init__(self, what, before, after, status=None, unit=None, tools=TOOLS, keeps=()):
        self.what, self.before, self.after = what, before, after
        self.status, self.unit, self.tools, self.keeps = status, unit or {}, tools, keeps


def of_table(path):
    for entry in documents(path)[0]:
        yield Sync(entry["what"], entry["before"], entry["after"], unit=entry.get("unit"), tools=entry.get("tools", TOOLS),
                   keeps=entry.get("keeps", ()))


def of_updates(cluster, path):
    for update in core_updates.updates(cluster, path):
        yield Sync(update.text(), [update.before], [update.after], update.status)


def of_goldens(root):
    for folder in sorted(glob.glob(root + "/golden/plan/*/before-tree")):
        trees = [[value for name in sorted(glob.glob(at + "/**/*.yaml", recursive=True)) for value in documents(name)
                  if is_object(value)] for at in (folder, os.path.dirname(folder) + "/rendered")]
        yield Sync(os.path.relpath(os.path.dirname(folder), root), *trees)


def placed(cluster, values, number):
    """Copies in a namespace of their own; what has none gets another name."""
    space = "sync-%d" % number
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
    placed_values = []
    for value in copy.deepcopy(values):
        resource = cluster.resource(value["apiVersion"], value["kind"])
        if resource is None or "name" not in value["metadata"]:
            continue
        if resource["namespaced"]:
            value["metadata"]["namespace"] = space
        else:
            value["metadata"]["name"] += "-%d" % number
        placed_values.append(value)
    return placed_values


# ---- a sync and its plan ----------------------------------------------------------------------


def wrapped(tool, unit, path):
    """The Kustomization or Application of a directory, as a plan reads it."""
    if tool == "flux":
        spec = {"interval": "10m", "path": "./" + path, "prune": True, "sourceRef": {"kind": "GitRepository", "name": "a"}, **unit}
        return {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"name": "unit", "namespace": "flux-system"}, "spec": spec}
    policy = {"automated": {"prune": True}, "syncOptions": unit.get("syncOptions", ["ServerSideApply=true"])}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "unit", "namespace": "argocd"},
            "spec": {"project": "a", "destination": {"name": "a"}, "syncPolicy": policy,
                     "source": {"repoURL": "https://git.example.com/a.git", "path": path}}}


def planned(program, tool, sync, live):
    """What a plan says: (verdict, object of the plan) by key."""
    with tempfile.TemporaryDirectory(prefix="trainyard-sync-") as folder:
        trees = {"old": sync.before, "new/unit": sync.after, "live": live,
                 "new/tools": [wrapped(tool, sync.unit.get(tool, {}), "new/unit")]}
        for name, values in trees.items():
            os.makedirs(os.path.join(folder, name))
            with open(os.path.join(folder, name, "a.json"), "w", encoding="utf-8") as file:
                json.dump({"apiVersion": "v1", "kind": "List", "items": values}, file)
        done = subprocess.run([os.path.abspath(program), "plan", "--no-config", "--output", "json", "--tool", tool, "--old", "old",
                               "--live", "live", "new"], capture_output=True, text=True, cwd=folder)
    if done.returncode not in (0, 5):
        raise Failed("trainyard plan ended with %d:\n%s%s" % (done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    return {(each["kind"], each["namespace"], each["name"]): each for each in json.loads(done.stdout)["objects"]
            if each["unit"] != "new/tools"}


def expected(sync, plan):
    """What may become of each object, by key."""
    ended = {each["oldRun"]: each for each in plan.values() if each["oldRun"]}
    result = {}
    for value in sync.before + sync.after:
        row = plan.get(key(value))
        run = value["metadata"].get("labels", {}).get("trainyard/run")
        if row is None and run in ended:
            result[key(value)] = STAYS if ended[run]["waits"] else {"deleted"}
        elif row is None:
            result[key(value)] = {"unchanged"}
        elif row["waits"]:
            result[key(value)] = STAYS
        else:
            result[key(value)] = {"deleted"} if "cannot be made again" in row["because"] else BECOMES[row["verdict"]]
    return result


def judge(engines, program, tool, sync, number):
    """How the plan of a sync differs from what the tool does, as texts."""
    before, after = (placed(engines.cluster, each, number) for each in (sync.before, sync.after))
    sync = Sync(sync.what, before, after, sync.status, sync.unit, keeps=sync.keeps)
    unit = sync.unit.get(tool, {})
    options = {"force": unit.get("force", False), "keep": not unit.get("prune", True), "client": "syncOptions" in unit and "ServerSideApply=true" not in unit["syncOptions"]}
    name = "%s-%d" % (tool, number)
    first = engines.sync(tool, name, before, **options)
    if first["phase"] == "Failed":
        raise Failed("%s, %s: the state before is not taken: %s" % (sync.what, tool, first["error"]))
    for value in before if sync.status else []:
        plans.set_status(engines.cluster, value, sync.status)
    live = [each for each in map(engines.live, before) if each]
    states = engines.states(before + after)
    plan = planned(program, tool, sync, live)
    said = engines.sync(tool, name, after, **options)
    now = engines.states(before + after)
    told = []
    for at, allowed in expected(sync, plan).items():
        what = became(states[at], now[at])
        if what not in allowed:
            row = plan.get(at, {"verdict": "unchanged", "because": "", "waits": False})
            told.append("%s %s is %s; we: %s%s %s" % (at[0], at[2], what, row["verdict"], " and waits" if row["waits"] else "", row["because"]))
        if "%s/%s" % (at[0], at[2]) in sync.keeps and what in ("deleted", "recreated"):
            told.append("%s %s is %s, and must not be" % (at[0], at[2], what))
    has_refused = any(row["verdict"] == "refused" for row in plan.values())
    if has_refused != (said["phase"] == "Failed"):
        told.append("the sync: %s %s; we: %s" % (said["phase"], said["error"][:300], "refused" if has_refused else "nothing is refused"))
    return ["%s, %s\n      %s" % (sync.what, tool, each) for each in told]


def run(cluster, program, engine_program, root):
    """(how many syncs, differences as texts)."""
    here = os.path.dirname(os.path.abspath(__file__))
    syncs = [*of_table(here + "/syncs.yaml"), *of_goldens(root), *of_updates(cluster, here + "/core_updates.yaml")]
    count, told = 0, []
    with Engines(engine_program, cluster) as engines:
        for sync in syncs:
            for tool in sync.tools:
                count += 1
                told += judge(engines, program, tool, sync, count)
        objects, more = twice(engines, root, count + 1)
    return count, told, objects, more


# ---- a second sync ----------------------------------------------------------------------------


def queue_acts(engines, values):
    """What Kueue writes into the jobs of a queue: it suspends them, and then admits them."""
    for value in values:
        path = SUSPEND.get(value["kind"])
        if path is None or QUEUE not in value["metadata"].get("labels", {}):
            continue
        for word in (True, False):
            change = word
            for field in reversed(path):
                change = {field: change}
            at = "%s/%s?fieldManager=kueue" % (engines.cluster.collection(value), value["metadata"]["name"])
            code, said = engines.cluster.send("PATCH", at, json.dumps(change), "application/merge-patch+json")
            if code != 200:
                raise Failed("%s is not suspended: %s" % (value["kind"], said))


def twice(engines, root, number):
    """Syncs what builds write, and again: (how many objects, what the second sync still finds to do as texts)."""
    cluster, taken, told = engines.cluster, {tool: [] for tool in TOOLS}, []
    for case, value in apply_twice.objects(root):
        for tool in TOOLS:
            number += 1
            found = placed(cluster, [value], number)
            if found and cluster.try_create(found[0])[0] == 201:
                taken[tool].append((case, found[0]))
    for tool, pairs in taken.items():
        values = [value for _, value in pairs]
        cases = {key(value): case for case, value in pairs}
        first = engines.sync(tool, "twice-" + tool, values)
        if first["phase"] == "Failed":
            told.append("%s: the first sync fails: %s" % (tool, first["error"][:500]))
            continue
        queue_acts(engines, values)
        again = engines.sync(tool, "twice-" + tool, values)
        for each in again["results"] or []:
            at = (each["kind"], each["namespace"], each["name"])
            told.append("%s: a second sync of %s of %s: %s %s" % (tool, at[0], cases.get(at, at), each["said"], each["message"][:300]))
        if again["error"]:
            told.append("%s: the second sync: %s" % (tool, again["error"][:500]))
    return sum(len(pairs) for pairs in taken.values()), told
