"""Schemas as the server publishes them: places in them, and values that they allow."""

import re

# What strings look like, in the order in which they are tried where a schema wants a certain form.
SAMPLES = [
    "a", "x1", "ab", "abc", "a.b", "a-b/c", "example.com/a", "a.example.com", "v1", "A", "Aa", "Train", "node", "1", "10",
    "0.5", "10%", "1Gi", "10s", "1h", "1h0m", "5m", "2024-01-01T00:00:00Z", "10.0.0.1", "10.0.0.0/8", "http://a.example.com",
    "https://a.example.com/b", "https://a.example.com", "ssh://a/b", "oci://a.example.com/b", "s3://a/b",
    "pvc://a", "hf://a/b", "registry.example.com/a:1", "sha256:" + "a" * 64, "a@sha256:" + "a" * 64, "a" * 40,
    "00000000-0000-0000-0000-000000000000", "* * * * *", "0 0 * * *", "refs/heads/main", "main", "a/b", "/a", "-", "_a",
    "resource.k8s.io", "nvidia.com/gpu", "kueue.x-k8s.io/a", "==1", ">=1.0", "a=b", "aGk=", "02:42:ac:11:00:02", "1.2.3",
    "topology.kubernetes.io/zone", "a_b", "metadata.name", "rack", "10.0.0.1-10.0.0.2", "22:00-05:00", "@", "",
]
FORMATS = {
    "date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "duration": "10s", "ipv4": "10.0.0.1", "ipv6": "fd00::1",
    "cidr": "10.0.0.0/8", "uri": "https://example.com/a", "byte": "aGk=", "uuid": "00000000-0000-0000-0000-000000000000",
    "email": "a@example.com", "hostname": "a.example.com", "mac": "02:42:ac:11:00:02", "quantity": "1Gi",
    "k8s-short-name": "a", "k8s-long-name": "a.b",
}
BAD_FORMATS = {
    "date-time": "yesterday", "date": "2024-13-01", "duration": "10 apples", "ipv4": "10.0.0.256", "ipv6": "fd00::g",
    "cidr": "10.0.0.0/33", "uri": "no uri", "byte": "%%%", "uuid": "0-0", "email": "at", "hostname": "a b", "mac": "02",
    "int32": 2147483648, "int64": 9223372036854775808, "uint32": -1, "float": "1", "double": "1",
}


class Impossible(Exception):
    """No value of ours fits."""


