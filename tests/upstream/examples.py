"""The upstream projects' own examples: what they publish must be accepted.

Downloads the modules of modules.tsv from the Go module proxy, takes the YAML files and the YAML
blocks of the Markdown files below the given folders, runs `trainyard validate` on each, and
compares the errors with exceptions.tsv. An error that is not listed is a false alarm or a new
find, to be looked at; one that is listed and does not come is a miss. Ends with 77 when nothing
can be downloaded.

    examples.py TRAINYARD GO            compare
    examples.py TRAINYARD GO --print    print what was found, as rows of exceptions.tsv
"""

import collections
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
FENCE = re.compile(r"^( *)```(ya?ml)\b[^\n]*\n(.*?)^ *```", re.M | re.S)


def rows(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def download(go, module, version):
    """The folder of a module, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:  # outside of any module
        done = subprocess.run(
            [go, "mod", "download", "-json", f"{module}@{version}"], cwd=folder,
            capture_output=True, text=True, timeout=900, env={**os.environ, "GOFLAGS": "-mod=mod"})
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, done.stderr.strip() or "no answer"
    return answer.get("Dir"), answer.get("Error", "")


def is_whole(block):
    """Whether a block of a page shows a whole object, with nothing left out."""
    whole = all(re.search(rf"^{key}:", block, re.M) for key in ("apiVersion", "kind", "metadata"))
    return whole and not re.search(r"^\s*(#\s*)?-?\s*(\.\.\.|…)|\{\{|<[a-z][^>\n]*>|\$\{", block, re.M)


def texts(root, folders):
    """Path and text of every example below the folders, in a fixed order. `keps:md` takes only the
    pages of a folder."""
    for each in folders:
        folder, _, only = each.partition(":")
        endings = (f".{only}",) if only else (".yaml", ".yml", ".md")
        for place, subfolders, files in os.walk(os.path.join(root, folder)):
            subfolders.sort()
            for name in sorted(files):
                path = os.path.relpath(os.path.join(place, name), root)
                if not name.endswith(endings):
                    continue
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                    text = file.read()
                if not name.endswith(".md"):
                    yield path, text
                    continue
                for number, match in enumerate(FENCE.finditer(text), 1):
                    indent, _, block = match.groups()
                    block = re.sub(rf"^{indent}", "", block, flags=re.M)
                    if is_whole(block):
                        yield f"{path}#{number}", block


def validate(trainyard, text):
    """The messages of the errors in a text by (kind, check), and how many documents of known kinds it has."""
    done = subprocess.run([trainyard, "validate", "--rendered", "--checks", "*=on", "--output", "json", "-"], input=text,
                          capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        raise SystemExit(f"trainyard ended with {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    found = collections.defaultdict(list)
    unknown = 0
    for each in report["diagnostics"]:
        if each["kind"] == "unknown-kind":
            unknown += 1
        elif each["severity"] == "error":
            found[each["kind"], each["check"] or "-"].append(each["message"])
    return found, report["documents"] - unknown


def covers(row, path):
    own = row["path"]
    return path.startswith(own) if own.endswith("/") else path.split("#")[0] == own or path == own


def main():
    trainyard, go = sys.argv[1], sys.argv[2]
    if not shutil.which(go):
        print("skipped: Go is not here, which downloads the modules")
        return SKIPPED
    printing = "--print" in sys.argv
    exceptions = rows("exceptions.tsv")
    used = set()
    wrong = []
    missing = []
    objects = 0
    for module in rows("modules.tsv"):
        name = module["module"]
        own = [(i, row) for i, row in enumerate(exceptions) if row["module"] == name]
        root, why = download(go, name, module["version"])
        if root is None:
            missing.append(f"{name}@{module['version']}: {why}")
            used.update(i for i, _ in own)
            continue
        taken = []
        for path, text in texts(root, module["folders"].split()):
            skips = [i for i, row in own if row["kind"] == "skip" and covers(row, path)]
            used.update(skips)
            if not skips:
                taken.append((path, text))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda each: validate(trainyard, each[1]), taken))
        known = 0
        for (path, _), (found, count) in zip(taken, results):
            known += count
            for (kind, check), messages in sorted(found.items()):
                times = len(messages)
                listed = [i for i, row in own if row["kind"] == kind and row["check"] == check
                          and row["path"] == path and int(row["times"]) == times]
                used.update(listed)
                if printing:
                    print("\t".join([name, path, kind, check, str(times),
                                     "; ".join(dict.fromkeys(messages))]))
                elif not listed:
                    wrong.append(f"{name} {path}: {times} x {kind} by {check}, which is not listed: "
                                 + "; ".join(dict.fromkeys(messages)))
        objects += known
        if printing:
            print(f"# {name}: {known} objects in {len(taken)} texts", file=sys.stderr)
        elif known != int(module["objects"]):
            wrong.append(f"{name}: {known} objects of known kinds, expected {module['objects']}")
    for each in missing:
        print(f"not downloaded: {each}")
    if missing and objects == 0:
        print("skipped: no module can be downloaded")
        return SKIPPED
    if printing:
        return 0
    for i, row in enumerate(exceptions):
        if i not in used:
            wrong.append(f"{row['module']} {row['path']}: {row['kind']} by {row['check']} is listed "
                         "and was not found")
    for each in wrong:
        print(each)
    print(f"{objects} objects of {len(rows('modules.tsv')) - len(missing)} modules, "
          f"{len(exceptions)} exceptions, {len(wrong)} complaints")
    return 1 if wrong else 0


sys.exit(main())
