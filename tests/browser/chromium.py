# SPDX-License-Identifier: GPL-3.0-or-later
"""Headless Chromium, driven over its DevTools protocol through a pipe: just enough of it to open
a page, press keys, click, ask what the page holds, and hear what went wrong in it. Standard
library only, because what tests a page should not need packages of its own."""
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """A browser with one page. Messages are JSON texts, each ended by a NUL."""

    def __init__(self, program=None, width=1280, height=900, patience=100):
        self.home = tempfile.mkdtemp(prefix="scprof-chromium.")
        self.patience = patience
        self.errors = []    # of the console, scripts, and the policy
        self.requests = []  # addresses that anything wanted to load
        self.loaded = False
        self.calm = True    # nothing moves by and by: each step is drawn
        self.number = 0
        self.answers = {}
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()
        self.rest = b""
        command = [program or find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
                   "--disable-gpu", "--disable-gpu-compositing", "--disable-smooth-scrolling", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-features=BackForwardCache",  # a page that was left is not kept
                   "--user-data-dir=" + self.home, f"--window-size={width},{height}", "about:blank"]

        def wire():  # the browser reads 3 and writes 4
            os.dup2(os.dup(to_read), 3)
            os.dup2(os.dup(to_write), 4)
        # descriptors 3 and 4 may be the very ones that come next: copies beyond them
        keep = [os.dup(to_read) for _ in range(2)]
        self.process = subprocess.Popen(command, preexec_fn=wire, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in [to_read, to_write, *keep]:
            os.close(end)
        self.session = None
        self._attach()

    def _attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda: self.answers.pop(self.number, None), method)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _until(self, ready, what):
        end = time.monotonic() + self.patience
        while True:
            value = ready()
            if value:
                return value
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise TimeoutError(f"the browser did not answer: {what}")
            self._hear()

    def _hear(self):
        piece = os.read(self.read_end, 1 << 20)
        if not piece:
            raise RuntimeError("the browser has gone")
        *whole, self.rest = (self.rest + piece).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self._note(message["method"], message["params"])

    def _note(self, event, p):
        if event == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif event == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif event == "Page.loadEventFired":
            self.loaded = True

    def open(self, path):
        """Load a file; back when its scripts have run and it was painted, because a browser drops clicks
        before that. What the page before did is forgotten."""
        self.loaded = False
        self.page = path
        self.errors, self.requests = [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self._until(lambda: self.loaded, "load of " + path)
        self.run("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(0))))")

    def run(self, script):
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "") + "\n" + script)
        return answer["result"].get("value")

    def wait_for(self, condition):
        end = time.monotonic() + self.patience
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError("never true: " + condition)
            time.sleep(0.02)

    def key(self, key, code=0):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code or KEY_CODES.get(key, 0),
                      **(text if kind == "keyDown" else {}))

    def type(self, words):
        self.call("Input.insertText", text=words)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click_on(self, script):
        """Click the middle of the element that an expression gives."""
        self.click(*self.run(f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center'}});"
                             "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"))

    def look(self, width, height, dark=False, media="", ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                            {"name": "prefers-reduced-motion", "value": "reduce" if self.calm else "no-preference"}])

    def picture(self, whole=False):
        """A PNG of the window, or of the whole page."""
        import base64
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def paper(self):
        import base64
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self):
        with contextlib.suppress(Exception):
            self.session = None
            self.call("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


KEY_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
             "Home": 36, "Backspace": 8, "Tab": 9}
