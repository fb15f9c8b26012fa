"""Beside the user's own Codex: their client on its app-server, and ``rawr watch`` as a program of its own."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Raw

from rawr.codex.client import CodexClient
from rawr.codex.unix_socket import UnixDialer
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.core.vocabulary import facts
from rawr.host.client import HostClient, NoHost
from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.codex.watch import Watch, connected
from tests.e2e.golden import GOES_ON, PACKET
from tests.e2e.rig import SocketServer
from tests.e2e.terminal import Terminal, terminal

FULL_ACCESS = {"approval_policy": "never", "sandbox_mode": "danger-full-access"}
"""What a user may have in their config so that no command is asked about."""
WORK = """
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }
- { run: "git init -q . && git commit -q --allow-empty -m 'Research done'", usage: 80000 }
- { plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }
- { say: "The research is finished, committed as Research done, and the draft comes next.", usage: 132000 }
"""
"""A phase of work without tools of rawr's: a thread of somebody else has none."""
COMMITTED = PACKET + "Commit: Research done."
"""The packet after it."""
MORNING = '- { when: { user: "^good morning$" }, say: "Good morning.", usage: 20000, times: always }\n'
"""A thread can be joined from its first turn on, so the work begins later."""
TITLE = '- { when: { user: "task title" }, say: "A title", times: always }\n'
"""What the terminal program asks for itself."""
DEADLINE = 30.0
Line = dict[str, object]


@asynccontextmanager
async def served(
    replies: str, folder: Path, *, asks: bool = False, prepare: Callable[[ScriptedCodex], None] | None = None
) -> AsyncIterator[tuple[ScriptedCodex, SocketServer]]:
    """An app-server on a socket, as the user's Codex has it; with ``asks`` commands need an approval. ``prepare`` is
    what the user did to their Codex's home before."""
    scenario = parse_scenario("name: beside\nreplies:\n" + replies)
    config = {"approval_policy": "on-request", "sandbox_mode": "read-only"} if asks else FULL_ACCESS
    with scripted_codex(scenario, folder, extra_config=config) as codex:
        if prepare is not None:
            prepare(codex)
        server = SocketServer(codex)
        await server.start()
        await server.listening()
        try:
            yield codex, server
        finally:
            await server.close()


class Person:
    """Somebody who works in a thread of their own, with a client that is not rawr's."""

    def __init__(self, client: CodexClient, heard: Watch, thread: str) -> None:
        self.client = client
        self.heard = heard
        self.thread = thread

    async def say(self, text: str, *more: dict[str, str]) -> str:
        """``more``: pictures and the like, as Codex takes them."""
        parts = [Raw(msgspec.json.encode(one)) for one in more]
        start = methods.TurnStart(thread_id=self.thread, input=[TextInput(text=text), *parts])
        return (await self.client.call(methods.TURN_START, start)).turn.id

    async def until_told(self, text: str) -> facts.ItemCompleted:
        """The first item of the thread, past ones included, that holds this text."""

        def fitting() -> list[facts.ItemCompleted]:
            return [one for one in self.heard.all(facts.ItemCompleted) if text in getattr(one.item, "text", "")]

        await self.heard.until(lambda: bool(fitting()))
        return fitting()[0]

    async def until_over(self, turn: str) -> None:
        await self.heard.until(lambda: any(one.turn == turn for one in self.heard.all(facts.TurnCompleted)))


class _Start(methods.ThreadStart, frozen=True):
    history_mode: str = "paginated"


@asynccontextmanager
async def person(
    server: SocketServer, cwd: Path, *, ephemeral: bool = False, thread: str = "", history: str = ""
) -> AsyncIterator[Person]:
    """Somebody with a new thread, or with one that they take up again.

    With ``history="legacy"`` Codex keeps the thread as it kept those from before 0.150.
    """
    async with connected(UnixDialer(server.path)) as (client, heard):
        if thread:
            await client.call(methods.THREAD_RESUME, methods.ThreadResume(thread_id=thread, exclude_turns=True))
        else:
            start = methods.ThreadStart(cwd=str(cwd), ephemeral=ephemeral)
            if history:
                start = _Start(cwd=str(cwd), history_mode=history)
            thread = (await client.call(methods.THREAD_START, start)).thread.id
        yield Person(client, heard, thread)


