"""The Cluster document of the bench: `discover` writes it, `doctor` compares it, and specs build by it."""

import json
import os

import yaml

from operators import LOADER
from scenarios import Scenario

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


class Survey(Scenario):
    def run(self):
        try:
            for value in self.entry.get("before", []):
                self.create(value)
            return self.look()
        finally:
            self.remove()

    def look(self):
        kubeconfig = ["--kubeconfig", self.folder.path("admin.kubeconfig")]
        found = self.ask("discover", *kubeconfig)
        faults = self.compare(found.stdout, [])
        for example in self.entry["cluster"]["builds"]:
            built = self.ask("build", os.path.join(EXAMPLES, example), "--cluster", self.path("cluster.yaml"))
            if built.returncode != 0:
                faults.append("%s does not build:\n%s" % (example, built.stderr))
        for change in self.entry["cluster"]["changes"]:
            document = yaml.load(found.stdout, LOADER)
            *way, last = [int(step) if step.isdigit() else step for step in change["at"].split(".")]
            place = document
            for step in way:
                place = place[step]
            place[last] = change["to"]
            faults += self.compare(yaml.safe_dump(document, sort_keys=False), [change["check"]])
        return faults

    def compare(self, document, wanted):
        """`doctor` finds in a document what is wanted, and nothing else."""
        path = self.folder.write(os.path.join("scenarios", self.name, "cluster.yaml"), document)
        told = self.ask("doctor", "-c", path, "--output", "json", "--kubeconfig", self.folder.path("admin.kubeconfig"))
        checks = sorted({each["check"] or each["kind"] for each in json.loads(told.stdout or "{}").get("diagnostics", [])})
        if checks == wanted and not told.stderr:
            return []
        return ["doctor finds %s, not %s:\n%s%s" % (checks, wanted, told.stdout, told.stderr)]
