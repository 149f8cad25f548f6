"""Shared by the generators beside it: runs the program within bounds, counts, and keeps what went wrong.

A generator is a function from a Case to nothing; it raises Fault. Each case has a number, and its random numbers
depend only on the seed, the generator and that number.
"""

import argparse
import itertools
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"
FOUND = ROOT / "build" / "hostile-found"

GOOD, INPUT_WRONG, CALL_WRONG, OUT_OF_DATE, WORLD_FAILED, JOB_FAILED, NO_SUCH_JOB = range(7)
DOCUMENTED = {GOOD, INPUT_WRONG, CALL_WRONG, OUT_OF_DATE, WORLD_FAILED, JOB_FAILED, NO_SUCH_JOB}

# Far above what any case needs, and none of them a wall time at work, so that a busy machine changes no verdict.
HANGS_AFTER = 60  # seconds in which a process neither runs nor wants to
MOST_SECONDS = 600  # of processor time, for a program that never ends
SECONDS_AT_LEAST = 5.0  # of processor time
SECONDS_PER_MEGABYTE = 60.0
MEMORY_AT_LEAST = 400 << 20
MEMORY_PER_BYTE = 1000

# What a program built with sanitizers prints when it finds a fault; it may still end with an exit code of ours.
SANITIZER_REPORT = re.compile(b"(Address|Leak|UndefinedBehavior)Sanitizer|runtime error: ")

# What a terminal could obey: control characters but line break and tab, C1 controls, bidirectional marks.
RAW_ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Fault(Exception):
    """Something that must hold and does not."""


class Skip(Exception):
    """A case that cannot be made here."""


def require(holds, what):
    if not holds:
        raise Fault(what)


class Result:
    """How a call ended."""

    def __init__(self, words, status, out, err, usage):
        self.words = words
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        self.out = out
        self.err = err
        self.seconds = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss << 10
        self.has_costs = True  # sanitizers cost more than the program

    def texts(self):
        return self.out + self.err

    def __str__(self):
        ended = f"signal {self.signal}" if self.signal else f"exit {self.code}"
        return f"`trainyard {' '.join(self.words)}`: {ended}"


class Program:
    """The program under test."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        with open(self.path, "rb") as file:
            self.is_sanitized = b"__asan_init" in file.read()

    def start(self, words, cwd, limits=(), user=None, **streams):
        """`limits` are pairs for setrlimit; `user` is a number to become."""

        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write then fails, as on a full disk
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            for which, value in limits:
                resource.setrlimit(which, (value, value))
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)

        return subprocess.Popen(
            [self.path, *words], cwd=cwd, preexec_fn=prepare, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, **streams
        )

    def run(self, words, cwd, stdin=b"", **options):
        """Runs to the end. A call that does not end is a Fault."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            process = self.start(words, cwd, stdin=given, stdout=out, stderr=err, **options)
            status, usage = wait(process, words)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read())
        result = Result(words, status, *texts, usage)
        result.has_costs = not self.is_sanitized
        return result


def wait(process, words):
    idle_since = time.monotonic()
    seen = None
    pause = 0.0005
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = 0
            return status, usage
        state, ticks = activity(process.pid)
        if state != "S" or ticks != seen:
            idle_since, seen = time.monotonic(), ticks
        if time.monotonic() > idle_since + HANGS_AFTER:
            process.kill()
            process.wait()
            raise Fault(f"`trainyard {' '.join(words)}` hangs")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def activity(pid):
    """The state of a process (`R` running, `S` asleep) and the ticks of processor time that it has used."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return words[0], words[11:13]


def require_decent(result, input_bytes=0):
    """What holds for every call, whatever its input."""
    require(not result.signal, f"{result} ends by a signal")
    require(not SANITIZER_REPORT.search(result.err), f"{result}\n{shown(result.err, 8000)}")
    require(result.code in DOCUMENTED, f"{result} has an exit code that is not documented\n{shown(result.err)}")
    require(result.code in (GOOD, OUT_OF_DATE) or result.texts().strip(), f"{result} says nothing")
    escape = RAW_ESCAPES.search(result.err.decode("utf-8", "surrogateescape"))
    require(not escape, f"{result} writes a raw {escape and escape.group()!r} to standard error\n{shown(result.err)}")
    if not result.has_costs:
        return
    megabytes = input_bytes / (1 << 20)
    most = SECONDS_AT_LEAST + megabytes * SECONDS_PER_MEGABYTE
    require(result.seconds <= most, f"{result} took {result.seconds:.1f} s for {input_bytes} bytes")
    most = MEMORY_AT_LEAST + input_bytes * MEMORY_PER_BYTE
    require(result.memory <= most, f"{result} took {result.memory >> 20} MB for {input_bytes} bytes")


def require_hidden(result, secrets):
    for secret in secrets:
        require(secret.encode() not in result.texts(), f"{result} prints `{secret}`")


def shown(text, most=2000):
    return text[:most].decode("utf-8", "backslashreplace")


def snapshot(folder):
    """Every regular file below a folder with its bytes; what else is there with its sort."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not path.is_dir():
            found[name] = "special"
    return found


