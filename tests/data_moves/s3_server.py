"""Runs the containers that fetch inputs from S3, as a build writes them, with the real client against a server.

usage: s3_server.py TRAINYARD

The client (awscli) and the server (moto) come from PyPI once (scripts/pypi). Exits 77, saying why, if they cannot be had.
"""

import io
import os
import pathlib
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

PACKAGES = ["moto[s3,server]==5.0.28", "awscli==1.36.40", "boto3==1.35.99", "botocore==1.35.99"]  # of one release


def tar(*members):
    """A compressed archive of texts by their names."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in members:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


def zipped(*members, size=None):
    """The same as a zip, which says that its first member has a size."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members:
            archive.writestr(name, text)
        archive.filelist[0].file_size = size or archive.filelist[0].file_size
    return data.getvalue()


KEYS = {
    "sets/train.tar.gz": tar(("a/b.txt", "b"), ("c.txt", "c")),
    "sets/val.zip": zipped(("a/b.txt", "b"), ("c.txt", "c")),
    "sets/out.tgz": tar(("../out.txt", "out")),
    "sets/bomb.zip": zipped(("zeros", "0"), size=1 << 40),
    "coco/train.json": "one object",
    "coco/train.json.bak": "a neighbour",
    "coco/images/a.jpg": "a",
    "coco/images/b.jpg": "b",
    "wiki.parquet/part-0": "p0",
    "wiki.parquet/part-1": "p1",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A store with the keys, and the variables by which a client finds it."""

    def __enter__(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": "/tmp",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        server = "from moto.server import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", server, "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        import boto3
        client = boto3.client("s3", endpoint_url=self.url, region_name="us-east-1",
                              aws_access_key_id="a", aws_secret_access_key="b")
        client.create_bucket(Bucket="bucket")
        for key, text in KEYS.items():
            client.put_object(Bucket="bucket", Key=key, Body=text if isinstance(text, bytes) else text.encode())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def fetched(trainyard, server, uri, path, more=""):
    """The files that one input brings, by their paths below the folder, or the status of its failure."""
    import yaml

    with tempfile.TemporaryDirectory() as scratch:
        spec = pathlib.Path(scratch) / "spec.yaml"
        place = pathlib.Path(scratch) / "root"
        spec.write_text(
            "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: train}\nspec:\n"
            "  image: registry.example.com/ml/train:1.4\n  run: {command: [./train]}\n"
            f"  data: {{inputs: [{{uri: '{uri}', path: {place}{path}{more}}}]}}\n")
        built = subprocess.run([trainyard, "build", spec], capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        pods = [d for d in yaml.safe_load_all(built.stdout) if d["kind"] == "Job"]
        container = pods[0]["spec"]["template"]["spec"]["initContainers"][0]
        words = [w.replace("$$(", "$(") for w in container["command"]]
        # The client, wherever its folder was made, and no pause before another try.
        programs = {"aws": f'exec "{sys.executable}" -m awscli "$@"', "sleep": ":"}
        folder = pathlib.Path(scratch) / "bin"
        folder.mkdir()
        for name, line in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{line}\n")
            (folder / name).chmod(0o755)
        variables = dict(server.variables, PATH=f"{folder}:{os.environ['PATH']}")
        for mount in container["volumeMounts"]:
            pathlib.Path(mount["mountPath"]).mkdir(parents=True, exist_ok=True)
        run = subprocess.run(words, env=variables, capture_output=True, text=True)
        if run.returncode != 0:
            return run.stderr
        return {str(f.relative_to(place)): f.read_text() for f in sorted(place.rglob("*"))
                if f.is_file() and not f.name.startswith(".trainyard-")}


IMAGES = {"data/a.jpg": "a", "data/b.jpg": "b"}
PARTS = {"part-0": "p0", "part-1": "p1"}
CASES = [
    ("an object comes to the file that `path` names", "s3://bucket/coco/train.json", "/data/train.json",
     {"data/train.json": "one object"}),
    ("an object comes under another name", "s3://bucket/coco/train.json", "/data/annotations.json",
     {"data/annotations.json": "one object"}),
    ("an object comes into a directory", "s3://bucket/coco/train.json", "/data", {"data/train.json": "one object"}),
    ("a slash makes `path` a directory", "s3://bucket/coco/train.json", "/data.json/",
     {"data.json/train.json": "one object"}),
    ("a prefix comes into a directory", "s3://bucket/coco/images", "/data", IMAGES),
    ("a prefix with a slash comes into a directory", "s3://bucket/coco/images/", "/data", IMAGES),
    ("a prefix that looks like an object", "s3://bucket/wiki.parquet", "/data/wiki.parquet",
     {f"data/wiki.parquet/{k}": v for k, v in PARTS.items()}),
    ("a prefix that looks like an object comes into a directory", "s3://bucket/wiki.parquet", "/data",
     {f"data/{k}": v for k, v in PARTS.items()}),
]

CONTENT = {"data/a/b.txt": "b", "data/c.txt": "c"}
UNPACKED = [
    ("s3://bucket/sets/train.tar.gz", CONTENT),
    ("s3://bucket/sets/val.zip", CONTENT),
    ("s3://bucket/sets/out.tgz", "../out.txt leads out of"),
    ("s3://bucket/sets/bomb.zip", "it unpacks to more than"),
    ("s3://bucket/sets/none.zip", "nothing has come to"),
]


def main(trainyard):
    failures = 0
    with Server() as server:
        for sentence, uri, path, wanted in CASES:
            found = fetched(trainyard, server, uri, path)
            if found != wanted:
                failures += 1
                print(f"{sentence}: {uri} at {path} brought {found}, wanted {wanted}")
        found = fetched(trainyard, server, "s3://bucket/coco/none.json", "/data/none.json")
        if not isinstance(found, str) or "nothing has come to" not in found:
            failures += 1
            print(f"a missing object is not told: {found}")
        for uri, wanted in UNPACKED:
            found = fetched(trainyard, server, uri, "/data", more=", unpack: true")
            held = found == wanted if isinstance(wanted, dict) else wanted in str(found)
            if not held:
                failures += 1
                print(f"{uri}, unpacked, brought {found}, wanted {wanted}")
    count = len(CASES) + 1 + len(UNPACKED)
    print(f"{count - failures} of {count} cases hold")
    return 1 if failures else 0


if __name__ == "__main__":
    if "moto" not in os.environ.get("TRAINYARD_S3_INSIDE", ""):
        os.environ["TRAINYARD_S3_INSIDE"] = "moto"
        python = str(programs.made_by("pypi", *PACKAGES))
        os.execv(python, [python, os.path.abspath(__file__), os.path.abspath(sys.argv[1])])
    sys.exit(main(sys.argv[1]))
