"""The programs of the bench: built once from pinned Go modules, and kept in the user's cache folder by the digest of
these modules, with the manifests that belong to them. A warm bench asks neither Go nor the network."""

import glob
import hashlib
import json
import os
import shutil
import subprocess

from control_plane import Failed

HERE = os.path.dirname(os.path.abspath(__file__))
KUBERNETES = os.path.join(HERE, "../e2e/server")
FLAGS = "-X k8s.io/component-base/version.gitVersion={0} -X k8s.io/component-base/version.gitMajor=1 " \
        "-X k8s.io/component-base/version.gitMinor={1}"


class Skipped(Exception):
    """Why there can be no bench on this machine."""


def digest(folder):
    text = b"".join(open(os.path.join(folder, name), "rb").read() for name in ("go.mod", "go.sum"))
    return hashlib.sha256(text).hexdigest()[:16]


class Programs:
    """`cache` is the user's cache folder, `go` the program or empty."""

    def __init__(self, cache, go):
        self.cache, self.go = cache, go

    def control_plane(self):
        """Paths by name."""
        found = self.api_server()
        for name in ("kube-controller-manager", "kube-scheduler"):
            found[name] = self.kubernetes(name)
        return found

    def api_server(self):
        """Paths by name: the server and etcd of scripts/e2e."""
        shared = os.path.join(self.cache, "e2e", self.kubernetes_version())
        found = {name: os.path.join(shared, name) for name in ("etcd", "kube-apiserver")}
        if not all(os.access(path, os.X_OK) for path in found.values()):
            raise Skipped("scripts/e2e --build has not made the API server")
        return found

    def kubernetes(self, name):
        """A program of Kubernetes, in the release of the server."""
        version = self.kubernetes_version()
        flags = FLAGS.format(version, version.split(".")[1])
        own = os.path.join(self.cache, "live", digest(KUBERNETES))
        return self.build(own, name, KUBERNETES, "k8s.io/kubernetes/cmd/" + name, flags)

    @staticmethod
    def kubernetes_version():
        with open(os.path.join(KUBERNETES, "go.mod"), encoding="utf-8") as file:
            return next(line.split()[1] for line in file if line.strip().startswith("k8s.io/kubernetes "))

    def operator(self, entry):
        """Program and manifests."""
        module = os.path.join(HERE, entry["from"])
        own = os.path.join(self.cache, "live", digest(module))
        program = self.build(own, entry["name"], module, entry["package"], "")
        return program, self.copy_manifests(os.path.join(own, entry["name"] + ".manifests"), module, entry)

    def build(self, folder, name, module, package, flags):
        program = os.path.join(folder, name)
        if os.access(program, os.X_OK):
            return program
        if not self.go:
            raise Skipped("there is no Go to build %s with" % name)
        os.makedirs(folder, exist_ok=True)
        print("   building %s; this takes minutes, once" % name, flush=True)
        self.ask_go(module, "build", "-mod=readonly", "-trimpath", "-ldflags=-s -w " + flags, "-o", program + ".new", package)
        os.rename(program + ".new", program)
        return program

    def ask_go(self, module, *arguments):
        done = subprocess.run([self.go, *arguments], cwd=module, env={**os.environ, "CGO_ENABLED": "0"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            told = "\n".join(done.stderr.strip().splitlines()[-3:])
            raise Skipped("go %s in %s: %s" % (arguments[0], os.path.relpath(module), told))
        return done.stdout

    def copy_manifests(self, folder, module, entry):
        if os.path.isdir(folder):
            return folder
        where = json.loads(self.ask_go(module, "list", "-mod=readonly", "-m", "-json", entry["module"]))["Dir"]
        new = folder + ".new"
        shutil.rmtree(new, ignore_errors=True)
        for pattern in [*entry["crds"], *entry["hooks"]]:
            paths = glob.glob(os.path.join(where, pattern))
            if not paths:
                raise Failed("%s has no %s" % (entry["module"], pattern))
            for path in paths:
                target = os.path.join(new, os.path.relpath(path, where))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(path, target)
        os.rename(new, folder)
        return folder
