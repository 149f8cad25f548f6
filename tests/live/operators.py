"""The controllers of jobs, each with its CRDs and webhooks, against a control plane of the bench."""

import base64
import glob
import json
import os
import shutil
import socket
import subprocess
import time

import yaml

from control_plane import Failed, wait_for

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
HERE = os.path.dirname(os.path.abspath(__file__))
# {kind} of trainer's names is another word than that of the configuration.
WORDS = {"MutatingWebhookConfiguration": {"trainer": "defaulter", None: "mutating"},
         "ValidatingWebhookConfiguration": {"trainer": "validator", None: "validating"}}


def table():
    with open(os.path.join(HERE, "operators.yaml"), encoding="utf-8") as file:
        return {each["name"]: each for each in yaml.load(file, LOADER)}


def documents(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from (each for each in yaml.load_all(file, LOADER) if each)


class Operator:
    """`program` is its binary, `manifests` the folder with the files that its entry names."""

    def __init__(self, entry, program, manifests, folder, client):
        self.entry, self.program, self.manifests = entry, program, manifests
        self.folder, self.client, self.name = folder, client, entry["name"]
        self.authority = base64.b64encode(folder.read("pki/ca.crt").encode()).decode()

    def start(self):
        if self.folder.runs(self.name):
            return
        self.client.apply("/api/v1/namespaces/" + self.entry["namespace"], {
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.entry["namespace"]}})
        self.install_crds()
        certificates = self.certificate_folder()
        if self.entry.get("makes_certificate"):
            self.make_secret()
        self.folder.start(self.name, self.command(certificates), {
            "KUBECONFIG": self.folder.path("admin.kubeconfig"), "NAMESPACE": self.entry["namespace"],
            "POD_NAMESPACE": self.entry["namespace"], "TMPDIR": self.folder.path("private", self.name)})
        if self.entry.get("makes_certificate"):
            self.take_certificate()
        if "port" in self.entry:
            # Volcano waits for them before it serves them.
            self.install_hooks()
            wait_for("%s serves its webhooks" % self.name, self.answers, self.folder, [self.name])

    def answers(self):
        with socket.create_connection(("127.0.0.1", self.entry["port"]), 1):
            return True

    # ---- objects ---------------------------------------------------------------------------------

    def files(self, key):
        return sorted(path for each in self.entry[key] for path in glob.glob(os.path.join(self.manifests, each)))

    def called(self, path):
        return {"url": "https://127.0.0.1:%d%s" % (self.entry["port"], path), "caBundle": self.authority}

    def install_crds(self):
        names = []
        for crd in documents(self.files("crds")):
            if crd["kind"] != "CustomResourceDefinition":
                continue
            converts = self.entry.get("converts") and len(crd["spec"]["versions"]) > 1
            if converts or crd["spec"].get("conversion", {}).get("strategy") == "Webhook":
                crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {
                    "clientConfig": self.called("/convert"), "conversionReviewVersions": ["v1"]}}
            names.append("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + crd["metadata"]["name"])
            self.client.apply(names[-1], crd)
        if not names:
            raise Failed("%s has no CRD in %s" % (self.name, self.manifests))
        wait_for("the CRDs of %s are established" % self.name, lambda: all(map(self.established, names)),
                 self.folder, ["kube-apiserver"])

    def established(self, path):
        conditions = self.client.get(path).get("status", {}).get("conditions") or []
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    def install_hooks(self):
        for hooks in documents(self.files("hooks")):
            words = WORDS.get(hooks["kind"])
            if words is None:
                continue
            name = self.entry.get("hook_names", self.name + "-{kind}")
            hooks["metadata"]["name"] = name.format(kind=words.get(self.name, words[None]), own=hooks["metadata"]["name"])
            for each in hooks["webhooks"]:
                each["clientConfig"] = self.called(each["clientConfig"]["service"].get("path", "/"))
            self.client.apply("/apis/admissionregistration.k8s.io/v1/%ss/%s" % (
                hooks["kind"].lower(), hooks["metadata"]["name"]), hooks)

    # ---- certificates ----------------------------------------------------------------------------

    def certificate_folder(self):
        # Some take this path below TMPDIR or /tmp whatever their configuration says.
        path = self.folder.path("private", self.name, "k8s-webhook-server/serving-certs")
        os.makedirs(path, exist_ok=True)
        if not self.entry.get("makes_certificate"):
            for ours, theirs in (("server.crt", "tls.crt"), ("server.key", "tls.key"), ("ca.crt", "ca.crt")):
                shutil.copy(self.folder.path("pki", ours), os.path.join(path, theirs))
        return path

    def secret_path(self):
        return "/api/v1/namespaces/%s/secrets/%s" % (self.entry["namespace"], self.entry["makes_certificate"])

    def make_secret(self):
        self.client.apply(self.secret_path(), {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": self.entry["makes_certificate"]}})

    def take_certificate(self):
        """A kubelet would mount it."""
        wait_for("%s makes its certificate" % self.name, lambda: self.client.get(self.secret_path()).get("data"),
                 self.folder, [self.name])
        for name, value in self.client.get(self.secret_path())["data"].items():
            with open(os.path.join(self.certificate_folder(), name), "wb") as file:
                file.write(base64.b64decode(value))

    # ---- the program -----------------------------------------------------------------------------

    def command(self, certificates):
        if "config" in self.entry:
            self.folder.write(self.name + ".yaml", json.dumps(self.entry["config"]).replace("{certificates}", certificates))
        paths = {"config": self.folder.path(self.name + ".yaml"), "certificates": certificates,
                 "kubeconfig": self.folder.path("admin.kubeconfig")}
        command = [self.program, *[each.format(**paths) for each in self.entry["arguments"]]]
        for private in self.entry.get("private", []):
            own = self.folder.path("private", self.name)
            if private != "/tmp":
                own = self.folder.path("private", self.name + private)
                os.makedirs(own + "/metrics/certs", exist_ok=True)
                for each in os.listdir(certificates):
                    shutil.copy(os.path.join(certificates, each), own + "/metrics/certs")
            command = isolated(own, private, command)
        return command


def isolated(own, path, command):
    """`path` is `own` for this command alone."""
    if not os.path.isdir(path):
        # In the mount namespace of the command: an empty folder of memory over the parent of a path that is not there.
        parent, name = os.path.split(path)
        copy = "mount -t tmpfs none /mnt && cp -a %s/. /mnt && mkdir /mnt/%s && mount --move /mnt %s" % (parent, name, parent)
    else:
        copy = "true"
    script = copy + ' && mount --bind "$0" %s && exec "$@"' % path
    return ["unshare", "-m", "sh", "-c", script, own, *command]


def can_isolate():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
