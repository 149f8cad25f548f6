"""A control plane on loopback that stays up: etcd, kube-apiserver, kube-controller-manager and kube-scheduler.

Its state is one folder: `pki/`, kubeconfigs, a log and a pid for each program, and `ports.json`. Certificates are made
by openssl. The audit log says who read what.
"""

import base64
import json
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

READY_SECONDS = 180
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata"}]}


class Failed(Exception):
    """A program does not start, or ended."""


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Folder:
    """Where a bench lives. A program in it is known by its name."""

    def __init__(self, path):
        self.root = os.path.abspath(path)

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def write(self, name, text, mode=0o600):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(self.path(name), errors="replace") as file:
            return file.read()

    def start(self, name, command, environment=None):
        with open(self.path(name + ".log"), "ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.root,
                                       env={**os.environ, **(environment or {})}, start_new_session=True)
        self.write(name + ".pid", str(process.pid))
        return process

    def pid(self, name):
        try:
            return int(self.read(name + ".pid"))
        except (OSError, ValueError):
            return None

    def runs(self, name):
        pid = self.pid(name)
        return pid is not None and is_alive(pid)

    def names(self):
        if not os.path.isdir(self.root):
            return []
        return sorted(each[:-4] for each in os.listdir(self.root) if each.endswith(".pid"))

    def stop(self, name):
        """The process and all that it has started."""
        pid = self.pid(name)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if pid is None or not is_alive(pid):
                break
            try:
                os.killpg(pid, number)
            except ProcessLookupError:
                break
            until = time.monotonic() + 10
            while is_alive(pid) and time.monotonic() < until:
                time.sleep(0.05)
        if os.path.exists(self.path(name + ".pid")):
            os.remove(self.path(name + ".pid"))

    def must_run(self, name):
        if not self.runs(name):
            raise Failed("%s ended:\n%s" % (name, "\n".join(self.read(name + ".log").splitlines()[-30:])))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


# ---- certificates --------------------------------------------------------------------------------


def openssl(folder, *arguments):
    done = subprocess.run(["openssl", *arguments], cwd=folder.path("pki"), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed("openssl %s: %s" % (" ".join(arguments), done.stderr))


def make_key(folder, name):
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name + ".key")


def make_certificate(folder, name, subject, extensions):
    make_key(folder, name)
    folder.write("pki/%s.ext" % name, extensions)
    openssl(folder, "req", "-new", "-key", name + ".key", "-subj", subject, "-out", name + ".csr")
    openssl(folder, "x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "3650", "-sha256", "-extfile", name + ".ext", "-out", name + ".crt")


def make_pki(folder):
    if os.path.exists(folder.path("pki/done")):
        return
    os.makedirs(folder.path("pki"), exist_ok=True)
    make_key(folder, "ca")
    openssl(folder, "req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=bench-ca", "-days", "3650", "-out", "ca.crt")
    names = "subjectAltName=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.0.0.1\n"
    make_certificate(folder, "server", "/CN=kube-apiserver", names + "extendedKeyUsage=serverAuth,clientAuth\n")
    make_certificate(folder, "admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth\n")
    make_certificate(folder, "alice", "/O=ml-team/CN=alice", "extendedKeyUsage=clientAuth\n")
    make_key(folder, "accounts")
    folder.write("pki/tokens.csv", 'bench-admin,tester,1,"system:masters"\nbench-alice,alice,2,"ml-team"\n')
    folder.write("pki/done", "")


def text_of(folder, name):
    return base64.b64encode(folder.read(name).encode()).decode()


def write_kubeconfigs(folder, port):
    server = {"server": "https://127.0.0.1:%d" % port, "certificate-authority-data": text_of(folder, "pki/ca.crt")}
    for user in ("admin", "alice"):
        pair = {"client-certificate-data": text_of(folder, "pki/%s.crt" % user),
                "client-key-data": text_of(folder, "pki/%s.key" % user)}
        # JSON is YAML.
        folder.write(user + ".kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "bench",
            "clusters": [{"name": "bench", "cluster": server}], "users": [{"name": user, "user": pair}],
            "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": user, "namespace": "default"}}]}))


# ---- requests ------------------------------------------------------------------------------------


