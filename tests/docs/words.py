"""scripts/check-words and scripts/docs find what they are for, and find nothing in this repository.

usage: words.py
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position


def loaded(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(programs.ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


words, docs = loaded("check-words"), loaded("docs")
LONG = " ".join(["word"] * 21)
SHORT = " ".join(["word"] * 20)
FILLED = "a " * 49 + "ab\n"
TABLE = words.rows()

# What is looked at, and the lines with a fault.
SENTENCES = {
    "a sentence of 21 words": (f"# A page\n\n{LONG}.\n", [3]),
    "one of 20": (f"{SHORT}.\n", []),
    "the second of two": (f"{SHORT}.\n{LONG}.\n", [2]),
    "one in an item of a list": (f"- {LONG}\n", [1]),
    "one in a cell": (f"| a | {LONG} |\n", [1]),
    "a cell that lists things": (f"| a | {SHORT}; {SHORT} |\n", []),
    "one in parentheses": (f"a ({LONG}) b.\n", [1]),
    "one around parentheses": (f"{SHORT} (a b) word.\n", [1]),
    "code is one word": (f"`{LONG}` {' '.join(['word'] * 19)}.\n", []),
    "so is a list of code": (f"`a`, `b` and `c` {' '.join(['word'] * 19)}.\n", []),
    "a block of code": (f"```\n{LONG}\n```\n", []),
    "what a program prints": (f"<!-- run: list -->\n{LONG}\n<!-- end -->\n", []),
    "a colon ends a sentence": (f"{SHORT}: {SHORT}.\n", []),
}
WORDS = {
    "a word in a page": ("docs/a.md", "a\nNobody knows.\n", [2]),
    "words on two lines": ("docs/a.md", "a thing of\nwhich b\n", [1]),
    "one in code": ("docs/a.md", "`nobody` and\n```\nnobody\n```\n", []),
    "a part of another word": ("docs/a.md", "busybody nobodys\n", []),
    "a comment of C++": ("compiler/a.cc", 'int a;  // nobody\nconst char* b = "// none";\n', [1]),
    "a message": ("compiler/a.cc", 'f("a"\n  "which nobody knows");\n', [2]),
    "a text of a test": ("tests/a.cc", 'f("nobody");\n', []),
    "an included file": ("compiler/a.cc", '#include "nobody.h"\n', []),
    "a comment behind a text": ("compiler/a.cc", 'f("http://a");  // nobody\n', [1]),
    "the name of a test": ("tests/a.cc", 'TEST_CASE("nobody") {\n', [1]),
    "a long name of a test": ("tests/a.cc", 'TEST_CASE(\n    "nobody") {\n', [2]),
    "code of C++": ("compiler/a.cc", "int nobody = 0;\n", []),
    "the header of a script": ("scripts/a", "#!/bin/sh\n# nobody\n\n# nobody\n", [2]),
    "the header of a script in Python": ("scripts/a", '#!/usr/bin/python3\n"""Says\n\nnobody"""\n', [4]),
    "a word for pages only": ("compiler/a.cc", "// made anew\n", []),
    "the released part of the changelog": ("CHANGELOG.md", "# A\n\n## Unreleased\n\nnobody\n\n## 0.1.0\n\nnobody\n", [5]),
}
LINES = {
    "short lines": ("a\nb\n", "a b\n"),
    "a long line": (FILLED.strip() + " c\n", FILLED + "c\n"),
    "items": ("- a\n  b\n- c\n", "- a b\n- c\n"),
    "a table, a heading, code": ("# a\n\n| a |\n|---|\n\n```\na\nb\n```\n", None),
    "code in one line": (FILLED.strip() + " `a\nb` c\n", FILLED + "`a b` c\n"),
    "a comment is no block of HTML": ("a <!-- lines: build\nx -->1<!-- end --> c\n", "a <!-- lines: build x -->1<!-- end --> c\n"),
    "a number at the end of a line": ("a " * 49 + "as\n2. c\n", "a " * 49 + "as\n2. c\n"),
}
LINKS = {
    "a file that does not exist": ("[a](none.md)\n", 1),
    "a heading that does not exist": ("# A\n\n[a](#b)\n", 1),
    "a heading": ("# A `b`, c\n\n[a](#a-b-c)\n", 0),
    "a link in code": ("`[a](none.md)`\n", 0),
    "another server": ("[a](https://example.com/none.md)\n", 0),
}


def faults():
    for name, (text, lines) in SENTENCES.items():
        found = [line for line, _ in words.long_sentences(text)]
        if found != lines:
            yield f"{name}: long sentences in {found}, not in {lines}"
    for name, (path, text, lines) in WORDS.items():
        found = [line for line, _ in words.words_found(path, text, TABLE)]
        if found != lines:
            yield f"{name}: words in {found}, not in {lines}"
    for name, (text, after) in LINES.items():
        found = words.wrapped(text)
        if found != (after or text) or words.wrapped(found) != found:
            yield f"{name}: filled as {found!r}"
    for name, (text, count) in LINKS.items():
        found = list(docs.faults_of_links("docs/index.md", {"docs/index.md": text}))
        if len(found) != count:
            yield f"{name}: {found}"
    for script in ("check-words", "docs"):
        done = subprocess.run([programs.ROOT / "scripts" / script], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            yield f"scripts/{script}:\n{done.stdout}{done.stderr}"


if __name__ == "__main__":
    programs.finish(list(faults()))
