"""A real API server with its etcd on loopback, for as long as a `with` lasts.

There is no controller, kubelet or scheduler: objects are only ever created, mostly as a dry run. What a
usual cluster admits by is as the server has it by default; the service account of a namespace, which a
controller would make, is to be created.
"""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

TOKEN = "loopback-only"
START_SECONDS = 180
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Failed(Exception):
    """The servers do not come up, or do not take what every case needs."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def signing_key():
    """An elliptic curve key for tokens of service accounts, which nobody uses but the server wants."""
    import base64

    secret = bytes([os.urandom(1)[0] & 0x7F]) + os.urandom(31)
    der = bytes.fromhex("303102010104 20") + secret + bytes.fromhex("a00a06082a8648ce3d030107")
    text = base64.encodebytes(der).decode()
    return "-----BEGIN EC PRIVATE KEY-----\n%s-----END EC PRIVATE KEY-----\n" % text


class Cluster:
    """`etcd` and `kube_apiserver` are programs; `folder` is where logs stay for a look at a failure."""

    def __init__(self, etcd, kube_apiserver):
        self.programs = {"etcd": etcd, "kube-apiserver": kube_apiserver}
        self.processes = []
        self.local = threading.local()
        self.resources = {}
        self.token = TOKEN

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="trainyard-e2e-")
        self.authority = self.path("certificates/apiserver.crt")
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run(self, name, arguments):
        log = open(self.path(name + ".log"), "wb")
        command = [self.programs[name], *arguments]
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder))

    def start(self):
        client, peer, self.port = free_ports(3)
        etcd = "http://127.0.0.1:%d" % client
        listen_peer = "http://127.0.0.1:%d" % peer
        self.run("etcd", [
            "--data-dir=" + self.path("etcd"), "--listen-client-urls=" + etcd, "--advertise-client-urls=" + etcd,
            "--listen-peer-urls=" + listen_peer, "--initial-advertise-peer-urls=" + listen_peer,
            "--initial-cluster=default=" + listen_peer, "--unsafe-no-fsync", "--log-level=warn"])
        key = self.write("accounts.key", signing_key())
        tokens = self.write("tokens.csv", '%s,tester,1,"system:masters"\n' % TOKEN)
        self.run("kube-apiserver", [
            "--etcd-servers=" + etcd, "--bind-address=127.0.0.1", "--secure-port=%d" % self.port,
            "--cert-dir=" + self.path("certificates"), "--token-auth-file=" + tokens,
            "--authorization-mode=AlwaysAllow",
            "--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + key,
            "--service-account-signing-key-file=" + key, "--service-cluster-ip-range=10.0.0.0/16",
            "--allow-privileged=true", "--enable-priority-and-fairness=false", "--profiling=false",
            "--max-requests-inflight=400", "--max-mutating-requests-inflight=400"])
        self.wait_until_ready()

    def wait_until_ready(self):
        until = time.monotonic() + START_SECONDS
        said = ""
        while time.monotonic() < until:
            for process, name in zip(self.processes, self.programs):
                if process.poll() is not None:
                    raise Failed("%s ended with %d:\n%s" % (name, process.returncode, self.log(name)))
            try:
                status, said = self.send("GET", "/readyz?verbose")
                if status == 200:
                    return
            except (OSError, http.client.HTTPException) as error:
                said = str(error)
                self.local = threading.local()
            time.sleep(0.3)
        raise Failed("the API server is not ready after %d s: %s\n%s" % (START_SECONDS, said,
                                                                      self.log("kube-apiserver")))

    def log(self, name):
        with open(self.path(name + ".log"), errors="replace") as file:
            return "".join(file.readlines()[-30:])

    # ---- requests ---------------------------------------------------------------------------

    def connection(self):
        """One that this thread keeps."""
        if getattr(self.local, "connection", None) is None:
            trust = ssl.create_default_context(cafile=self.authority)
            self.local.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=120)
            self.local.connection.connect()
            self.local.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.local.connection

    def send(self, method, path, body=None, kind="application/json"):
        """Status and text of the answer."""
        headers = {"Authorization": "Bearer " + self.token, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = kind
        for attempt in (1, 2):
            try:
                connection = self.connection()
                connection.request(method, path, body=body, headers=headers)
                answer = connection.getresponse()
                return answer.status, answer.read().decode("utf-8", "replace")
            except (http.client.HTTPException, OSError):
                self.local.connection = None
                if attempt == 2:
                    raise

    def get(self, path):
        status, text = self.send("GET", path)
        return json.loads(text) if status == 200 else None

    def resource(self, api_version, kind):
        """Plural and whether it is namespaced, as the server has it now; None when it does not."""
        if api_version not in self.resources:
            base = "/api/" if "/" not in api_version else "/apis/"
            found = self.get(base + urllib.parse.quote(api_version)) or {"resources": []}
            self.resources[api_version] = {
                each["kind"]: each for each in found["resources"] if "/" not in each["name"]}
        return self.resources[api_version].get(kind)

    def collection(self, value):
        """Where such an object is created; None when the server does not know its kind."""
        api_version = value.get("apiVersion")
        kind = value.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return None
        resource = self.resource(api_version, kind)
        if resource is None:
            return None
        path = ("/api/" if "/" not in api_version else "/apis/") + api_version
        if resource["namespaced"]:
            metadata = value.get("metadata")
            namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
            named = isinstance(namespace, str) and namespace != ""
            path += "/namespaces/" + urllib.parse.quote(namespace if named else "default", safe="")
        return path + "/" + resource["name"]

    def try_create(self, value):
        """What creating it would come to: status and answer, None without such a kind."""
        path = self.collection(value)
        if path is None:
            return None
        try:
            status, text = self.send("POST", path + "?dryRun=All&fieldValidation=Strict", json.dumps(value))
        except http.client.HTTPException as error:
            if any(process.poll() is not None for process in self.processes):
                raise Failed("a server ended:\n" + self.log("kube-apiserver"))
            # Some objects make the handler panic, which closes the connection.
            return 0, {"message": "the server breaks off: %s" % error}
        return status, json.loads(text)

    def create(self, value):
        """Really; that it is there already is fine."""
        path = self.collection(value)
        if path is None:
            raise Failed("the server has no %s %s" % (value.get("apiVersion"), value.get("kind")))
        status, text = self.send("POST", path, json.dumps(value))
        if status not in (200, 201, 409):
            raise Failed("cannot create %s %s: %s" % (value["kind"], value["metadata"]["name"], text))

    def install_crds(self, paths):
        """Each file holds one CustomResourceDefinition. Returns them as the server has them."""
        names = set()
        for path in paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            name = re.search(r"\bname: ([^\s,}]+\.[^\s,}]+)", text).group(1)
            if name in names:
                self.add_versions(name, text)
                continue
            names.add(name)
            status, said = self.send("POST", CRDS, text.encode(), "application/yaml")
            if status != 201:
                raise Failed("%s is not taken: %s" % (path, said[:2000]))
        return self.wait_for_crds()

    def add_versions(self, name, text):
        """Two projects have a CRD of this name, for different versions: the server gets all of them."""
        import yaml

        more = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["spec"]["versions"]
        status, said = 409, ""
        until = time.monotonic() + START_SECONDS
        # The server itself changes the status meanwhile.
        while status == 409 and time.monotonic() < until:
            known = self.get(CRDS + "/" + name)
            have = {version["name"] for version in known["spec"]["versions"]}
            known["spec"]["versions"] += [dict(each, storage=False) for each in more if each["name"] not in have]
            status, said = self.send("PUT", CRDS + "/" + name, json.dumps(known))
        if status != 200:
            raise Failed("%s is not taken with more versions: %s" % (name, said[:2000]))

    def wait_for_crds(self):
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            crds = self.get(CRDS)["items"]
            waiting = [crd for crd in crds if not is_established(crd)]
            if not waiting:
                self.resources = {}
                return crds
            time.sleep(0.5)
        raise Failed("CRDs are not established: " + ", ".join(crd["metadata"]["name"] for crd in waiting))


def is_established(crd):
    conditions = crd.get("status", {}).get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
