"""Runs `trainyard fn` as kustomize does: as a generator, a transformer and a validator.

Under `validators` kustomize 5.8.1 refuses every function that passes: it adds the annotation of a path to all items itself
(kubernetes-sigs/kustomize kyaml/fn/runtime/runtimeutil/runtimeutil.go). Such a config belongs under `transformers`.

usage: kustomize.py TRAINYARD

kustomize is built from its Go module (tests/oracles/kustomize). Exits 77, saying why, where it is not to be had.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: llama
  namespace: nlp
{annotations}spec:
  image: registry.example.com/ml/train:1.4
  run: {{command: [./train]}}
  nodes: 2
  gpusPerNode: 8
"""
CALLED = """\
  annotations:
    config.kubernetes.io/function: |
      exec: {path: ./trainyard-fn}
"""
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {a: b}\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec: {template: {spec: {restartPolicy: %s, containers: [{name: m, image: "r.example.com/a:1"}]}}}
"""


def config(kind, version="trainyard/v1alpha1", more=""):
    return f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: config\n{CALLED}{more}"


BUILD = config("ConfigMap", "v1", "data: {target: jobset}\n")
# Name: files, what has to be in the output, what on standard error; without output the build has to fail.
CASES = {
    "a generator makes the objects of its TrainingJob, and nothing else": (
        {"kustomization.yaml": "generators: [llama.yaml]\n", "llama.yaml": SPEC.format(annotations=CALLED)},
        ["kind: Service", "kind: Job", "name: llama"],
        [],
    ),
    "a transformer puts objects in the place of a TrainingJob, and keeps other resources": (
        {
            "kustomization.yaml": "resources: [other.yaml, llama.yaml]\ntransformers: [build.yaml]\n",
            "other.yaml": OTHER,
            "llama.yaml": SPEC.format(annotations=""),
            "build.yaml": BUILD,
        },
        ["kind: JobSet", "name: other"],
        [],
    ),
    "a TrainingJob that is wrong fails the build, and the reason is on standard error": (
        {
            "kustomization.yaml": "resources: [llama.yaml]\ntransformers: [build.yaml]\n",
            "llama.yaml": SPEC.format(annotations="").replace("gpusPer", "gpuPer"),
            "build.yaml": BUILD,
        },
        None,
        ["unknown field `gpuPerNode`", "write `gpusPerNode`"],
    ),
    "a config that validates passes what is right": (
        {
            "kustomization.yaml": "resources: [job.yaml]\ntransformers: [check.yaml]\n",
            "job.yaml": JOB % "Never",
            "check.yaml": config("Validate"),
        },
        ["kind: Job", "restartPolicy: Never"],
        [],
    ),
    "a validator fails on what the API server would refuse": (
        {
            "kustomization.yaml": "resources: [job.yaml]\nvalidators: [check.yaml]\n",
            "job.yaml": JOB % "Always",
            "check.yaml": config("Validate"),
        },
        None,
        ["`Never` or `OnFailure`", "field: spec.template.spec.restartPolicy"],
    ),
    "a config of an unknown kind is named": (
        {
            "kustomization.yaml": "resources: [other.yaml]\ntransformers: [build.yaml]\n",
            "other.yaml": OTHER,
            "build.yaml": config("Rebuild"),
        },
        None,
        ["functionConfig of kind `Rebuild`"],
    ),
}


def faults(program, trainyard, files, wanted, said):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        function = folder / "trainyard-fn"
        function.write_text(f'#!/bin/sh\nexec "{trainyard}" fn\n', encoding="utf-8")
        function.chmod(0o755)
        call = [program, "build", "--enable-alpha-plugins", "--enable-exec", folder]
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)
    if (done.returncode == 0) != (wanted is not None):
        yield f"exit code {done.returncode}: {done.stderr}"
    for text in wanted or []:
        if text not in done.stdout:
            yield f"not in the output: {text}\n{done.stdout}"
    for text in said:
        if text not in done.stderr:
            yield f"not on standard error: {text}\n{done.stderr}"
    for text in ("trainyard/v1alpha1", "internal.config", "config.kubernetes.io/path"):
        if text in done.stdout:
            yield f"left in the output: {text}\n{done.stdout}"


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    program = programs.made_by("oracles", "kustomize")
    failed = 0
    for name, (files, wanted, said) in CASES.items():
        for fault in faults(program, trainyard, files, wanted, said):
            print(f"{name}: {fault}")
            failed += 1
    print(f"{len(CASES)} cases, {failed} faults")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
