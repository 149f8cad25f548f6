"""The disagreements of a run, their reasons from reasons.yaml, and docs/agreement.md."""

import os
import re
import sys

import yaml

import compare

FIELD = os.path.join(os.path.dirname(__file__), "field_figures.md")
SHOWN = 40  # unexplained disagreements that are printed
# By how much a count on the page may differ from what comes out: so many objects, or this share of the count.
LAG, LAG_SHARE = 25, 0.03


class Reason:
    def __init__(self, entry):
        self.side, self.why = entry["side"], entry["why"]
        self.both = entry.get("both")
        self.times = entry.get("times")
        if self.times is None and self.both is not True:
            raise ValueError("a reason for differing verdicts says how many `times` it fits: %s" % self.why)
        self.rule = re.compile(entry["match"], re.S)
        self.count = 0

    def fits(self, difference):
        if self.side != difference.side or self.both not in (None, difference.refused):
            return False
        return self.rule.search(difference.text())


class Agreement:
    def __init__(self, cases, theirs, ours, reasons):
        with open(reasons, encoding="utf-8") as file:
            self.reasons = [Reason(entry) for entry in yaml.safe_load(file)]
        self.cases = cases
        self.same = self.verdicts = self.refused = 0
        self.refused_goldens = []
        self.unexplained = []
        self.groups = {}
        for case, (own, pods), found in zip(cases, theirs, ours):
            if own is None:
                # Neither side knows such a kind: ours says so.
                self.count(case, bool(found), bool(found))
                continue
            self.take(case, own, pods, found)

    def take(self, case, own, pods, found):
        refused = own.refused() or any(each.refused() for _, each in pods)
        if case.keyword == "as it is" and (own.refused() or refused and not case.group == "smallest"):
            self.refused_goldens.append((case, own.causes, [each.message for each in found]))
        left = compare.differences(case.value, own, pods, found)
        self.count(case, refused == bool(found), not left)
        self.refused += refused
        for difference in left:
            for reason in self.reasons:
                if reason.fits(difference):
                    reason.count += 1
                    break
            else:
                self.unexplained.append((case, difference))

    def count(self, case, verdict, same):
        self.verdicts += verdict
        self.same += same
        group = self.groups.setdefault(origin(case), [0, 0, 0])
        group[0] += 1
        group[1] += verdict
        group[2] += same

    def stale(self):
        return [reason for reason in self.reasons if reason.count == 0]

    def miscounted(self):
        return [reason for reason in self.reasons if reason.times not in (None, reason.count)]

    def document(self):
        lines = [HEAD % (len(self.cases), self.refused, self.verdicts, self.same)]
        lines.append("| objects | how many | same verdict | and the same places |\n|---|---:|---:|---:|\n")
        for name in sorted(self.groups):
            lines.append("| %s | %d | %d | %d |\n" % (name, *self.groups[name]))
        for side, title in ((compare.SERVER, "What only the server says"), (compare.US, "What only we say")):
            lines.append("\n## %s\n\n| how often | why |\n|---:|---|\n" % title)
            for reason in self.reasons:
                if reason.side == side:
                    lines.append("| %d | %s |\n" % (reason.count, reason.why))
        with open(FIELD, encoding="utf-8") as file:  # measured by hand on files of others
            lines.append("\n" + file.read())
        return "".join(lines)


HEAD = """# Agreement with the API server

For people who ask how far they can trust `validate`: how often it and a real kube-apiserver say the
same, and why they differ. `scripts/e2e --update` writes this page.

`scripts/e2e` starts a real kube-apiserver with the upstream CRDs. It creates a corpus of objects
there, as a dry run with strict field validation. `trainyard validate` judges the same objects, and
the script compares verdicts and places. It fails if this page is out of date, or if a count is far
off. (A new golden case adds a few objects.)

Objects: %d, of these the server refuses %d, or the pods of their templates. Both come to the same
verdict on %d of them, and name the same places for %d. The tables below explain every other
difference. A difference without a reason fails the test.

Two places count as the same in three cases:

- one side names an entry, and the other the map or list that contains it;
- something is missing, and one side names the map that lacks it;
- one fault concerns two fields beside each other, and the sides name different ones.

The server stops earlier than Trainyard: at the first value that it cannot read, then at unknown
fields. The script does not compare what comes after that. Other tests compare the webhooks and
controllers of operators (`tests/oracles`).

"""


def origin(case):
    """Where an object of the corpus comes from, in a few words."""
    for begin, name in (("golden", "golden outputs and their mutations"), ("base", "objects of built-in kinds and operators, and mutations"),
                        ("smallest", "smallest objects of the CRDs"), ("pod check", "instances of checks of pods"),
                        ("job check", "instances of checks of Jobs"), ("object check", "instances of checks of objects")):
        if case.group.startswith(begin):
            return name
    return "rules of schemas" if case.keyword == "rule" else "keywords of schemas"


def report(result, path, update, complete):
    """Prints what is wrong; 0 when nothing is."""
    bad = False
    for case, causes, messages in result.refused_goldens:
        bad = True
        tell("an object that must be fine is refused: %s\n      server: %s\n      us: %s" % (case.name(), causes, messages))
    if result.unexplained:
        bad = True
        tell("%d differences without a reason" % len(result.unexplained))
        for case, difference in result.unexplained[:SHOWN]:
            tell("%s\n      only %s says: %s" % (case.name(), difference.side, difference.text()))
    if not complete:
        tell("not every CRD is at hand, so docs/agreement.md is not compared")
        return 1 if bad else 0
    for reason in result.stale():
        bad = True
        tell("a reason that fits nothing any more: %s" % reason.why)
    for reason in result.miscounted():
        bad = True
        tell("a reason that fits %d times, and reasons.yaml says %d: %s" % (reason.count, reason.times, reason.why))
    text = result.document()
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        moved = page_differences(path, text)
        bad = bad or bool(moved)
        for each in moved:
            tell("docs/agreement.md: %s; scripts/e2e --update writes it" % each)
    tell("%d objects, same verdict on %d, same places for %d" % (len(result.cases), result.verdicts, result.same))
    return 1 if bad else 0


def page_differences(path, text):
    """What the page at `path` no longer says as `text` does. Every new golden adds objects, so counts may lag a little;
    a reason that suddenly covers many more objects may not."""
    if not os.path.exists(path):
        return ["there is no such page"]
    with open(path, encoding="utf-8") as file:
        old_lines, new_lines = file.read().splitlines(), text.splitlines()
    found = ["%d lines, and %d come out" % (len(old_lines), len(new_lines))] if len(old_lines) != len(new_lines) else []
    for number, (old, new) in enumerate(zip(old_lines, new_lines), 1):
        if old == new:
            continue
        before, after = (list(map(int, re.findall(r"\d+", line))) for line in (old, new))
        if re.sub(r"\d+", "N", old) != re.sub(r"\d+", "N", new):
            return found + ["line %d is `%s`, and `%s` comes out" % (number, old, new)]
        if any(abs(a - b) > max(LAG, LAG_SHARE * b) for a, b in zip(after, before)):
            found.append("line %d counts %s, and %s come out" % (number, before, after))
    return found


def tell(text):
    print("   " + text, file=sys.stderr, flush=True)
