"""Has the plugin server of Argo CD call `trainyard cmp`, by the file that `cmp plugin-yaml` prints.

usage: plugin.py TRAINYARD

The server is built from the Go module of Argo CD (tests/oracles/argocd-cmp). Exits 77, saying why, where it is not to be had.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

TOKEN = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"
SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
extends: ../../../bases/llm.yaml
metadata: {name: llama, namespace: nlp}
spec:
  image: registry.example.com/ml/train:1.4
  run: {command: [./train]}
"""
FILES = {
    "bases/llm.yaml": "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: {nodes: 2, gpusPerNode: 8}\n",
    "clusters/lab.yaml": "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\n"
    "spec: {defaults: {target: jobset}}\n",
    "apps/nlp/specs/llama.yaml": SPEC,
    "apps/nlp/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
    "apps/other/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
    "apps/wrong/llama.yaml": SPEC.replace("extends: ../../../bases/llm.yaml\n", "") + f"  env: {{ANY: {TOKEN}}}\n",
}
CLUSTER = 'ARGOCD_APP_PARAMETERS=[{"name": "cluster", "string": "/clusters/lab.yaml"}]'
LOST = 'ARGOCD_APP_PARAMETERS=[{"name": "cluster", "string": "/../../etc/passwd"}]'


class Repository:
    """A repository, and the server that is asked about applications in it."""

    def __init__(self, program, trainyard, scratch):
        self.program = program
        self.folder = scratch / "repository"
        for name, text in FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.config = scratch / "config"
        self.config.mkdir()
        printed = subprocess.run([trainyard, "cmp", "plugin-yaml"], capture_output=True, check=True).stdout
        (self.config / "plugin.yaml").write_bytes(printed)
        self.environment = dict(
            os.environ, PATH=f"{trainyard.parent}:{os.environ['PATH']}", ARGOCD_CMP_WORKDIR=str(scratch)
        )

    def ask(self, application, *variables):
        source = f"ARGOCD_APP_SOURCE_PATH={application}"
        call = [self.program, self.config, self.folder, self.folder / application, source, *variables]
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120, env=self.environment)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return json.loads(done.stdout)


def kinds(answer):
    return sorted(json.loads(each)["kind"] for each in answer["manifests"] or [])


def faults(repository):
    plain = repository.ask("apps/nlp")
    if not plain["supported"] or plain["error"] or kinds(plain) != ["ConfigMap", "Job", "Service"]:
        yield f"an application with a spec and an object: {plain}"
    if plain["parameters"] != ["cluster", "overlays", "target", "strict"]:
        yield f"its parameters: {plain['parameters']}"
    cluster = repository.ask("apps/nlp", CLUSTER)
    if cluster["error"] or "JobSet" not in kinds(cluster):
        yield f"with a Cluster from the top of the repository: {cluster}"
    other = repository.ask("apps/other")
    if other["supported"] or other["error"]:
        yield f"an application without a spec: {other}"
    lost = repository.ask("apps/nlp", LOST)
    if "leads out of the repository" not in lost["error"] or lost["manifests"]:
        yield f"a parameter that leads out of the repository: {lost}"
    wrong = repository.ask("apps/wrong")
    if "llama.yaml:7:" not in wrong["error"] or TOKEN in json.dumps(wrong):
        yield f"a spec with a credential: {wrong}"


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    program = programs.made_by("oracles", "argocd-cmp")
    with tempfile.TemporaryDirectory() as scratch:
        found = list(faults(Repository(program, trainyard, pathlib.Path(scratch))))
    programs.finish(found)


if __name__ == "__main__":
    main()
