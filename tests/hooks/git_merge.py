"""Merges branches of a fleet by Git itself, with `trainyard merge-driver` and without it.

usage: git_merge.py TRAINYARD

After each merge the tree has no conflict marker, checks refuse it, and `trainyard render` makes it right. Exits 77 without git.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FLEET = """\
apiVersion: trainyard/v1alpha1
kind: Fleet
metadata: {name: ml}
spec:
  rendered: rendered
  clusters: [{file: clusters/a.yaml, specs: [specs]}]
  teams: [{name: nlp, namespaces: [nlp], specs: [specs]}]
"""
CLUSTER = """\
apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: a}
spec:
  kubernetes: "1.33"
  gitops: {tool: flux}
"""
SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: NAME
  namespace: nlp
spec:
  target: job
  image: registry.example.com/train:1

  nodes: 1
  gpusPerNode: 8

  run:
    script: train.py
"""
ALPHA = "specs/alpha.yaml"
TREE = "rendered/a/jobs/nlp/alpha.yaml"
NOTES = "rendered/NOTES.md"
START = {"merge": ["merge", "--no-edit", "theirs"], "rebase": ["rebase", "theirs"], "cherry-pick": ["cherry-pick", "theirs"]}
# A picked commit may be empty when its conflicts are resolved.
NEXT = {"merge": ["commit", "--no-edit"], "rebase": ["rebase", "--continue"], "cherry-pick": ["commit", "--allow-empty", "--no-edit"]}
CHANGED = "both sides changed this generated file"


