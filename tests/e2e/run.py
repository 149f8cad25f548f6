"""Judges a corpus of objects by a real API server and by `trainyard validate`, and compares.

usage: run.py --trainyard PROGRAM --etcd PROGRAM --kube-apiserver PROGRAM [--go PROGRAM] [--engines PROGRAM] [--update] [--dump FILE]

Fails when a golden object is refused, when both sides disagree for a reason that reasons.yaml does not
give, when they disagree on an update of updates.yaml or core_updates.yaml, or a plan of it says otherwise than
server-side apply, when two field managers that
apply the same golden object conflict, when Argo CD or Flux makes another thing of a sync than its plan says, or finds something to do in
a second sync of golden objects, or when docs/agreement.md says otherwise than what comes out; --update writes it.
"""

import argparse
import contextlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import agreement
import apply_twice
import core_updates
import corpus
import crds
import judge
import plans
import syncs
import updates
from cluster import Cluster, Failed
from engines import Engines

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
THREADS = 4
AT_ONCE = 200


def say(text):
    print("   " + text, file=sys.stderr, flush=True)


def known_kinds():
    """apiVersion and kind of every schema that we have."""
    return {((row["group"] + "/" if row["group"] else "") + row["api version"], row["kind"])
            for row in crds.rows(ROOT + "/schemas/SOURCES.tsv") if row["kind"] != "-"}


def referred(value, field):
    """The names that stand in a field of this name, wherever it is."""
    if isinstance(value, dict):
        if isinstance(value.get(field), str) and value[field] and not value[field].startswith("system-"):
            yield value[field]
        for below in value.values():
            yield from referred(below, field)
    elif isinstance(value, list):
        for below in value:
            yield from referred(below, field)


def prepare(cluster, cases):
    """Creates what good objects of the corpus refer to and the server wants to be there."""
    good = [case.value for case in cases if case.keyword == "as it is" or case.what.startswith("accepted")]
    spaces = {"default"}
    for value in good:
        spaces |= set(referred(value.get("metadata"), "namespace"))
    names = {field: sorted({name for value in good for name in referred(value, field)})
             for field in ("serviceAccountName", "runtimeClassName", "priorityClassName")}
    for space in sorted(spaces):
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
        for name in ["default", *names["serviceAccountName"]]:
            cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": space}})
    for name in names["runtimeClassName"]:
        cluster.create({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": "a"})
    for name in names["priorityClassName"]:
        cluster.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1})


def ask_server(cluster, cases, templates):
    """Verdicts by case: of the object, and of the Jobs and pods of its templates where it is a custom one."""

    def one(case):
        own = judge.of_server(cluster.try_create(case.value))
        pods = []
        if own is not None and not (own.refused() and case.value["apiVersion"] == "batch/v1"):
            for path, pod in templates.pods(case.value):
                pods.append((path, judge.of_server(cluster.try_create(pod))))
            for path, job in templates.jobs(case.value):
                pods.append((path, judge.without_pods(judge.of_server(cluster.try_create(job)))))
        return own, pods

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, cases))


# One priority class of the inputs is the default.
ALONE = ("PriorityClass",)


def ask_us(program, cases):
    """Our errors by case. Some hundred at a time, as one report does not go on for ever; alone, what
    the other inputs would be held against."""
    found = [None] * len(cases)
    waiting = []
    for index, case in enumerate(cases):
        if case.value.get("kind") in ALONE:
            ask_us_once(program, cases, [index], found)
        else:
            waiting.append(index)
    for begin in range(0, len(waiting), AT_ONCE):
        ask_us_once(program, cases, waiting[begin:begin + AT_ONCE], found)
    return found


