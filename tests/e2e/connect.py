#!/usr/bin/env python3
"""The client of trainyard-cluster against a real API server: each way to log in, apply, conflicts, watch.

usage: connect.py TEST_CLUSTER ETCD KUBE_APISERVER
"""

import base64
import json
import os
import subprocess
import sys

from cluster import Cluster, TOKEN


class ClusterWithUsers(Cluster):
    """Knows users by certificates as well, and lets only administrators do anything."""

    def start(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, cwd=self.folder, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=users", "-days", "2")
        openssl("req", *key, "-keyout", "user.key", "-out", "user.csr", "-subj", "/O=system:masters/CN=tester")
        openssl("x509", "-req", "-in", "user.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", "user.crt", "-days", "2")
        super().start()

    def run(self, name, arguments):
        if name == "kube-apiserver":
            arguments = [each for each in arguments if not each.startswith("--authorization-mode")]
            arguments += ["--authorization-mode=RBAC", "--client-ca-file=" + self.path("ca.crt")]
        super().run(name, arguments)

    def kubeconfig(self):
        def data(name):
            with open(self.path(name), "rb") as file:
                return base64.b64encode(file.read()).decode()

        credential = json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                                 "status": {"token": TOKEN}})
        users = {
            "certificate": {"client-certificate-data": data("user.crt"), "client-key-data": data("user.key")},
            "token": {"token": TOKEN},
            "token-file": {"tokenFile": "token"},
            "exec": {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
                              "command": "sh", "args": ["-c", 'printf %s "$CREDENTIAL"'],
                              "env": [{"name": "CREDENTIAL", "value": credential}]}},
            "impersonated": {"token": TOKEN, "as": "alice"},
            "wrong-token": {"token": "wrong"},
        }
        self.write("token", TOKEN + "\n")
        server = {"server": "https://127.0.0.1:%d" % self.port,
                  "certificate-authority": "certificates/apiserver.crt"}
        return self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "certificate",
            "clusters": [{"name": "local", "cluster": server}],
            "users": [{"name": name, "user": user} for name, user in users.items()],
            "contexts": [{"name": name, "context": {"cluster": "local", "user": name}} for name in users]}))


def main(test_cluster, etcd, kube_apiserver):
    with ClusterWithUsers(etcd, kube_apiserver) as cluster:
        environment = dict(os.environ, KUBECONFIG=cluster.kubeconfig())
        code = subprocess.run([test_cluster, "[server]"], env=environment).returncode
        program = os.path.join(os.path.dirname(os.path.dirname(test_cluster)), "trainyard-cluster")
        for context in ("certificate", "impersonated", "wrong-token"):
            print("== ping --context", context, flush=True)
            print("exit code", subprocess.run([program, "ping", "--context", context], env=environment).returncode)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
