"""Reads the reports of real runs as their readers do: SARIF and JSON against their schemas, JUnit as XML.

usage: check_reports.py TRAINYARD GOLDEN_FOLDER

Every golden case that fails is validated again with `--output sarif`, `json`, `junit`, `github` and `gitlab`;
they must tell the same number of problems. The schema of SARIF is the one that the Go module go-sarif carries. Exits
77, saying why, where Go or the Python package jsonschema is missing.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

SCHEMA_MODULE = "github.com/owenrumney/go-sarif/v3@v3.2.1"
SCHEMA_FILE = "pkg/report/v210/sarif/schema.go"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def sarif_schema():
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin:/usr/lib/go/bin")
    if go is None:
        skip("Go is not installed")
    done = subprocess.run([go, "mod", "download", "-json", SCHEMA_MODULE], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip(f"the Go module proxy does not give {SCHEMA_MODULE}")
    source = (pathlib.Path(json.loads(done.stdout)["Dir"]) / SCHEMA_FILE).read_text()
    return json.loads(re.search(r"const schema = `(.*?)`", source, re.S).group(1))


def report(program, folder, specs, form):
    done = subprocess.run(
        [program, "validate", *specs, "--output", form], cwd=folder, capture_output=True, check=False, timeout=60
    )
    return done.stdout


def main(program, golden):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        skip("the Python package jsonschema is not installed")
    validator = jsonschema.Draft4Validator(sarif_schema())
    own = subprocess.run([program, "schema", "export", "Report"], capture_output=True, check=True)
    own_validator = jsonschema.Draft7Validator(json.loads(own.stdout))
    faults = []
    compared = 0
    problems_seen = 0
    for folder in sorted(path.parent for path in golden.glob("fail/**/args")):
        specs = sorted(path.name for path in folder.glob("*.yaml") if path.name != "cluster.yaml")
        if not specs:
            continue
        log = json.loads(report(program, folder, specs, "sarif"))
        for error in validator.iter_errors(log):
            faults.append(f"{folder.relative_to(golden)}: SARIF at {list(error.absolute_path)}: {error.message[:200]}")
        results = log["runs"][0]["results"]
        ours = json.loads(report(program, folder, specs, "json"))
        for error in own_validator.iter_errors(ours):
            faults.append(f"{folder.relative_to(golden)}: JSON at {list(error.absolute_path)}: {error.message[:200]}")
        if len(ours["diagnostics"]) != len(results):
            faults.append(f"{folder.relative_to(golden)}: {len(ours['diagnostics'])} diagnostics for {len(results)} results")
        suite = xml.fromstring(report(program, folder, specs, "junit"))
        lines = report(program, folder, specs, "github").decode().splitlines()
        quality = json.loads(report(program, folder, specs, "gitlab"))
        if len(quality) != len(results) or len({each["fingerprint"] for each in quality}) != len(quality):
            faults.append(f"{folder.name}: {len(quality)} Code Quality findings for {len(results)} results")
        failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
        errors = sum(result["level"] == "error" for result in results)
        if len(lines) != len(results) or any(not re.match(r"::(error|warning|notice) [^\n]*::.", l) for l in lines):
            faults.append(f"{folder.relative_to(golden)}: {len(lines)} annotations for {len(results)} results")
        if (errors == 0) != (not failed) or int(suite.get("failures")) != len(failed):
            faults.append(f"{folder.relative_to(golden)}: {errors} errors, failed cases {sorted(failed)}")
        compared += 1
        problems_seen += len(results)
    print(f"{compared} cases, {problems_seen} problems")
    print("\n".join(faults))
    return 1 if faults or compared < 50 or problems_seen < compared // 2 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])))
