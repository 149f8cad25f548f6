"""The objects that both sides judge, each with a name that says what was done to it."""

import glob
import json
import os

import yaml

import mutate
from schema import Impossible, Reader, at, grown, places, replaced

SEED = "trainyard 1"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def documents(path):
    with open(path, encoding="utf-8") as file:
        return [each for each in yaml.load_all(file, Loader=Plain) if each is not None]


class Plain(LOADER):
    """As the API server reads YAML: dates are text."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:timestamp"]
    for first, rules in LOADER.yaml_implicit_resolvers.items()}


class Case:
    """`group` is where it comes from, `keyword` the rule that it is about, `what` what was done at `path`."""

    def __init__(self, group, keyword, what, path, value):
        self.group, self.keyword, self.what, self.path, self.value = group, keyword, what, path, value

    def name(self):
        path = mutate.written(self.path) if not isinstance(self.path, str) else self.path
        return "%s: %s, %s at `%s`" % (self.group, self.keyword, self.what, path)


# Cases in the dialect of an older release of an operator or of Kubernetes, whose fields the newest no longer has.
OF_OLDER_RELEASES = ("scheduling/queueing/native-1-35/", "target/trainjob/training-runtime-2.0/",
                     "target/trainjob/training-runtime-2.1/", "target/trainjob/training-runtime-made-2.0/")


def of_goldens(root):
    """Every object that a golden case prints or writes, examples included."""
    names = sorted(glob.glob(root + "/golden/**/stdout", recursive=True) +
                   glob.glob(root + "/golden/**/out/**/*.yaml", recursive=True))
    for name in names:
        case = os.path.relpath(name, root + "/golden")
        # What is explained to people is no object to create.
        if case.startswith(("fail/", "explain/") + OF_OLDER_RELEASES) or "/before/" in case:
            continue
        try:
            found = documents(name)
        except yaml.YAMLError:
            continue
        for index, value in enumerate(found):
            if is_object(value):
                yield "%s %d" % (case, index), value


def is_object(value):
    if not isinstance(value, dict) or not isinstance(value.get("apiVersion"), str) or "kind" not in value:
        return False
    return not value["apiVersion"].startswith(("trainyard/", "kustomize.config.k8s.io/"))


def shape(value):
    """What two objects of one form have in common."""
    if isinstance(value, dict):
        return {name: shape(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


# ---- instances of the checks ------------------------------------------------------------------


def finished_pod(spec, check):
    """A pod spec with what an instance of one check leaves out, as it is not what the check is about."""
    spec = dict(spec)
    if not spec.get("containers") and check != "some-container":
        spec["containers"] = [{"name": "main", "image": "main"}]
    for lists in ("containers", "initContainers"):
        if isinstance(spec.get(lists), list):
            spec[lists] = [finished_container(each, i, check) for i, each in enumerate(spec[lists])]
    mounted = {mount.get("name") for lists in ("containers", "initContainers") for each in spec.get(lists) or []
               if isinstance(each, dict) for field in ("volumeMounts", "volumeDevices")
               for mount in each.get(field) or [] if isinstance(mount, dict)}
    have = {each.get("name") for each in spec.get("volumes") or [] if isinstance(each, dict)}
    missing = sorted(name for name in mounted - have if isinstance(name, str) and name)
    if missing and check != "mount-without-volume":
        spec["volumes"] = list(spec.get("volumes") or []) + [{"name": name, "emptyDir": {}} for name in missing]
    return spec


def finished_container(container, index, check):
    if not isinstance(container, dict):
        return container
    container = dict(container)
    container.setdefault("name", "c%d" % index)
    if check != "container-image":
        container.setdefault("image", "main")
    return container


def pod(item, check):
    metadata, spec = {}, item
    if "metadata" in item:
        metadata, spec = item["metadata"], item.get("spec", {})
    if isinstance(metadata, dict):
        metadata = {"name": "train", **metadata}
    else:
        metadata = {"name": "train"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": finished_pod(spec, check)}


def template(item, check):
    value = pod(item, check)
    metadata = {key: entry for key, entry in value["metadata"].items() if key != "name"}
    return {"metadata": metadata, "spec": value["spec"]}


def job(item, check):
    spec = dict(item)
    name = spec.pop("name", "train")
    inner = dict(spec.get("template") or {})
    inner_spec = dict(inner.get("spec") or {})
    if check != "job-restart-policy":
        inner_spec.setdefault("restartPolicy", "Never")
    inner["spec"] = finished_pod(inner_spec, check)
    spec["template"] = inner
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def whole(item, bases):
    """Whole objects leave out what they are not about, too: that is taken from an object of the kind."""
    base = bases.get((item["apiVersion"], item["kind"]))
    return merged(base, item) if base else item


def merged(base, item):
    if not isinstance(base, dict) or not isinstance(item, dict):
        return item
    result = dict(base)
    for name, entry in item.items():
        result[name] = merged(base[name], entry) if name in base else entry
    return result


def of_checks(root, bases):
    folder = root + "/tests/unit/admission/"
    for file, wrap in (("pod_cases.yaml", "pod"), ("job_cases.yaml", "job"), ("object_cases.yaml", "object"),
                       ("administration_cases.yaml", "object")):
        for entry in documents(folder + file):
            if "version" in entry:
                continue
            check = entry["check"]
            for side in ("refused", "accepted"):
                for index, item in enumerate(entry.get(side) or []):
                    what = "%s %d" % (side, index)
                    if wrap == "pod":
                        yield Case("pod check", check, what, "", pod(item, check))
                        yield Case("pod check in a Job", check, what, "", job({"template": template(item, check)}, check))
                        yield Case("pod check in a JobSet", check, what, "", in_job_set(item, check))
                    elif wrap == "job":
                        yield Case("job check", check, what, "", job(item, check))
                    elif item.get("apiVersion"):
                        value = item if "metadata" in item else {**item, "metadata": {"name": "train"}}
                        yield Case("object check", check, what, "", value)
                        yield Case("object check, filled in", check, what, "", whole(value, bases))


def in_job_set(item, check):
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"}, "spec": {
        "replicatedJobs": [{"name": "node", "template": {"spec": {"template": {
            **template(item, check), "spec": {"restartPolicy": "Never", **template(item, check)["spec"]}}}}}]}}


# ---- mutations of schemas -----------------------------------------------------------------------


class Kind:
    """One version of a kind with its schema. `base` is an object of it."""

    def __init__(self, api_version, kind, reader, schema, base, custom):
        self.api_version, self.kind, self.custom = api_version, kind, custom
        self.reader, self.schema, self.base = reader, schema, base

    def name(self):
        return self.api_version + " " + self.kind


def custom_kinds(crds, bases):
    for crd in sorted(crds, key=lambda each: each["metadata"]["name"]):
        names = crd["spec"]["names"]
        for version in crd["spec"]["versions"]:
            if not version["served"]:
                continue
            api_version = crd["spec"]["group"] + "/" + version["name"]
            schema = version["schema"]["openAPIV3Schema"]
            reader = Reader()
            base = bases.get((api_version, names["kind"])) or smallest(reader, schema, api_version, names["kind"])
            yield Kind(api_version, names["kind"], reader, schema, base, True)


def smallest(reader, schema, api_version, kind):
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "train"}}
    spec = schema.get("properties", {}).get("spec")
    for name in schema.get("required", []) + (["spec"] if spec else []):
        if name not in value and name in schema.get("properties", {}):
            try:
                value[name] = reader.value(schema["properties"][name])
            except Impossible:
                value[name] = {}
    return value


def built_in_kinds(openapi, bases, known):
    """Those that we have schemas of, with the definitions of the server's OpenAPI."""
    reader = Reader(openapi["definitions"])
    for definition in openapi["definitions"].values():
        for each in definition.get("x-kubernetes-group-version-kind", []):
            api_version = (each["group"] + "/" if each["group"] else "") + each["version"]
            key = (api_version, each["kind"])
            if key in bases and key in known:
                yield Kind(api_version, each["kind"], reader, definition, bases[key], False)


