"""Where two verdicts on one object are not the same."""

import re

from judge import FIELDS, FIELD_KINDS, MEANING, READING, without_indexes

SERVER = "server"
US = "us"


class Difference:
    """One thing that only one `side` says about the object."""

    def __init__(self, side, kind, name, path, message, refused):
        self.side, self.kind, self.name, self.path, self.message = side, kind, name, path, message
        self.refused = refused  # by the other side as well, for something else or at another place

    def text(self):
        """What reasons.yaml matches."""
        return "%s | %s | %s | %s" % (self.kind, self.name, self.path, self.message)


def differences(value, own, pods, found):
    """What only one side says.

    `own` is the server's verdict on the object, `value`, `pods` are its verdicts on the pods of its
    templates, and `found` is what we say.
    """
    refused_pods = [(path, each) for path, each in pods if each is not None and each.refused()]
    server_refuses = own.refused() or bool(refused_pods)
    kind = "%s %s" % (value.get("apiVersion"), value.get("kind"))
    if found and server_refuses:
        missed, extra = beside(value, *other_places(value, own, refused_pods, found))
    else:
        missed = [each for _, each in all_causes(own, refused_pods)] if server_refuses else []
        extra = found
    return ([Difference(SERVER, kind, stage, path, message, bool(found)) for stage, path, message in missed] +
            [Difference(US, kind, each.name(), each.path, each.message, server_refuses) for each in extra])


# How the server calls a field inside, where it validates another form of an object than the one that was sent: (kind, its
# path, ours).
INNER_NAMES = [(kind, re.compile(inner), outer) for kind, inner, outer in (
    ("Node", r"^metadata\.taints\b", "spec.taints"),
    ("RuntimeClass", r"^overhead\.limits\b", "overhead.podFixed"),
)]


def own_name(value, path):
    """A path of the server as the object has it."""
    for kind, inner, outer in INNER_NAMES:
        if value.get("kind") == kind:
            path = inner.sub(outer, path)
    if value.get("kind") == "Secret" and path.startswith("data."):
        key = path[len("data."):]
        if key in (value.get("stringData") or {}) and key not in (value.get("data") or {}):
            return "stringData." + key
    return path


def all_causes(own, refused_pods):
    """(verdict, (stage, path, message)) of the object, then of its pods."""
    if own.refused():
        for path, message in own.causes:
            yield own, (own.stage, path, message)
    for prefix, verdict in refused_pods:
        for path, message in verdict.causes:
            yield verdict, ("pod", prefix + ("." + path if path else ""), message)


def other_places(value, own, refused_pods, found):
    """What is left over on both sides, of what both could say at the stage at which the server stopped."""
    if own.refused() and not own.paths:
        return [], []
    told = [steps(value, each.path) for each in found]
    if own.stage == READING:
        # Only the first is reported, without the positions in lists.
        path, message = own.causes[0]
        same = [each for each in found if (without_indexes(each.path) + ".").startswith(path + ".")]
        return ([] if same else [(READING, path, message)]), []
    mine = [each for each in found if not (own.no_rules and each.kind == "cel-rule")]
    theirs = []
    for verdict, (stage, path, message) in all_causes(own, refused_pods):
        if own.stage == FIELDS and verdict is not own:
            continue
        if verdict.stage == MEANING or verdict is own:
            theirs.append((stage, own_name(value, path) if verdict is own else path, message))
    if own.stage == FIELDS:
        mine = [each for each in mine if each.kind in FIELD_KINDS]
    for prefix, verdict in refused_pods:
        if verdict.stage != MEANING or not verdict.paths:
            # The pod is not read to its end, so what it means is unknown.
            mine = [each for each in mine if not (each.path + ".").startswith(prefix + ".")]
            theirs = [each for each in theirs if each[0] != "pod" or not each[1].startswith(prefix)]
    heard = [steps(value, path) for _, path, _ in theirs]
    missed = [each for each, place in zip(theirs, heard) if not any(near(value, mark, place) for mark in told)]
    extra = [each for each in mine if not any(near(value, steps(value, each.path), place) for place in heard)]
    return missed, extra


def beside(value, missed, extra):
    """Without the pairs that stand beside each other: one fault, of which either side blames another part."""
    for theirs in list(missed):
        for mine in extra:
            a, b = steps(value, theirs[1]), steps(value, mine.path)
            common = 0
            while common < min(len(a), len(b)) and a[common] == b[common]:
                common += 1
            if common > 0 and max(len(a), len(b)) - common <= 2:
                missed.remove(theirs)
                extra.remove(mine)
                break
    return missed, extra


def near(value, mine, theirs):
    """The same place; or one names an entry and the other what it is in; or, of something that is missing,
    we name what it is missing from."""
    if mine == theirs or mine == theirs[:-1] or theirs == mine[:-1]:
        return True
    return theirs[:len(mine)] == mine and missing_from(value, theirs) == mine


def steps(value, path):
    """A path taken apart, by the names that are there: they may have dots themselves."""
    found = []
    while path:
        for step, below in entries(value):
            if path == step or path.startswith(step + "."):
                break
        else:
            return found + path.split(".")
        found.append(step)
        path, value = path[len(step) + 1:], below
    return found


def missing_from(value, path):
    """How much of a path is there."""
    for depth, step in enumerate(path):
        below = dict(entries(value)).get(step)
        if below is None:
            return path[:depth]
        value = below
    return path


def entries(value):
    """Longer names first."""
    if isinstance(value, dict):
        return sorted(value.items(), key=lambda each: -len(each[0]))
    if isinstance(value, list):
        return [(str(index), below) for index, below in enumerate(value)]
    return []
