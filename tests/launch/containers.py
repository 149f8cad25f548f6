"""Containers of a pod as processes: a root of their own by overlayfs, mounts, a host name, and the pod's network.

What differs from a container runtime: no limits of CPU and memory, no seccomp, and every process of a user without root
is the one user that the container has. A Secret is then readable by that user alone, for ssh would refuse its key.
"""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
IS_ROOT = os.environ.get("TRAINYARD_LAUNCH_USER") == "root"
TOOLS = {name: shutil.which(name) or name for name in ("nsenter", "unshare", "mount", "sh", "hostname")}


class Unsupported(Exception):
    """A part of a pod that this bench cannot have."""


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class Volumes:
    """The volumes of a pod as folders; claims are shared by all pods of a case."""

    def __init__(self, pod, objects, folder, shared):
        self.pod, self.objects, self.folder, self.shared = pod, objects, folder, shared
        self.group = pod.spec.get("securityContext", {}).get("fsGroup")
        self.known = {each["name"]: each for each in pod.spec.get("volumes", [])}
        self.made = {}

    def path(self, name):
        if name not in self.made:
            self.made[name] = self.make(self.known[name])
        return self.made[name]

    def make(self, volume):
        path = os.path.join(self.folder, "volumes", volume["name"])
        if "persistentVolumeClaim" in volume or "hostPath" in volume:
            path = os.path.join(self.shared, volume["name"])
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o777)
        if volume.get("emptyDir", {}).get("medium") == "Memory":
            size = volume["emptyDir"].get("sizeLimit", "1Gi").replace("Gi", "g").replace("Mi", "m")
            subprocess.run([TOOLS["mount"], "-t", "tmpfs", "-o", f"mode=1777,size={size}", "tmpfs", path], check=True)
        for source in volume.get("projected", {}).get("sources", [volume]):
            for kind in ("configMap", "secret"):
                if kind in source:
                    self.fill(path, source[kind], self.objects.data(source[kind]))
        return path

    def fill(self, path, source, data):
        items = source.get("items") or [{"key": key, "path": key} for key in data]
        for item in items:
            if item["key"] not in data:
                raise Unsupported(f"no `{item['key']}` in {source.get('name') or source.get('secretName')}")
            mode = item.get("mode", source.get("defaultMode", 0o644))
            target = os.path.join(path, item["path"])
            if self.group is not None and IS_ROOT:
                mode |= 0o440
            write(target, data[item["key"]], mode if IS_ROOT else mode & 0o700 | 0o400)
            if self.group is not None and IS_ROOT:
                os.chown(target, 0, self.group)


