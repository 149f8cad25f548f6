"""Signals at random moments, full disks and file size limits during `build -o DIR` and `fmt`.

usage: kills.py PROGRAM [--seconds N] [--seed N] [--case N]

After each: every file is the old or the new one, nothing else has changed, a build that could clean up is all or
nothing, and the next run brings what was wanted and leaves nothing of its own behind.
"""

import os
import resource
import signal
import subprocess
import time

import hostile

FOREIGN = {
    "notes.txt": "not ours\n",
    "handmade.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: handmade}\n",
    "below/deeper.yaml": "a: 1\n",
}
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


class Build:
    """A directory that is built from specs."""

    words = ["build", "specs", "-o", "out", "--provenance", "--yes"]
    target = "out"

    def __init__(self, case):
        self.count = case.random.choice([1, 8, 60])
        self.removed = case.random.randrange(self.count)

    def old(self, folder):
        for number in range(self.count):
            hostile.write(folder / f"specs/job-{number}.yaml", hostile.spec(f"job-{number}"))
        for name, text in FOREIGN.items():
            hostile.write(folder / "out" / name, text)

    def new(self, folder):
        for number in range(self.count):
            path = folder / f"specs/job-{number}.yaml"
            path.write_text(hostile.spec(f"job-{number}", "registry.example.com/train:2"))
        (folder / f"specs/job-{self.removed}.yaml").rename(folder / "specs/renamed.yaml")
        hostile.write(folder / "specs/added.yaml", hostile.spec("added"))


class Layout:
    """A directory that `fmt` lays out."""

    words = ["fmt", "specs"]
    target = "specs"

    def __init__(self, case):
        self.count = case.random.choice([1, 8, 60])

    def old(self, folder):
        for number in range(self.count):
            text = hostile.spec(f"job-{number}", extra="  env:   {  B: '1' ,   A: \"2\"}   # why\n")
            hostile.write(folder / f"specs/d{number % 3}/job-{number}.yaml", text)
        hostile.write(folder / "specs/notes.txt", "a:    1\n")

    def new(self, folder):
        """Nothing more is needed: the layout is what changes."""


def prepare(case, work, folder):
    """The old state in `folder`, and the files of the new one."""
    whole = case.folder / "whole"
    for place in (folder, whole):
        (place / ".git").mkdir(parents=True)
        work.old(place)
        if work.target == "out":
            must_succeed(case, work, place)
        work.new(place)
    old = hostile.snapshot(folder / work.target)
    began = time.monotonic()
    must_succeed(case, work, whole)
    return old, hostile.snapshot(whole / work.target), time.monotonic() - began


def must_succeed(case, work, place):
    result = case.run(work.words, place)
    hostile.require_decent(result)
    hostile.require(result.code == hostile.GOOD, f"{result}\n{hostile.shown(result.err)}")


def without_ours(files):
    return {name: data for name, data in files.items() if not name.startswith(".trainyard-")}


def compare(case, work, folder, states, all_or_nothing):
    old, new = states
    found = hostile.snapshot(folder / work.target)
    if all_or_nothing:
        hostile.require(found in (old, new), "a run that could clean up leaves neither the old nor the new state")
    for name, data in without_ours(found).items():
        hostile.require(data in (old.get(name), new.get(name)), f"`{name}` is neither the old nor the new file")
    for name in old.keys() & new.keys():
        hostile.require(name in found, f"`{name}` is gone")
    must_succeed(case, work, folder)
    after = hostile.snapshot(folder / work.target)
    hostile.require(after == new, "the next run does not bring what was wanted")
    hostile.require(not hostile.leftovers(folder), f"the next run leaves {hostile.leftovers(folder)}")


def kill(case, work, folder, states, takes):
    which = case.random.choice(SIGNALS)
    process = case.program.start(work.words, folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    case.calls += 1
    time.sleep(case.random.uniform(0, 1.3 * takes))
    try:
        os.kill(process.pid, which)
    except ProcessLookupError:
        pass
    process.wait()
    cleans_up = which != signal.SIGKILL and work.target == "out"
    compare(case, work, folder, states, cleans_up)


def limit_file_size(case, work, folder, states, _):
    biggest = max(len(data) for data in states[1].values() if isinstance(data, bytes))
    limits = [(resource.RLIMIT_FSIZE, case.random.randrange(biggest + 100))]
    result = case.run(work.words, folder, limits=limits)
    hostile.require_decent(result)
    compare(case, work, folder, states, work.target == "out")


def fill_disk(case, work, folder, states, _):
    """`folder` is a small disk of its own; what is left of it is filled up to a random rest."""
    free = os.statvfs(folder)
    rest = case.random.randrange(0, 64) << 10
    filler = folder / "filler"
    with open(filler, "wb") as file:
        try:
            file.write(b"x" * max(0, free.f_bavail * free.f_frsize - rest))
        except OSError:
            pass
    result = case.run(work.words, folder)
    hostile.require_decent(result)
    expected = (hostile.GOOD, hostile.WORLD_FAILED)
    hostile.require(result.code in expected, f"{result} on a full disk\n{hostile.shown(result.err)}")
    filler.unlink()
    compare(case, work, folder, states, work.target == "out")


def mounted(folder):
    folder.mkdir(parents=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], capture_output=True, check=False
    )
    return done.returncode == 0


def generate(case):
    work = case.random.choice([Build, Build, Layout])(case)
    harm = case.random.choice([kill, kill, kill, limit_file_size, fill_disk])
    folder = case.folder / "place"
    is_disk = harm is fill_disk and case.may_mount and mounted(folder)
    if harm is fill_disk and not is_disk:
        harm = limit_file_size
    try:
        old, new, takes = prepare(case, work, folder)
        harm(case, work, folder, (old, new), takes)
    finally:
        if is_disk:
            subprocess.run(["umount", folder], check=False)


if __name__ == "__main__":
    hostile.main(generate)
