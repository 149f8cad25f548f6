"""Runs `trainyard fn` as kpt does: over a package of files, which it writes back.

usage: kpt.py TRAINYARD

kpt is built from its Go module (tests/oracles/kpt). Exits 77, saying why, where it is not to be had.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

SPEC = """\
# Our model.
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: llama # the name
  namespace: nlp
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  image: registry.example.com/ml/train:1.4
  run: {command: [./train]}
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: # of it\n  name: settings\ndata:\n  # why\n  a: 'b'\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: m
          image: r.example.com/a:1
"""
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: package
pipeline:
  {role}:
    - exec: trainyard fn
      configMap:
        {option}
"""
MADE = "jobs/nlp/llama.yaml"


class Package:
    """Files that kpt renders."""

    def __init__(self, program, trainyard, folder, files):
        self.program = program
        self.folder = folder
        self.environment = dict(os.environ, PATH=f"{trainyard.parent}:{os.environ['PATH']}")
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def render(self):
        call = [self.program, "render", "--allow-exec", self.folder]
        return subprocess.run(
            call, capture_output=True, text=True, check=False, timeout=120, env=self.environment
        )

    def files(self):
        paths = sorted(each for each in self.folder.rglob("*") if each.is_file())
        return {str(each.relative_to(self.folder)): each.read_text(encoding="utf-8") for each in paths}


def build_faults(program, trainyard, folder):
    mutators = KPTFILE.format(role="mutators", option="target: jobset")
    before = {"Kptfile": mutators, "specs/llama.yaml": SPEC, "settings.yaml": SETTINGS}
    package = Package(program, trainyard, folder, before)
    done = package.render()
    if done.returncode != 0:
        yield f"a package with a spec: {done.stderr}"
    after = package.files()
    if "kind: JobSet" not in after.get(MADE, ""):
        yield f"no JobSet was made: {sorted(after)}"
    for name, text in before.items():
        if after.get(name) != text:
            yield f"{name} was changed:\n{after.get(name)}"
    package.render()
    if package.files() != after:
        yield "a second run changes files"
    path = folder / "specs/llama.yaml"
    path.write_text(SPEC.replace("train:1.4", "train:1.5"), encoding="utf-8")
    package.render()
    made = package.files().get(MADE, "")
    if "train:1.5" not in made or "train:1.4" in made:
        yield f"a changed spec does not replace what was made:\n{made}"
    path.write_text(SPEC.replace("image:", "imag:"), encoding="utf-8")
    now = package.files()
    done = package.render()
    if done.returncode == 0 or "unknown field `imag`" not in done.stderr or package.files() != now:
        yield f"a spec that is wrong: {done.stderr}"


def check_faults(program, trainyard, folder):
    validators = KPTFILE.format(role="validators", option="function: validate")
    package = Package(program, trainyard, folder, {"Kptfile": validators, "deploy/a.yaml": JOB})
    done = package.render()
    if done.returncode == 0:
        yield "a Job that the API server refuses passes"
    # kpt shows the results itself.
    for text in ('[error] batch/v1/Job/a', "spec.template.spec.restartPolicy", "deploy/a.yaml"):
        if text not in done.stdout + done.stderr:
            yield f"kpt does not say {text}: {done.stdout + done.stderr}"
    (folder / "deploy/a.yaml").write_text(JOB.replace("Always", "Never"), encoding="utf-8")
    done = package.render()
    if done.returncode != 0:
        yield f"a good Job: {done.stderr}"


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    program = programs.made_by("oracles", "kpt")
    found = []
    for faults in (build_faults, check_faults):
        with tempfile.TemporaryDirectory() as scratch:
            found += faults(program, trainyard, pathlib.Path(scratch))
    programs.finish(found)


if __name__ == "__main__":
    main()
