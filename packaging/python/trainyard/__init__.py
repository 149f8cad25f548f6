"""Trainyard for Python: the program (`program()` is its path), and its commands in this process (library.py)."""

import os
import sys
import sysconfig

from trainyard.library import Built, Diagnostic, Refused, TrainyardError, build, explain, run, validate

__all__ = ["Built", "Diagnostic", "Refused", "TrainyardError", "build", "explain", "program", "run", "validate"]


def program() -> str:
    """The path of the program that came with this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target, --prefix of pip itself
        os.path.join(sys.prefix, "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, "trainyard")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("the program trainyard of this package is in none of " + ", ".join(folders))
