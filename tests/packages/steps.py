"""Runs the steps of a GitHub Action and of a GitLab template as the services do, and no more of them than is needed."""

import os
import re
import subprocess

import yaml


def action_outputs(action, inputs, folder, temporary):
    """Runs the `run` steps of a composite action in `folder`. Gives the exit code, the output and the files written."""
    document = yaml.safe_load(action.read_text())
    values = {f"inputs.{name}": str(inputs.get(name, each.get("default", ""))) for name, each in document["inputs"].items()}
    missing = [name for name, each in document["inputs"].items() if each.get("required") and name not in inputs]
    assert not missing, f"inputs without a value: {missing}"
    files = {name: temporary / name.lower() for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.write_text("")
    said = ""
    for step in document["runs"]["steps"]:
        if "run" not in step:
            continue
        path = os.pathsep.join([*files["GITHUB_PATH"].read_text().split(), os.environ["PATH"]])
        own = {name: expression_value(text, values) for name, text in step.get("env", {}).items()}
        environment = {**os.environ, **{name: str(path) for name, path in files.items()}, **own}
        environment |= {"PATH": path, "RUNNER_TEMP": str(temporary)}
        # https://docs.github.com/actions/reference/workflow-syntax: `shell: bash` is this call.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said += done.stdout + done.stderr
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step.get('id')}.outputs.{name}"] = value
        if done.returncode != 0:
            return done.returncode, said, files
    return 0, said, files


def expression_value(text, values):
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: values[found.group(1)], text)


def gitlab_outcome(template, variables, folder):
    """Runs the scripts of the hidden job in one shell, as a runner does. Gives the exit code and the output."""
    job = yaml.safe_load(template.read_text())[".trainyard"]
    environment = {**os.environ, **{name: str(value) for name, value in job["variables"].items()}, **variables}
    lines = "\n".join([*job["before_script"], *job["script"]])
    command = ["bash", "-eo", "pipefail", "-c", lines]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
