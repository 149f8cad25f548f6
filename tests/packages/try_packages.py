"""Installs each package of a release as its users do, in an empty place, and runs what it brings.

usage: try_packages.py DIST

DIST is what scripts/package wrote. A package whose installer is not here is skipped, and the reason printed.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position
from packages import steps  # pylint: disable=wrong-import-position

ROOT = programs.ROOT
SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: alpha}
spec:
  image: registry.example.com/ml/train:1.4
  nodes: 2
  gpusPerNode: 8
  framework: pytorch
  run: {script: /app/train.py}
"""
BROKEN = SPEC.replace("nodes: 2", "nodes: many")
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
DIST = pathlib.Path(sys.argv[1]).resolve()


class Skipped(Exception):
    """An installer that is not here."""


def need(program):
    if shutil.which(program) is None:
        raise Skipped(f"{program} is not installed")


def one(pattern):
    found = sorted(DIST.glob(pattern))
    assert len(found) == 1, f"{pattern} names {len(found)} files of {DIST}"
    return found[0]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def good(*words, **options):
    done = run(*words, **options)
    assert done.returncode == 0, f"{words} ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}"
    return done.stdout


def works(*program, **options):
    """The program compiles a spec from a pipe, and refuses a broken one with its own exit code."""
    made = good(*program, "build", "-", input=SPEC, **options)
    assert "kind: Job" in made and "alpha" in made, made[:300]
    refused = run(*program, "build", "-", input=BROKEN, **options)
    assert refused.returncode == 1 and "nodes" in refused.stderr, f"{refused.returncode}: {refused.stderr[:300]}"


def chroot(root, *words, user=None):
    """The command that runs these words with `root` as the only file system; in a namespace there may be no other user."""
    call = ["chroot", *([f"--userspec={user}"] if user else []), root, *words]
    return call if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", *call]


# ---- one function for each way to install, in the order of docs/install.md -----------------------


def debian_package(place):
    need("dpkg")
    admin = place / "var/lib/dpkg"
    (admin / "info").mkdir(parents=True)
    (admin / "updates").mkdir()
    (admin / "status").touch()
    if os.geteuid() != 0:
        raise Skipped("dpkg wants to be root")
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    good("dpkg", f"--root={place}", "--force-not-root", "-i", one(f"trainyard_*_{DEBIAN}.deb"), env=environment)
    works(*chroot(place, "/usr/bin/trainyard"))
    assert (place / "usr/share/man/man1/trainyard.1.gz").is_file()
    assert (place / "usr/share/bash-completion/completions/trainyard").is_file()


def cluster_package(place):
    """Not in an empty place: it needs libcurl."""
    if not list(DIST.glob("trainyard-cluster_*")):
        raise Skipped("this build has no trainyard-cluster")
    need("dpkg")
    good("dpkg-deb", "-x", one(f"trainyard-cluster_*_{DEBIAN}.deb"), place)
    program = place / "usr/libexec/trainyard/trainyard-cluster"
    assert good(program, "--version").startswith("trainyard-cluster ")
    refused = run(program, "plan", "-", input=BROKEN)
    assert refused.returncode == 1 and "nodes" in refused.stderr, f"{refused.returncode}: {refused.stderr[:300]}"


def tarball(place):
    good("tar", "-xf", one(f"trainyard-*-linux-{DEBIAN}.tar.gz"), "-C", place, "--strip-components=1")
    works(*chroot(place, "/bin/trainyard"))


def wheel(place):
    good(sys.executable, "-m", "venv", place)
    good(place / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "trainyard")
    works(place / "bin/trainyard")
    works(place / "bin/python", "-m", "trainyard")
    assert (place / "share/man/man1/trainyard.1").is_file()
    target = place / "target"
    good(place / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "--target", target, "trainyard")
    # Another Python, which has no program of its own.
    works(sys.executable, "-m", "trainyard", env={**os.environ, "PYTHONPATH": str(target)})


LIBRARY_USE = """
import threading, trainyard
built = trainyard.build(open("spec.yaml").read(), target="jobset")
assert "kind: JobSet" in built.manifests, built.manifests[:200]
try:
    trainyard.build(open("broken.yaml").read())
except trainyard.Refused as refused:
    assert refused.exit_code == 1 and any(each.line == 6 for each in refused.diagnostics), refused
else:
    raise AssertionError("a wrong spec was built")
assert trainyard.validate(built.manifests) == ()
assert trainyard.explain("spec.nodes")
try:
    trainyard.build("", options=["--no-such-option"])
except trainyard.TrainyardError as wrong:
    assert wrong.exit_code == 2 and "--no-such-option" in str(wrong)
made = []
threads = [threading.Thread(target=lambda: made.append(trainyard.build(open("spec.yaml").read(), target="jobset"))) for _ in range(8)]
[each.start() for each in threads]
[each.join() for each in threads]
assert len(made) == 8 and all(each == built for each in made)
"""


