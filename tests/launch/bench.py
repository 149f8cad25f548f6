#!/usr/bin/env python3
"""Runs what is compiled: each pod as processes in a network namespace. scripts/launch says how it is used."""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

import yaml

import controllers
import operators
import ray_jobs
import report
import verdict
from containers import Unsupported
from kubelet import RunningPod
from network import Network
from pods import Objects, Refused, of_manifest, told, told_with_warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PATIENCE = 180  # seconds for the pods of a cell, on a busy machine
INSIDE = "TRAINYARD_LAUNCH_USER"  # and who we are outside of the namespaces


@dataclasses.dataclass
class Cell:
    """One case on one target, and what came of it: passed, failed, refused, not run or skipped."""

    case: dict
    target: str
    state: str = ""
    why: str = ""
    seconds: float = 0.0

    @property
    def name(self):
        return f"{self.case['name']}: {self.target}"

    @property
    def folder(self):
        """overlayfs takes no commas and colons in paths."""
        return re.sub(r"[^A-Za-z0-9]+", "-", self.name)


def load():
    with open(os.path.join(HERE, "cases.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)


def merged(first, second):
    """The second over the first; null takes a key away."""
    result = {key: value for key, value in first.items() if key not in second or second[key] is not None}
    for key, value in second.items():
        if value is None:
            continue
        deeper = key != "expect" and isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if deeper else value
    return result


def targets_of(trainyard):
    rows = told(trainyard, "list", "targets").splitlines()[1:]
    return [row.split()[0] for row in rows if not row.startswith(" ")]


def cells_of(table, arguments):
    """Of the core set, every case with the targets that it names there; else every target."""
    found = []
    for case in table["cases"]:
        if arguments.cases and not any(each in case["name"] for each in arguments.cases):
            continue
        targets = targets_of(arguments.trainyard)
        if arguments.core:
            targets = case.get("core", [])
        found += [Cell(merged(case, case.get("differs", {}).get(each, {})), each) for each in targets
                  if not arguments.targets or each in arguments.targets]
    return found


def base_of(case, table):
    """What the spec of a case is laid over: that of all cases, or of an example."""
    if "example" not in case:
        return table["spec"]
    with open(os.path.join(ROOT, "examples", case["example"], "spec.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)["spec"]


def build(cell, table, arguments, folder):
    """The manifest of a cell; false where it has none, with the reason."""
    why = cell.case.get("not-run", {}).get(cell.target) or table["not-run"].get(cell.target)
    if not why and cell.target not in cell.case.get("only", [cell.target]):
        why = "tried on " + " and ".join(cell.case["only"]) + " only"
    if why:
        cell.state, cell.why = "not run", why
        return False
    metadata = {"name": "train", "namespace": "ml"}
    spec = {"apiVersion": "trainyard/v1alpha1", "kind": "TrainingJob", "metadata": metadata,
            "spec": merged(base_of(cell.case, table), cell.case["spec"])}
    os.makedirs(folder)
    path = os.path.join(folder, "spec.yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(spec, file, sort_keys=False)
    try:
        text, warnings = told_with_warnings(arguments.trainyard, "build", "--no-config", "--target", cell.target, path)
    except Refused as error:
        cell.state, cell.why = "refused", str(error).split("error: ", 1)[-1].split("\n", 1)[0]
        return False
    with open(os.path.join(folder, "manifest.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    wanted = cell.case.get("warns", "")
    if f"`{wanted}`" not in warnings and wanted:
        cell.state, cell.why = "failed", f"`build` does not warn of {wanted}"
        return False
    return True


def started(cell, image, arguments, folder, network):
    """The pods of a cell, running; those that the others wait for come last, as their controllers have it."""
    pods, documents = of_manifest(arguments.trainyard, os.path.join(folder, "manifest.yaml"))
    objects = Objects(documents)
    network.services = [each for each in documents if each["kind"] == "Service"]
    objects.known.update(operators.of(documents, pods, folder))
    roles = controllers.Roles(documents)
    faults = cell.case.get("faults", {})
    running = []
    for place, pod in enumerate(pods):
        if place == faults.get("missing"):
            continue
        for container in pod.spec["containers"]:
            container.setdefault("env", []).extend(faults.get("env", {}).get(place, []))
        until = awaited_roles(pods, roles)
        serves = bool(until) and (pod.role or "").lower() not in until
        # Rank 0 last: the others have to wait for it.
        delay = 0 if serves else 0.2 * (len(pods) - place)
        running.append(RunningPod(pod, objects, image, network, folder, delay))
        if not roles.after.get(pod.role):
            network.publish(pod)
    for each in running:
        each.awaits = [(other, state) for role, state in roles.after.get(each.pod.role, {}).items()
                       for other in running if other.pod.role == role]
    running += ray_jobs.submissions(documents, pods)
    for each in running:
        each.start()
    return running, roles


def awaited_roles(pods, roles):
    """The roles whose end is that of the job, which the others serve. None of them: all."""
    known = {(each.role or "").lower() for each in pods}
    return roles.ends or {each for each in ("launcher", "chief", ray_jobs.ROLE) if each in known}


def wait(cell, running, roles):
    until = awaited_roles([each.pod for each in running], roles)
    events = list(cell.case.get("events", []))
    end = time.monotonic() + cell.case.get("patience", PATIENCE)
    while time.monotonic() < end:
        if events and sum(each.text().count(events[0]["when"]) for each in running) >= events[0].get("times", 1):
            happen(events.pop(0), running, roles)
        if not any(each.is_alive() for each in running if not until or (each.pod.role or "").lower() in until):
            break
        time.sleep(0.05)


def happen(event, running, roles):
    """All pods are deleted, or one dies, or its node is lost, or its controller makes it again."""
    if "lose" in event:
        running[event["lose"]].lose()
    elif "kill" in event:
        killed = running[event["kill"]]
        killed.lost = True
        killed.delete(grace=0)
    elif "kill-of" in event:
        killed = next(each for each in running if each.pod.role == event["kill-of"])
        killed.kill()
        if not roles.alone.get(event["kill-of"]):
            return
        running.append(killed.again())
        running[-1].start()
    elif "again" in event:
        running.append(running[event["again"]].again())
        running[-1].start()
    else:
        assert event["delete"] == "all"
        delete(running)


def delete(pods):
    """Of all at once, as their kubelets do it: each has its own grace period."""
    stopping = [threading.Thread(target=each.delete) for each in pods]
    for each in stopping:
        each.start()
    for each in stopping:
        each.join()


def run(cell, table, arguments, number):
    folder = os.path.join(arguments.work, cell.folder)
    began = time.monotonic()
    if not build(cell, table, arguments, folder):
        return
    image = table["images"][cell.case["image"]]
    if "why" in image:
        cell.state, cell.why = "skipped", image["why"]
        return
    image = dict(image, programs=cell.case.get("programs", {}))
    if image["programs"]:
        image["env"] = dict(image["env"], PYTHONPATH="/bench")
    running = []
    with Network(number) as network:
        try:
            running, roles = started(cell, image, arguments, folder, network)
            wait(cell, running, roles)
            until = awaited_roles([each.pod for each in running], roles)
            faults = verdict.faults(cell.case["expect"], running, until)
            if roles.ends:
                faults += stopped_faults(running, until)
        except Unsupported as error:
            cell.state, cell.why = "not run", str(error)
            return
        except Refused as error:
            faults = [str(error)]
        finally:
            for each in running:
                each.delete(grace=0)
            for each in running:
                each.join()
        cell.state, cell.why = ("failed", "; ".join(faults)) if faults else ("passed", "")
        cell.seconds = time.monotonic() - began
        if faults:
            keep_logs(cell, running, arguments)
    subprocess.run(["umount", "-R", "-l", folder], check=False, capture_output=True)


def stopped_faults(running, until):
    """The controller stops the pods that are left: each ends within its grace period."""
    rest = [each for each in running if each.is_alive() and each.pod.role not in until]
    delete(rest)
    for each in rest:
        each.join(1)
    return [f"{each.pod.name} does not stop" for each in rest if each.is_alive()]


def keep_logs(cell, running, arguments):
    folder = os.path.join(arguments.logs, cell.folder)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for each in running:
        with open(os.path.join(folder, each.pod.name), "w", encoding="utf-8") as file:
            file.write(f"codes: {each.codes}\n" + each.text())
    cell.why += f" (logs: {os.path.relpath(folder, ROOT)})"


def prepare(table, cells):
    """The roots of the images that the cells need, or why there is none."""
    for name in sorted({each.case["image"] for each in cells}):
        image = table["images"][name]
        pip = ["--pip", *image["pip"]] if "pip" in image else []
        made = subprocess.run([os.path.join(ROOT, "scripts/debian-root"), image["suite"], *image["packages"], *pip],
                              env={**os.environ, **image.get("pip-env", {})},
                              capture_output=True, text=True, check=False)
        if made.returncode == 0:
            image["root"] = made.stdout.strip()
            changed = edited(image["root"].rsplit(":", 1)[-1], image.get("edits", {}))
            image["files"] = dict(image.get("files", {}), **changed)
        else:
            image["why"] = made.stderr.strip().removeprefix("skipped: ")


def edited(root, edits):
    found = {}
    for path, changes in edits.items():
        with open(root + path, encoding="utf-8") as file:
            found[path] = file.read()
        for old, new in changes.items():
            found[path] = found[path].replace(old, new)
    return found


def enter(arguments, table):
    """Starts this program again in namespaces of its own, all of which end with it."""
    path = os.path.join(arguments.logs, "images.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(table["images"], file)
    user = "root" if os.geteuid() == 0 else "user"
    spaces = ["--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"]
    if user != "root":
        spaces += ["--user", "--map-root-user"]
    command = ["unshare", *spaces, sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
    os.execvpe(command[0], command, dict(os.environ, **{INSIDE: user}))


def inside(arguments, table, cells):
    with open(os.path.join(arguments.logs, "images.json"), encoding="utf-8") as file:
        table["images"] = json.load(file)
    for command in (["mount", "-t", "tmpfs", "tmpfs", "/run"], ["ip", "link", "set", "lo", "up"],
                    ["mount", "-t", "tmpfs", "tmpfs", arguments.work]):
        subprocess.run(command, check=True)
    numbers = queue.SimpleQueue()
    for number in range(1, arguments.jobs + 1):
        numbers.put(number)

    def one(cell):
        number = numbers.get()
        try:
            run(cell, table, arguments, number)
        except Exception as error:  # pylint: disable=broad-except
            cell.state, cell.why = "failed", f"{type(error).__name__}: {error}"
        finally:
            numbers.put(number)
        if cell.state in ("failed", "passed", "skipped"):
            why = f": {cell.why}" if cell.why else ""
            print(f"{cell.state:8} {cell.seconds:5.1f} s  {cell.name}{why}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, cells))


def names_in(path):
    try:
        with open(path, encoding="utf-8") as file:
            return set(json.load(file))
    except FileNotFoundError:
        return set()


def passed_before(path, cells):
    """The cells that need no other run."""
    known = names_in(path)
    found = [each for each in cells if each.name in known]
    for each in found:
        each.state = "passed"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--target", dest="targets", action="append", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trainyard", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    arguments.work = os.path.abspath(arguments.work)
    arguments.logs = os.path.join(os.path.dirname(arguments.work), "logs")
    os.makedirs(arguments.logs, exist_ok=True)
    os.makedirs(arguments.work, exist_ok=True)
    table = load()
    cells = cells_of(table, arguments)
    path = os.path.join(arguments.logs, "results.json")
    last = passed_before(path, cells) if arguments.again else []
    if INSIDE not in os.environ:
        prepare(table, [each for each in cells if each not in last])
        enter(arguments, table)
    began = time.monotonic()
    inside(arguments, table, [each for each in cells if each not in last])
    passed = names_in(path) - {each.name for each in cells} | {each.name for each in cells if each.state == "passed"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sorted(passed), file)
    counts = {state: sum(each.state == state for each in cells) for state in report.STATES}
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    print(", ".join([*parts, f"{time.monotonic() - began:.0f} s"]))
    if arguments.update:
        report.write(os.path.join(ROOT, "docs/launch.md"), table, cells)
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else 77


if __name__ == "__main__":
    sys.exit(main())
