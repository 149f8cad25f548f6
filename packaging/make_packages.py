"""Makes wheels, npm packages and an OCI image of installed trees.

usage: make_packages.py STAGE DIST VERSION ARCHITECTURE GLIBC

STAGE has what `cmake --install` wrote, in trainyard-VERSION-linux-ARCHITECTURE, and where the library was built in
libtrainyard-... . ARCHITECTURE is Debian's name, GLIBC the version of the C library of the build. scripts/package calls
it. The same trees give the same bytes: the time is SOURCE_DATE_EPOCH, and names are in order. The image wants umoci,
and is left out, with a note, where that is not installed.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
HOME = "https://github.com/trainyard/trainyard"
SUMMARY = "Manifest compiler for distributed training"
LICENCE = "Apache-2.0"
TIME = int(os.environ["SOURCE_DATE_EPOCH"])
# What the world calls an architecture of Debian: tag of wheels, npm, OCI.
ARCHITECTURES = {"amd64": ("x86_64", "x64", "amd64"), "arm64": ("aarch64", "arm64", "arm64")}
PROGRAM = "bin/trainyard"
DOCUMENTS = "share/doc/trainyard"


def installed(tree, below):
    """Files below a folder of the tree, by their path in the tree, in order."""
    files = (path for path in (tree / below).rglob("*") if path.is_file())
    return sorted((path.relative_to(tree).as_posix(), path.read_bytes()) for path in files)


def manuals(tree):
    """The manual page and the completions of the shells."""
    folders = ("share/man", "share/bash-completion", "share/zsh", "share/fish")
    return [file for folder in folders for file in installed(tree, folder)]


def notices(tree):
    """Licences and SBOM by their names, those that the build wrote."""
    names = ("LICENSE", "NOTICE", "trainyard.spdx.json")
    files = ((name, tree / DOCUMENTS / name) for name in names)
    return [(name, path.read_bytes()) for name, path in files if path.is_file()]


# ---- wheels (PyPA "Binary distribution format"; SBOM by PEP 770) --------------------------------


def wheels(tree, library, dist, version, machine, glibc):
    """One for every Linux, and where the library is, one that has it, too: pip takes the second one where it can."""
    wheel(tree, [], dist, version, f"manylinux2014_{machine}.musllinux_1_1_{machine}")
    if not library.is_dir():
        return
    name = f"libtrainyard.so.{version}"
    files = [("trainyard/libtrainyard.so.1", (library / "lib" / name).read_bytes())]
    files += [(f"trainyard/{path.removeprefix('lib/')}", content) for path, content in installed(library, "lib/trainyard")]
    wheel(tree, files, dist, version, f"manylinux_{glibc.replace('.', '_')}_{machine}")


def wheel(tree, library, dist, version, systems):
    info, data = f"trainyard-{version}.dist-info", f"trainyard-{version}.data"
    files = [(f"trainyard/{path.name}", path.read_bytes()) for path in sorted((HERE / "python/trainyard").iterdir()) if path.is_file()]
    files += library
    files.append((f"{data}/scripts/trainyard", (tree / PROGRAM).read_bytes()))
    files += [(f"{data}/data/{path}", content) for path, content in manuals(tree)]
    for name, content in notices(tree):
        files.append((f"{info}/{'sboms' if name.endswith('.json') else 'licenses'}/{name}", content))
    files.append((f"{info}/METADATA", metadata(tree, version).encode()))
    tags = "".join(f"Tag: py3-none-{each}\n" for each in systems.split("."))
    files.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: trainyard\nRoot-Is-Purelib: false\n{tags}".encode()))
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files)
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
    with zipfile.ZipFile(dist / f"trainyard-{version}-py3-none-{systems}.whl", "w") as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, time.gmtime(TIME)[:6])
            entry.create_system = 3  # Unix, for the permissions
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)


def metadata(tree, version):
    lines = [
        "Metadata-Version: 2.4",
        "Name: trainyard",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        f"Project-URL: Source, {HOME}",
        f"License-Expression: {LICENCE}",
        *(f"License-File: {name}" for name, _ in notices(tree) if not name.endswith(".json")),
        "Requires-Python: >=3.10",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (tree / DOCUMENTS / "README.md").read_text()


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


# ---- npm ----------------------------------------------------------------------------------------


def npm(tree, dist, version, machine):
    common = {"version": version, "description": SUMMARY, "license": LICENCE, "homepage": HOME}
    common["repository"] = {"type": "git", "url": f"git+{HOME}.git"}
    native = {"name": f"@trainyard/linux-{machine}", **common, "os": ["linux"], "cpu": [machine]}
    npm_file(dist / f"trainyard-linux-{machine}-{version}.tgz", native, [("trainyard", (tree / PROGRAM).read_bytes()), *notices(tree)])
    packages = {f"@trainyard/linux-{names[1]}": version for names in ARCHITECTURES.values()}
    main = {"name": "trainyard", **common, "bin": {"trainyard": "trainyard.js"}, "man": ["share/man/man1/trainyard.1"]}
    main |= {"engines": {"node": ">=18"}, "optionalDependencies": packages}
    files = [("trainyard.js", (HERE / "npm/trainyard.js").read_bytes()), *manuals(tree)]
    files += [(name, (tree / DOCUMENTS / name).read_bytes()) for name in ("README.md", "LICENSE")]
    npm_file(dist / f"trainyard-{version}.tgz", main, files)


def npm_file(path, package, files):
    files = [("package.json", (json.dumps(package, indent=2) + "\n").encode()), *files]
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files:
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mtime = len(data), TIME
            entry.mode = 0o755 if name in ("trainyard", "trainyard.js") else 0o644
            archive.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(content.getvalue(), 9, mtime=0))


# ---- OCI image, without a daemon and without root ---------------------------------------------


def image(tree, dist, version, architecture):
    if shutil.which("umoci") is None:
        print("   umoci is not installed: no OCI image", file=sys.stderr)
        return
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(TIME))
    labels = {"title": "trainyard", "description": SUMMARY, "version": version, "licenses": LICENCE, "source": HOME}
    with tempfile.TemporaryDirectory() as place:
        root, layout = pathlib.Path(place, "root"), pathlib.Path(place, "layout")
        image_root(tree, root)
        run = lambda *words: subprocess.run(["umoci", *words], check=True, stdout=subprocess.DEVNULL)
        run("init", "--layout", str(layout))
        at = ["--image", f"{layout}:{version}"]
        run("new", *at)
        run("insert", "--rootless", "--history.created", created, *at, str(root), "/")
        run("config", *at, "--created", created, "--history.created", created, "--os", "linux",
            "--architecture", architecture, "--config.user", "65532:65532", "--config.workingdir", "/work",
            "--config.entrypoint", "/usr/bin/trainyard",
            *(word for name, value in labels.items() for word in ("--config.label", f"org.opencontainers.image.{name}={value}")))
        run("gc", "--layout", str(layout))
        with tarfile.open(dist / f"trainyard-{version}-linux-{architecture}.oci.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(layout.rglob("*")):
                archive.add(path, path.relative_to(layout).as_posix(), recursive=False, filter=plain)


def image_root(tree, root):
    files = [("usr/bin/trainyard", (tree / PROGRAM).read_bytes())]
    files += [(f"usr/{path}", content) for path, content in manuals(tree)]
    files += [(f"usr/{DOCUMENTS}/{name}", content) for name, content in notices(tree)]
    for name, content in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name.endswith("bin/trainyard") else 0o644)
    for path in [root, *root.rglob("*")]:
        os.utime(path, (TIME, TIME))


def plain(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = TIME
    entry.mode = 0o755 if entry.isdir() else 0o644
    return entry


def main():
    stage, dist, version, architecture, glibc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:6]
    tree = stage / f"trainyard-{version}-linux-{architecture}"
    python, node, oci = ARCHITECTURES[architecture]
    wheels(tree, stage / f"lib{tree.name}", dist, version, python, glibc)
    npm(tree, dist, version, node)
    image(tree, dist, version, oci)


main()
