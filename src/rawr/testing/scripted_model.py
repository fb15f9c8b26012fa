"""A model that follows a script: a Responses API server on loopback, for the real Codex or any other client.

::

    with ScriptedModel(load_scenario("research.yaml")) as model:
        ...                       # point Codex at model.url
        model.check()             # nothing was asked that the scenario does not answer

It runs in its own threads, so it serves synchronous and asynchronous tests alike.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rawr.errors import Bug
from rawr.testing.model_request import ModelRequest
from rawr.testing.model_server import Desk, Gate, ModelServer, Ticket
from rawr.testing.playback import Playback, ScenarioMismatch, describe
from rawr.testing.scenario import Hang, JsonObject, Reply, Scenario


class ScriptedModel:
    """Serves one scenario; remembers every request.

    ``delay_between`` is the pause, in seconds, between the events of a stream, unless a reply sets its own.
    """

    def __init__(self, scenario: Scenario, *, delay_between: float = 0.0) -> None:
        self.scenario = scenario
        self._delay_between = delay_between
        self._changed = threading.Condition()
        self._playback = Playback(scenario)
        self._gates: dict[int, Gate] = {}
        self._under_way = 0
        self._strays: list[str] = []
        self._faults: list[BaseException] = []
        self._server: ModelServer | None = None

    def start(self) -> None:
        if self._server is not None:
            raise Bug("the scripted model is started twice.")
        desk = Desk(admit=self._admit, finish=self._finish, stray=self._stray, broke=self._broke)
        self._server = ModelServer(desk, delay_between=self._delay_between)
        self._server.start()

    def stop(self) -> None:
        """End every connection and thread, even hanging ones. The requests can still be read afterwards."""
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    @property
    def url(self) -> str:
        """The base address, as a Codex provider wants it: ``http://127.0.0.1:PORT/v1``."""
        if self._server is None:
            raise Bug("the scripted model has no address before it is started.")
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """Every model request so far, in order of arrival."""
        with self._changed:
            return tuple(entry.request for entry in self._playback.played)

    @property
    def unexpected(self) -> tuple[ModelRequest, ...]:
        """Requests for which the scenario had no reply."""
        with self._changed:
            return self._playback.unexpected

    def release(self) -> None:
        """Let every hanging reply continue."""
        with self._changed:
            for gate in self._gates.values():
                gate.open()

    def wait_for(self, predicate: Callable[[ModelRequest], bool], *, deadline: float) -> ModelRequest:
        """The first request, including past ones, that satisfies the predicate; waits up to ``deadline`` seconds."""
        until = time.monotonic() + deadline
        seen = 0
        with self._changed:
            while True:
                for entry in self._playback.played[seen:]:
                    if predicate(entry.request):
                        return entry.request
                seen = len(self._playback.played)
                if not self._changed.wait(until - time.monotonic()) and time.monotonic() >= until:
                    raise ScenarioMismatch(f"no such request within {deadline} s.\n{self._playback.transcript()}")

    async def wait_for_async(self, predicate: Callable[[ModelRequest], bool], *, deadline: float) -> ModelRequest:
        """``wait_for`` without blocking the event loop. The predicate runs in another thread."""
        return await asyncio.to_thread(self.wait_for, predicate, deadline=deadline)

    def wait_idle(self, *, deadline: float) -> None:
        """Wait until no reply is under way: all were sent completely or left by their clients."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._under_way == 0, deadline):
                raise ScenarioMismatch(
                    f"{self._under_way} replies are still under way after {deadline} s.\n{self._playback.transcript()}"
                )

    def transcript(self) -> str:
        """What was asked, what answered, what is left, for a person to read."""
        with self._changed:
            return self._playback.transcript()

    def check(self, *, all_used: bool = False) -> None:
        """Raise if the scenario had no reply for a request; with ``all_used`` also if a reply was never used."""
        with self._changed:
            if self._faults:
                raise Bug("the scripted model itself failed.") from self._faults[0]
            wrong = [f"request #{request.number} was not expected" for request in self._playback.unexpected]
            wrong += [f"nothing is served at {stray}" for stray in self._strays]
            if all_used:
                wrong += [f"reply {index} was never used" for index in self._playback.never_used]
            if wrong:
                raise ScenarioMismatch("; ".join(wrong) + ".\n" + self._playback.transcript())

    def _admit(self, headers: dict[str, str], body: JsonObject) -> Ticket:
        with self._changed:
            request = ModelRequest(
                number=len(self._playback.played) + 1,
                conversation=_conversation(headers, body),
                at_ms=time.time_ns() // 1_000_000,
                headers=headers,
                body=body,
            )
            reply = self._playback.take(request)
            gate = self._gate(request, reply)
            self._under_way += 1
            self._changed.notify_all()
        refusal = f"the scenario {self.scenario.name!r} has no reply left for {describe(request)}"
        return Ticket(request, reply, refusal, gate)

    def _gate(self, request: ModelRequest, reply: Reply | None) -> Gate | None:
        if reply is None or not isinstance(reply.fault, Hang):
            return None
        self._gates[request.number] = Gate()
        return self._gates[request.number]

    def _finish(self, ticket: Ticket) -> None:
        with self._changed:
            self._under_way -= 1
            gate = self._gates.pop(ticket.request.number, None)
            if gate is not None:
                gate.close()
            self._changed.notify_all()

    def _stray(self, what: str) -> None:
        with self._changed:
            self._strays.append(what)

    def _broke(self, error: BaseException) -> None:
        with self._changed:
            self._faults.append(error)


def _conversation(headers: dict[str, str], body: JsonObject) -> str:
    thread = headers.get("thread-id") or body.get("prompt_cache_key")
    return thread if isinstance(thread, str) else ""
