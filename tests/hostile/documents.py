"""Mutated documents through every command: each golden case is a set of files and calls to start from.

usage: documents.py PROGRAM [--seconds N] [--seed N] [--case N]
"""

import pathlib
import shlex
import shutil

import hostile

EXPECTATIONS = {"args", "inputs", "stdout", "stderr", "exit", "out", "after", "before", "true-digests"}

# Formats that no other text has, so that each is recognised wherever it stands as a word.
CREDENTIALS = [
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "nvapi-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2",
    "xoxb-" + "123456789012-123456789012-a1B2c3D4e5F6g7H8i9J0k1L2",
]

ODD_TEXTS = [
    "&a [*a]", "*nowhere", "&x 1", "!!binary aGk=", "!!set {a}", "<<: *a", "~", "", "-", "- - - -", "{}", "[]", "{{}: 1}",
    "1e999", "-0", "0x7fffffffffffffff", "9" * 400, "0.1e-400", ".inf", ".nan", "1_000", "0o777", "12:30:45",
    "'", '"', '"\\ud800"', '"\\x00"', '"\\u202e"', "\x1b[31mred\x1b[0m", "\u202eevil", "\x07", "\x00", "\ufeff", "\u2028",
    "|", ">-", "|9", "%YAML 1.2", "---", "...", "? a", "@", "`", "#", "<<<<<<< HEAD", "../../../../etc/passwd",
    "/dev/zero", "/proc/self/environ", "$(A)", "$$(A)", "$(" * 200, "a" * 5000, "(" * 300, "{" * 300, "[" * 300,
    "self.all(x, self.all(y, x == y))", "^(a+)+$", "(?i)x{1000}", "**/**/**/*", "2026-13-45T99:99:99Z", "999999Gi", "-1",
]

FORMATS = ["text", "json", "sarif", "junit", "github"]


def commands(random, names):
    """A call over some of these files."""
    file = random.choice(names)
    other = random.choice(names)
    line = str(random.randrange(1, 40))
    return random.choice([
        ["build", file],
        ["build", file, "--cluster", other],
        ["build", file, "-o", "made", "--provenance"],
        ["build", ".", "-o", "made", "--yes"],
        ["build", file, "-o", "made", "--check"],
        ["render", file],
        ["render", ".", "--yes"],
        ["render", ".", "--check", "--output", "json"],
        ["build", file, "--overlay", other],
        ["build", file, "--policy", other],
        ["build", file, "--lock", other, "--locked"],
        ["build", file, "--config", other],
        ["validate", "."],
        ["validate", file, "--output", random.choice(FORMATS)],
        ["validate", file, "--old", other],
        ["validate", file, "--policy", other, "--strict"],
        ["validate", file, "--cluster", other, "--kubernetes-version", random.choice(["1.27", "1.30", "1.33"])],
        ["validate", file, "--schemas", "."],
        ["validate", file, "--reader", "reference"],
        ["fmt", file],
        ["fmt", ".", "--check"],
        ["convert", file],
        ["convert", file, "--cluster", other, "--strict"],
        ["explain", "pod", file],
        ["explain", "pod", file, "--index", line],
        ["explain", "pod", file, "--output", "json"],
        ["explain", "status", file],
        ["why", file, "--line", line],
        ["why", file, "--line", line, "--output", "json"],
        ["lock", file, "--from", other],
        ["lock", file, "--lock", other, "--check"],
        ["schema", "import", file],
        ["schema", "import", file, "-o", "schemas"],
        ["schema", "import", file, "--definition", "v1/Pod"],
        ["doctor", "--offline", file, "--cluster", other],
        ["graph", file],
        ["graph", file, other, "--output", "svg"],
        ["graph", file, "--cluster", other, "--output", "mermaid"],
        ["graph", file, "--output", "dot"],
        ["status", "--from", "."],
        ["status", "--from", file, "--from", other, other],
        ["diagnose", "--from", file, "--spec", other, "--logs", other],
    ])