def library_in_python(place):
    if not list(DIST.glob("libtrainyard-*")):
        raise Skipped("this build has no library")
    good(sys.executable, "-m", "venv", place)
    good(place / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "trainyard")
    (place / "spec.yaml").write_text(SPEC)
    (place / "broken.yaml").write_text(BROKEN)
    good(place / "bin/python", "-c", LIBRARY_USE, cwd=place)


def library_in_c(place):
    if not list(DIST.glob("libtrainyard-*")):
        raise Skipped("this build has no library")
    need("cmake")
    need("pkg-config")
    good("tar", "-xf", one("libtrainyard-*.tar.gz"), "-C", place, "--strip-components=1")
    source = place / "call.c"
    source.write_text((ROOT / "tests/library/call.c").read_text().replace("library/trainyard.h", "trainyard.h"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(place / "lib/pkgconfig")}
    for words in (["--libs"], ["--libs", "--static"]):
        flags = good("pkg-config", "--cflags", *words, "trainyard", env=environment).split()
        if "--static" in words:
            flags = [f"{place}/lib/libtrainyard.a" if each == "-ltrainyard" else each for each in flags]
        good("cc", source, "-o", place / "call", *flags)
        good(place / "call")
    (place / "CMakeLists.txt").write_text(CMAKE)
    good("cmake", "-S", place, "-B", place / "build", f"-DCMAKE_PREFIX_PATH={place}")
    good("cmake", "--build", place / "build")
    good(place / "build/shared")
    good(place / "build/static")


CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C CXX)
find_package(trainyard REQUIRED)
add_executable(shared call.c)
target_link_libraries(shared trainyard::trainyard)
add_executable(static call.c)
target_link_libraries(static trainyard::static)
"""


def pre_commit_by_wheel(place):
    need("git")
    pre_commit = [programs.made_by("pypi", "pre-commit==4.7.0"), "-m", "pre_commit"]
    hooks, people = place / "hooks", place / "people"
    hooks.mkdir()
    for name in (".pre-commit-hooks.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, hooks)
    people.mkdir()
    (people / "job.yaml").write_text(SPEC)
    rev = committed(hooks)
    entry = {"id": "trainyard-validate", "language": "python"}
    config = {"repos": [{"repo": str(hooks), "rev": rev, "hooks": [entry]}]}
    (people / ".pre-commit-config.yaml").write_text(json.dumps(config))
    committed(people)
    environment = {**os.environ, "PRE_COMMIT_HOME": str(place / "cache"), "PIP_FIND_LINKS": str(DIST)}
    environment["PATH"] = without("trainyard", environment["PATH"])
    done = run(*pre_commit, "run", "--all-files", cwd=people, env=environment)
    if done.returncode == 3 and "setuptools" in done.stdout:
        raise Skipped("pip cannot get setuptools")
    assert done.returncode == 0 and "Passed" in done.stdout, done.stdout + done.stderr
    (people / "job.yaml").write_text(BROKEN)
    done = run(*pre_commit, "run", "--all-files", cwd=people, env=environment)
    assert done.returncode == 1 and "nodes" in done.stdout, done.stdout


def committed(folder):
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    good(*git, "init", "-q")
    good(*git, "add", "-A")
    good(*git, "commit", "-qm", "files")
    return good(*git, "rev-parse", "HEAD").strip()


def without(program, path):
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if not os.path.exists(os.path.join(folder, program)))


def npm_package(place):
    need("npm")
    machine = {"amd64": "x64", "arm64": "arm64"}[DEBIAN]
    version = one("trainyard-*-linux-*.tar.gz").name.split("-")[1]
    files = [DIST / f"trainyard-linux-{machine}-{version}.tgz", DIST / f"trainyard-{version}.tgz"]
    good("npm", "install", "--offline", "--no-audit", "--no-fund", "--cache", place / "cache", "--prefix", place, *files)
    works(place / "node_modules/.bin/trainyard")
    shutil.rmtree(place / "node_modules/@trainyard")
    alone = run(place / "node_modules/.bin/trainyard", "--version")
    assert alone.returncode == 127 and "@trainyard/linux-" in alone.stderr, alone.stderr


def has_user(number):
    """Whether a process of root may become this user: not so in a namespace that has root alone."""
    rows = [[int(word) for word in line.split()] for line in pathlib.Path("/proc/self/uid_map").read_text().splitlines()]
    return os.geteuid() == 0 and any(first <= number < first + count for first, _, count in rows)


def oci_image(place):
    need("umoci")
    archive = one(f"trainyard-*-linux-{DEBIAN}.oci.tar")
    version = archive.name.split("-")[1]
    layout, bundle = place / "layout", place / "bundle"
    layout.mkdir()
    good("tar", "-xf", archive, "-C", layout)
    good("umoci", "unpack", "--rootless", "--image", f"{layout}:{version}", bundle)
    config = json.loads((bundle / "config.json").read_text())
    process = config["process"]
    assert process["user"]["uid"] == 65532 and process["args"][:1] == ["/usr/bin/trainyard"], process
    assert (bundle / "rootfs/usr/share/doc/trainyard/trainyard.spdx.json").is_file()
    user = "65532:65532" if has_user(65532) else None
    for path in (place, bundle, bundle / "rootfs"):
        path.chmod(0o755)
    works(*chroot(bundle / "rootfs", "/usr/bin/trainyard", user=user))


def github_action(place):
    server, archive = release_folder(place)
    inputs = {"version": archive.name.split("-")[1], "url": server.as_uri(), "sha256": sha256(archive), "paths": "specs"}
    people, temporary = place / "people", place / "runner"
    (people / "specs").mkdir(parents=True)
    temporary.mkdir()
    (people / "specs/job.yaml").write_text(SPEC)
    code, said, files = steps.action_outputs(ROOT / "action.yml", inputs, people, temporary)
    assert code == 0, said
    (people / "specs/job.yaml").write_text(BROKEN)
    code, said, files = steps.action_outputs(ROOT / "action.yml", inputs, people, temporary)
    assert code == 1 and "::error file=specs/job.yaml,line=6" in said, said
    results = json.loads((temporary / "trainyard.sarif").read_text())["runs"][0]["results"]
    assert len(results) == 1, results
    assert "specs/job.yaml:6" in files["GITHUB_STEP_SUMMARY"].read_text()
    code, said, _ = steps.action_outputs(ROOT / "action.yml", {**inputs, "sha256": "0" * 64}, people, temporary)
    assert code == 1 and "is not the file that sha256 names" in said, said


def gitlab_template(place):
    server, archive = release_folder(place)
    variables = {"TRAINYARD_VERSION": archive.name.split("-")[1], "TRAINYARD_URL": server.as_uri()}
    variables |= {"TRAINYARD_SHA256": sha256(archive), "TRAINYARD_PATHS": "job.yaml"}
    template = ROOT / "packaging/gitlab/trainyard.gitlab-ci.yml"
    (place / "job.yaml").write_text(SPEC)
    code, said = steps.gitlab_outcome(template, variables, place)
    assert code == 0, said
    (place / "job.yaml").write_text(BROKEN)
    code, said = steps.gitlab_outcome(template, variables, place)
    assert code == 1 and "job.yaml:6" in said, said
    assert len(json.loads((place / "gl-code-quality-report.json").read_text())) == 1
    code, said = steps.gitlab_outcome(template, {**variables, "TRAINYARD_SHA256": "0" * 64}, place)
    assert code != 0 and "FAILED" in said, said


def release_folder(place):
    """The files of the release, as the page of a release has them."""
    archive = one(f"trainyard-*-linux-{DEBIAN}.tar.gz")
    folder = place / "server" / f"v{archive.name.split('-')[1]}"
    folder.mkdir(parents=True)
    shutil.copy(archive, folder)
    return place / "server", archive


def sha256(path):
    return good("sha256sum", path).split()[0]


def versions_agree(_):
    """What names the release by hand names this one."""
    version = one("trainyard-*-linux-*.tar.gz").name.split("-")[1]
    for name in ("pyproject.toml", "action.yml", "packaging/gitlab/trainyard.gitlab-ci.yml"):
        assert version in (ROOT / name).read_text(), f"{name} is of another release than {version}"


WAYS = [
    debian_package, cluster_package, tarball, wheel, library_in_python, library_in_c, pre_commit_by_wheel, npm_package, oci_image,
    github_action, gitlab_template, versions_agree,
]


def main():
    faults = []
    for way in WAYS:
        with tempfile.TemporaryDirectory() as place:
            try:
                way(pathlib.Path(place))
                print(f"{way.__name__}: works")
            except Skipped as reason:
                print(f"{way.__name__}: skipped: {reason}")
            except SystemExit as ended:  # of programs.made_by, which has printed why
                if ended.code != 77:
                    raise
            except AssertionError as fault:
                faults.append(f"{way.__name__}: {fault}")
    programs.finish(faults)


main()
