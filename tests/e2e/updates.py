"""Updates of custom resources whose schema has become strict since they were created, as updates.yaml has them."""

import json
import os
import subprocess
import tempfile
import time

import compare
import judge
from cluster import CRDS, Failed, START_SECONDS
from corpus import documents

GROUP = "update.example.com"
VERSION = GROUP + "/v1"


class Subject:
    """A kind with its changes. Its first schema takes everything."""

    def __init__(self, index, entry):
        self.kind, self.plural = "Subject%d" % index, "subject%ds" % index
        self.entry = entry

    def crd(self, schema, subresources):
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
                   "subresources": subresources}
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.plural + "." + GROUP},
                "spec": {"group": GROUP, "scope": "Namespaced", "versions": [version],
                         "names": {"kind": self.kind, "plural": self.plural, "singular": self.kind.lower(),
                                   "listKind": self.kind + "List"}}}

    def lax(self):
        return self.crd({"type": "object", "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}, {})

    def strict(self):
        # `word` tells when this schema is in force.
        properties = {"spec": self.entry["spec"], "word": {"type": "string", "enum": ["strict"]}}
        if "name" in self.entry:
            properties["metadata"] = {"type": "object", "properties": {"name": self.entry["name"]}}
        schema = {"type": "object", **self.entry.get("root", {}), "properties": properties}
        return self.crd(schema, self.entry.get("subresources", {}))

    def object(self, index, spec):
        return {"apiVersion": VERSION, "kind": self.kind, "metadata": {"name": "object%d" % index}, "spec": spec}

    def changes(self):
        for index, change in enumerate(self.entry["changes"]):
            yield self.object(index, change["before"]), self.object(index, change["after"])


def put(cluster, path, change):
    """Replaces what is there by `change` of it; again while somebody else does so meanwhile."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        status, said = cluster.send("PUT", path, json.dumps(change(cluster.get(path.split("?")[0]))))
        if status != 409:
            return status, json.loads(said)
    raise Failed("%s changes all the time" % path)


def wait_for_kinds(cluster, subjects):
    """The server tells of new kinds a little after it has taken them."""
    until = time.monotonic() + START_SECONDS
    while not all(cluster.resource(VERSION, subject.kind) for subject in subjects):
        if time.monotonic() > until:
            raise Failed("the server does not tell of the kinds of " + GROUP)
        time.sleep(0.1)
        cluster.resources = {}


def swap(cluster, subjects):
    """Makes the schemas strict, and waits until the server goes by them."""
    for subject in subjects:
        strict = subject.strict()
        status, said = put(cluster, CRDS + "/" + strict["metadata"]["name"],
                           lambda there: {**there, "spec": strict["spec"]})
        if status != 200:
            raise Failed("the schema of %s is not taken: %s" % (subject.kind, said))
    until = time.monotonic() + START_SECONDS
    for subject in subjects:
        probe = {**subject.object(0, {}), "metadata": {"name": "yes"}, "word": "lax"}
        while True:
            status, said = cluster.try_create(probe)
            # As a field that is not known it is refused by the first schema.
            if status == 422:
                break
            if time.monotonic() > until:
                raise Failed("the new schema of %s does not come into force: %s" % (subject.kind, said))
            time.sleep(0.1)


def of_server(cluster, subject, after):
    """What the server says of the update, and of such an object if it were new."""
    path = "/apis/%s/namespaces/default/%s/%s" % (VERSION, subject.plural, after["metadata"]["name"])

    def change(there):
        version = there["metadata"]["resourceVersion"]
        return {**after, "metadata": {**after["metadata"], "namespace": "default", "resourceVersion": version}}

    update = judge.of_server(put(cluster, path + "?dryRun=All&fieldValidation=Strict", change))
    new = {**after, "metadata": {"name": "new" + after["metadata"]["name"]}}
    return update, judge.of_server(cluster.try_create(new))


def of_us(program, subject, before, after):
    """Our errors, and whether there is a warning."""
    with tempfile.TemporaryDirectory(prefix="trainyard-update-") as folder:
        paths = {}
        for name, value in (("crd", subject.strict()), ("old", before), ("new", after)):
            paths[name] = os.path.join(folder, name + ".json")
            with open(paths[name], "w", encoding="utf-8") as file:
                json.dump(value, file)
        done = subprocess.run([program, "validate", "--no-config", "--output", "json", "--old", paths["old"],
                               paths["crd"], paths["new"]], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failed("trainyard validate ended with %d:\n%s" % (done.returncode, done.stderr[-3000:]))
    found = json.loads(done.stdout)["diagnostics"]
    errors = [judge.Finding(each) for each in found if each["severity"] == "error"]
    return errors, any(each["severity"] == "warning" for each in found)


def differences(after, server, new, errors, warned):
    """What one side says and the other does not, each in a line."""
    found = ["only %s says: %s" % (each.side, each.text())
             for each in compare.differences(after, server, [], errors)]
    if not server.refused() and new.refused() and not warned:
        found.append("we do not say that it would be refused in a new object")
    return found


def run(cluster, program, path, before_swap=lambda subjects: None):
    """(how many updates, differences of both sides as texts). `before_swap` may make objects of the kinds as well."""
    subjects = [Subject(index, entry) for index, entry in enumerate(documents(path)[0])]
    for subject in subjects:
        cluster.create(subject.lax())
    cluster.wait_for_crds()
    wait_for_kinds(cluster, subjects)
    for subject in subjects:
        for before, _ in subject.changes():
            cluster.create(before)
    before_swap(subjects)
    swap(cluster, subjects)
    count, told = 0, []
    for subject in subjects:
        for before, after in subject.changes():
            count += 1
            server, new = of_server(cluster, subject, after)
            errors, warned = of_us(program, subject, before, after)
            told += ["%s, from %s to %s\n      %s" % (subject.kind, json.dumps(before["spec"]), json.dumps(after["spec"]), each)
                     for each in differences(after, server, new, errors, warned)]
    return count, told
