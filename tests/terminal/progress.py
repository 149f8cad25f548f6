"""What the program shows on a terminal while it works, and at its end.

usage: progress.py TRAINYARD

A program that waits for its standard input has worked for more than a second, on any machine.
"""

import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: job-%d}
spec:
  image: registry.example.com/ml/train:1.4
  run: {command: [./train]}
  gpusPerNode: 0
"""
FILES = 400
BAR = re.compile(r"\r\x1b\[K\[[#.]{24}\] \d+ of \d+ files, [\d.]+/s")


def on_terminal(program, arguments, folder, pause=0.0, **variables):
    """Runs the program with standard error on a terminal; its exit code, and what the terminal got. What asks for
    standard input gets it after a pause."""
    master, terminal = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
    with subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=terminal, env=environment) as run:
        os.close(terminal)
        time.sleep(pause)
        if "-" in arguments:
            run.stdin.write((SPEC % FILES).encode())
        run.stdin.close()
        got = b""
        while True:
            if not select.select([master], [], [], 120)[0]:
                run.kill()
                sys.exit("the program does not end")
            try:
                more = os.read(master, 1 << 16)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            got += more
    os.close(master)
    return run.returncode, got.decode()


def expect(what, holds, text):
    if not holds:
        sys.exit(f"{what}: not so in {text!r}")
    print(f"{what}: as it has to be")


def check(program, folder):
    for number in range(FILES):
        (folder / f"{number}.yaml").write_text(SPEC % number)
    (folder / "wrong.yml").write_text(SPEC.replace("image", "imagee") % FILES)
    good = [f"{number}.yaml" for number in range(FILES)]
    slow = ["--jobs", "1", "-"]

    code, text = on_terminal(program, ["validate", *slow, *good], folder, pause=1.3)
    expect("work of more than a second shows a bar", code == 0 and BAR.search(text), text)
    after = text[text.rindex("\x1b[K"):]
    expect("the bar is gone at the end, and counts and time are told",
           re.fullmatch(rf"\x1b\[K{FILES + 1} documents are valid in [\d.]+ s\r\n", after), text)
    expect("a bar alone is no colour", "\x1b[3" not in text and "\x1b[1" not in text, text)

    _, text = on_terminal(program, ["validate", *slow, *good], folder, pause=1.3, NO_COLOR="1")
    expect("without colours the bar stays", BAR.search(text), text)
    _, text = on_terminal(program, ["validate", *slow, *good], folder, pause=1.3, TERM="dumb")
    expect("a dumb terminal gets no bar", "\x1b" not in text and " are valid in " in text, text)
    _, text = on_terminal(program, ["validate", "-q", *slow, *good], folder, pause=1.3)
    expect("`-q` shows neither bar nor summary", text == "", text)

    code, text = on_terminal(program, ["validate", "wrong.yml"], folder)
    expect("findings are counted by effect", code == 1 and re.search(r"1 document checked in \d+ ms: 1 refused\r\n$", text), text)
    expect("and are in colour", "\x1b[" in text, text)
    _, text = on_terminal(program, ["validate", "wrong.yml"], folder, TERM="dumb")
    expect("a dumb terminal gets no colour", "\x1b" not in text, text)
    _, text = on_terminal(program, ["build", *slow, *good, "-o", "out"], folder, pause=1.3)
    expect("a build shows a bar, files and time",
           BAR.search(text) and re.search(rf"{FILES + 1} specs compiled, {FILES + 2} files written, 0 removed in ", text), text)

    piped = subprocess.run([program, "validate", *good], cwd=folder, capture_output=True, text=True, check=False)
    expect("a pipe gets neither bar nor time", piped.stderr == f"{FILES} documents are valid\n", piped.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="trainyard-terminal-") as folder:
        check(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))


if __name__ == "__main__":
    main()
