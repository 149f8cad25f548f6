"""Writes docs/launch.md: a table of cases and targets, and a footnote for each cell that did not run."""

STATES = ("passed", "failed", "refused", "not run", "skipped")
HEAD = """# Launched for real

For people who want to know whether what Trainyard writes starts: which launchers and frameworks we
ran on which targets, and what we did not run.

`scripts/launch --update` writes this page. It builds each spec for each target, and runs each pod
of `trainyard explain pod` as processes in a network namespace: with its names, variables, commands,
files and init containers, and with the real launcher and framework on processors
([testing.md](testing.md#launched-for-real)).

| in the table | means |
|---|---|
| yes | it ran: size of the world, ranks of each node, a sum over all ranks and exit codes are right |
| – | the target cannot express the spec; `build` says so |
| a number | it did not run; the note below the table says why |

"""


def short(name):
    return name.replace("runai-distributed", "runai-dist.")


def write(path, table, cells):
    targets = sorted({each.target for each in cells})
    notes, rows = [], []
    for case in table["cases"]:
        own = {each.target: each for each in cells if each.case["name"] == case["name"]}
        marks = [mark(own[target], notes) for target in targets]
        rows.append(f"| {case['name']} | " + " | ".join(marks) + " |")
    head = "| case | " + " | ".join(map(short, targets)) + " |"
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "\n".join([head, "|---" * (len(targets) + 1) + "|", *rows]) + "\n\n")
        file.write("".join(f"{number}. {note}\n" for number, note in enumerate(notes, 1)) + "\n")
        file.write(counts(cells) + "\n\n" + images(table) + "\n\n" + expectations(table))


def mark(cell, notes):
    if cell.state in ("passed", "refused"):
        return "yes" if cell.state == "passed" else "–"
    note = cell.why[:1].upper() + cell.why[1:] + "." if cell.state != "failed" else "**Failed.** " + cell.why
    if note not in notes:
        notes.append(note)
    return str(notes.index(note) + 1)


def counts(cells):
    number = {state: sum(each.state == state for each in cells) for state in STATES}
    return (f"{len(cells)} cells: {number['passed']} ran well, {number['failed']} failed, {number['refused']} are "
            f"refused by `build`, {number['not run'] + number['skipped']} did not run.")


def images(table):
    lines = ["## Images", "", "| image | made of |", "|---|---|"]
    for name, image in table["images"].items():
        used = sorted(each["name"] for each in table["cases"] if each["image"] == name)
        if used:
            lines.append(f"| {name} | Debian {image['suite']}: {', '.join(image['shows'])} |")
    return "\n".join(lines)


def expectations(table):
    lines = ["## Cases", "", "| case | what must hold |", "|---|---|"]
    lines += [f"| {each['name']} | {each['holds']} |" for each in table["cases"]]
    return "\n".join(lines) + "\n"