class Container:
    """One process tree. `argv` and `variables` are as the kubelet would have them."""

    def __init__(self, pod, container, volumes, image, namespace, folder):
        self.pod, self.spec, self.volumes, self.image, self.namespace = pod, container, volumes, image, namespace
        self.name = container["name"]
        self.folder = os.path.join(folder, self.name)
        self.log = os.path.join(self.folder, "log")
        self.process = None
        self.environment = {}

    def user(self):
        own, all_of_pod = self.spec.get("securityContext", {}), self.pod.spec.get("securityContext", {})
        return own.get("runAsUser", all_of_pod.get("runAsUser", self.image.get("user", 1000)))

    def start(self, argv, variables, server_address):
        upper, root = os.path.join(self.folder, "upper"), os.path.join(self.folder, "root")
        for each in (upper, root, os.path.join(self.folder, "work")):
            os.makedirs(each, exist_ok=True)
        own = " ".join(filter(None, [self.pod.ip, self.pod.full_name, self.pod.hostname]))
        write(upper + "/etc/hosts", f"127.0.0.1\tlocalhost\n{own}\n")
        search = " ".join(self.pod.searches())
        write(upper + "/etc/resolv.conf", f"nameserver {server_address}\nsearch {search}\noptions ndots:5 timeout:1\n")
        for path, text in self.image.get("files", {}).items():
            write(upper + path, text)
        home = "/root" if self.user() == 0 else "/home/mpiuser"
        environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/bench", "HOME": home}
        environment.update(self.image.get("env", {}), HOSTNAME=self.pod.hostname, **variables)
        self.environment = environment
        if not argv:
            argv = self.image["command"]
        enter = [TOOLS["nsenter"], f"--net=/run/netns/{self.namespace}", TOOLS["unshare"], "--mount", "--uts", "--ipc",
                 "--pid", "--fork", "--kill-child", TOOLS["sh"], "-c", self.script(upper, root), "sh"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*enter, *argv], env=environment, stdout=log, stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL, start_new_session=True)

    def script(self, upper, root):
        quoted = shlex.quote
        mount = TOOLS["mount"]
        lines = ["set -e", f"{mount} -t overlay overlay -o " + quoted(
            f"lowerdir={self.image['root']},upperdir={upper},workdir={self.folder}/work") + f" {quoted(root)}"]
        lines += [f"cd {quoted(root)}", f"{mount} -t proc proc proc", f"{mount} -t sysfs sysfs sys",
                  f"{mount} -t tmpfs -o mode=755 tmpfs dev", "mkdir dev/pts dev/shm",
                  f"{mount} -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts",
                  f"{mount} -t tmpfs -o mode=1777,size=64m tmpfs dev/shm",
                  "ln -s pts/ptmx dev/ptmx", "ln -s /proc/self/fd dev/fd"]
        for each in DEVICES:
            lines += [f": >dev/{each}", f"{mount} --bind /dev/{each} dev/{each}"]
        for source, target in self.mounts():
            place = quoted(target.lstrip("/"))
            make = f"mkdir -p {place}"
            if os.path.isfile(source):
                make = f"mkdir -p {quoted(os.path.dirname(target).lstrip('/') or '.')}; : >{place}"
            lines += [make, f"{mount} --rbind {quoted(source)} {place}"]
        identity = f"--setuid {self.user()} --setgid {self.user()}"
        if not IS_ROOT:
            identity = f"--user --map-user={self.user()} --map-group={self.user()}"
        directory = quoted(self.spec.get("workingDir", "/"))
        lines += [f"{TOOLS['hostname']} {quoted(self.pod.hostname)}", f"mkdir -p ./{directory}",
                  f'exec {TOOLS["unshare"]} {identity} --root {quoted(root)} --wd {directory} "$@"']
        return "\n".join(lines)

    def mounts(self):
        programs = os.path.join(HERE, "programs")
        found = [(programs, "/bench")]
        found += [(os.path.join(programs, name), path) for path, name in self.image.get("programs", {}).items()]
        for each in self.spec.get("volumeMounts", []):
            source = self.volumes.path(each["name"])
            if each.get("subPath"):
                source = os.path.join(source, each["subPath"])
                if not os.path.exists(source):
                    os.makedirs(source)
                    os.chmod(source, 0o777)
            found.append((source, each["mountPath"]))
        return found

    def first_process(self):
        pid = self.process.pid
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return int(file.read().split()[0])
        except (OSError, IndexError):
            return None

    def ended(self):
        return self.process is not None and self.process.poll() is not None

    def status(self):
        """The exit code as the kubelet has it."""
        code = self.process.poll()
        return code if code is None or code >= 0 else 128 - code

    def send(self, number):
        pid = self.first_process()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(pid, number)

    def hook(self, grace):
        """The command of `preStop`, inside of the container."""
        command = self.spec.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        if command and grace > 0:
            self.execute(command, grace)

    def execute(self, command, seconds):
        """Runs a command beside the first process. Whether it succeeds."""
        pid = self.first_process()
        if pid is None:
            return False
        user = str(self.user())
        spaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        enter = [TOOLS["nsenter"], "--target", str(pid), *spaces]
        enter += ["--setuid", user, "--setgid", user] if IS_ROOT else ["--user", "--preserve-credentials"]
        with open(self.log, "ab") as log:
            done = subprocess.run([*enter, *command], env=self.environment, stdout=log, stderr=log, timeout=seconds,
                                  check=False)
        return done.returncode == 0

    def stop(self, grace):
        """The hook, SIGTERM, then SIGKILL: as the kubelet ends a container."""
        end = time.monotonic() + grace
        self.hook(grace)
        self.send(signal.SIGTERM)
        while not self.ended() and time.monotonic() < end:
            time.sleep(0.1)
        while not self.ended():  # its first process may only come
            self.send(signal.SIGKILL)
            time.sleep(0.05)

    def text(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""
