"""What the server and what we say about one object, in the same words."""

import re

# What the server finds while it reads, before it looks at any value's meaning.
READING = "reading"
FIELDS = "fields"
MEANING = "meaning"


class Verdict:
    """`causes` are places, normalised, and what is said of each; the place is "" where the server names
    none. `stage` is where the server stopped, None when it takes the object; `no_rules` says that it has left
    out the rules of the schema."""

    def __init__(self, stage, causes, no_rules=False):
        self.stage, self.causes, self.no_rules = stage, causes, no_rules
        self.paths = frozenset(path for path, _ in causes if path or len(causes) > 1)

    def refused(self):
        return self.stage is not None


def normal(path):
    """`a.b[0].c`, `a[b/c]` and `a.b.0` of one place are the same words."""
    path = path.replace("[", ".").replace("]", "").replace('"', "").replace("'", "").replace("`", "")
    path = re.sub(r"\.+", ".", path).strip(".")
    return "" if path in ("<nil>", "") else path


def without_indexes(path):
    return ".".join(step for step in path.split(".") if not step.isdigit())


STRICT = re.compile(r'(?:unknown field|duplicate field) "((?:[^"\\]|\\.)*)"')
UNMARSHAL = re.compile(r"cannot unmarshal .* into Go (?:struct field |value of type )(\S+)")


def of_server(answer):
    """The verdict in an answer of the server; None where it has no such kind."""
    if answer is None:
        return None
    status, body = answer
    # What is there already is taken but for its name.
    if status in (200, 201) or body.get("reason") == "AlreadyExists":
        return Verdict(None, [])
    message = body.get("message", "")
    if status == 400 and "strict decoding error" in message:
        return Verdict(FIELDS, [(normal(path), message) for path in STRICT.findall(message)])
    if status == 400 or status == 413:
        field = UNMARSHAL.search(message)
        return Verdict(READING, [(go_path(field.group(1)) if field else "", message)])
    causes = body.get("details", {}).get("causes") or []
    found = [(cause_path(each), each.get("message", "")) for each in causes
             if RULES_SKIPPED not in each.get("message", "")]
    return Verdict(MEANING, found or [("", message)], len(found) < len(causes))


def go_path(field):
    """The place in `PodSpec.spec.containers`: without the type, and without structs inside structs."""
    kind, _, path = field.partition(".")
    names = [name for name in path.split(".") if name and not name[0].isupper()]
    if kind == "ObjectMeta" and names and names[0] in METADATA_FIELDS:
        names.insert(0, "metadata")
    return ".".join(names)


METADATA_FIELDS = {"name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences",
                   "creationTimestamp"}
RULES_SKIPPED = "some validation rules were not checked"
# Some causes have no field but name it in their text.
IN_TEXT = [re.compile(r"Checked value must be of type \w+ (?:with format \w+|\(default format\)) in (\S+)"),
           re.compile(r'"?([^"\s]+)"? must validate (?:at least one|one and only one|all the) ')]
INDEX_LESS = re.compile(r"^metadata\.ownerReferences\.(?!\d)")


def cause_path(cause):
    field = cause.get("field", "")
    for pattern in IN_TEXT:
        found = pattern.search(cause.get("message", ""))
        if found and field in ("", "<nil>"):
            field = found.group(1)
    # How the server writes some places.
    path = normal(field)
    path = re.sub(r"\btemplate\.(labels|annotations)\b", r"template.metadata.\1", path)
    return INDEX_LESS.sub("metadata.ownerReferences.0.", path)


# Kinds of our diagnostics that the server finds before it looks at any value's meaning.
FIELD_KINDS = {"unknown-field", "duplicate-key"}
# What is taken, and runs otherwise than it says: no business of the server.
LINTS = {"runs-wrong", "credential-literal"}


class Finding:
    """One error of ours."""

    def __init__(self, diagnostic):
        self.kind = diagnostic["kind"]
        self.path = normal(diagnostic.get("path") or "")
        self.message = diagnostic["message"]
        self.check = diagnostic["check"] or ""

    def name(self):
        return self.check or self.kind


