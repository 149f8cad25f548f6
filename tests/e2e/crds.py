"""The upstream CRDs that schemas/ was imported from, as files with the same checksum.

They are taken from $TRAINYARD_SHARED/crds where that is there, else from the operators' Go modules.
"""

import csv
import hashlib
import json
import os
import re
import subprocess


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def shared_files(folder):
    """Files by checksum."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".yaml"):
                path = os.path.join(at, name)
                found[sha256(path)] = path
    return found


class Modules:
    """Folders of Go modules, downloaded when asked for."""

    def __init__(self, table, go, folder):
        self.table = {(row["repo"], row["version"]): row for row in rows(table)}
        self.go = go
        self.folder = folder
        self.known = {}

    def file(self, repo, version, path):
        row = self.table.get((repo, version))
        if row is None or not self.go:
            return None
        root = self.root(row["module"])
        return os.path.join(root, path.removeprefix(row["below"])) if root else None

    def root(self, module):
        if module not in self.known:
            done = subprocess.run([self.go, "mod", "download", "-json", module], cwd=self.folder,
                                  capture_output=True, text=True, env=dict(os.environ, GOFLAGS="-mod=mod"))
            try:
                self.known[module] = json.loads(done.stdout).get("Dir")
            except ValueError:
                self.known[module] = None
        return self.known[module]


def newest(rows):
    """Of the files of one project for the same kind those of the newest release; a row for each file."""
    kept = {}
    for row in rows:
        if row["path"].endswith(".yaml"):
            key = (row["project"], row["group"], row["api version"], row["kind"])
            if key not in kept or release(row) > release(kept[key]):
                kept[key] = row
    return {row["sha256"]: row for row in kept.values()}.values()


def release(row):
    return [int(number) for number in re.findall(r"\d+", row["version"])]


def neighbours(path):
    """Checksums of the CRDs that stand beside training jobs (schemas/upstream.txt)."""
    with open(path) as file:
        return {line.split()[3] for line in file if line.strip() and not line.startswith("#")}


def find_crds(sources, shared, modules, untried):
    """Paths of CRDs, and the rows of SOURCES.tsv whose file is nowhere to be had. Those with a checksum in
    `untried` are left out."""
    paths, missing = [], []
    at_hand = shared_files(shared)
    for row in newest(rows(sources)):
        if row["sha256"] in untried:
            continue
        path = at_hand.get(row["sha256"]) or modules.file(row["project"], row["version"], row["path"])
        if path and os.path.exists(path) and sha256(path) == row["sha256"]:
            paths.append(path)
        else:
            missing.append(row)
    return sorted(paths), missing