class Reader:
    """`definitions` are what `$ref` names."""

    def __init__(self, definitions=None):
        self.definitions = definitions or {}

    def plain(self, schema):
        """With references followed and `allOf` of one folded in."""
        while True:
            if "$ref" in schema:
                schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
            elif len(schema.get("allOf", [])) == 1 and "properties" not in schema and "type" not in schema:
                schema = {**schema["allOf"][0], **{k: v for k, v in schema.items() if k != "allOf"}}
            else:
                return schema

    def kind_of(self, schema):
        if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
            return "int-or-string"
        if "type" in schema:
            return schema["type"]
        if "properties" in schema or "additionalProperties" in schema:
            return "object"
        return "any"

    def value(self, schema, index=0, depth=0):
        """The smallest value that fits; `index` tells the items of a list apart."""
        schema = self.plain(schema)
        if depth > 25:
            raise Impossible("endless")
        if "default" in schema and index == 0:
            return schema["default"]
        if schema.get("enum"):
            return schema["enum"][min(index, len(schema["enum"]) - 1)]
        kind = self.kind_of(schema)
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            return [self.value(schema["items"], i, depth + 1) for i in range(schema.get("minItems", 0))]
        if kind == "string":
            return self.string(schema, index)
        if kind in ("integer", "number"):
            return self.number(schema, index)
        if kind == "boolean":
            return True
        if kind == "int-or-string":
            return 1 + index if "pattern" not in schema or re.search(schema["pattern"], "1") else self.string(schema, index)
        return {}

    def object(self, schema, depth):
        result = {}
        for name in schema.get("required", []):
            if name in schema.get("properties", {}):
                result[name] = self.value(schema["properties"][name], 0, depth + 1)
        for choice in ("oneOf", "anyOf"):
            for name in (schema.get(choice) or [{}])[0].get("required", []):
                if name in schema.get("properties", {}) and name not in result:
                    result[name] = self.value(schema["properties"][name], 0, depth + 1)
        if schema.get("minProperties", 0) > len(result):
            for name, below in sorted(schema.get("properties", {}).items()):
                if name not in result and len(result) < schema["minProperties"]:
                    result[name] = self.value(below, 0, depth + 1)
            more = schema.get("additionalProperties")
            if isinstance(more, dict):
                result["a"] = self.value(more, 0, depth + 1)
        return result

    def string(self, schema, index=0):
        samples = SAMPLES
        if schema.get("format") in FORMATS:
            samples = [FORMATS[schema["format"]]] + SAMPLES
        fits = [text for text in samples if fits_string(schema, text)]
        if not fits and schema.get("minLength", 0) > 1:
            fits = [text for text in ("a" * schema["minLength"],) if fits_string(schema, text)]
        if not fits:
            raise Impossible("no sample fits %s" % schema.get("pattern"))
        return fits[min(index, len(fits) - 1)]

    def number(self, schema, index=0):
        low = schema.get("minimum", 1 if schema.get("maximum", 1) >= 1 else schema["maximum"])
        number = max(low + (1 if schema.get("exclusiveMinimum") else 0), 1 if schema.get("maximum", 1) >= 1 else low)
        step = schema.get("multipleOf", 1)
        number = -(-number // step) * step + index * step
        return int(number) if self.kind_of(schema) == "integer" else number


def fits_string(schema, text):
    if len(text) < schema.get("minLength", 0) or len(text) > schema.get("maxLength", len(text)):
        return False
    if "pattern" in schema:
        try:
            return re.search(schema["pattern"], text) is not None
        except re.error:
            return False
    return True


def places(reader, schema, path=(), depth=0, seen=()):
    """Every place of a schema: its path (a name, 0 for an item, "*" for an entry of a map) and schema."""
    reference = schema.get("$ref")
    if reference in seen:
        return
    if reference:
        seen = seen + (reference,)
    schema = reader.plain(schema)
    yield path, schema
    if depth > 14:
        return
    for name, below in sorted(schema.get("properties", {}).items()):
        yield from places(reader, below, path + (name,), depth + 1, seen)
    if isinstance(schema.get("items"), dict):
        yield from places(reader, schema["items"], path + (0,), depth + 1, seen)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from places(reader, schema["additionalProperties"], path + ("*",), depth + 1, seen)


def grown(reader, schema, base, path):
    """A copy of `base` in which there is something at `path`, and what is at it."""
    schema = reader.plain(schema)
    if not path:
        return base
    step, rest = path[0], path[1:]
    if step == 0:
        items = list(base) if isinstance(base, list) else []
        if not items:
            items = [reader.value(schema["items"])]
        items[0] = grown(reader, schema["items"], items[0], rest)
        return items
    entries = dict(base) if isinstance(base, dict) else {}
    below = schema["additionalProperties"] if step == "*" else schema["properties"][step]
    name = key_of(schema, entries) if step == "*" else step
    if entries.get(name) is None:
        entries[name] = reader.value(below)
    entries[name] = grown(reader, below, entries[name], rest)
    return entries


def key_of(schema, entries):
    return sorted(entries)[0] if entries else "a"


def at(value, path):
    for step in path:
        value = value[sorted(value)[0] if step == "*" else step]
    return value


def replaced(value, path, new):
    """A copy of `value` with `new` at `path`."""
    if not path:
        return new
    step = path[0]
    if step == "*":
        step = sorted(value)[0]
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[step] = replaced(copy[step], path[1:], new)
    return copy