class Templates:
    """Where a kind has pod templates, by its schema, and the pods that its controller makes of them."""

    # What is a copy of a template elsewhere.
    COPIES = {"JobFlow", "Workload", "PodTemplateOverride", "NodeTopology"}
    # What is merged into a template elsewhere: the pod is judged with as little around it as can be.
    PATCHES = {"TrainJob"}
    # Whose Jobs are made as they stand.
    OF_JOBS = {"JobSet", "TrainingRuntime", "ClusterTrainingRuntime"}
    # Whose controllers put in the image.
    WITHOUT_IMAGE = {"TrainingRuntime", "ClusterTrainingRuntime"}

    def __init__(self, crds):
        self.schemas = {}
        for crd in crds:
            for version in crd["spec"]["versions"]:
                key = (crd["spec"]["group"] + "/" + version["name"], crd["spec"]["names"]["kind"])
                self.schemas[key] = version["schema"]["openAPIV3Schema"]

    def pods(self, value):
        """(path, pod) for every template that is there."""
        kind = value.get("kind")
        if (value.get("apiVersion"), kind) == ("batch/v1", "Job"):
            # The server has taken the Job, and looks at some things in pods alone.
            yield "spec.template", pod_of(value["spec"]["template"])
        schema = self.schemas.get((value.get("apiVersion"), kind))
        if schema is None or kind in self.COPIES:
            return
        for path, template in self.find(is_template, schema, value, ""):
            pod = pod_of(template)
            if kind in self.PATCHES:
                merged(pod)
            if kind in self.WITHOUT_IMAGE | self.PATCHES or path.endswith("submitterPodTemplate"):
                with_images(pod)
            yield path, pod

    def jobs(self, value):
        """(path, Job) for every template of a Job whose controller makes it as it is. Its pods are judged apart."""
        kind = value.get("kind")
        schema = self.schemas.get((value.get("apiVersion"), kind))
        if schema is not None and kind in self.OF_JOBS:
            for path, template in self.find(is_job_template, schema, value, ""):
                yield path, job_of(template)

    def find(self, wanted, schema, value, path):
        if wanted(schema) and isinstance(value, dict):
            yield path, value
        elif isinstance(value, dict):
            for name, below in value.items():
                more = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
                if isinstance(more, dict):
                    yield from self.find(wanted, more, below, path + "." + name if path else name)
        elif isinstance(value, list) and isinstance(schema.get("items"), dict):
            for index, below in enumerate(value):
                yield from self.find(wanted, schema["items"], below, "%s.%d" % (path, index))


def is_template(schema):
    spec = schema.get("properties", {}).get("spec", {}).get("properties", {})
    return "containers" in spec and "nodeSelector" in spec and "volumes" in spec


def is_job_template(schema):
    spec = schema.get("properties", {}).get("spec", {}).get("properties", {})
    return "podFailurePolicy" in spec and "completionMode" in spec and "template" in spec


def job_of(template):
    """With what the controller of JobSets fills in: kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go."""
    spec = template.get("spec")
    if isinstance(spec, dict):
        spec = {**spec, "completionMode": spec.get("completionMode") or "Indexed"}
        pod = spec.get("template")
        if isinstance(pod, dict) and isinstance(pod.get("spec"), dict):
            policy = pod["spec"].get("restartPolicy") or "OnFailure"
            spec["template"] = {**pod, "spec": {**pod["spec"], "restartPolicy": policy}}
            with_images(spec["template"])
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"}, "spec": spec}


def without_pods(verdict):
    """What is said of a Job and not of its pods."""
    if verdict is None or not verdict.refused():
        return verdict
    own = "spec.template.spec.restartPolicy"  # which a policy of the Job may want
    causes = [each for each in verdict.causes if each[0] == own or not each[0].startswith("spec.template.")]
    return Verdict(verdict.stage, causes, verdict.no_rules) if causes else Verdict(None, [])


def pod_of(template):
    metadata = template.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    for name in ("namespace", "generateName", "creationTimestamp", "finalizers"):
        metadata.pop(name, None)
    metadata["name"] = "pod"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec")}


def merged(pod):
    """A patch with what it may leave out because the template has it."""
    spec = pod["spec"] if isinstance(pod["spec"], dict) else {}
    if not isinstance(spec.get("containers"), list) or not spec["containers"]:
        spec = {**spec, "containers": [{"name": "main"}]}
    if isinstance(spec.get("initContainers"), list):
        spec = {**spec, "initContainers": [
            {"image": "a", **each} if isinstance(each, dict) else each for each in spec["initContainers"]]}
    if not isinstance(spec.get("volumes") or [], list):
        return
    have = {each.get("name") for each in spec.get("volumes") or [] if isinstance(each, dict)}
    wanted = {mount.get("name") for lists in ("containers", "initContainers") for each in spec.get(lists) or []
              if isinstance(each, dict) for mount in each.get("volumeMounts") or [] if isinstance(mount, dict)}
    missing = sorted(name for name in wanted - have if isinstance(name, str) and name)
    pod["spec"] = {**spec, "volumes": (spec.get("volumes") or []) + [{"name": name, "emptyDir": {}} for name in missing]}


def with_images(pod):
    if not isinstance(pod["spec"], dict) or not isinstance(pod["spec"].get("containers"), list):
        return
    pod["spec"] = {**pod["spec"], "containers": [
        {"image": "a", **each} if isinstance(each, dict) else each for each in pod["spec"]["containers"]]}
