"""The pods of a manifest, as `trainyard explain pod` tells them: commands, variables and files of their containers."""

import base64
import json
import re
import subprocess

import yaml

NAMESPACE = "ml"
UNKNOWN = re.compile(r"<([a-zA-Z0-9 -]+)>")
AWAITED = re.compile(r"<waits until `(.+)` is answered>")
REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")


class Refused(Exception):
    """What trainyard says against a spec or manifest."""


def told(trainyard, *arguments):
    return told_with_warnings(trainyard, *arguments)[0]


def told_with_warnings(trainyard, *arguments):
    answer = subprocess.run([trainyard, *arguments], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise Refused(answer.stderr or answer.stdout)
    return answer.stdout, answer.stderr


def known(text):
    """What only a cluster knows is some word: `<random>` in a name is `random`."""
    text = UNKNOWN.sub(lambda match: match[1].replace(" ", "-"), text.replace("<namespace>", NAMESPACE))
    return AWAITED.sub(r"until \1; do sleep 1; done", text)


def apart(answer):
    """No two pods have the same random end."""
    for place, key in ((answer, "name"), (answer, "hostname"), (answer["pod"]["metadata"], "name")):
        if place.get(key, "").endswith("-random"):
            place[key] += str(answer["index"])
    return answer


class Pod:
    """One pod: its names in the DNS, and its containers."""

    def __init__(self, answer):
        self.role = answer["role"]
        self.index = answer["index"]
        self.object = answer["pod"]
        self.spec = self.object["spec"]
        self.namespace = self.object["metadata"].setdefault("namespace", NAMESPACE)
        self.hostname = answer.get("hostname") or answer["name"]
        self.address = answer.get("address") or ""
        self.name = re.sub(r"[^a-z0-9.-]", "-", answer["name"])
        self.ip = ""  # by the network

    @property
    def full_name(self):
        subdomain = self.spec.get("subdomain")
        return f"{self.hostname}.{subdomain}.{self.namespace}.svc.cluster.local" if subdomain else ""

    def names(self):
        """Full names of this pod alone: its own, and that of a Service of its operator."""
        found = {self.full_name} if self.full_name else set()
        if self.address:
            found.add(f"{self.address}.{self.namespace}.svc.cluster.local")
        return found

    def searches(self):
        zones = [f"{self.namespace}.svc.cluster.local", "svc.cluster.local", "cluster.local"]
        return zones + self.spec.get("dnsConfig", {}).get("searches", [])

    def field(self, path):
        if path == "status.podIP":
            return self.ip
        match = re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path)
        if match:
            return self.object["metadata"].get(match[1], {}).get(match[2], "")
        value = self.object
        for key in path.split("."):
            value = value.get(key, {})
        return value if isinstance(value, str) else ""

    def variables(self, container, objects):
        """In the order of the list: a reference knows only what stands before it."""
        found = {}
        for each in container.get("envFrom", []):
            found.update(objects.data(each.get("configMapRef") or each.get("secretRef")))
        for each in container.get("env", []):
            source = each.get("valueFrom", {})
            if "fieldRef" in source:
                value = self.field(source["fieldRef"]["fieldPath"])
            elif "configMapKeyRef" in source or "secretKeyRef" in source:
                key = source.get("configMapKeyRef") or source["secretKeyRef"]
                value = objects.data(key).get(key["key"], "")
            elif "resourceFieldRef" in source:
                value = "1"
            else:
                value = expanded(each.get("value", ""), found)
            found[each["name"]] = value
        return found


def expanded(text, variables):
    return REFERENCE.sub(lambda match: "$" if match[0] == "$$" else variables.get(match[1], match[0]), text)


class Objects:
    """ConfigMaps and Secrets: those of the manifest, and those that operators make for a job."""

    def __init__(self, documents):
        self.known = {}
        for each in documents:
            if each["kind"] in ("ConfigMap", "Secret"):
                data = dict(each.get("data", {}), **each.get("stringData", {}))
                for key, value in {**each.get("binaryData", {}), **(data if each["kind"] == "Secret" else {})}.items():
                    data[key] = base64.b64decode(value).decode()
                self.known[each["metadata"]["name"]] = data

    def data(self, reference):
        return self.known.get(reference.get("name") or reference.get("secretName") or "", {})


def of_manifest(trainyard, manifest, job=None):
    """All pods, and the documents of the manifest."""
    arguments = ["explain", "pod", manifest] + (["--name", job] if job else [])
    text = told(trainyard, *arguments)
    line = next((each for each in text.splitlines() if each.startswith("# roles: ")), None)
    roles = re.findall(r"([^ ,]+) \((\d+)\)", line) if line else []
    if not roles:
        roles = [(None, re.search(r", pod \d+ of (\d+)", text)[1])]
    pods = []
    for role, count in roles:
        for index in range(int(count)):
            extra = ["--role", role] if role else []
            answer = told(trainyard, *arguments, "--output", "json", "--index", str(index), *extra)
            pods.append(Pod(apart(json.loads(known(answer)))))
    with open(manifest, encoding="utf-8") as file:
        return pods, [each for each in yaml.safe_load_all(file) if each]
