"""`trainyard rehearse` runs jobs on this machine: plain Python programs that meet by sockets, as env:// does.

usage: rehearse.py TRAINYARD [--launchers | --world PROGRAM]

With `--launchers` it runs mpirun, and with TRAINYARD_WHOLE=1 Ray, in the roots of scripts/launch. With `--world` it
tries the program that leads pods outside in a network that has a DNS and an HTTP server; the script starts itself so.

Exits 77, after a reason, where namespaces or `ip` are missing.
"""

import http.server
import os
import pathlib
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import textwrap
import threading
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
FETCHES = """
    import socket, urllib.request
    print(urllib.request.urlopen("http://data.example:8080/", timeout=20).read().decode())
    try:
        socket.create_connection(("169.254.98.2", 8081), timeout=0.5)
        print("reached a loopback address of the machine")
    except OSError:
        pass
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
    if done.returncode == CANNOT and ("may not make namespaces" in done.stderr or "not installed" in done.stderr):
        print("skipped: " + done.stderr.strip().splitlines()[-1])
        sys.exit(77)
    return done


def expect(done, code, *texts):
    text = done.stdout + done.stderr
    for each in texts:
        assert any(one in text for one in each.split("|")), f"expected `{each}` in:\n{text}"
    assert done.returncode == code, f"exit code {done.returncode}, expected {code}:\n{text}"
    assert "a-secret-value" not in text, text


def left_over():
    return {str(each) for each in pathlib.Path("/tmp").glob("trainyard-rehearse-*")}


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
    expect(rehearse(folder), 5, "pod 1 never connected to train-0.train, port 29500")


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


def outside(folder):
    """Nothing of a manifest leads out of the pod: its paths and links are those of its root."""
    (folder / "program.py").write_text("import os; print(os.listdir('/data'))")
    (folder / "job.yaml").write_text(textwrap.dedent(f"""
        apiVersion: v1
        kind: ConfigMap
        metadata: {{name: notes}}
        data: {{a: hello}}
        ---
        apiVersion: batch/v1
        kind: Job
        metadata: {{name: train}}
        spec:
          template:
            spec:
              restartPolicy: Never
              containers:
              - name: main
                image: registry.example.com/train:1
                command: [python3, program.py]
                volumeMounts:
                - {{name: notes, mountPath: /data}}
                - {{name: own, mountPath: "/../../../..{folder}/made"}}
                - {{name: own, mountPath: /var/run/rehearsed}}
              volumes:
              - {{name: own, emptyDir: {{}}}}
              - name: notes
                configMap:
                  name: notes
                  items:
                  - {{key: a, path: "../../../../../../../..{folder}/written"}}
                  - {{key: a, path: note.txt}}
        """))
    done = subprocess.run([TRAINYARD, "rehearse", "job.yaml", "--no-config"], cwd=folder, text=True, capture_output=True,
                          check=False)
    expect(done, 0, "[pod 0] ['note.txt']")
    assert sorted(os.listdir(folder)) == ["job.yaml", "program.py"], os.listdir(folder)
    assert not os.path.exists("/run/rehearsed")


WORLD = "192.0.2.1"


class Names(socketserver.BaseRequestHandler):
    """The DNS of the world: one name."""

    def handle(self):
        query, sock = self.request
        knows = b"\4data\7example\0" in query
        is_asked = knows and query[query.index(b"\0", 12) + 1:][:2] == b"\0\1"
        head = query[:2] + bytes([0x85, 0x80 if knows else 0x83, 0, 1, 0, is_asked, 0, 0, 0, 0])
        record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + bytes(map(int, WORLD.split("."))) if is_asked else b""
        sock.sendto(head + query[12:] + record, self.client_address)


class Data(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ten images")

    def log_message(self, *_):
        pass


def make_world(folder):
    lines = ["link add world type bridge", f"address add {WORLD}/24 dev world", "link set world up", "link set lo up",
             "route add default via 192.0.2.254"]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    (folder / "resolv.conf").write_text(f"nameserver {WORLD}\n")
    subprocess.run(["mount", "--bind", folder / "resolv.conf", os.path.realpath("/etc/resolv.conf")], check=True)
    for server in (socketserver.ThreadingUDPServer((WORLD, 53), Names), socketserver.TCPServer((WORLD, 8080), Data),
                   socketserver.TCPServer(("127.0.0.1", 8081), Data)):
        threading.Thread(target=server.serve_forever, daemon=True).start()


def fetches(folder, program):
    """Pods reach the world by its names, and each other by theirs."""
    make_world(folder)
    spec(folder, FETCHES + MEETS, nodes=2)
    done = rehearse(folder, "--network", program)
    expect(done, 0, "[pod 0] ten images", "[pod 1] ten images", "they found each other at train-0.train:29500",
           f"network: by Ethernet; outside by {program}")
    assert "reached" not in done.stdout, done.stdout
    spec(folder, "import socket; socket.gethostbyname('nothing.example')", nodes=1)
    expect(rehearse(folder, "--network", program), 5, "pod 0 asked for `nothing.example`: no such name")
    spec(folder, FETCHES, nodes=1)
    expect(rehearse(folder, "--network", "none"), 5, "pod 0 asked for `data.example`: no such name",
           "network: between the pods only")
    subprocess.run(["ip", "route", "delete", "default"], check=True)
    spec(folder, MEETS, nodes=2)
    if program == "pasta":  # the other one asks for no way
        expect(rehearse(folder), 0, "pods have no network outside: pasta: ",
               "between the pods only, by Ethernet; pasta")


def world(_):
    for program in ("pasta", "slirp4netns"):
        if shutil.which(program) is None:
            print(f"skipped: {program} is not installed")
            continue
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            print("skipped: this user may not open /dev/net/tun")
            return
        spaces = ["--mount", "--net"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
        subprocess.run(["unshare", *spaces, sys.executable, __file__, TRAINYARD, "--world", program], check=True)


ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCHED = """
    apiVersion: trainyard/v1alpha1
    kind: TrainingJob
    metadata: {{name: train, namespace: ml}}
    spec:
      image: registry.example.com/train:1
      framework: {framework}
      run: {{script: {script}, args: {arguments}}}
      nodes: 3
      gpusPerNode: 8
      env: {{USE_LIBUV: "0"}}
