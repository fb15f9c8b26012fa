"""Codex as a harness: a supervisor takes anything that can dial an app-server."""

from collections.abc import Callable, Iterator
from pathlib import Path

from rawr.codex import rpc
from rawr.codex.client import CodexClient
from rawr.codex.deltas import delta_of
from rawr.codex.driver import CodexDriver
from rawr.codex.persistence import TRIES
from rawr.codex.transport import Dialer, Link
from rawr.core.real import Real
from rawr.ports.harness import Done, HarnessEffect, Listener, Undone
from rawr.version import __version__


class CodexConnection:
    def __init__(self, client: CodexClient) -> None:
        self.client = client
        self._driver = CodexDriver(client)

    @property
    def problem(self) -> str:
        ended = self.client.last_end
        return ended.problem if ended is not None else "the reason is not known"

    async def run(self, *, reconnect: bool = True) -> None:
        await self.client.run(reconnect=reconnect)

    async def wait_connected(self, deadline: float) -> None:
        await self.client.wait_connected(deadline)

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone:
        return await self._driver.carry_out(name, thread, real)


class CodexDialer(Dialer):
    """Base of all dialers for a supervisor."""

    async def dial(self) -> Link:
        raise NotImplementedError

    def connection(
        self, listener: Listener, *, home: Path, epochs: Iterator[int], patient: bool, name: str
    ) -> CodexConnection:
        client = CodexClient(
            self,
            version=__version__,
            on_told=listener.tell,
            on_frame=listener.keep_frame,
            on_delta=_showing(listener),
            epochs=epochs,
            tries=None if patient else TRIES,
            asks_config=True,
        )
        return CodexConnection(client)


def _showing(listener: Listener) -> Callable[[rpc.Notification], None]:
    """Read a delta only if somebody wants to see it: there are far more of them than of anything else."""

    def show(notification: rpc.Notification) -> None:
        if listener.is_read() and (delta := delta_of(notification)) is not None:
            listener.show(delta)

    return show
