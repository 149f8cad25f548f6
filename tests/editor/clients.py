"""Runs a real client of the language server.

usage: clients.py neovim|node|vscode TRAINYARD

`neovim` is Neovim's built-in client, without a window. `node` is a client on vscode-languageserver-protocol. `vscode` type-checks
the extension and packs it. Each exits 77, after a reason, where its program is missing.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def modules(*packages):
    """The folder node_modules that has these packages."""
    found = subprocess.run([ROOT / "scripts/npm", *packages], text=True, stdout=subprocess.PIPE)
    if found.returncode == 77:
        sys.exit(77)
    found.check_returncode()
    return found.stdout.strip()


def neovim(trainyard):
    if not shutil.which("nvim"):
        skip("Neovim is not installed")
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        run = subprocess.run(
            ["nvim", "--headless", "--clean", "-n", "-c", f"luafile {HERE / 'neovim.lua'}"],
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "TRAINYARD": trainyard, "FOLDER": folder, "LOG": str(log)},
            cwd=folder, timeout=120)
        text = log.read_text() if log.exists() else "no log"
        print(text)
        sys.exit(0 if run.returncode == 0 and text.endswith("all is well\n") else 1)


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
    {"neovim": neovim, "node": node, "vscode": vscode}[sys.argv[1]](sys.argv[2])