class Repository:
    def __init__(self, folder, program, has_driver):
        self.folder, self.program, self.has_driver = folder, program, has_driver
        self.variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.variables.update(PATH="%s:%s" % (program.parent, os.environ["PATH"]), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
                              GIT_EDITOR="true", LC_ALL="C")
        folder.mkdir()
        self.must("git", "init", "-q", "-b", "main")
        for name, value in (("user.name", "t"), ("user.email", "t@example.com")):
            self.must("git", "config", name, value)
        for path, text in (("fleet.yaml", FLEET), ("clusters/a.yaml", CLUSTER), (ALPHA, self.spec("alpha")),
                           ("specs/beta.yaml", self.spec("beta")), (NOTES, "first\n\n\nlast\n")):
            self.write(path, text)
        told = self.must(str(program), "render", "--init").stderr
        if has_driver:
            # As a user copies it.
            self.must("sh", "-c", told.split("run once in each clone: ")[1])
        self.render()
        self.commit("base")

    @staticmethod
    def spec(name):
        return SPEC.replace("NAME", name)

    def run(self, *words):
        return subprocess.run(words, cwd=self.folder, env=self.variables, capture_output=True, text=True, check=False, timeout=120)

    def must(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            sys.exit("%s ended with %d:\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def text(self, path):
        return (self.folder / path).read_text(encoding="utf-8")

    def edit(self, path, old, new):
        assert old in self.text(path), (path, old)
        self.write(path, self.text(path).replace(old, new))

    def render(self):
        self.must(str(self.program), "render", "--yes")

    def commit(self, what):
        self.must("git", "add", "-A")
        self.must("git", "commit", "-q", "-m", what)

    def branch(self, name, change, renders=True):
        """A commit of its own on the base."""
        self.must("git", "checkout", "-q", "-b", name, "main")
        change(self)
        if renders:
            self.render()
        self.commit(name)

    def tree(self):
        files = sorted(path for path in (self.folder / "rendered").rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_text(encoding="utf-8") for path in files}


class Merge:
    """One merge of two branches, and what its user meets."""

    def __init__(self, repository, how):
        self.repository, self.how = repository, how
        self.told = ""

    def expect(self, holds, what):
        if not holds:
            sys.exit("%s: %s\n%s" % (self.how, what, self.told))

    def start(self):
        done = self.repository.run("git", *START[self.how])
        self.told = done.stdout + done.stderr
        return done.returncode

    def stops(self):
        self.expect(self.start() != 0, "Git does not stop")

    def conflicts(self):
        """Git must stop, and nothing may look as if it were merged."""
        self.stops()
        checked = self.repository.run(str(self.repository.program), "render", "--check")
        self.told += checked.stdout + checked.stderr
        self.expect(checked.returncode != 0, "`render --check` finds nothing")

    def is_marked(self, path):
        """The driver left this file as valid YAML that `validate` refuses."""
        self.expect("%s: %s" % (path, CHANGED) in self.told, "the driver does not say what to do with " + path)
        self.expect("<<<<<<<" not in self.repository.text(path), "a marker in " + path)
        found = self.repository.run(str(self.repository.program), "validate", path)
        self.told += found.stdout + found.stderr
        self.expect(found.returncode == 1 and "conflict-marker" in found.stderr, "`validate` accepts " + path)

    def finish(self):
        """What the documents tell the user to do."""
        self.repository.render()
        self.repository.must("git", "add", "-A", ".")
        self.repository.must("git", *NEXT[self.how])
        self.is_right()

    def is_right(self):
        """The tree is what a run with nothing but the specs writes."""
        self.repository.must(str(self.repository.program), "render", "--check")
        self.expect(self.repository.must("git", "status", "--porcelain").stdout == "", "files are left over")
        before = self.repository.tree()
        for path in before:
            if path != NOTES:
                (self.repository.folder / path).unlink()
        self.repository.render()
        self.expect(self.repository.tree() == before, "the tree is not that of the specs")


def both_change_a_job(repository, how):
    repository.branch("theirs", lambda it: it.edit(ALPHA, "train:1", "train:2"))
    repository.branch("ours", lambda it: it.edit(ALPHA, "gpusPerNode: 8", "gpusPerNode: 4"))
    merge = Merge(repository, how)
    merge.conflicts()
    if repository.has_driver:
        merge.is_marked(TREE)
    else:
        merge.expect("<<<<<<<" in repository.text(TREE), "Git merges as text without a driver")
        refused = repository.run(str(repository.program), "render")
        merge.expect(refused.returncode == 1 and "git checkout --ours" in refused.stderr, "`render` does not say what to do")
        repository.must("git", "checkout", "-q", "--ours", "--", "rendered")
    merge.finish()
    merge.expect("train:2" in repository.text(TREE) and 'nvidia.com/gpu: "4"' in repository.text(TREE), "a change is lost")


def a_forgotten_render_is_found(repository, how):
    repository.branch("theirs", lambda it: it.edit(ALPHA, "train:1", "train:2"))
    repository.branch("ours", lambda it: it.edit(ALPHA, "gpusPerNode: 8", "gpusPerNode: 4"))
    merge = Merge(repository, how)
    merge.conflicts()
    repository.must("git", "add", "-A", ".")
    repository.must("git", *NEXT[how])
    merge.is_marked(TREE)
    checked = repository.run(str(repository.program), "render", "--check")
    merge.expect(checked.returncode == 3 and "stale: " + TREE in checked.stderr, "`render --check` accepts a stale file")
    repository.render()
    repository.commit("rendered")
    merge.is_right()


def one_removes_what_the_other_changes(repository, how):
    """Git asks no driver: it keeps the file that is there."""
    for one, other in (("theirs", "ours"), ("ours", "theirs")):
        if one == "ours":
            repository.must("git", "checkout", "-q", "main")
            repository.must("git", "branch", "-q", "-D", "ours", "theirs")
        change = {one: lambda it: (it.folder / ALPHA).unlink(), other: lambda it: it.edit(ALPHA, "train:1", "train:2")}
        repository.branch("theirs", change["theirs"])
        repository.branch("ours", change["ours"])
        merge = Merge(repository, how)
        merge.stops()
        repository.run("git", "rm", "-q", "--cached", ALPHA)
        (repository.folder / ALPHA).unlink(missing_ok=True)
        merge.finish()
        merge.expect(TREE not in repository.tree(), "the file of the removed job is left")


def both_add_a_job(repository, how):
    added = "specs/gamma.yaml"
    repository.branch("theirs", lambda it: it.write(added, it.spec("gamma").replace("train:1", "train:2")))
    repository.branch("ours", lambda it: it.write(added, it.spec("gamma").replace("train:1", "train:3")))
    merge = Merge(repository, how)
    merge.conflicts()
    merge.is_marked("rendered/a/jobs/nlp/gamma.yaml")
    repository.must("git", "checkout", "-q", "--theirs", "--", added)
    merge.finish()


def both_add_another_job(repository, how):
    for name in ("theirs", "ours"):
        repository.branch(name, lambda it, name=name: it.write("specs/%s.yaml" % name, it.spec(name)))
    merge = Merge(repository, how)
    merge.expect(merge.start() == 0, "two new jobs are in conflict")
    merge.is_right()


def one_renames_what_the_other_changes(repository, how):
    def rename(it):
        it.must("git", "mv", ALPHA, "specs/alpha2.yaml")
        it.edit("specs/alpha2.yaml", "name: alpha", "name: alpha2")

    repository.branch("theirs", lambda it: it.edit(ALPHA, "gpusPerNode: 8", "gpusPerNode: 4"))
    repository.branch("ours", rename)
    merge = Merge(repository, how)
    merge.conflicts()
    merge.finish()
    merge.expect('nvidia.com/gpu: "4"' in repository.text("rendered/a/jobs/nlp/alpha2.yaml"), "the change is lost")


def what_users_write_is_merged_as_text(repository, how):
    repository.branch("theirs", lambda it: (it.edit(NOTES, "first", "theirs"), it.edit(TREE, "batch/v1", "batch/v1 # by hand")), renders=False)
    repository.branch("ours", lambda it: (it.edit(NOTES, "last", "ours"), it.edit(ALPHA, "train:1", "train:2")))
    merge = Merge(repository, how)
    merge.expect(merge.start() in (0, 1), "Git fails")
    merge.expect(repository.text(NOTES) == "theirs\n\n\nours\n", "the notes of users are not merged")
    refused = repository.run(str(repository.program), "render")
    merge.expect(refused.returncode == 1 and TREE in refused.stderr and "by hand" in repository.text(TREE), "an edit by hand is lost")


WITH_DRIVER = (both_change_a_job, a_forgotten_render_is_found, one_removes_what_the_other_changes, both_add_a_job, both_add_another_job,
               one_renames_what_the_other_changes, what_users_write_is_merged_as_text)
WITHOUT = (both_change_a_job, one_removes_what_the_other_changes, both_add_another_job)


def main(program):
    if shutil.which("git") is None:
        print("skipped: git is not installed")
        sys.exit(77)
    for has_driver, cases in ((True, WITH_DRIVER), (False, WITHOUT)):
        for case in cases:
            for how in ("merge", "rebase", "cherry-pick"):
                with tempfile.TemporaryDirectory() as scratch:
                    case(Repository(pathlib.Path(scratch) / "fleet", program, has_driver), how)
                print("%s, by %s%s: as it has to be" % (case.__name__.replace("_", " "), how, "" if has_driver else ", without a driver"))


main(pathlib.Path(sys.argv[1]).resolve())