def files_of(folder):
    """The names of the regular files below a folder."""
    paths = sorted(pathlib.Path(folder).rglob("*"))
    return [str(path.relative_to(folder)) for path in paths if path.is_file() and not path.is_symlink()]


def leftovers(folder):
    return [str(path) for path in pathlib.Path(folder).rglob(".trainyard-*")]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def spec(name, image="registry.example.com/train:1", extra=""):
    """The smallest TrainingJob."""
    return (
        "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n"
        f"metadata: {{name: {name}}}\nspec:\n  image: {image}\n  run: {{command: [./train]}}\n{extra}"
    )


class Case:
    """One case: its number, its random numbers, and an empty folder."""

    def __init__(self, program, generator, asked, number, folder):
        self.program = program
        self.may_mount = asked.mounts
        self.number = number
        self.name = f"{generator}-{asked.seed}-{number}"
        self.random = random.Random(f"{asked.seed} {generator} {number}")
        self.folder = folder
        self.calls = 0

    def run(self, words, cwd=None, **options):
        self.calls += 1
        return self.program.run(words, cwd or self.folder, **options)


def own_and_children_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def parse():
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=2, help="of processor time, where --cases is not given")
    parser.add_argument("--cases", type=int, help="how many; the same ones on every machine")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TRAINYARD_SEED") or 1))
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--mounts", action="store_true", help="may mount small disks (needs root)")
    return parser.parse_args()


def numbers(asked):
    """Of the cases to run."""
    if asked.case is not None:
        return [asked.case]
    if asked.cases is not None:
        return range(asked.cases)
    return itertools.takewhile(lambda _: own_and_children_seconds() < asked.seconds, itertools.count())


def keep(folder, name):
    kept = FOUND / name
    shutil.rmtree(kept, ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, kept, symlinks=True, ignore=ignore_special)
    return kept


def ignore_special(folder, names):
    kinds = (pathlib.Path(folder, name) for name in names)
    return [path.name for path in kinds if not (path.is_symlink() or path.is_file() or path.is_dir())]


class Tally:
    """What a run came to."""

    def __init__(self):
        self.cases = self.calls = self.skipped = self.faults = 0

    def run(self, generate, case, again):
        try:
            generate(case)
        except Fault as fault:
            self.faults += 1
            kept = keep(case.folder, case.name)
            print(f"FAULT in case {case.number}: {fault}\n  its files: {kept}\n  once more: {again}", flush=True)
        except Skip as skip:
            self.skipped += 1
            print(f"skipped case {case.number}: {skip}")
        self.cases += 1
        self.calls += case.calls


def main(generate):
    """Runs cases until the time is used up. Exits 1 when any of them is at fault."""
    asked = parse()
    name = pathlib.Path(sys.argv[0]).stem
    program = Program(asked.program)
    tally = Tally()
    print(f"{name}: seed {asked.seed}", flush=True)
    for number in numbers(asked):
        with tempfile.TemporaryDirectory(prefix="trainyard-hostile-") as folder:
            os.chmod(folder, 0o755)
            case = Case(program, name, asked, number, pathlib.Path(folder))
            mounts = " --mounts" if asked.mounts else ""
            again = f"{sys.argv[0]} {asked.program} --seed {asked.seed}{mounts} --case {number}"
            tally.run(generate, case, again)
    print(f"{name}: {tally.cases} cases, {tally.calls} calls, {tally.skipped} skipped, {tally.faults} faults")
    sys.exit(1 if tally.faults else 0)