class Client:
    """An administrator. Answers are values; a refusal is (status, value)."""

    def __init__(self, folder):
        self.server = "https://127.0.0.1:%d" % json.loads(folder.read("ports.json"))["api"]
        self.trust = ssl.create_default_context(cafile=folder.path("pki/ca.crt"))
        self.trust.load_cert_chain(folder.path("pki/admin.crt"), folder.path("pki/admin.key"))

    def send(self, method, path, body=None, kind="application/json"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, method=method, data=data, headers={"Content-Type": kind})
        try:
            with urllib.request.urlopen(request, context=self.trust, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text.startswith(b"{") else text.decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode("utf-8", "replace")
            return error.code, json.loads(text) if text.startswith("{") else text

    def get(self, path):
        status, value = self.send("GET", path)
        return value if status == 200 else None

    def apply(self, path, value):
        status, answer = self.send("PATCH", path + "?fieldManager=bench&force=true", value, "application/apply-patch+yaml")
        if status not in (200, 201):
            raise Failed("%s is refused: %s" % (path, answer))

    def resource_path(self, value):
        """Where an object is; asks the server for the plural."""
        version = value["apiVersion"]
        base = ("/api/" if "/" not in version else "/apis/") + version
        known = {each["kind"]: each for each in (self.get(base) or {"resources": []})["resources"] if "/" not in each["name"]}
        if value["kind"] not in known:
            raise Failed("the server has no %s %s" % (version, value["kind"]))
        resource = known[value["kind"]]
        if resource["namespaced"]:
            base += "/namespaces/" + value["metadata"].get("namespace", "default")
        return "%s/%s/%s" % (base, resource["name"], value["metadata"]["name"])


def wait_for(what, holds, folder, names, seconds=READY_SECONDS):
    """`names` are the programs that have to go on running meanwhile."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for name in names:
            folder.must_run(name)
        try:
            if holds():
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.1)
    raise Failed("%s: not after %d s" % (what, seconds))


# ---- programs ------------------------------------------------------------------------------------


def start_api_server(folder, programs, ports):
    etcd = "http://127.0.0.1:%d" % ports["etcd"]
    peer = "http://127.0.0.1:%d" % ports["peer"]
    folder.start("etcd", [
        programs["etcd"], "--data-dir=" + folder.path("etcd"), "--listen-client-urls=" + etcd,
        "--advertise-client-urls=" + etcd, "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=default=" + peer, "--unsafe-no-fsync", "--log-level=warn"])
    pki = folder.path("pki") + "/"
    folder.start("kube-apiserver", [
        programs["kube-apiserver"], "--etcd-servers=" + etcd, "--bind-address=127.0.0.1",
        "--secure-port=%d" % ports["api"], "--tls-cert-file=" + pki + "server.crt",
        "--tls-private-key-file=" + pki + "server.key", "--client-ca-file=" + pki + "ca.crt",
        "--token-auth-file=" + pki + "tokens.csv", "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=" + pki + "accounts.key",
        "--service-account-signing-key-file=" + pki + "accounts.key", "--service-cluster-ip-range=10.0.0.0/16",
        "--allow-privileged=true", "--profiling=false", "--endpoint-reconciler-type=none",
        "--kubelet-client-certificate=" + pki + "admin.crt", "--kubelet-client-key=" + pki + "admin.key",
        "--kubelet-certificate-authority=" + pki + "ca.crt", "--kubelet-preferred-address-types=InternalIP",
        # A lost node is told within seconds.
        "--default-not-ready-toleration-seconds=5", "--default-unreachable-toleration-seconds=5",
        "--audit-policy-file=" + folder.write("audit-policy.yaml", json.dumps(AUDIT_POLICY)),
        "--audit-log-path=" + folder.path("audit.log")])


def start_controllers(folder, programs, ports):
    limits = ["--kubeconfig=" + folder.path("admin.kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1",
              "--profiling=false", "--kube-api-qps=200", "--kube-api-burst=300"]
    pki = folder.path("pki") + "/"
    folder.start("kube-controller-manager", [
        programs["kube-controller-manager"], *limits, "--secure-port=%d" % ports["controllers"],
        "--service-account-private-key-file=" + pki + "accounts.key", "--root-ca-file=" + pki + "ca.crt",
        "--node-monitor-grace-period=10s", "--node-monitor-period=2s"])
    folder.start("kube-scheduler", [programs["kube-scheduler"], *limits, "--secure-port=%d" % ports["scheduler"]])


PORTS = ["etcd", "peer", "api", "controllers", "scheduler", "kubelets"]


def start(folder, programs):
    """Ends when the server is ready. What runs already stays."""
    names = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
    if all(folder.runs(name) for name in names):
        return Client(folder)
    for name in names:
        folder.stop(name)
    make_pki(folder)
    ports = dict(zip(PORTS, free_ports(len(PORTS))))
    folder.write("ports.json", json.dumps(ports))
    write_kubeconfigs(folder, ports["api"])
    start_api_server(folder, programs, ports)
    client = Client(folder)
    wait_for("the API server is ready", lambda: client.send("GET", "/readyz")[0] == 200, folder, names[:2])
    start_controllers(folder, programs, ports)
    wait_for("the default account is there",
             lambda: client.get("/api/v1/namespaces/default/serviceaccounts/default"), folder, names)
    return client
