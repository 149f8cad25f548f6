"""What `trainyard plan --tool` says of syncs, and what Argo CD and Flux make of them; and that a second sync finds nothing to do.

The syncs are those of syncs.yaml, the updates of updates.yaml and core_updates.yaml, and the trees of golden/plan.
"""

import copy
import glob
import json
import os
import subprocess
import tempfile

import core_updates
import plans
from cluster import Failed
from corpus import documents, is_object
from engines import TOOLS, became, key

# What becomes of an object by its verdict; without one it stays as it is.
BECOMES = {
    "create": {"created"}, "runs again": {"created", "recreated"}, "patch": {"changed"}, "restart": {"changed", "created"},
    "patch without effect": {"changed", "unchanged", "absent"}, "recreate": {"recreated"}, "prune": {"deleted"},
    "data loss": {"deleted", "recreated"}, "refused": {"unchanged", "absent"}, "kept": {"unchanged"}}
STAYS = {"unchanged", "absent"}
# Where Kueue writes whether a job runs. It does so in a webhook, and when it admits the job.
SUSPEND = {"Job": ("spec", "suspend"), "JobSet": ("spec", "suspend"), "TrainJob": ("spec", "suspend"), "RayJob": ("spec", "suspend"),
           **{kind + "Job": ("spec", "runPolicy", "suspend") for kind in ("PyTorch", "TF", "XGBoost", "Paddle", "JAX", "MPI")}}
QUEUE = "kueue.x-k8s.io/queue-name"
# Fields that Argo CD finds in another state than we write them. It compares without the defaults of a custom resource.
REASONS = {
    ".schedulingGroup": "the server drops the field while an alpha gate is off",
    ".cohort": "v1beta1 is not the stored version, and Kueue's webhook that converts does not run here"}
# Of the Applications that we write.
SYNC_OPTIONS = ["ServerSideApply=true", "ApplyOutOfSyncOnly=true"]
FIRST_OF_TWICE = 10000  # of the numbers that make namespaces


class Sync:
    """The objects of one directory before and after a merge. `unit` is what its Kustomization or Application says, by tool; `crds`
    are definitions of kinds that our schemas do not have."""

    def __init__(self, what, before, after, status=None, unit=None, tools=TOOLS, keeps=(), crds=()):
        self.what, self.before, self.after, self.status = what, before, after, status
        self.unit, self.tools, self.keeps, self.crds = unit or {}, tools, keeps, crds

    def options(self, tool):
        """For the engine."""
        unit = self.unit.get(tool, {})
        options = unit.get("syncOptions", SYNC_OPTIONS)
        return {"force": unit.get("force", False), "keep": not unit.get("prune", True),
                "client": "ServerSideApply=true" not in options, "all": "ApplyOutOfSyncOnly=true" not in options}


def of_table(path):
    for entry in documents(path)[0]:
        yield Sync(entry["what"], entry["before"], entry["after"], unit=entry.get("unit"), tools=entry.get("tools", TOOLS),
                   keeps=entry.get("keeps", ()))


def of_updates(cluster, path):
    for update in core_updates.updates(cluster, path):
        yield Sync(update.text(), [update.before], [update.after], update.status)


def of_subjects(subjects):
    """Of kinds whose schema takes everything so far."""
    for subject in subjects:
        for change, (before, after) in zip(subject.entry["changes"], subject.changes()):
            if "applied" not in change:
                yield Sync("%s, from %s to %s" % (subject.kind, json.dumps(before["spec"]), json.dumps(after["spec"])), [before], [after],
                           crds=[subject.strict()])


def of_goldens(root):
    for folder in sorted(glob.glob(root + "/golden/plan/*/before-tree")):
        trees = [[value for name in sorted(glob.glob(at + "/**/*.yaml", recursive=True)) for value in documents(name)
                  if is_object(value)] for at in (folder, os.path.dirname(folder) + "/rendered")]
        # As the controller of Jobs says it.
        is_suspended = any(value["kind"] == "Job" and value["spec"].get("suspend") for value in trees[0])
        status = {"conditions": [{"type": "Suspended", "status": "True"}]} if is_suspended else None
        yield Sync(os.path.relpath(os.path.dirname(folder), root), *trees, status=status)


def defaulted(root):
    """The fields that our Applications ignore in all objects of a kind."""
    return [{"group": entry["group"], "kind": kind["kind"], "path": path} for entry in documents(root + "/templates/kinds.yaml")[0]
            for kind in entry["of"] for path in entry.get("defaulted", [])]


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
    repository = "https://git.example.com/a.git"
    policy = {"automated": {"prune": True}, "syncOptions": unit.get("syncOptions", SYNC_OPTIONS)}
    spec = {"project": "a", "destination": {"name": "a"}, "syncPolicy": policy, "source": {"repoURL": repository, "path": path}}
    if "directories" in unit:
        spec["source"]["path"] = "{{.path.path}}"
        generator = {"git": {"repoURL": repository, "revision": "main", "directories": [{"path": each} for each in unit["directories"]]}}
        spec = {"goTemplate": True, "generators": [generator], "template": {"metadata": {"name": "{{.path.basename}}"}, "spec": spec}}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet" if "directories" in unit else "Application",
            "metadata": {"name": "unit", "namespace": "argocd"}, "spec": spec}


