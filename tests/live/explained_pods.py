"""Real pods against those of `trainyard explain pod`: both with the defaults of the same API server."""

import copy
import json
import re
import subprocess

# What only a running cluster knows.
RUNTIME = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "ownerReferences", "generation", "generateName",
           "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds")
# The API server copies them from the node (docs/effective.md).
OF_THE_NODE = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
UNKNOWN = re.compile(r"<[a-zA-Z0-9 -]+>")


def differences(client, trainyard, spec, pods):
    wanted = explained(trainyard, spec)
    if not wanted:
        return ["`explain pod` explains none"]
    faults = []
    for role, index, value in wanted:
        match = [each for each in pods if matches(value["metadata"]["name"], each["metadata"]["name"])]
        if not match:
            faults.append("no pod is called %s" % value["metadata"]["name"])
            continue
        status, defaulted = with_defaults(client, value)
        if status != 201:
            faults.append("the server refuses the explained pod of %s %d: %s" % (role, index, defaulted["message"]))
            continue
        # Of pods that are alike but for a random part, that one is meant which differs least.
        least = min((diff(bare(defaulted), bare(each), "") for each in match), key=len)
        for path, ours, real in least:
            faults.append("%s %d, %s: explained %s, real %s" % (role or "pod", index, path, json.dumps(ours), json.dumps(real)))
    return faults


def explained(trainyard, spec):
    """(role, index, pod) of all pods."""
    def ask(*arguments):
        return subprocess.run([trainyard, "explain", "pod", spec, *arguments], capture_output=True, text=True, check=False)

    line = next((each for each in ask().stdout.splitlines() if each.startswith("# roles: ")), None)
    roles = [each.strip().rsplit(" (", 1)[0] for each in line[len("# roles: "):].split(",")] if line else [None]
    found = []
    for role in roles:
        for index in range(16):
            told = ask("--output", "json", "--index", str(index), *(["--role", role] if role else []))
            if told.returncode != 0 or not told.stdout:
                break
            found.append((role, index, json.loads(told.stdout)["pod"]))
    return found


def matches(pattern, text):
    # What a script does, in place of the script that an operator writes.
    if pattern.startswith("<waits until ") and pattern.endswith(">"):
        return all(word in text for word in ("ray health-check", "sleep"))
    parts = UNKNOWN.split(pattern)
    return re.fullmatch(".+".join(map(re.escape, parts)), text) is not None


def with_defaults(client, pod):
    """Its placeholders are no valid names: stand-ins take their place while the server fills in its defaults."""
    value = copy.deepcopy(pod)
    kept = {key: value["metadata"].pop(key) for key in ("labels", "annotations", "ownerReferences") if key in value["metadata"]}
    name = value["metadata"].pop("name")
    value["metadata"].update(name="x", namespace="ml")
    value.update(apiVersion="v1", kind="Pod")
    words = sorted(set(UNKNOWN.findall(json.dumps(value))))
    text = json.dumps(value)
    for number, word in enumerate(words):
        text = text.replace(word, "stand-in-%d-x" % number)
    status, answer = client.send("POST", "/api/v1/namespaces/ml/pods?dryRun=All", json.loads(text))
    if status != 201:
        return status, answer
    text = json.dumps(answer)
    for number, word in enumerate(words):
        text = text.replace("stand-in-%d-x" % number, word)
    answer = json.loads(text)
    answer["metadata"].update(kept, name=name)
    return status, answer


def bare(pod):
    value = copy.deepcopy(pod)
    for key in ("status", "apiVersion", "kind"):
        value.pop(key, None)
    for key in RUNTIME:
        value["metadata"].pop(key, None)
    for key in OF_THE_NODE:
        value["metadata"].get("labels", {}).pop(key, None)
    spec = value["spec"]
    spec.pop("nodeName", None)

    def is_token(each):
        return each["name"].startswith("kube-api-access")

    spec["volumes"] = [each for each in spec.get("volumes", []) if not is_token(each)]
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        container["volumeMounts"] = [each for each in container.get("volumeMounts", []) if not is_token(each)]
    return value


def diff(ours, real, path):
    if isinstance(ours, dict) and isinstance(real, dict):
        return [each for key in sorted(set(ours) | set(real)) for each in diff(ours.get(key), real.get(key), path + "." + key)]
    if isinstance(ours, list) and isinstance(real, list) and len(ours) == len(real):
        return [each for at, pair in enumerate(zip(ours, real)) for each in diff(*pair, "%s[%d]" % (path, at))]
    if isinstance(ours, str) and isinstance(real, str) and matches(ours, real):
        return []
    return [] if ours == real else [(path.lstrip("."), ours, real)]
