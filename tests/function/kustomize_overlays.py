"""What `trainyard validate` says of a folder with an overlay is what it says of the output of `kustomize build`.

usage: kustomize_overlays.py TRAINYARD

kustomize is built from its Go module (tests/oracles/kustomize). Exits 77, saying why, where it is not to be had.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

OBJECTS = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example.com/train:1
        command: [torchrun, --nnodes=2, --nproc-per-node=8, --master-addr=train-0.train, train.py]
        resources: {limits: {nvidia.com/gpu: 8}}
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, configMap: {name: settings}}]
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: tune}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - {name: pytorch, image: "registry.example.com/train:1", command: [python3, train.py]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "registry.example.com/web:1", ports: [{name: http, containerPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
"""
FILES = {
    "base/objects.yaml": OBJECTS,
    "base/kustomization.yaml": "resources: [objects.yaml]\ncommonLabels: {team: ml}\n"
    "configMapGenerator: [{name: settings, literals: [a=b]}]\n",
    "middle/kustomization.yaml": "resources: [../base]\nnamePrefix: m-\npatches:\n- patch: |-\n"
    "    apiVersion: batch/v1\n    kind: Job\n    metadata: {name: train}\n    spec: {backoffLimit: 4}\n",
}
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  template:\n    spec:\n"
TUNE = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: tune}\nspec: {pytorchReplicaSpecs: "
WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: "
PORTS = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: "


def merged(*patches, style="|-"):
    return "patches:\n" + "".join(f"- patch: {style}\n    " + each.strip().replace("\n", "\n    ") + "\n"
                                  for each in patches)


def operations(*steps, kind="Job", name="train"):
    lines = "".join(f"    - {each}\n" for each in steps)
    return f"patches:\n- target: {{kind: {kind}, name: {name}}}\n  patch: |-\n{lines}"


# What an overlay says beside its resources, and how many findings that brings at least.
CASES = {
    "nothing wrong": (merged(JOB + "      priorityClassName: high\n"), 0),
    "fewer GPUs than processes": (
        merged(JOB + "      containers: [{name: main, resources: {limits: {nvidia.com/gpu: 4}}}]\n"), 1),
    "a mount without its volume": (
        merged(JOB + "      containers: [{name: main, volumeMounts: [{name: cache, mountPath: /cache}]}]\n"), 1),
    "a mount and its volume": (
        merged(JOB + "      containers: [{name: main, volumeMounts: [{name: cache, mountPath: /cache}]}]\n"
               "      volumes: [{name: cache, emptyDir: {}}]\n"), 0),
    "the volume in another patch": (
        merged(JOB + "      containers: [{name: main, volumeMounts: [{name: cache, mountPath: /cache}]}]\n",
               JOB + "      volumes: [{name: cache, emptyDir: {}}]\n"), 0),
    "a second container without an image": (merged(JOB + "      containers: [{name: more}]\n"), 1),
    "a list of containers that replaces that of another kind": (
        merged(TUNE + "{Worker: {template: {spec: {containers: [{name: pytorch, workingDir: /work}]}}}}}\n"), 1),
    "a volume taken away": (merged(JOB + "      volumes: [{name: data, $patch: delete}]\n"), 1),
    "a field set to null": (merged(JOB + "      restartPolicy: null\n"), 1),
    "a text for a number": (operations('{op: replace, path: /spec/completions, value: "two"}'), 1),
    "a misspelt field": (operations("{op: add, path: /spec/backofLimit, value: 4}"), 1),
    "a misspelt field beside another fault": (
        merged(JOB.replace("spec:\n", "spec:\n  backofLimit: 4\n", 1)
               + "      containers: [{name: main, resources: {limits: {nvidia.com/gpu: 4}}}]\n"), 1),
    "an item for a list": (
        operations("{op: add, path: /spec/template/spec/containers/0/env, value: []}",
                   '{op: add, path: /spec/template/spec/containers/0/env/-, value: {name: "A B", value: x}}',
                   "{op: add, path: /spec/template/spec/containers/0/env/0, value: {name: A, value: 1}}"), 1),
    "a field taken away": (operations("{op: remove, path: /spec/template/spec/volumes/0}"), 1),
    "an operation for each Job": (
        "patches:\n- target: {kind: Job}\n  patch: |-\n    - {op: add, path: /spec/suspend, value: maybe}\n", 1),
    "a port renamed on one side": (merged(PORTS + "[{port: 80, targetPort: web}]}\n"), 1),
    "a port renamed on both sides": (
        merged(WEB + "[{name: main, ports: [{containerPort: 8080, name: web}]}]}}}\n",
               PORTS + "[{port: 80, targetPort: web}]}\n"), 0),
    "an object taken away, and a fault of another": (
        merged("apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\n$patch: delete\n",
               WEB + "[{name: main, ports: [{containerPort: 8080, name: web}]}]}}}\n"), 1),
    "replicas below nothing": ("replicas: [{name: web, count: -1}]\n", 1),
    "the word off": (
        merged(JOB + "      containers: [{name: main, env: [{name: A, value: off}]}]\n"), 0),
    "a patch in quotes": (
        "patches:\n- target: {kind: Job, name: train}\n"
        "  patch: '[{\"op\": \"replace\", \"path\": \"/spec/parallelism\", \"value\": \"two\"}]'\n", 1),
    "an older list": ("patchesStrategicMerge:\n- |-\n  " + (JOB + "      nodeName: A_b\n").strip().replace("\n", "\n  ")
                      + "\n", 1),
}


def findings(trainyard, folder, *inputs, text=None):
    ran = subprocess.run([trainyard, "validate", "--no-config", "--output", "json", *inputs], cwd=folder, text=True,
                         input=text, capture_output=True, check=False)
    return {each["message"].replace("m-", "") for each in json.loads(ran.stdout)["diagnostics"]
            if each["severity"] != "note"}


def brought(trainyard, kustomize, folder, base):
    """The findings that an overlay brings: those of the folder, and those of the output of kustomize."""
    def built(name):
        ran = subprocess.run([kustomize, "build", name], cwd=folder, text=True, capture_output=True, check=True)
        return findings(trainyard, folder, "-", text=ran.stdout)

    ours = findings(trainyard, folder, ".") - findings(trainyard, folder, "base", "middle")
    return ours, built("overlay") - built(base)


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    kustomize = programs.made_by("oracles", "kustomize")
    wrong, told = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for path, text in FILES.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        (folder / "overlay").mkdir()
        for base in ("base", "middle"):
            for case, (text, least) in CASES.items():
                (folder / "overlay/kustomization.yaml").write_text(f"resources: [../{base}]\n{text}")
                ours, theirs = brought(trainyard, kustomize, folder, base)
                told += len(ours)
                if ours != theirs or len(ours) < least or (least == 0 and ours):
                    wrong.append(f"{case} over {base}:\n  of the folder: {sorted(ours)}\n"
                                 f"  of what kustomize makes: {sorted(theirs)}")
    print("\n".join(wrong) or f"{2 * len(CASES)} overlays, {told} findings, the same of the output of kustomize")
    sys.exit(1 if wrong else 0)


main()
