"""Documents with one part repeated: four times as much may take nine times as long, no more.

usage: growth.py PROGRAM [--seconds N] [--seed N] [--case N]

A part is an item, an entry, a document or a text of a golden case's file. It is repeated as it is or with a number in
its names, until the file has some ten thousand bytes, and then four times as many. Processor times are compared with
each other, never with a clock: `tests/growth.h` does the same for single functions.
"""

import re

import documents
import hostile

MOST_GROWTH = 9.0  # of tests/growth.h: 4 is linear, 16 is quadratic
TOO_SHORT = 0.1  # seconds of processor time; what takes less is no trouble, and too little to compare
SMALL = [20_000, 100_000]  # bytes of the smaller file
NAMES = re.compile(r"(name: *)([A-Za-z0-9-]+)")


def numbered(text, number):
    return NAMES.sub(rf"\g<1>\g<2>-{number}", text)


def numbered_entry(text, number):
    """An entry of a map under a key of its own."""
    return re.sub(r"^( *)([^:\n]+):", rf"\g<1>\g<2>{number}:", numbered(text, number), count=1)


class Growing:
    """A text in front, a part to repeat, and a text behind."""

    def __init__(self, text, random):
        self.lines = documents.Lines(text, random)
        self.random = random
        ways = [self.subtree, self.subtree, self.subtree, self.whole, self.value]
        self.before, self.part, self.after = random.choice(ways)(text)
        self.change = random.choice([numbered, numbered_entry, lambda text, _: text])

    def subtree(self, _):
        first, end = self.lines.subtree()
        parts = (self.lines.lines[:first], self.lines.lines[first:end], self.lines.lines[end:])
        before, part, after = ("".join(line + "\n" for line in lines) for lines in parts)
        return before, part, after

    def whole(self, text):
        return "", "---\n" + text + "\n", ""

    def value(self, text):
        """A piece of the value of a line, such as a character of a pattern or an item of a list in one line."""
        at = self.random.randrange(len(text))
        end = min(len(text), at + self.random.choice([1, 2, 5, 20]))
        return text[:at], text[at:end].replace("\n", " "), text[end:]

    def of_size(self, size):
        count = size // max(1, len(self.part)) + 1
        return self.before + "".join(self.change(self.part, number) for number in range(count)) + self.after


def least_seconds(case, path, text, words, runs):
    path.write_text(text)
    results = [case.run(words) for _ in range(runs)]
    for result in results:
        hostile.require_decent(result, len(text))
    return min(result.seconds for result in results)


def generate(case):
    documents.starting_files(case)
    names = [name for name in hostile.files_of(case.folder) if (case.folder / name).stat().st_size]
    if not names:
        return
    name = case.random.choice(names)
    path = case.folder / name
    growing = Growing(path.read_text("utf-8", "replace"), case.random)
    words = documents.commands(case.random, [name, name, *names])
    if sum(word.partition(":")[0] in (name, ".") for word in words) != 1:
        return  # policies and the specs that they are for cost their product
    size = case.random.choice(SMALL)
    small, large = (growing.of_size(times * size) for times in (1, 4))
    if least_seconds(case, path, large, words, 1) < TOO_SHORT:
        return
    for runs in (1, 3):  # the machine may be busy with something else
        long = least_seconds(case, path, large, words, runs)
        short = max(0.001, least_seconds(case, path, small, words, runs))
        if long <= MOST_GROWTH * short:
            return
    path.write_text(small)
    hostile.require(
        False,
        f"`trainyard {' '.join(words)}` takes {long:.2f} s for {len(large)} bytes, {short:.2f} s for {len(small)}; "
        f"repeated is {growing.part[:300]!r}",
    )


if __name__ == "__main__":
    hostile.main(generate)