"""
# A root of its own: chroot would forbid user namespaces.
ENTER = """
set -e
layers=$1 folder=$2 trainyard=$3
shift 3
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$layers,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
cd /mnt/root
mount -t proc proc proc
for each in sys dev; do mount --rbind /$each $each; done
mount -t tmpfs tmpfs tmp
mkdir -p ".$folder" old
mount --bind "$folder" ".$folder"
cp "$trainyard" usr/bin/trainyard
pivot_root . old
umount -l old
cd "$folder"
exec trainyard rehearse spec.yaml --no-config "$@"
"""


def root_of(name):
    """The root of an image of scripts/launch, which makes it once."""
    import bench  # it needs PyYAML

    table = bench.load()
    bench.prepare(table, [bench.Cell({"image": name}, "")])
    image = table["images"][name]
    if "why" in image:
        print("skipped: " + image["why"])
        sys.exit(77)
    return image["root"]


def started(folder, image, target, framework, script, arguments=()):
    """A rehearsal in the root of an image, with the programs of the bench, in a process group of its own."""
    (folder / "spec.yaml").write_text(textwrap.dedent(
        LAUNCHED.format(framework=framework, script=script, arguments=list(arguments))))
    for each in ("said.py", script):
        if (ROOT / "tests/launch/programs" / each).exists():
            shutil.copy(ROOT / "tests/launch/programs" / each, folder)
    spaces = ["--mount", "--pid", "--fork", "--kill-child"]
    spaces += [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.Popen(["unshare", *spaces, "sh", "-c", ENTER, "sh", root_of(image), folder, TRAINYARD,
                             "--target", target, "--wait", "10m"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True,
                            env={**os.environ, "HOME": "/tmp", "OMP_NUM_THREADS": "1", "RAY_DEDUP_LOGS": "0",
                                 "RAY_USAGE_STATS_ENABLED": "0"})


def launched(*arguments):
    """A rehearsal that `started` begins, at its end."""
    process = started(*arguments)
    out, err = process.communicate()
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if "error while loading shared libraries" in done.stderr:  # a build with sanitizers is not static
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    return done


def mpirun(folder):
    """mpirun reaches the sshd of each pod by the hosts and keys that a controller makes."""
    for target, worker in (("mpijob", "train-worker-1"), ("trainjob", "train-node-0-1"), ("volcano", "train-worker-1")):
        expect(launched(folder, "debian13", target, "mpi", "mpi_sum.py"), 0, '"world": 4, "sum": 10',
               f'"rank": 3, "world": 4, "sum": 10, "host": "{worker}"', "the job ended with 0|all pods ended with 0",
               "ssh: settings of the rehearsal, not of the image", "they found each other at train-launcher")
    (folder / "fails.py").write_text("import sys; sys.exit(3)")
    expect(launched(folder, "debian13", "mpijob", "mpi", "fails.py"), 5, "Launcher 0 ended with exit code 3")


def ray(folder):
    """The submitter waits for the head; Ray Train starts a rank on each worker."""
    if os.environ.get("TRAINYARD_WHOLE") != "1":
        return
    program = (ROOT / "tests/launch/programs/ray_sum.py").read_text().replace("num_workers=3", "num_workers=2")
    (folder / "two.py").write_text(program)
    shutil.copy(ROOT / "tests/launch/programs/said.py", folder)
    expect(launched(folder, "ray", "rayjob", "ray", "two.py"), 0, '"rank": 1, "world": 2, "sum": 3.0',
           "the job ended with 0", "they found each other at train-r-head-svc.ml.svc.cluster.local")


def ray_interrupted(folder):
    """Ctrl-C reaches the whole group, as a terminal sends it, once Ray's program runs."""
    if os.environ.get("TRAINYARD_WHOLE") != "1":
        return
    (folder / "sleeps.py").write_text("import time; print('it runs', flush=True); time.sleep(3600)")
    process = started(folder, "ray", "rayjob", "ray", "sleeps.py")
    seen = []
    for line in process.stdout:
        seen.append(line)
        if "it runs" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    text = "".join(seen) + "".join(process.communicate(timeout=120))
    assert process.returncode == 130 and "interrupted" in text, (process.returncode, text)


