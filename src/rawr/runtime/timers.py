"""Deadlines on an injected clock. A deadline that passes is a fact."""

import asyncio

from rawr.core.vocabulary.facts import DeadlinePassed
from rawr.ports.clock import Clock
from rawr.ports.surface import Tell


class Timers:
    def __init__(self, clock: Clock, tell: Tell) -> None:
        self._clock = clock
        self._tell = tell
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}

    def set(self, thread: str, name: str, *, at: int) -> None:
        """Tell ``DeadlinePassed`` at ``at`` (ms since the epoch); setting a name again moves it."""
        self.cancel(thread, name)
        task = asyncio.create_task(self._wait(thread, name, at))
        self._tasks[thread, name] = task
        task.add_done_callback(lambda ended: self._forget(thread, name, ended))

    def cancel(self, thread: str, name: str) -> None:
        task = self._tasks.pop((thread, name), None)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self, thread: str, name: str, at: int) -> None:
        await self._clock.sleep_until(at)
        self._tell(thread, DeadlinePassed(name=name))

    def _forget(self, thread: str, name: str, ended: "asyncio.Task[None]") -> None:
        if self._tasks.get((thread, name)) is ended:
            del self._tasks[thread, name]
