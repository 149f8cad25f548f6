"""Trainyard in this process: `build`, `validate` and `explain` by libtrainyard.

    import trainyard
    built = trainyard.build(open("job.yaml").read(), cluster=open("cluster.yaml").read())
    print(built.manifests)

Texts go in and come out; no file is read or written. Calls may run in several threads.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """A finding: where it is, what is wrong, and what would be right."""

    severity: str  # error, warning or note
    message: str
    kind: str
    check: str | None
    effect: str | None
    file: str
    line: int
    column: int
    notes: tuple[str, ...]
    raw: Mapping[str, Any]  # all that the report has of it

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"


class TrainyardError(Exception):
    """A call that gave no result; `exit_code` says which kind (docs/exit-codes.md)."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Refused(TrainyardError):
    """The input has errors; `diagnostics` has these and all other findings."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        errors = [each for each in diagnostics if each.severity == "error"]
        super().__init__("\n".join(map(str, errors)), 1)
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True)
class Built:
    """Manifests, as one YAML stream, and what is worth knowing about them."""

    manifests: str
    diagnostics: tuple[Diagnostic, ...]


def build(
    spec: str, *, cluster: str | None = None, target: str | None = None, files: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> Built:
    """Compiles the text of specs. `files` are others that they name, by path. Raises Refused."""
    words = ["build", "spec.yaml", *(["--target", target] if target else []), *options]
    report = _report(words, {"spec.yaml": spec}, cluster, files)
    return Built(report["manifests"], _good(report))


def validate(
    manifests: str, *, cluster: str | None = None, files: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> tuple[Diagnostic, ...]:
    """Checks the text of manifests, and gives what is no error. Raises Refused."""
    return _good(_report(["validate", "manifests.yaml", *options], {"manifests.yaml": manifests}, cluster, files))


def explain(subject: str, *, options: Sequence[str] = ()) -> dict[str, Any]:
    """What `trainyard explain SUBJECT --output json` prints."""
    code, output, message = run(["explain", subject, "--output", "json", *options])
    if code != 0:
        raise TrainyardError(message.strip(), code)
    return json.loads(output)


def run(words: Sequence[str], files: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Runs a command of the library. Gives its exit code, its output, and what it says beside that."""
    library = _load()
    held = [(path.encode(), text.encode()) for path, text in (files or {}).items()]
    given = (_File * len(held))(*(_File(path, text, len(text)) for path, text in held))
    result = library.trainyard_run(_words(words), len(words), given, len(held))
    if not result:
        raise MemoryError
    try:
        output = ctypes.string_at(library.trainyard_output(result), library.trainyard_output_size(result))
        return library.trainyard_exit_code(result), output.decode(), library.trainyard_message(result).decode()
    finally:
        library.trainyard_free(result)


def _report(words: list[str], texts: dict[str, str], cluster: str | None, files: Mapping[str, str] | None) -> dict[str, Any]:
    if cluster is not None:
        texts["cluster.yaml"] = cluster
        words += ["-c", "cluster.yaml"]
    repeated = texts.keys() & (files or {}).keys()
    if repeated:
        raise ValueError(f"`files` may not name {sorted(repeated)}: these are the other arguments")
    code, output, message = run([*words, "--output", "json"], {**(files or {}), **texts})
    if not output:
        raise TrainyardError(message.strip(), code)
    report = json.loads(output)
    if code != 0:
        raise Refused(_diagnostics(report))
    return report


def _good(report: dict[str, Any]) -> tuple[Diagnostic, ...]:
    return tuple(_diagnostics(report))


def _diagnostics(report: dict[str, Any]) -> list[Diagnostic]:
    return [
        Diagnostic(
            severity=each["severity"], message=each["message"], kind=each["kind"], check=each.get("check"), effect=each.get("effect"),
            file=each.get("file") or "", line=each.get("start", {}).get("line", 0), column=each.get("start", {}).get("column", 0),
            notes=tuple(each.get("notes", ())), raw=each,
        )  # fmt: skip
        for each in report["diagnostics"]
    ]


class _File(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def _words(words: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(words))(*(word.encode() for word in words))


_API_VERSION = 1
_loaded: ctypes.CDLL | None = None


def _load() -> ctypes.CDLL:
    global _loaded
    if _loaded is not None:
        return _loaded
    path = os.environ.get("TRAINYARD_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtrainyard.so.1")
    if not os.path.exists(path):
        raise ImportError(f"{path} is missing: this wheel has the program alone. The wheel with the library needs a newer C library.")
    library = ctypes.CDLL(path)
    library.trainyard_run.restype = ctypes.c_void_p
    library.trainyard_run.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(_File), ctypes.c_size_t]
    library.trainyard_exit_code.argtypes = [ctypes.c_void_p]
    library.trainyard_output.argtypes = [ctypes.c_void_p]
    library.trainyard_output.restype = ctypes.c_void_p
    library.trainyard_output_size.argtypes = [ctypes.c_void_p]
    library.trainyard_output_size.restype = ctypes.c_size_t
    library.trainyard_message.argtypes = [ctypes.c_void_p]
    library.trainyard_message.restype = ctypes.c_char_p
    library.trainyard_free.argtypes = [ctypes.c_void_p]
    library.trainyard_free.restype = None
    if library.trainyard_api_version() != _API_VERSION:
        raise ImportError(f"{path} has API version {library.trainyard_api_version()}; this package needs {_API_VERSION}")
    _loaded = library
    return library
