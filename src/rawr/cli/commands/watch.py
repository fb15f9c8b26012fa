"""``rawr watch``: beside the user's own Codex."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import typer
from msgspec.structs import replace

from rawr.cli.commands.models import model_desk
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.conversation import Conversation, JsonConversation
from rawr.cli.terminal.ending import run_in_order
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import has_symbols, warn
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.codex.unix_socket import UnixDialer
from rawr.config.load import Loaded, PolicySource
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.facts import EffectSucceeded, Level
from rawr.errors import CodexError
from rawr.ports.surface import Surface
from rawr.runtime.supervisor import Supervisor


def run(
    *,
    thread: str,
    socket: Path | None,
    mode: str | None,
    notices: str | None,
    json: bool,
    plain: bool,
    verbose: bool,
    codex_home: Path | None,
) -> Exit:
    places = Places.find(codex_home=codex_home)
    home = own_home(places.home)
    flags = {"rawr_auto_compaction.mode": mode, "rawr_auto_compaction.notices": notices}
    source = PolicySource(home, flags=flags, seeding=True)
    wrong = [warning for warning in source.current().warnings if warning.file is None]
    if wrong:
        raise typer.BadParameter(f"--{wrong[0].key.rpartition('.')[2]}: {wrong[0].problem}")
    where = socket or places.control_socket
    surface: Surface = (
        JsonConversation() if json else _conversation(source.current().policy, plain=plain, verbose=verbose)
    )
    if socket is not None and not socket.exists():
        message = f"No Codex is listening on {socket}: there is no such file."
        raise CodexError(message, way_out="Start its app-server first, or omit --socket to wait for your own Codex.")
    if thread and not where.exists():
        message = f"No Codex is running, so it has no thread {thread} open."
        raise CodexError(message, way_out="Start `codex` first, or omit --thread to wait for one.")
    with flowing(json=json):
        if not where.exists():
            warn(f"no Codex is running yet (there is no {where}); waiting for one. Ctrl-C exits.")
        try:
            run_in_order(_watch(where, places, policy=watching(source, thread), surface=surface, thread=thread))
        finally:
            if isinstance(surface, Conversation):
                surface.close()
    return Exit.OK


def _conversation(policy: Policy, *, plain: bool, verbose: bool) -> Conversation:
    """The user sees the thread itself in their Codex, so it is repeated here only on request."""
    notices = policy.compaction.notices
    symbols = not plain and has_symbols(sys.stdout)
    printer = PlainPrinter() if plain else RichPrinter()
    return Conversation(
        printer, notices=notices, follow=notices == "all", symbols=symbols, brief=notices != "all" and not verbose
    )


def watching(source: PolicySource, thread: str) -> Callable[[], Policy]:
    """The policy from the files, with other people's threads joined. Rebuilt only when a file has changed.

    Problems in the files are reported when first seen, even in the middle of a watch.
    """
    held: list[tuple[Loaded, Policy]] = []

    def policy() -> Policy:
        loaded = source.current()
        if not held or held[-1][0] is not loaded:
            known = held[-1][0].warnings if held else ()
            for warning in loaded.warnings:
                if warning not in known:
                    warn(str(warning))
            held[:] = [(loaded, replace(loaded.policy, join="all", join_only=thread))]
        return held[-1][1]

    return policy


class _Listening:
    """A surface that also looks for one thread among Codex's."""

    def __init__(self, surface: Surface, thread: str) -> None:
        self._surface = surface
        self._awaited = thread
        """Empty once the first list is in: a Codex that starts anew has nothing open, and is waited for."""
        self.missing = asyncio.Event()
        """Codex has listed its threads, and this one is not among them."""

    def notify(self, thread: str, level: Level, text: str) -> None:
        self._surface.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        self._surface.taken(taken)
        fact = taken.recorded.fact
        # A watch makes only one request that is about no thread: the list of threads.
        if self._awaited and not taken.recorded.thread and isinstance(fact, EffectSucceeded):
            if not any(one.endswith(self._awaited) for one in fact.result.split()):
                self.missing.set()
            self._awaited = ""


async def _watch(socket: Path, places: Places, *, policy: Callable[[], Policy], surface: Surface, thread: str) -> None:
    listening = _Listening(surface, thread)
    async with (
        model_desk(places, policy) as models,
        Supervisor(
            UnixDialer(socket),
            places.home,
            policy=policy,
            surface=listening,
            patient=True,
            models=models,
            keep_days=places.settings.keep_days,
        ) as rawr,
    ):
        ended, missing = asyncio.ensure_future(rawr.ended()), asyncio.ensure_future(listening.missing.wait())
        try:
            done, _ = await asyncio.wait((ended, missing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            missing.cancel()
        if ended in done:
            ended.result()
        else:
            way_out = "Open it in Codex first, or omit --thread to watch all threads."
            raise CodexError(f"Codex has no thread {thread} open.", way_out=way_out)