class Lines:
    """A text as lines, of which one with the deeper ones below it is a subtree."""

    def __init__(self, text, random):
        self.lines = text.split("\n")
        self.random = random

    def depth(self, at):
        line = self.lines[at]
        return len(line) - len(line.lstrip(" "))

    def subtree(self):
        first = self.random.randrange(len(self.lines))
        end = first + 1
        while end < len(self.lines) and self.depth(end) > self.depth(first):
            end += 1
        return first, end

    def remove(self):
        first, end = self.subtree()
        del self.lines[first:end]

    def repeat(self):
        first, end = self.subtree()
        self.lines[first:first] = self.lines[first:end] * self.random.choice([1, 1, 2, 20])

    def move(self):
        first, end = self.subtree()
        part = self.lines[first:end]
        del self.lines[first:end]
        at = self.random.randrange(len(self.lines) + 1)
        self.lines[at:at] = part

    def shift(self):
        first, end = self.subtree()
        self.lines[first:end] = ["  " + line for line in self.lines[first:end]]

    def swap_values(self):
        a, b = (self.random.randrange(len(self.lines)) for _ in range(2))
        key, _, _ = self.lines[a].partition(": ")
        _, colon, value = self.lines[b].partition(": ")
        if colon:
            self.lines[a] = f"{key}: {value}"

    def odd_value(self):
        at = self.random.randrange(len(self.lines))
        key, _, _ = self.lines[at].partition(": ")
        self.lines[at] = f"{key}: {self.random.choice(ODD_TEXTS)}"

    def odd_text(self):
        at = self.random.randrange(len(self.lines))
        line = self.lines[at]
        place = self.random.randrange(len(line) + 1)
        self.lines[at] = line[:place] + self.random.choice(ODD_TEXTS) + line[place:]

    def cut(self):
        text = "\n".join(self.lines)
        self.lines = text[: self.random.randrange(len(text) + 1)].split("\n")

    def deepen(self):
        at = self.random.randrange(len(self.lines))
        open_, close = self.random.choice(["[]", "{}"])
        many = self.random.choice([10, 70, 2000])
        key, _, _ = self.lines[at].partition(": ")
        inner = "a: " if open_ == "{" else ""
        self.lines[at] = f"{key}: {(open_ + inner) * many}1{close * many}"

    def mutate(self):
        if not self.lines:
            return
        self.random.choice([
            self.remove, self.repeat, self.move, self.shift, self.swap_values, self.odd_value, self.odd_value, self.odd_text,
            self.cut, self.deepen,
        ])()

    def plant(self, credential):
        """As the value of a line, within its value, behind a comment, or as a line of its own."""
        at = self.random.randrange(len(self.lines))
        line = self.lines[at]
        key, _, value = line.partition(": ")
        self.lines[at] = self.random.choice([
            f"{key}: {credential}", f'{key}: "{credential}"', f"{key}: {value} {credential}", f"{line} # {credential}",
            f"{key}: [{credential}]", f"{key}: https://user:{credential}@example.com/a", f"{key}: TOKEN={credential}",
            f"{key}: {{a: {credential}}}",
        ])


def flip_bytes(data, random):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 4, 30])):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


def starting_files(case):
    """The files of a golden case, and its calls."""
    source = case.random.choice(GOLDEN_CASES)
    for part in source.iterdir():
        if part.name in EXPECTATIONS:
            continue
        copy = shutil.copytree if part.is_dir() else shutil.copy
        copy(part, case.folder / part.name)
    if (source / "before").is_dir():
        shutil.copytree(source / "before", case.folder, dirs_exist_ok=True)
    if (source / "inputs").is_file():
        for name in (source / "inputs").read_text().split("\n"):
            origin = hostile.ROOT / name
            if name and origin.is_file():
                shutil.copy(origin, case.folder / origin.name)
    (case.folder / ".git").mkdir(exist_ok=True)
    lines = (source / "args").read_text().split("\n")
    return [shlex.split(line) for line in lines if line and not line.startswith("#") and "<" not in line]


GOLDEN_CASES = sorted(path.parent for path in hostile.GOLDEN.rglob("args"))


def change(path, random, planted):
    data = path.read_bytes()
    lines = Lines(data.decode("utf-8", "replace"), random)
    for _ in range(random.choice([1, 1, 2, 5])):
        lines.mutate()
    if random.random() < 0.3 and lines.lines:
        credential = random.choice(CREDENTIALS)
        lines.plant(credential)
        planted.add(credential)
    data = "\n".join(lines.lines).encode("utf-8", "surrogatepass")
    if random.random() < 0.1 and not planted:
        data = flip_bytes(data, random)
    path.write_bytes(data)


def generate(case):
    calls = starting_files(case)
    names = hostile.files_of(case.folder)
    files = [case.folder / name for name in names]
    if not files:
        return  # a case of the command line alone
    planted = set()
    for path in case.random.sample(files, min(len(files), case.random.choice([1, 1, 2]))):
        change(path, case.random, planted)
    size = sum(path.stat().st_size for path in files)
    calls += [commands(case.random, names) for _ in range(3)]
    for words in calls:
        result = case.run(words)
        hostile.require_decent(result, size)
        hostile.require_hidden(result, planted)
        require_clean_output(result)


def require_clean_output(result):
    """Standard output is YAML, JSON or XML, or text for people: none of them needs a raw control character."""
    control = hostile.re.search(b"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", result.out)
    hostile.require(not control, f"{result} writes a raw {control and control.group()!r} to standard output")


if __name__ == "__main__":
    hostile.main(generate)