def of_kind(kind):
    pick = mutate.Pick(SEED, *((5, 2) if kind.custom else (6, 6)))
    found = [(path, schema) for path, schema in places(kind.reader, kind.schema)
             if not path or path[0] not in ("apiVersion", "kind", "metadata")]
    made = mutate.of_schema(kind.reader, kind.schema, kind.base, found)
    for keyword, what, path, value in pick(kind.name(), made):
        yield Case(kind.name(), keyword, what, path, value)
    metadata = sorted(mutate.of_metadata(kind.base), key=lambda each: mutate.rank(SEED, kind.name(), each[1]))
    for keyword, what, path, value in metadata[:6]:
        yield Case(kind.name(), keyword, what, path, value)


def of_rules(kind, rule_cases):
    """What keeps and breaks each rule of the schema, at its place."""
    count = {}
    for path, schema in places(kind.reader, kind.schema):
        for rule in schema.get("x-kubernetes-validations", []):
            cases = rule_cases.get(rule["rule"])
            if cases is None or "oldSelf" in rule["rule"]:
                continue
            for side in ("pass", "fail"):
                for index, case in enumerate(cases.get(side) or []):
                    new = value_of_rule(kind, path, schema, case["self"])
                    # Rules of pods stand at many places of one schema.
                    seen = count.setdefault((rule["rule"], side, index), 0)
                    if new is None or seen >= 2:
                        continue
                    count[(rule["rule"], side, index)] += 1
                    yield Case(kind.name(), "rule", "%s %d of %s" % (side, index, rule["rule"]), path, new)


