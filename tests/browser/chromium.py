"""A headless Chromium, driven through its debugging pipe (https://chromedevtools.github.io/devtools-protocol).

Pages are files of this machine. Pointer and keys are real input events.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

KEYS = {
    "Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), " ": ("Space", 32, " "),
    "PageUp": ("PageUp", 33, ""), "PageDown": ("PageDown", 34, ""), "End": ("End", 35, ""), "Home": ("Home", 36, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""), "Backspace": ("Backspace", 8, ""), "F1": ("F1", 112, ""), "F8": ("F8", 119, ""),
    ".": ("Period", 190, "."), "i": ("KeyI", 73, "i"), "k": ("KeyK", 75, "k"), "p": ("KeyP", 80, "p"),
}


def program():
    """The path of a Chromium; None without one."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


class Chromium:
    """One browser. A Page is a tab with a size and a colour scheme."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def give_pipes():
            # The numbers that the browser expects, whatever they were.
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             f"--user-data-dir={self.profile}/profile", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=give_pipes, close_fds=False,
            env={**os.environ, "HOME": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.output)  # which ends the browser
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.input, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            rest = rest[os.write(self.output, rest):]
        while True:
            answer = self.read()
            if answer.get("id") != self.number:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def page(self, **settings):
        return Page(self, **settings)


class Page:
    def __init__(self, browser, width=1280, height=900, dark=False, phone=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=phone,
                  deviceScaleFactor=2 if phone else 1)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, path):
        """Opens a file or an address; the time until it is loaded, in milliseconds."""
        begin = time.monotonic()
        self.call("Page.navigate", url=path if "://" in str(path) else f"file://{path}")
        while self.evaluate("document.readyState") != "complete":
            time.sleep(0.01)
        return (time.monotonic() - begin) * 1000

    def evaluate(self, expression):
        """The value of an expression, after two frames: what it changed is drawn."""
        code = ("(async () => { const value = await (" + expression + ");"
                "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));"
                "return value; })()")
        answer = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", expression))
        return answer["result"].get("value")

    def settle(self):
        """Waits until the page has done what an event led to."""
        self.evaluate("0")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def count(self, selector):
        return self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def middle_of(self, selector):
        """A point of an element; a wide one may reach out of what scrolls it."""
        return self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'});"
            "const r = e.getBoundingClientRect();"
            "return [r.left + Math.min(r.width / 2, 60), r.top + r.height / 2]; })()")

    def point(self, selector):
        x, y = self.middle_of(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, selector):
        x, y = self.middle_of(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def tap(self, selector):
        x, y = self.middle_of(selector)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def press(self, *names):
        for name in names:
            code, number, text = KEYS[name]
            key = {"key": name, "code": code, "windowsVirtualKeyCode": number}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **key)
            self.call("Input.dispatchKeyEvent", type="keyUp", **key)
        self.settle()

    def press_with_control(self, *names):
        for name in names:
            code, number, _ = KEYS[name]
            for kind in ("rawKeyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=name, code=code, windowsVirtualKeyCode=number, modifiers=2)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path, whole=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def faults(self):
        """What the console has of errors, and what was asked of a network."""
        self.settle()
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, said = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(said["exceptionDetails"]["exception"].get("description", "exception"))
            elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
                found.append(said["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
                found.append(str(said["args"]))
            elif method == "Network.requestWillBeSent" and not said["request"]["url"].startswith(("file:", "data:")):
                found.append(f"asks for {said['request']['url']}")
        return found
