# SPDX-License-Identifier: GPL-3.0-or-later
"""Headless Chromium by chromedriver, over its HTTP interface (WebDriver, with Chromium's own commands beside it)."""

import base64
import contextlib
import json
import pathlib
import shutil
import subprocess
import urllib.error
import urllib.request

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--no-first-run", "--window-size=1200,900"]


class Browser:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": ARGUMENTS, "binary": CHROMIUM},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.post("/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def post(self, path, value=None):
        return self.request("POST", path, json.dumps(value or {}).encode())

    def request(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, data=body, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()}") from error

    def command(self, name, **parameters):
        """A command of Chromium's own protocol."""
        return self.post("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self.post("/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        """What the body @script returns; works where the page's own scripts are switched off too."""
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def look(self, width, height=900, scheme="light", media="screen"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=False):
        taken = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(taken["data"]))

    def log(self, kind="browser"):
        return self.post("/se/log", {"type": kind})

    def requests(self):
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]


@contextlib.contextmanager
def started():
    """A browser with a page of its own, which ends with the block."""
    driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    browser = None
    try:
        port = next(line.rsplit(" ", 1)[1].strip(" .\n") for line in driver.stdout if "started successfully on port" in line)
        browser = Browser(port)
        yield browser
    finally:
        if browser:
            browser.request("DELETE", "")
        driver.terminate()
        driver.wait()
        driver.stdout.close()
