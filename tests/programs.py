"""Programs that tests ask, made once by scripts/oracles or scripts/pypi, and how a test ends."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def made_by(script, *names):
    """The path that the script prints. Ends the test with 77, which skips it, if the program cannot be had."""
    done = subprocess.run([ROOT / "scripts" / script, *names], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        print(done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return pathlib.Path(done.stdout.strip())


def finish(faults):
    """Prints the faults and ends the test: with 1 if there is one."""
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)
