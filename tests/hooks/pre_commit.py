"""Runs the hooks of .pre-commit-hooks.yaml by pre-commit itself, in a repository as people have them.

usage: pre_commit.py TRAINYARD SOURCE_FOLDER

pre-commit comes from PyPI once (scripts/pypi). Exits 77, saying why, if it cannot be had.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

PACKAGE = "pre-commit==4.7.0"

GOOD_JOB = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: fast
"""
SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: alpha
spec:
  image: registry.example.com/ml/train:1.4
  run:
    command: [./train]
"""
FLEET = {
    "fleet.yaml": """\
apiVersion: trainyard/v1alpha1
kind: Fleet
metadata: {name: ml}
spec:
  rendered: rendered
  clusters: [{file: clusters/a.yaml, specs: [fleet]}]
  teams: [{name: nlp, namespaces: [nlp], specs: [fleet/nlp]}]
""",
    "clusters/a.yaml": """\
apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: a}
spec:
  kubernetes: "1.33"
  gitops: {tool: flux}
""",
    "fleet/nlp/beta.yaml": SPEC.replace("name: alpha\n", "name: beta\n  namespace: nlp\n"),
}
# What ordinary repositories hold beside manifests, by path.
OTHER_FILES = {
    "chart/Chart.yaml": "apiVersion: v2\nname: app\nversion: 0.1.0\n",
    "chart/values.yaml": "replicas: 2\nmetadata:\n  team: nlp\n",
    "chart/templates/job.yaml": "{{- if .Values.on }}\napiVersion: batch/v1\nkind: Job\n{{- end }}\n",
    "overlay/kustomization.yaml": "resources:\n- job.yaml\npatches:\n- path: patches/image.yaml\n",
    "overlay/job.yaml": GOOD_JOB,
    "overlay/patches/image.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n",
    "overlay/patches/scale.yaml": "- op: replace\n  path: /spec/replicas\n  value: 3\n",
    "docker-compose.yml": "services:\n  web:\n    image: nginx:1.27\n",
    "mkdocs.yml": "site_name: Docs\nemoji: !!python/name:material.emoji.twemoji\nplugins: !ENV [A, b]\n",
    ".github/workflows/ci.yaml": "on: push\njobs: {}\n",
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class Repository:
    """A Git repository, and the program of pre-commit for it."""

    def __init__(self, folder, python, variables):
        self.folder = folder
        self.python = python
        self.variables = variables
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments],
            cwd=self.folder, env=self.variables, capture_output=True, text=True, check=True,
        )
        return done.stdout.strip()

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def run_hook(self, hook, *arguments):
        done = subprocess.run(
            [self.python, "-m", "pre_commit", "run", hook, *arguments],
            cwd=self.folder, env=self.variables, capture_output=True, text=True, check=False, timeout=120,
        )
        return done.returncode, done.stdout + done.stderr


def expect(what, result, code, part):
    if result[0] != code or part not in result[1]:
        sys.exit(f"{what}: ended with {result[0]}, wanted {code} and `{part}` in:\n{result[1]}")
    print(f"{what}: as it has to be")


def check(scratch, python, program, source):
    tools = scratch / "bin"
    tools.mkdir()
    (tools / "trainyard").symlink_to(program)
    variables = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", PRE_COMMIT_HOME=str(scratch / "home"),
                     GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    for name in [each for each in variables if each.startswith("GIT_") and not each.startswith("GIT_CONFIG_")]:
        del variables[name]  # of a commit in which this runs
    hooks = Repository(scratch / "trainyard", python, variables)
    hooks.write(".pre-commit-hooks.yaml", (source / ".pre-commit-hooks.yaml").read_text())
    hooks.commit()

    users = Repository(scratch / "users", python, variables)
    users.write(".pre-commit-config.yaml", f"""\
repos:
- repo: file://{hooks.folder}
  rev: {hooks.git("rev-parse", "HEAD")}
  hooks:
  - id: trainyard-validate
  - id: trainyard-fmt
  - id: trainyard-build-check
    args: [specs/, -o, deploy/]
  - id: trainyard-render-check
""")
    for path, text in OTHER_FILES.items():
        users.write(path, text)
    users.commit()

    validate = "trainyard-validate"
    expect("files that are no manifests", users.run_hook(validate, "--all-files"), 0, "Passed")
    users.write("chart/templates/job.yaml", OTHER_FILES["chart/templates/job.yaml"] + "# more\n")
    users.write("overlay/patches/image.yaml", OTHER_FILES["overlay/patches/image.yaml"] + "# more\n")
    users.git("add", "-A")
    expect("a template and a patch by themselves", users.run_hook(validate), 0, "Passed")
    users.write("overlay/job.yaml", GOOD_JOB.replace("data:", "dta:"))
    users.git("add", "-A")
    expect("a manifest with a mistake", users.run_hook(validate), 1, "unknown-field")
    users.write("overlay/job.yaml", GOOD_JOB)
    users.write("docker-compose.yml", "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b\n")
    users.git("add", "-A")
    expect("a merge conflict", users.run_hook(validate), 1, "conflict-marker")
    users.write("docker-compose.yml", OTHER_FILES["docker-compose.yml"])

    layout = "trainyard-fmt"
    expect("files without a spec", users.run_hook(layout, "--all-files"), 0, "Passed")
    users.write("specs/alpha.yaml", SPEC.replace("metadata:\n  name: alpha\n", "metadata: {name:   alpha}\n"))
    users.git("add", "-A")
    expect("a spec in another layout", users.run_hook(layout), 1, "files were modified by this hook")
    users.git("add", "-A")
    expect("a spec that is laid out", users.run_hook(layout), 0, "Passed")

    users.write("specs/alpha.yaml", SPEC)
    users.git("add", "-A")
    build = "trainyard-build-check"
    expect("a spec that is not built yet", users.run_hook(build), 1, "exit code: 3")
    subprocess.run([program, "build", "specs/", "-o", "deploy/"], cwd=users.folder, check=True, capture_output=True)
    users.git("add", "-A")
    expect("a spec that is built", users.run_hook(build), 0, "Passed")
    expect("specs and what is built from them", users.run_hook(validate), 0, "Passed")

    for path, text in FLEET.items():
        users.write(path, text)
    users.git("add", "-A")
    render = "trainyard-render-check"
    expect("a fleet that is not rendered yet", users.run_hook(render), 1, "exit code: 3")
    subprocess.run([program, "render"], cwd=users.folder, check=True, capture_output=True)
    users.git("add", "-A")
    expect("a fleet that is rendered", users.run_hook(render), 0, "Passed")
    expect("a fleet and its tree", users.run_hook(validate), 0, "Passed")


def main(program, source):
    if shutil.which("git") is None:
        skip("git is not installed")
    python = programs.made_by("pypi", PACKAGE)
    with tempfile.TemporaryDirectory() as scratch:
        check(pathlib.Path(scratch), python, program.resolve(), source)


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