class Told:
    """What a program tells with ``--json``: every fact with its decisions."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def facts(self, kind: str, **values: object) -> list[Line]:
        """Each with the thread that it is about."""
        told = [{**_object(one["fact"]), "thread": one["thread"]} for one in self.lines if one["type"] == "fact"]
        return [one for one in told if one["fact"] == kind and values.items() <= one.items()]

    def reasons(self, *, thread: str | None = None) -> list[str]:
        decided = [one for one in self.lines if one["type"] == "fact" and thread in (None, one["thread"])]
        return [str(_object(each)["reason"]) for one in decided for each in _list(one["decisions"])]

    def evidence(self, reason: str) -> list[dict[str, object]]:
        """What every decision with this reason rests on."""
        decided = [_object(each) for one in self.lines if one["type"] == "fact" for each in _list(one["decisions"])]
        return [_object(one["evidence"]) for one in decided if one["reason"] == reason]

    def effects(self) -> list[str]:
        """The kinds of everything that rawr did."""
        return [str(one["effect"]) for one in self._effects()]

    def said(self, text: str) -> list[str]:
        """The threads in which somebody, user or agent, said something with this text in it, once for each time."""
        told = self.facts("ItemCompleted")
        return [str(one["thread"]) for one in told if text in str(_object(one["item"]).get("text", ""))]

    def _effects(self) -> list[Line]:
        return [_object(each) for one in self.lines for each in _list(one.get("effects", []))]


class Watching(Told):
    """``rawr watch --json``, line by line as it comes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__()
        self._process = process
        self.warnings: list[str] = []
        self._news = asyncio.Event()
        self._readers = (
            asyncio.create_task(self._read(process.stdout, lambda text: self.lines.append(json.loads(text)))),
            asyncio.create_task(self._read(process.stderr, self.warnings.append)),
        )

    async def fact(self, kind: str, *, times: int = 1, **values: object) -> Line:
        """The fact of this kind with these values in it, past ones included, as often as it is asked for."""
        await self._until(lambda: len(self.facts(kind, **values)) >= times, f"{kind} {values}, {times} times")
        return self.facts(kind, **values)[times - 1]

    async def joins(self, ada: Person) -> None:
        """The thread has its first turn, and rawr joins it.

        Before that a first attempt is refused by Codex. It is waited for, so that the turn is the sign of life that the
        second one takes.
        """
        await self.fact("ThreadOpened", thread=ada.thread)
        await self._until(lambda: self._refused(ada.thread), "the end of the first attempt to join")
        await ada.until_over(await ada.say("good morning"))
        await self.fact("ThreadJoined", thread=ada.thread)

    def _refused(self, thread: str) -> bool:
        attempts = self.reasons(thread=thread).count("thread.joined.watch")
        return len(self.facts("EffectFailed", thread=thread)) == attempts

    async def decided(self, reason: str) -> None:
        await self._until(lambda: reason in self.reasons(), reason)

    async def warned(self, text: str) -> None:
        await self._until(lambda: any(text in one for one in self.warnings), f"the warning {text!r}")

    async def noticed(self, text: str) -> None:
        """A line of rawr's for the person."""
        await self._until(
            lambda: any(one["type"] == "notice" and text in str(one["text"]) for one in self.lines), f"notice {text!r}"
        )

    async def done(self, kind: str) -> None:
        """Codex has taken an effect of this kind."""

        def taken() -> bool:
            names = {one["id"] for one in self._effects() if one["effect"] == kind}
            return any(one["effect"] in names for one in self.facts("EffectSucceeded"))

        await self._until(taken, f"the success of {kind}")

    async def hears(self, text: str) -> None:
        await self._until(lambda: bool(self.said(text)), f"the words {text!r}")

    async def ctrl_c(self) -> int:
        """As a terminal does it; gives the exit code."""
        self._process.send_signal(signal.SIGINT)
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(*self._readers)
            return await self._process.wait()

    async def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await asyncio.gather(*self._readers)
        await self._process.wait()

    async def _until(self, seen: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(DEADLINE):
                while not seen():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            last = "\n".join(json.dumps(one)[:400] for one in self.lines[-30:])
            raise AssertionError(f"rawr watch never told: {what}\n{last}\n{self.warnings}") from None

    async def _read(self, stream: asyncio.StreamReader | None, take: Callable[[str], None]) -> None:
        assert stream is not None
        async for line in stream:
            take(line.decode())
            self._news.set()


def _object(value: object) -> Line:
    assert isinstance(value, dict)
    return value


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


@asynccontextmanager
async def rawr_watch(
    codex: ScriptedCodex, home: Path, *arguments: str, server: "Reachable | None" = None, host: bool = False
) -> AsyncIterator[Watching]:
    """The program itself. Without a server it has to find the one of this Codex's home by itself."""
    process = await asyncio.create_subprocess_exec(
        *watch_command("--json", *arguments, server=server),
        env={**watch_env(codex, home), **({"RAWR_FOREGROUND": ""} if host else {})},
        cwd=codex.home.user_home,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=4 * 1024 * 1024,
    )
    watching = Watching(process)
    try:
        if server is not None:
            await watching.fact("ServerConnected", thread="")
        yield watching
    finally:
        await watching.close()
        if host:
            await end_host(home)


async def end_host(home: Path) -> None:
    """Nothing is left behind, however the test ended."""
    try:
        async with await HostClient.open(home, shape=False) as client, asyncio.timeout(DEADLINE):
            await client.stop_host()
    except (NoHost, OSError):
        pass


class Reachable(Protocol):
    """A server of the user's, or what stands in front of it."""

    @property
    def path(self) -> Path: ...


def watch_command(*arguments: str, server: Reachable | None = None) -> list[str]:
    where = ["--socket", str(server.path)] if server is not None else []
    return [sys.executable, "-m", "rawr", "watch", *where, *arguments]


def watch_env(codex: ScriptedCodex, home: Path) -> dict[str, str]:
    return {**codex.env(), "RAWR_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}


async def say(screen: Terminal, text: str) -> None:
    """Type it, and send it when it stands there."""
    before = screen.text.count(text)
    screen.type(text)
    await screen.until(lambda shown: shown.count(text) > before)
    screen.type("\r")


@asynccontextmanager
async def at_work(
    replies: str, folder: Path, *, work: str = WORK, prepare: Callable[[ScriptedCodex], None] | None = None
) -> AsyncIterator[tuple[ScriptedCodex, Watching, Terminal]]:
    """The user has given the job in their own Codex, and rawr watches."""
    script = TITLE + MORNING + work + replies
    async with (
        served(script, folder, prepare=prepare) as (codex, server),
        rawr_watch(codex, folder / "rawr", server=server) as watching,
        terminal(
            codex.command("--remote", f"unix://{server.path}"), env=codex.env(), cwd=codex.home.workspace, rows=200
        ) as screen,
    ):
        await greet(screen)
        await watching.fact("ThreadJoined")
        await say(screen, "three phases please")
        yield codex, watching, screen


async def greet(screen: Terminal) -> None:
    """One turn of the terminal program, to its end: what is typed while a turn ends, Codex may leave unanswered."""
    await screen.until(lambda shown: "Ask Codex" in shown)
    await say(screen, "good morning")
    await screen.until(lambda shown: "• Good morning." in shown and "Worked for" in shown)


def in_order(shown: str) -> bool:
    """The five lines of the golden path, as somebody who watches the thread sees them."""
    marks = ("Heads-up: we pause", "Write the draft.", "Context compacted", "Handoff: the context", GOES_ON)
    places = [shown.find(mark) for mark in marks]
    return -1 not in places and places == sorted(places)
