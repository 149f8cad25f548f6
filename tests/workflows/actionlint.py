"""Has actionlint (from the Go module proxy) read .github/workflows, and compares them with the two commands of docs/install.md.

usage: actionlint.py REPOSITORY GO

Exits 77, saying why, where actionlint cannot be had.
"""

import pathlib
import shutil
import subprocess
import sys

import yaml

MODULE = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"
COMMANDS = ["./scripts/quickstart", "./scripts/test"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def lint(repository, go, files):
    if subprocess.run([go, "run", MODULE, "-version"], cwd="/", capture_output=True, check=False).returncode != 0:
        skip(f"the Go module proxy does not give {MODULE}")
    done = subprocess.run([go, "run", MODULE, "-shellcheck=", "-pyflakes=", *files], cwd=repository, check=False)
    return done.returncode == 0


def commands(workflow):
    steps = yaml.safe_load(workflow.read_text())["jobs"]["test"]["steps"]
    return [step["run"] for step in steps if step.get("run", "").startswith("./")]


def main():
    if len(sys.argv) != 3 or shutil.which(sys.argv[2]) is None:
        skip("Go is not installed")
    repository, go = pathlib.Path(sys.argv[1]), sys.argv[2]
    workflow = repository / ".github/workflows/ci.yml"
    if commands(workflow) != COMMANDS:
        sys.exit(f"{workflow} runs {commands(workflow)}, docs/install.md promises {COMMANDS}")
    if not lint(repository, go, sorted(workflow.parent.glob("*.yml"))):
        sys.exit("actionlint has something to say")


main()