def value_of_rule(kind, path, schema, self):
    """The object with `self` at `path`, over what must be there; None where `self` is of another type."""
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    wanted = types.get(kind.reader.kind_of(schema))
    if wanted and not isinstance(self, wanted):
        return None
    try:
        here = grown(kind.reader, kind.schema, kind.base, path)
        least = kind.reader.value(schema)
    except (Impossible, KeyError, IndexError, TypeError):
        return None
    return replaced(here, path, merged(least, self) if isinstance(least, dict) else self)


def rule_cases(root):
    with open(root + "/tests/unit/schema/rule_cases.yaml", encoding="utf-8") as file:
        return {each["rule"]: each for each in yaml.load(file, Loader=Plain)}


def build(root, crds, openapi, known):
    """All cases. `known` are the kinds that we have schemas of."""
    bases = {(each["apiVersion"], each["kind"]): each for each in documents(root + "/tests/e2e/bases.yaml")}
    cases = []
    distinct = {}
    for name, value in of_goldens(root):
        cases.append(Case("golden", "as it is", name, "", value))
        distinct.setdefault(json.dumps(shape(value), sort_keys=True), (name, value))
    pick = mutate.Pick(SEED, 200, 200)
    for name, value in sorted(distinct.values(), key=lambda each: mutate.rank(SEED, each[0]))[:12]:
        for keyword, what, path, new in pick(name, mutate.of_object(value)):
            cases.append(Case("golden " + name, keyword, what, path, new))
    for (api_version, kind), value in sorted(bases.items()):
        cases.append(Case("base", "as it is", api_version + " " + kind, "", value))
    for name in sorted(bases):
        if "." not in name[0] or name[0].split("/")[0].endswith(".k8s.io") and "x-k8s" not in name[0]:
            for keyword, what, path, new in mutate.Pick(SEED, 60, 60)(name, mutate.of_object(bases[name])):
                cases.append(Case("base %s %s" % name, keyword, what, path, new))
    cases += of_checks(root, bases)
    rules = rule_cases(root)
    for kind in [*custom_kinds(crds, bases), *built_in_kinds(openapi, bases, known)]:
        if kind.custom and (kind.api_version, kind.kind) not in bases:
            cases.append(Case("smallest", "as it is", kind.name(), "", kind.base))
        cases += of_kind(kind)
        cases += of_rules(kind, rules)
    return cases
