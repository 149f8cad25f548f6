"""What `trainyard build` writes, applied by one field manager and then, the same bytes, by another: the second must not be refused.

The server fills in defaults. Inside a list or map that is owned as a whole such a default makes the value differ from what the
second manager applies, which is a conflict (kubectl first, then Argo CD or Flux).
"""

import copy
import glob
import json
import os
import shlex
from concurrent.futures import ThreadPoolExecutor

import yaml

from corpus import documents, is_object

THREADS = 4
# What the server says for another reason, by the field that it names.
REASONS = {
    ".spec.template.spec.schedulingGroup.podGroupName": "it drops the field while an alpha gate is off",
    ".spec.cohort": "v1beta1 is not the stored version, and Kueue's webhook that converts does not run here",
    ".spec.rayClusterSpec.workerGroupSpecs": "the default of `priority` is not written: before KubeRay 1.7 there is no such field",
}


def built(root, path):
    """The objects of a golden case that a build wrote. `path` is its `args`."""
    folder = os.path.dirname(path)
    with open(path, encoding="utf-8") as file:
        calls = [shlex.split(line) for line in file if line.strip() and not line.startswith("#")]
    names = sorted(glob.glob(folder + "/out/**/*.yaml", recursive=True))
    if len(calls) == 1 and calls[0][0] == "build" and os.path.exists(folder + "/stdout"):
        names.append(folder + "/stdout")
    for name in names:
        try:
            found = documents(name)
        except yaml.YAMLError:
            continue
        for value in found:
            if is_object(value):
                yield os.path.relpath(name, root + "/golden"), value


def objects(root):
    """(the case, an object) for each form that builds write."""
    forms = {}
    for path in sorted(glob.glob(root + "/golden/**/args", recursive=True)):
        if "/golden/fail/" in path:
            continue
        for case, value in built(root, path):
            forms.setdefault(json.dumps(value, sort_keys=True), (case, value))
    return list(forms.values())


def apply(cluster, path, value, manager, more=""):
    code, said = cluster.send("PATCH", "%s?fieldManager=%s%s" % (path, manager, more), json.dumps(value),
                              "application/apply-patch+yaml")
    return code, json.loads(said)


def twice(cluster, number, value):
    """None for what the server does not take, else the fields that the second manager is refused."""
    resource = cluster.resource(value["apiVersion"], value["kind"])
    name = value.get("metadata", {}).get("name")
    if resource is None or not name:
        return None
    value = copy.deepcopy(value)
    if resource["namespaced"]:
        space = "twice-%d" % number
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
        value["metadata"]["namespace"] = space
    else:
        name = value["metadata"]["name"] = "%s-%d" % (name, number)
    path = cluster.collection(value) + "/" + name
    code, _ = apply(cluster, path, value, "first")
    if code not in (200, 201):
        return None
    code, said = apply(cluster, path, value, "second", "&dryRun=All")
    if code == 200:
        return []
    causes = said.get("details", {}).get("causes", [])
    if not causes:
        return [said.get("message", "status %d" % code)]
    return ["%s: %s" % (each["field"], each["message"]) for each in causes if each["field"] not in REASONS]


def run(cluster, cases):
    """(how many objects were taken, what the second manager is refused of them as texts). `cases` are those of `objects`."""
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda each: twice(cluster, each[0], each[1][1]), enumerate(cases)))
    told = ["%s of %s\n      %s" % (value["kind"], case, "\n      ".join(fields))
            for (case, value), fields in zip(cases, found) if fields]
    return sum(fields is not None for fields in found), told