def ask_us_once(program, cases, indexes, found):
    with tempfile.TemporaryDirectory(prefix="trainyard-corpus-") as folder:
        # What is named is checked, whatever it looks like.
        files = ["%s/%06d.json" % (folder, index) for index in indexes]
        for index, name in zip(indexes, files):
            found[index] = []
            with open(name, "w", encoding="utf-8") as file:
                json.dump(cases[index].value, file)
        done = subprocess.run([program, "validate", "--rendered", "--checks", "*=on", "--output", "json", *files], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failed("trainyard validate ended with %d:\n%s" % (done.returncode, done.stderr[-3000:]))
    report = json.loads(done.stdout)
    if report["documents"] != len(indexes):
        raise Failed("trainyard validate saw %d of %d objects" % (report["documents"], len(indexes)))
    for diagnostic in report["diagnostics"]:
        if diagnostic["severity"] != "error":
            continue
        if diagnostic["file"] is None and len(indexes) > 1:
            raise Failed("trainyard validate says of no object: " + diagnostic["message"])
        index = indexes[0] if diagnostic["file"] is None else int(os.path.basename(diagnostic["file"])[:6])
        found[index].append(judge.Finding(diagnostic))


def others_checks(program):
    """Checks that stand for the webhook or the controller of an operator, neither of which runs here."""
    done = subprocess.run([program, "list", "checks", "--output", "json"], capture_output=True, text=True, check=True)
    return {each["name"] for each in json.loads(done.stdout)["checks"] if not each["source"].startswith("kubernetes/")}


def judged(options):
    """(cases, the server's verdicts, our findings, CRDs that are missing, differences on updates)."""
    modules = crds.Modules(HERE + "/modules.tsv", options.go, HERE)
    untried = crds.neighbours(ROOT + "/schemas/upstream.txt")
    paths, missing = crds.find_crds(ROOT + "/schemas/SOURCES.tsv", options.shared, modules, untried)
    say("%d CRDs, %d are nowhere to be had, %d of other projects are not tried" %
        (len(paths), len(missing), len(untried)))
    with Cluster(options.etcd, options.kube_apiserver) as cluster:
        installed = cluster.install_crds(paths)
        cases = corpus.build(ROOT, installed, cluster.get("/openapi/v2"), known_kinds())
        say("%d objects" % len(cases))
        prepare(cluster, cases)
        theirs = ask_server(cluster, cases, judge.Templates(installed))
        with Engines(options.engines, cluster) if options.engines else contextlib.nullcontext() as engines:
            told = judge_updates(cluster, options.trainyard, engines)
    if options.dump:
        with open(options.dump + ".server", "wb") as file:
            pickle.dump((cases, theirs, installed), file)
    left_out = others_checks(options.trainyard)
    ours = [[each for each in found if each.check not in left_out and each.kind not in judge.LINTS]
            for found in ask_us(options.trainyard, cases)]
    return cases, theirs, ours, missing, told


def judge_updates(cluster, program, engines):
    pairs, begun = [], []

    def before_swap(subjects):
        pairs.extend(plans.custom_pairs(cluster, subjects))
        if engines:
            begun.extend(syncs.begin(engines, syncs.of_subjects(subjects), 0))

    count, told = updates.run(cluster, program, HERE + "/updates.yaml", before_swap)
    say("%d updates of custom resources, %d differences" % (count, len(told)))
    core_count, more = core_updates.run(cluster, program, HERE + "/core_updates.yaml")
    say("%d updates of Kubernetes' own kinds, %d differences" % (core_count, len(more)))
    told = ["an update of " + each for each in told + more]
    plan_count, more = plans.run(cluster, program, pairs, HERE + "/core_updates.yaml")
    say("%d updates planned and applied on the server's side, %d differences" % (plan_count, len(more)))
    told += more
    written = apply_twice.objects(ROOT)
    taken, refused = apply_twice.run(cluster, written)
    say("%d objects that we write applied by two field managers, %d conflicts" % (taken, len(refused)))
    told += ["two field managers: " + each for each in refused]
    if engines:
        count, more = syncs.run(engines, program, begun, ROOT)
        say("%d syncs planned and done by Argo CD and Flux, %d differences" % (count, len(more)))
        told += more
        taken, more = syncs.twice(engines, written, ROOT)
        say("%d objects that we write synced twice by Argo CD and Flux, %d differences" % (taken, len(more)))
        told += more
    for each in told:
        say("a difference: " + each)
    return told


def main():
    parser = argparse.ArgumentParser()
    for name in ("trainyard", "etcd", "kube-apiserver"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--go", default="")
    parser.add_argument("--engines", default="", help="the program of tests/oracles/gitops")
    parser.add_argument("--shared", default=os.path.join(ROOT, "..", "shared", "crds"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--dump")
    options = parser.parse_args()
    cases, theirs, ours, missing, told = judged(options)
    if options.dump:  # for a look at them
        with open(options.dump, "wb") as file:
            pickle.dump((cases, theirs, ours), file)
    result = agreement.Agreement(cases, theirs, ours, HERE + "/reasons.yaml")
    bad = agreement.report(result, ROOT + "/docs/agreement.md", options.update, complete=not missing)
    return 1 if told else bad


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        print("e2e: %s" % error, file=sys.stderr)
        sys.exit(1)