IMAGE_PACKAGES = ("openmpi-bin", "openssh-server", "openssh-client", "python3", "bash", "dash", "coreutils")
IMAGE_SETTINGS = {
    "ssh_config": "Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  Port 2222\n",
    "home/mpiuser/.sshd_config": "PidFile /home/mpiuser/sshd.pid\nHostKey /home/mpiuser/.ssh/id_rsa\nStrictModes no\nPort 2222\n",
    "opt/ring.py": """
import os, socket
print("rank", os.environ["OMPI_COMM_WORLD_RANK"], "of", os.environ["OMPI_COMM_WORLD_SIZE"], "on", socket.gethostname())
print("image", open("/opt/mark").read())
""",
    "opt/mark": "of our own",
}
IN_IMAGE = """
    apiVersion: trainyard/v1alpha1
    kind: TrainingJob
    metadata: {name: train, namespace: ml}
    spec:
      target: mpijob
      framework: mpi
      image: localhost/trainyard-test:1
      run: {script: /opt/ring.py}
      nodes: 2
      gpusPerNode: 2
"""

# A folder that is another user's in the image, as of one with `USER app` and `WORKDIR /home/app`.
WRITES = """
    apiVersion: trainyard/v1alpha1
    kind: TrainingJob
    metadata: {name: writes, namespace: ml}
    spec:
      framework: none
      image: localhost/trainyard-test:1
      run: {command: [sh, -c, "cd /home/app && mkdir checkpoints && echo 1 >checkpoints/step"]}
      security: {level: baseline}
"""


def from_image(folder):
    """With podman, the programs, and the settings of ssh are those of the image."""
    if shutil.which("podman") is None:
        print("not tried: podman is not installed")
        return
    made = subprocess.run([ROOT / "scripts/debian-root", "bookworm", *IMAGE_PACKAGES], text=True, capture_output=True,
                          check=False)
    if made.returncode == 77:
        print("not tried: " + made.stderr.strip().splitlines()[-1])
        return
    own = folder / "own"
    for path, text in IMAGE_SETTINGS.items():
        (own / path).parent.mkdir(parents=True, exist_ok=True)
        (own / path).write_text(text)
    # A store of its own: the user's images stay as they are.
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/store"\nrunroot = "{folder}/run"\n')
    os.environ["CONTAINERS_STORAGE_CONF"] = str(folder / "storage.conf")
    try:
        tar = ["tar", "-c", "--exclude", "./etc/ssh/ssh_config", "--transform", "s,^./ssh_config$,./etc/ssh/ssh_config,", "--owner=0", "--group=0",
               "-C", made.stdout.strip(), ".", "-C", own, "./ssh_config", "./home/mpiuser/.sshd_config", "./opt"]
        with subprocess.Popen(tar, stdout=subprocess.PIPE) as layer:
            subprocess.run(["podman", "import", "-q", "-", "localhost/trainyard-test:0"], stdin=layer.stdout, check=True)
        (folder / "Containerfile").write_text(
            "FROM localhost/trainyard-test:0\nRUN mkdir /home/app && chown 1000:1000 /home/app\nUSER 1000\n")
        subprocess.run(["podman", "build", "-q", "--isolation", "chroot", "-t", "localhost/trainyard-test:1", folder],
                       check=True)
        (folder / "spec.yaml").write_text(textwrap.dedent(IN_IMAGE))
        done = rehearse(folder, "--image")
        expect(done, 0, "rank 3 of 4 on train-worker-1", "image of our own", "they found each other at train-launcher",
               "user: `mpiuser`")
        assert "settings of the rehearsal" not in done.stderr, done.stderr
        (folder / "spec.yaml").write_text(textwrap.dedent(WRITES))
        expect(rehearse(folder, "--image"), 0, "all pods ended with 0")
    finally:
        # Files of other users of the namespace are podman's to remove.
        subprocess.run(["podman", "system", "reset", "--force"], check=False, capture_output=True)
        del os.environ["CONTAINERS_STORAGE_CONF"]


def images(folder):
    """Without podman there is no image; what pods of one get is tested in tests/unit/driver/rehearse_test.cc."""
    spec(folder, MEETS)
    expect(rehearse(folder, "--image", "--here"), 2, "two places of programs")
    if shutil.which("podman") is None:
        expect(rehearse(folder, "--image"), 2, "podman is not installed")


def main():
    if sys.argv[2:3] == ["--world"]:
        with tempfile.TemporaryDirectory() as folder:
            fetches(pathlib.Path(folder).resolve(), sys.argv[3])
        return
    plain = (meets, fails, waits, interrupted, mounts, outside, images, world)
    cases = (mpirun, ray, ray_interrupted, from_image) if "--launchers" in sys.argv else plain
    before = left_over()
    for each in cases:
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            each(pathlib.Path(folder).resolve())
            print(f"{each.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    assert left_over() <= before, left_over() - before


main()
