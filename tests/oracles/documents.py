"""What PyYAML makes of a stream of documents: one line of typed JSON for each.

Every scalar is a string with a letter in front that says what it was read as. With `libyaml` as the
argument the C parser is used instead of the one in Python.
"""

import json
import math
import struct
import sys

import yaml


def typed(value):
    if isinstance(value, dict):
        return {typed(key): typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, str):
        return "s:" + value
    if isinstance(value, bool):
        return "b:" + str(value).lower()
    if value is None:
        return "n:"
    if isinstance(value, int):
        return "i:%d" % value
    if isinstance(value, float):
        return "f:nan" if math.isnan(value) else "f:" + struct.pack(">d", value).hex()
    return "%s:%r" % (type(value).__name__, value)


def main():
    loader = yaml.CSafeLoader if sys.argv[1:] == ["libyaml"] else yaml.SafeLoader
    text = sys.stdin.buffer.read().decode("utf-8")
    sys.set_int_max_str_digits(0)
    for value in yaml.load_all(text, Loader=loader):
        print(json.dumps(typed(value)))


if __name__ == "__main__":
    main()
