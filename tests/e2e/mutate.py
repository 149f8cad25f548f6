"""Objects with one thing changed, for each keyword of a schema.

A mutation is (keyword, what was done, path, object). Which of them are taken is settled by a hash of the
seed and their names, so the same inputs give the same corpus everywhere.
"""

import hashlib
import json
import re

from schema import BAD_FORMATS, Impossible, SAMPLES, at, fits_string, grown, replaced

WRONG = {
    "string": [7, True, ["a"], {"a": "b"}],
    "integer": ["x", 1.5, True, [1]],
    "number": ["x", True, [1]],
    "boolean": ["true", 1, ["a"]],
    "array": ["a", {"a": "b"}, 3],
    "object": ["a", ["a"], 3],
    "int-or-string": [True, 1.5, ["a"]],
    "any": [],
}


def rank(seed, *words):
    text = json.dumps([seed, *words], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def written(path):
    text = ""
    for step in path:
        text += "[0]" if step == 0 else ("." if text else "") + str(step)
    return text


def changes(reader, schema, value):
    """(keyword, what was done, new value) for what stands at one place, of this schema."""
    kind = reader.kind_of(schema)
    for wrong in WRONG[kind]:
        yield "type", "%s for %s" % (type(wrong).__name__, kind), wrong
    yield "nullable", "null", None
    yield from {
        "object": object_changes, "array": array_changes, "string": string_changes, "integer": number_changes,
        "number": number_changes,
    }.get(kind, no_changes)(reader, schema, value)
    if kind == "int-or-string" and "pattern" in schema:
        yield from string_changes(reader, schema, value)


def no_changes(reader, schema, value):
    return ()


def object_changes(reader, schema, value):
    if not isinstance(value, dict):
        return
    for name in schema.get("required", []):
        if name in value:
            yield "required", "without " + name, {k: v for k, v in value.items() if k != name}
    if "properties" in schema:
        yield "unknown", "unknown field", {**value, "noSuchField": 1}
        first = sorted(schema["properties"])[0]
        yield "unknown", "other case", {**value, first.upper() + "x": "a"}
    if "maxProperties" in schema and schema["maxProperties"] < 300 and isinstance(schema.get("additionalProperties"), dict):
        one = reader.value(schema["additionalProperties"])
        yield "maxProperties", "one too many", {"k%d" % i: one for i in range(schema["maxProperties"] + 1)}
    if schema.get("minProperties"):
        yield "minProperties", "none", {}


def array_changes(reader, schema, value):
    if not isinstance(schema.get("items"), dict):
        return
    items = reader.plain(schema["items"])
    try:
        one, two = reader.value(items), reader.value(items, 1)
    except Impossible:
        return
    keys = schema.get("x-kubernetes-list-map-keys")
    if schema.get("x-kubernetes-list-type") == "map" and isinstance(one, dict):
        for key in keys:
            if key in items.get("properties", {}) and key not in one and "default" not in items["properties"][key]:
                one = {**one, key: reader.value(items["properties"][key])}
        yield "listMap", "same keys twice", [one, one]
        yield "listMap", "same keys apart", [one, two, one] if two != one else [one, one]
    if schema.get("x-kubernetes-list-type") == "set":
        yield "listSet", "twice", [one, one]
    if schema.get("uniqueItems"):
        yield "uniqueItems", "twice", [one, one]
    if schema.get("minItems"):
        yield "minItems", "none", []
    if schema.get("maxItems", 1000) < 70:
        most = schema["maxItems"]
        yield "maxItems", "one too many", [numbered(one, keys, i) for i in range(most + 1)]
        yield "maxItems", "the most", [numbered(one, keys, i) for i in range(most)]


def numbered(item, keys, index):
    """Items that differ where they must."""
    if isinstance(item, dict):
        return {k: numbered(v, None, index) if k in (keys or ["name"]) else v for k, v in item.items()}
    if isinstance(item, str):
        return "%s%d" % (item, index)
    return item


def string_changes(reader, schema, value):
    if schema.get("enum"):
        yield "enum", "no member", "NoSuchMember"
        yield "enum", "other case", str(schema["enum"][0]).swapcase()
    elif "pattern" in schema:
        for text in [text for text in SAMPLES + ["a\n", "ü"] if not fits_pattern(schema, text)][:3]:
            yield "pattern", "does not match", text
    if "maxLength" in schema and schema["maxLength"] < 5000:
        for more in (0, 1):
            yield "maxLength", "%+d" % more, "a" * (schema["maxLength"] + more)
        yield "maxLength", "letters of two bytes", "ü" * schema["maxLength"]
    if schema.get("minLength"):
        yield "minLength", "empty", ""
    if schema.get("format") in BAD_FORMATS and isinstance(BAD_FORMATS[schema["format"]], str):
        yield "format", schema["format"], BAD_FORMATS[schema["format"]]


def fits_pattern(schema, text):
    return fits_string({"pattern": schema["pattern"]}, text)


def number_changes(reader, schema, value):
    if schema.get("enum"):
        yield "enum", "no member", 4711
    if "minimum" in schema:
        for more in (-1, 0):
            yield "minimum", "%+d" % more, int(schema["minimum"]) + more
    if "maximum" in schema:
        for more in (0, 1):
            yield "maximum", "%+d" % more, int(schema["maximum"]) + more
    if "multipleOf" in schema:
        yield "multipleOf", "one more", int(schema["multipleOf"]) + 1
    if schema.get("format") in ("int32", "int64"):
        yield "format", schema["format"], BAD_FORMATS[schema["format"]]


def is_in_pod(path):
    return "containers" in path or "initContainers" in path or "ephemeralContainers" in path or "volumes" in path or \
        "affinity" in path or "template" in path


class Pick:
    """A few places of each keyword; fewer inside pods, which look the same everywhere."""

    def __init__(self, seed, outside, inside):
        self.seed, self.outside, self.inside = seed, outside, inside

    def __call__(self, name, found):
        groups = {}
        for each in found:
            groups.setdefault((each[0], is_in_pod(each[2])), []).append(each)
        for (keyword, inside), group in sorted(groups.items()):
            group.sort(key=lambda each: rank(self.seed, name, each[0], each[1], each[2]))
            yield from group[: self.inside if inside else self.outside]


def of_schema(reader, schema, base, found):
    """(keyword, what, path, make) for the places of `found`; `make` gives the object or says that it is impossible."""
    for path, below in found:
        if path and path[0] in ("apiVersion", "kind", "metadata"):
            continue
        if not path:
            continue
        try:
            here = grown(reader, schema, base, path)
            value = at(here, path)
            made = list(changes(reader, below, value))
        except (Impossible, KeyError, IndexError, TypeError):
            continue
        for keyword, what, new in made:
            yield keyword, what, path, replaced(here, path, new)


BAD_METADATA = [
    ("metadata", "name with a capital", {"name": "Train"}),
    ("metadata", "name with an underscore", {"name": "train_1"}),
    ("metadata", "name that ends with a dash", {"name": "train-"}),
    ("metadata", "name with a dot", {"name": "train.v1"}),
    ("metadata", "name that begins with a digit", {"name": "4train"}),
    ("metadata", "name of 64", {"name": "a" * 64}),
    ("metadata", "name of 253", {"name": "a" * 253}),
    ("metadata", "name of 254", {"name": "a" * 254}),
    ("metadata", "empty name", {"name": ""}),
    ("metadata", "no name", {}),
    ("metadata", "only a prefix", {"generateName": "train-"}),
    ("metadata", "name that is a number", {"name": 5}),
    ("metadata", "label value with a space", {"name": "train", "labels": {"app": "a b"}}),
    ("metadata", "label value of 64", {"name": "train", "labels": {"app": "a" * 64}}),
    ("metadata", "label value of 63", {"name": "train", "labels": {"app": "a" * 63}}),
    ("metadata", "label key with two slashes", {"name": "train", "labels": {"a/b/c": "d"}}),
    ("metadata", "label that is a number", {"name": "train", "labels": {"app": 5}}),
    ("metadata", "label that is null", {"name": "train", "labels": {"app": None}}),
    ("metadata", "labels that are a list", {"name": "train", "labels": ["a"]}),
    ("metadata", "annotation key", {"name": "train", "annotations": {"a b": "c"}}),
    ("metadata", "annotation that is a map", {"name": "train", "annotations": {"a": {"b": "c"}}}),
    ("metadata", "annotation in capitals", {"name": "train", "annotations": {"Example.COM/a": "c"}}),
    ("metadata", "annotations of 256 KiB", {"name": "train", "annotations": {"a": "b" * 262144}}),
    ("metadata", "finalizer", {"name": "train", "finalizers": ["a b"]}),
    ("metadata", "finalizer without a slash", {"name": "train", "finalizers": ["keep"]}),
    ("metadata", "owner without a uid", {"name": "train", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a"}]}),
    ("metadata", "two controllers", {"name": "train", "ownerReferences": [
        {"apiVersion": "v1", "kind": "Pod", "name": n, "uid": n, "controller": True} for n in "ab"]}),
    ("metadata", "owner without a group's version", {"name": "train", "ownerReferences": [
        {"apiVersion": "a/b/c", "kind": "Pod", "name": "a", "uid": "a"}]}),
    ("metadata", "unknown field", {"name": "train", "label": {"app": "a"}}),
    ("metadata", "null labels", {"name": "train", "labels": None}),
    ("metadata", "time that is none", {"name": "train", "creationTimestamp": "now"}),
    ("metadata", "null time", {"name": "train", "creationTimestamp": None}),
]


def of_metadata(base):
    namespace = {k: v for k, v in base.get("metadata", {}).items() if k == "namespace"}
    for keyword, what, metadata in BAD_METADATA:
        yield keyword, what, ("metadata",), {**base, "metadata": {**namespace, **metadata}}
    yield "metadata", "no metadata", ("metadata",), {k: v for k, v in base.items() if k != "metadata"}


def of_object(value, path=()):
    """Mutations of an object as it is, without a schema: what people get wrong by hand."""
    if isinstance(value, dict):
        yield "unknown", "unknown field", path, {**value, "noSuchField": "a"}
        for name in sorted(value):
            if not path and name in ("apiVersion", "kind", "metadata"):
                continue
            yield "removed", "without " + name, path, {k: v for k, v in value.items() if k != name}
            yield "misspelt", name, path, {(k + "s" if k == name else k): v for k, v in value.items()}
            yield "nullable", "null", path + (name,), {**value, name: None}
            for what, new in wrong_values(value[name]):
                yield "type", what, path + (name,), {**value, name: new}
            for keyword, what, below, new in of_object(value[name], path + (name,)):
                yield keyword, what, below, {**value, name: new}
    elif isinstance(value, list):
        if value:
            yield "twice", "an item twice", path, value + value[:1]
            yield "removed", "no item", path, []
        for index, item in enumerate(value):
            for keyword, what, below, new in of_object(item, path + (index,)):
                yield keyword, what, below, value[:index] + [new] + value[index + 1:]


def wrong_values(value):
    if isinstance(value, bool):
        return [("string for boolean", "yes")]
    if isinstance(value, int):
        return [("string for number", "a"), ("negative", -1), ("huge", 2 ** 40), ("fraction", 0.5)]
    if isinstance(value, str):
        made = [("number for string", 7), ("empty", ""), ("spaces and capitals", "No Such Thing!"), ("long", "a" * 300)]
        return made + ([("list for string", [value])] if re.match("^[a-z]", value) else [])
    if isinstance(value, dict):
        return [("list for map", [])]
    return [("map for list", {})]
