#!/usr/bin/env python3
"""A cluster on loopback, of real parts but for its kubelets: what scripts/bench-cluster runs."""

import argparse
import os
import shutil
import sys

import control_plane
import operators
import scenarios
import surveys
import synced
from control_plane import Failed, Folder
from programs import Programs, Skipped

HERE = os.path.dirname(os.path.abspath(__file__))
NODES = 4


def node(index):
    amounts = {"cpu": "192", "memory": "2Ti", "pods": "110", "ephemeral-storage": "1Ti", "nvidia.com/gpu": "8", "rdma/ib": "8"}
    name = "gpu-%d" % index
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
                "nvidia.com/gpu.count": "8", "topology.kubernetes.io/zone": "z1",
                "topology.kubernetes.io/rack": "r%d" % (index // 2)}},
            "status": {"allocatable": amounts, "capacity": amounts, "addresses": [
                {"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": name}]}}


def add_nodes(client, count):
    for index in range(count):
        value = node(index)
        path = "/api/v1/nodes/" + value["metadata"]["name"]
        if client.get(path) is None:
            client.send("POST", "/api/v1/nodes", value)
            client.send("PATCH", path + "/status", {"status": value["status"]}, "application/merge-patch+json")


def chosen(names):
    """Entries of operators."""
    entries = operators.table()
    unknown = [name for name in names if name not in entries and names != ["all"]]
    if unknown:
        raise Failed("there is no operator %s; known: %s" % (", ".join(unknown), ", ".join(entries)))
    return [entry for name, entry in entries.items() if name in names or names == ["all"]]


def build(_, arguments):
    programs = Programs(arguments.cache, arguments.go)
    programs.control_plane()
    for entry in chosen(arguments.names):
        programs.operator(entry)


def up(folder, arguments):
    programs = Programs(arguments.cache, arguments.go)
    wanted = chosen(arguments.names)
    if any(entry.get("private") for entry in wanted) and not operators.can_isolate():
        raise Skipped("a mount namespace cannot be made here: become root")
    client = control_plane.start(folder, programs.control_plane())
    if not folder.runs("kubelets"):
        folder.start("kubelets", [sys.executable, os.path.join(HERE, "kubelets.py"), folder.root])
    add_nodes(client, NODES)
    for entry in wanted:
        program, manifests = programs.operator(entry)
        operators.Operator(entry, program, manifests, folder, client).start()
    client.apply("/api/v1/namespaces/ml", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}})
    print("up: export KUBECONFIG=%s" % folder.path("admin.kubeconfig"))
    print("    runs: %s" % ", ".join(name for name in folder.names() if folder.runs(name)))


def down(folder, _):
    """The control plane last: controllers end in peace."""
    last = ["kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"]
    for name in [*(each for each in folder.names() if each not in last), *last]:
        folder.stop(name)
    # Only what this bench has made itself.
    if os.path.exists(folder.path("ports.json")):
        shutil.rmtree(folder.root)


def run(folder, arguments):
    up(folder, argparse.Namespace(**{**vars(arguments), "names": scenarios.operators_of(arguments.names)}))
    return scenarios.run(folder, arguments, {"cluster": surveys.Survey, "syncs": synced.Synced})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["build", "up", "run", "down"])
    parser.add_argument("names", nargs="*")
    for name in ("folder", "cache", "trainyard"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--go", default="")
    arguments = parser.parse_args()
    folder = Folder(arguments.folder)
    os.makedirs(folder.root, exist_ok=True)
    try:
        return {"build": build, "up": up, "run": run, "down": down}[arguments.command](folder, arguments)
    except Skipped as why:
        print("skipped: %s" % why, file=sys.stderr)
        return 77
    except Failed as error:
        print("error: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
