"""What kustomize refuses of a kustomization, `trainyard validate` refuses, and nothing else of it.

usage: kustomize_refusals.py TRAINYARD

kustomize is built from its Go module (tests/oracles/kustomize). Exits 77, saying why, where it is not to be had.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: "registry.example.com/train:1", command: [python3, train.py]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ml}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "registry.example.com/train:1"}
"""
FILES = {
    "base/job.yaml": JOB,
    "base/kustomization.yaml": "resources: [job.yaml]\nnamePrefix: b-\n",
    "overlay/near.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: trian}\nspec: {suspend: true}\n",
}


def merged(metadata, api_version="batch/v1", kind="Job", more="spec: {suspend: true}"):
    return (f"patches:\n- patch: |-\n    apiVersion: {api_version}\n    kind: {kind}\n    metadata: {metadata}\n"
            f"    {more}\n")


def operations(*steps, name="train"):
    lines = "".join(f"    - {{op: {op}, path: {path}, value: x}}\n" for op, path in steps)
    return f"patches:\n- target: {{kind: Job, name: {name}}}\n  patch: |-\n{lines}"


# What an overlay says beside its resources.
CASES = {
    "a file with a misspelt name": "patches: [{path: near.yaml}]",
    "the same in the older list": "patchesStrategicMerge: [near.yaml]",
    "the name in the file": merged("{name: train}"),
    "the name with the prefix of the base": merged("{name: b-train}"),
    "the name with a prefix of its own": "namePrefix: a-\n" + merged("{name: a-b-train}"),
    "another namespace": merged("{name: train, namespace: x}"),
    "the namespace default": merged("{name: train, namespace: default}"),
    "a namespace that the overlay sets": "namespace: x\n" + merged("{name: train, namespace: x}"),
    "no namespace for an object of one": merged("{name: web}", "apps/v1", "Deployment", "spec: {replicas: 2}"),
    "the namespace of the object": merged("{name: web, namespace: ml}", "apps/v1", "Deployment", "spec: {replicas: 2}"),
    "another version": merged("{name: train}", "batch/v1beta1"),
    "another kind": merged("{name: train}", "batch/v1", "CronJob"),
    "one to delete": merged("{name: train}", more="$patch: delete"),
    "one to delete that is not there": merged("{name: gone}", more="$patch: delete"),
    "a target that selects nothing": operations(("add", "/spec/parallelism"), name="nope"),
    "an item behind the last": operations(("add", "/spec/template/spec/containers/3/image")),
    "an entry of a map that is missing": operations(("add", "/spec/template/spec/nodeSelector/zone")),
    "an entry of annotations": operations(("add", "/metadata/annotations/a~1b")),
    "an item of a list that is missing": operations(("add", "/spec/template/spec/containers/0/env/-")),
    "a field to remove that is missing": operations(("remove", "/spec/parallelism"), name="b-train"),
    "a field to replace that is missing": operations(("replace", "/spec/parallelism")).replace("value: x", "value: 2"),
    "a field to replace of a map that is missing": operations(("replace", "/spec/a/b")),
    "a map that an operation makes": operations(
        ("add", "/spec/template/spec/nodeSelector"),
        ("add", "/spec/template/spec/nodeSelector/zone")).replace("x}", "{}}", 1),
    "a map that an earlier patch makes": merged("{name: train}", more="spec: {template: {spec: {nodeSelector: {a: b}}}}")
    + operations(("add", "/spec/template/spec/nodeSelector/zone")).removeprefix("patches:\n"),
    "operations without a target": "patches:\n- patch: |-\n    - {op: add, path: /spec/parallelism, value: 2}\n",
    "a merge patch of another name with a target": "patches: [{path: near.yaml, target: {kind: Job}}]",
    "a file name in place of a patch": "patches: [near.yaml]",
    "a number as label": "commonLabels: {a: 1}",
    "a number as tag": "images: [{name: a, newTag: 2.0}]",
    "nothing as prefix and tag": "namePrefix:\nimages: [{name: a, newTag: null}]",
    "a name of a field with a capital": "NamePrefix: a-",
    "a misspelt field": "commonLabel: {a: b}",
    "a text as boolean": "generatorOptions: {disableNameSuffixHash: 'true'}",
    "replicas of a Deployment": "replicas: [{name: web, count: 2}]",
    "replicas of one by its last name": "namePrefix: a-\nreplicas: [{name: a-b-web, count: 2}]",
    "replicas of a Job": "replicas: [{name: train, count: 2}]",
    "replicas of nothing": "replicas: [{name: nope, count: 2}]",
    "a ConfigMap to merge that is not there": "configMapGenerator: [{name: a, behavior: merge, literals: [a=b]}]",
    "a patch of a ConfigMap that is made": "configMapGenerator: [{name: a, literals: [a=b]}]\n"
    + merged("{name: a}", "v1", "ConfigMap", "data: {x: y}"),
}


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    kustomize = programs.made_by("oracles", "kustomize")
    wrong, refused = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for path, text in FILES.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        for case, text in CASES.items():
            (folder / "overlay/kustomization.yaml").write_text(
                f"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\n{text}\n")
            theirs = subprocess.run([kustomize, "build", "overlay"], cwd=folder, text=True, capture_output=True, check=False)
            ours = subprocess.run([trainyard, "validate", "--no-config", "."], cwd=folder, text=True, capture_output=True,
                                  check=False)
            refused += theirs.returncode != 0
            if (theirs.returncode != 0) != (ours.returncode != 0):
                wrong.append(f"{case}: kustomize {theirs.returncode}, trainyard {ours.returncode}\n"
                             f"{theirs.stderr}{ours.stderr}{ours.stdout}")
            elif ours.returncode and "overlay/kustomization.yaml:" not in ours.stderr:
                wrong.append(f"{case}: no place\n{ours.stderr}")
    print("\n".join(wrong) or f"{len(CASES)} kustomizations, {refused} of them refused by both")
    assert 10 < refused < len(CASES) - 10
    sys.exit(1 if wrong else 0)


main()
