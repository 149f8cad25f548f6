"""`trainyard rehearse` runs jobs on this machine: plain Python programs that meet by sockets, as env:// does.

usage: rehearse.py TRAINYARD

Exits 77, after a reason, where namespaces or `ip` are missing.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

TRAINYARD = sys.argv[1]
CANNOT = 4  # this machine permits no namespaces

MEETS = """
    import os, socket, sys, time
    rank, world = int(os.environ["NODE_RANK"]), int(os.environ["NNODES"])
    place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    if rank == 0:
        server = socket.create_server(("", place[1]))
        ranks = [server.accept()[0] for _ in range(world - 1)]
        total = sum(int(each.recv(10)) for each in ranks)
    else:
        for _ in range(600):
            try:
                link = socket.create_connection(place, timeout=2)
                break
            except OSError:
                time.sleep(0.1)
        link.sendall(str(rank).encode())
    print("rank", rank, "of", world, "on", socket.gethostname(), "processes", os.environ["NPROC_PER_NODE"])
    print("file", open("/etc/job/note.txt").read(), "devices", sorted(os.listdir("/dev")))
    open("left-over", "w").write("only in the pod")
    sys.exit(int(os.environ.get("CODE", "0")) if rank == 1 else 0)
"""
SLEEPS = """
    import os, socket, time
    if os.environ["NODE_RANK"] == "0":
        time.sleep(600)
    while True:
        try:
            socket.create_connection((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])), timeout=2)
        except OSError:
            time.sleep(0.1)
"""
ASKS = """
    import socket
    socket.create_connection(("parameter-server", 80))
"""
SPEC = """
    apiVersion: trainyard/v1alpha1
    kind: TrainingJob
    metadata: {{name: train, namespace: ml}}
    spec:
      image: registry.example.com/train:1
      framework: pytorch
      run: {{command: [python3, program.py]}}
      nodes: {nodes}
      gpusPerNode: 8
      env: {{CODE: "{code}"}}
      secretEnv: {{TOKEN: {{name: hub, key: token}}}}
      storage:
        data: {{claim: imagenet, mountPath: /imagenet}}
      files:
        mountPath: /etc/job
        items:
        - {{path: note.txt, content: hello}}
"""


def spec(folder, program, nodes=4, code=0):
    (folder / "spec.yaml").write_text(textwrap.dedent(SPEC.format(nodes=nodes, code=code)))
    (folder / "program.py").write_text(textwrap.dedent(program))


def rehearse(folder, *options):
    done = subprocess.run([TRAINYARD, "rehearse", "spec.yaml", "--no-config", *options], cwd=folder, text=True,
                          capture_output=True, env={**os.environ, "TOKEN": "a-secret-value"}, check=False)
    if done.returncode == CANNOT:
        print("skipped: " + done.stderr.strip().splitlines()[-1])
        sys.exit(77)
    return done


def expect(done, code, *texts):
    text = done.stdout + done.stderr
    for each in texts:
        assert each in text, f"expected `{each}` in:\n{text}"
    assert done.returncode == code, f"exit code {done.returncode}, expected {code}:\n{text}"
    assert "a-secret-value" not in text, text


def left_over():
    return sorted(str(each) for each in pathlib.Path("/tmp").glob("trainyard-rehearse-*"))


def meets(folder):
    """Four nodes of eight processes are folded; what pods write is gone."""
    spec(folder, MEETS)
    done = rehearse(folder)
    expect(done, 0, "[pod 0] rank 0 of 2 on train-0 processes 2", "[pod 1] rank 1 of 2 on train-1 processes 2",
           "file hello", "`spec.nodes`: 2, not 4", "`spec.processesPerNode`: 2, not 8",
           "all pods ended with 0; they found each other at train-0.train:29500", "claim `imagenet` at `/imagenet`",
           "Secret `hub` for `TOKEN`: the value of your environment", "devices: none, not 8 of `nvidia.com/gpu`")
    assert "nvidia" not in done.stdout, done.stdout
    assert not (folder / "left-over").exists()
    expect(rehearse(folder, "--nodes", "3", "--processes", "8"), 0, "[pod 2] rank 2 of 3 on train-2 processes 8")
    expect(rehearse(folder, "--target", "jobset"), 0, "[worker 1] rank 1 of 2 on train-worker-0-1")


def fails(folder):
    spec(folder, MEETS, nodes=2, code=3)
    expect(rehearse(folder), 5, "pod 1 ended with exit code 3")
    spec(folder, "import nothing_here", nodes=2)
    expect(rehearse(folder), 5, "[pod 0] ModuleNotFoundError", "pod 0 ended with exit code 1")
    (folder / "program.py").unlink()
    expect(rehearse(folder), 5, "can't open file", "ended with exit code 2")


def waits(folder):
    spec(folder, SLEEPS, nodes=2)
    expect(rehearse(folder, "--wait", "2s"), 5, "ranks did not meet within 2 s",
           "pod 1 waits for train-0.train, port 29500: nothing listens there on pod 0")
    spec(folder, ASKS, nodes=2)
    expect(rehearse(folder), 5, "pod 0 asked for `parameter-server`: no such name")
    spec(folder, "print('alone')", nodes=2)
    expect(rehearse(folder), 5, "pod 1 never was at train-0.train, port 29500")


def interrupted(folder):
    spec(folder, SLEEPS, nodes=2)
    process = subprocess.Popen([TRAINYARD, "rehearse", "spec.yaml", "--no-config"], cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "interrupted" in text, text
    for each in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            assert os.readlink(each) != str(folder), f"{each} still runs"
        except OSError:
            pass


def mounts(folder):
    """A folder of the user's at a path of the pod, which stays as it is."""
    (folder / "own").mkdir()
    (folder / "own/data.txt").write_text("ten images")
    spec(folder, "print(open('/imagenet/data.txt').read()); open('/imagenet/new', 'w')", nodes=1)
    expect(rehearse(folder, "--mount", "own:/imagenet"), 5, "[pod 0] ten images", "Read-only file system")
    expect(rehearse(folder, "--mount", "none:/imagenet"), 2, "there is no directory `none`")
    spec(folder, "open('/imagenet/new', 'w'); print('wrote')", nodes=1)
    expect(rehearse(folder), 0, "[pod 0] wrote")


def images(folder):
    """Without podman there is no image; what pods of one get is tested in tests/unit/driver/rehearse_test.cc."""
    spec(folder, MEETS)
    expect(rehearse(folder, "--image", "--here"), 2, "two places of programs")
    if shutil.which("podman") is None:
        expect(rehearse(folder, "--image"), 2, "podman is not installed")


def main():
    for each in (meets, fails, waits, interrupted, mounts, images):
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            each(pathlib.Path(folder).resolve())
            print(f"{each.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    assert not left_over(), left_over()


main()
