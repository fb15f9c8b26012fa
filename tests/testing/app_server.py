"""The real app-server over stdio, as little as these tests need: lines of JSON, and a deadline on every wait."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rawr.testing import ScriptedCodex

DEADLINE = 20.0

Message = dict[str, Any]


class AppServer:
    def __init__(self, codex: ScriptedCodex, *arguments: str) -> None:
        self.codex = codex
        self.seen: list[Message] = []
        self._ids = 0
        self._incoming: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._errors = (codex.home.path / "stderr.log").open("wb")
        self._process = subprocess.Popen(
            codex.command("app-server", *arguments),
            env=codex.env(),
            cwd=codex.home.workspace,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._reader.start()
        client = {"name": "rawr-tests", "title": "rawr tests", "version": "0"}
        self.call("initialize", clientInfo=client, capabilities={"experimentalApi": True})
        self.send({"method": "initialized"})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def send(self, message: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def begin(self, method: str, **params: object) -> int:
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def call(self, method: str, **params: object) -> Message:
        number = self.begin(method, **params)
        answer = self.wait(lambda message: message.get("id") == number and "method" not in message)
        assert "result" in answer, answer
        result: Message = answer["result"]
        return result

    def wait(self, wanted: Callable[[Message], bool], *, past: bool = False) -> Message:
        """The next message that is wanted; with ``past`` also one that was already seen."""
        for message in self.seen if past else ():
            if wanted(message):
                return message
        until = time.monotonic() + DEADLINE
        while True:
            try:
                message_or_end = self._incoming.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"nothing like that within {DEADLINE} s; seen: {self.methods()}") from None
            assert message_or_end is not None, f"the app-server ended; seen: {self.methods()}"
            self.seen.append(message_or_end)
            if wanted(message_or_end):
                return message_or_end

    def notification(self, method: str, thread: str, *, past: bool = False) -> Message:
        def wanted(message: Message) -> bool:
            return message.get("method") == method and message["params"].get("threadId") == thread

        params: Message = self.wait(wanted, past=past)["params"]
        return params

    def start_thread(self, **params: object) -> str:
        started = self.call(
            "thread/start",
            cwd=str(self.codex.home.workspace),
            approvalPolicy="never",
            sandbox="danger-full-access",
            **params,
        )
        thread: str = started["thread"]["id"]
        return thread

    def start_turn(self, thread: str, text: str) -> str:
        started = self.call("turn/start", threadId=thread, input=[{"type": "text", "text": text}])
        turn: str = started["turn"]["id"]
        return turn

    def turn(self, thread: str, text: str) -> Message:
        """A whole turn; gives the ``turn`` that Codex reports at its end."""
        number = self.begin("turn/start", threadId=thread, input=[{"type": "text", "text": text}])
        turn: Message = self.notification("turn/completed", thread)["turn"]
        self.wait(lambda message: message.get("id") == number and "method" not in message, past=True)
        return turn

    def methods(self) -> list[str]:
        return [message.get("method", "response") for message in self.seen]

    def params(self, method: str) -> list[Message]:
        return [message["params"] for message in self.seen if message.get("method") == method]

    def items(self, kind: str) -> list[Message]:
        """Completed items of that kind, oldest first."""
        items = [params["item"] for params in self.params("item/completed")]
        return [item for item in items if item["type"] == kind]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._incoming.put(json.loads(line))
        self._incoming.put(None)
