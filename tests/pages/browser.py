"""A real browser, driven over its own protocol: Debian's chromium, if the machine has it."""

import base64
import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from websockets.sync.client import ClientConnection, connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    "--remote-debugging-port=0",
)
PATIENCE = 60.0


class Tab:
    """One page: what it logged, what it asked for, and how it looks."""

    def __init__(self, wire: ClientConnection) -> None:
        self.logged: list[str] = []
        self.requested: list[str] = []
        self._wire = wire
        self._number = 0

    def call(self, method: str, **params: object) -> Any:
        self._number += 1
        self._wire.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]

    def open(self, page: Path, *, width: int, scheme: Literal["light", "dark"], height: int = 900) -> "Tab":
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=page.as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        return self

    def ask(self, script: str) -> Any:
        """What an expression is in the page."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def picture(self, path: Path) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _next(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._wire.recv(timeout=PATIENCE))
        match told:
            case {"method": "Runtime.consoleAPICalled" | "Runtime.exceptionThrown", "params": params}:
                self.logged.append(json.dumps(params))
            case {"method": "Log.entryAdded", "params": {"entry": entry}}:
                self.logged.append(entry["text"])
            case {"method": "Network.requestWillBeSent", "params": {"request": request}}:
                self.requested.append(request["url"])
        return told


@contextlib.contextmanager
def tab(folder: Path) -> Iterator[Tab]:
    """A new browser with one empty page; ``folder`` is its own."""
    assert PROGRAM is not None
    profile = folder / "profile"
    command = [PROGRAM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with (folder / "browser.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        port, _, _ = _written(profile / "DevToolsActivePort", running).partition("\n")
        with connect(_page(port), max_size=None) as wire:
            yield Tab(wire)
    finally:
        running.terminate()
        running.wait(PATIENCE)


def _written(path: Path, running: "subprocess.Popen[bytes]") -> str:
    """What the browser writes once it can be spoken to."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(FileNotFoundError):
            if (text := path.read_text()).count("\n"):
                return text
        assert running.poll() is None, "the browser has ended"
        assert time.monotonic() < deadline, "the browser does not start"
        time.sleep(0.02)


def _page(port: str) -> str:
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answer:
        pages = json.load(answer)
    return str(next(one["webSocketDebuggerUrl"] for one in pages if one["type"] == "page"))