def planned(program, tool, sync, live):
    """What a plan says: (verdict, object of the plan) by key."""
    with tempfile.TemporaryDirectory(prefix="trainyard-sync-") as folder:
        trees = {"old/unit": sync.before, "new/unit": sync.after, "live": live,
                 "new/tools": [wrapped(tool, sync.unit.get(tool, {}), "new/unit")]}
        for name, values in trees.items():
            os.makedirs(os.path.join(folder, name))
            with open(os.path.join(folder, name, "a.json"), "w", encoding="utf-8") as file:
                json.dump({"apiVersion": "v1", "kind": "List", "items": values}, file)
        os.mkdir(os.path.join(folder, "crds"))
        for index, crd in enumerate(sync.crds):
            with open(os.path.join(folder, "crds", "%d.json" % index), "w", encoding="utf-8") as file:
                json.dump(crd, file)
        done = subprocess.run([os.path.abspath(program), "plan", "--no-config", "--output", "json", "--tool", tool, "--old", "old",
                               "--live", "live/a.json", *(["--schemas", "crds"] if sync.crds else []), "new"], capture_output=True, text=True, cwd=folder)
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


class Begun:
    """A sync by one tool whose state before is on the server, in a namespace of its own."""

    def __init__(self, engines, tool, sync, number):
        self.engines, self.tool, self.sync, self.name = engines, tool, copy.copy(sync), "%s-%d" % (tool, number)
        self.sync.before, self.sync.after = (placed(engines.cluster, each, number) for each in (sync.before, sync.after))
        first = self.apply(self.sync.before)
        if first["phase"] == "Failed":
            raise Failed("%s, %s: the state before is not taken: %s" % (sync.what, tool, first["error"]))
        for value in self.sync.before if sync.status else []:
            plans.set_status(engines.cluster, value, sync.status)

    def apply(self, objects):
        return self.engines.sync(self.tool, self.name, objects, **self.sync.options(self.tool))

    def finish(self, program):
        """How the plan of the sync differs from what the tool does, as texts."""
        sync, engines = self.sync, self.engines
        values = sync.before + sync.after
        live = [each for each in map(engines.live, sync.before) if each]
        states = engines.states(values)
        plan = planned(program, self.tool, sync, live)
        said = self.apply(sync.after)
        now = engines.states(values)
        told = []
        for at, allowed in expected(sync, plan).items():
            what = became(states[at], now[at])
            row = plan.get(at, {"verdict": "unchanged", "because": "", "waits": False})
            if what not in allowed:
                told.append("%s %s is %s; we: %s%s %s" % (at[0], at[2], what, row["verdict"], " and waits" if row["waits"] else "", row["because"]))
            if "%s/%s" % (at[0], at[2]) in sync.keeps and what in ("deleted", "recreated"):
                told.append("%s %s is %s, and must not be" % (at[0], at[2], what))
        is_refused = any(row["verdict"] == "refused" for row in plan.values())
        if is_refused != (said["phase"] == "Failed"):
            told.append("the sync: %s %s; we: %s" % (said["phase"], said["error"][:300], "refused" if is_refused else "nothing is refused"))
        return ["%s, %s\n      %s" % (sync.what, self.tool, each) for each in told]


def begin(engines, syncs, first):
    return [Begun(engines, tool, sync, first + index) for index, (sync, tool) in
            enumerate((sync, tool) for sync in syncs for tool in sync.tools)]


def run(engines, program, begun, root):
    """(how many syncs, differences as texts). `begun` are those that had to begin earlier."""
    here = os.path.dirname(os.path.abspath(__file__))
    syncs = [*of_table(here + "/syncs.yaml"), *of_goldens(root), *of_updates(engines.cluster, here + "/core_updates.yaml")]
    begun = begun + begin(engines, syncs, len(begun))
    return len(begun), [each for sync in begun for each in sync.finish(program)]


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


def twice(engines, cases, root):
    """Syncs what builds write, and again: (how many objects, what the second sync still finds to do as texts). `cases` are those of
    apply_twice.objects."""
    cluster, taken, told, number = engines.cluster, {tool: [] for tool in TOOLS}, [], FIRST_OF_TWICE
    ignored = defaulted(root)
    for case, value in cases:
        value = {name: each for name, each in value.items() if name != "globalDefault"}  # one class in the cluster may be that
        for tool in TOOLS:
            number += 1
            found = placed(cluster, [value], number)
            if found and cluster.try_create(found[0])[0] == 201:
                taken[tool].append((case, found[0]))
    for tool, pairs in taken.items():
        values = [value for _, value in pairs]
        cases = {key(value): case for case, value in pairs}
        first = engines.sync(tool, "twice-" + tool, values, ignored=ignored)
        if first["phase"] == "Failed":
            told.append("%s: the first sync fails: %s" % (tool, first["error"][:500]))
            continue
        queue_acts(engines, values)
        again = engines.sync(tool, "twice-" + tool, values, ignored=ignored)
        for each in again["results"] or []:
            at = (each["kind"], each["namespace"], each["name"])
            if each["said"] != "Synced" and not (tool == "argocd" and any(field in each["message"] for field in REASONS)):
                told.append("%s: a second sync of %s of %s: %s %s" % (tool, at[0], cases.get(at, at), each["said"], each["message"]))
        if again["error"]:
            told.append("%s: the second sync: %s" % (tool, again["error"][:500]))
    return sum(len(pairs) for pairs in taken.values()), told
