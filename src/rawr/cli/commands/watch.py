"""``rawr watch``: beside the user's own Codex."""

import asyncio
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.commands.agent_setup import look
from rawr.cli.commands.hosted import Part, host_of, in_foreground
from rawr.cli.commands.in_reach import refuse
from rawr.cli.commands.models import model_desk
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.conversation import Conversation, JsonConversation
from rawr.cli.terminal.ending import ENDING, run_in_order
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import has_symbols, warn
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.cli.terminal.screen import Muted, open_screen, require_screen
from rawr.codex.unix_socket import UnixDialer
from rawr.config.load import Loaded, PolicySource
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.effects import ListThreads
from rawr.core.vocabulary.facts import EffectSucceeded, Level
from rawr.errors import CodexError
from rawr.host import messages as m
from rawr.host.client import HostClient
from rawr.journal.home import FILE_MODE
from rawr.ports.surface import Rawr, Surface
from rawr.runtime.obeyed import Obeyed
from rawr.runtime.supervisor import Supervisor
from rawr.views.threads import is_hidden

OFFERED = "setup-offered"
"""An empty file in rawr's home: its user knows of the offer."""


class Wanted(Struct, frozen=True):
    """Everything that one call of ``rawr watch`` says."""

    thread: str = ""
    socket: Path | None = None
    mode: str | None = None
    notices: str | None = None
    foreground: bool = False
    detach: bool = False
    tui: bool = False
    json: bool = False
    plain: bool = False
    verbose: bool = False


def run(wanted: Wanted, *, codex_home: Path | None) -> Exit:
    places = Places.find(codex_home=codex_home)
    obeyed = refuse(places)
    home = own_home(places.home)
    flags = {"rawr_auto_compaction.mode": wanted.mode, "rawr_auto_compaction.notices": wanted.notices}
    source = PolicySource(home, flags=flags, seeding=True, held=lambda: obeyed.is_in_reach)
    wrong = [warning for warning in source.current().warnings if warning.file is None]
    if wrong:
        raise typer.BadParameter(f"--{wrong[0].key.rpartition('.')[2]}: {wrong[0].problem}")
    if wanted.tui:
        if in_foreground(places, asked=wanted.foreground):
            raise typer.BadParameter("--tui shows the host, so it cannot be combined with --foreground.")
        require_screen(json=wanted.json, plain=wanted.plain, detach=wanted.detach)
    where = _socket(wanted, places)
    policy = source.current().policy
    surface: Surface = (
        JsonConversation() if wanted.json else _conversation(policy, plain=wanted.plain, verbose=wanted.verbose)
    )
    with flowing(json=wanted.json):
        if not wanted.json and sys.stderr is not None and sys.stderr.isatty():
            _offer_tools(places, home)
        if not where.exists():
            warn(f"no Codex is running yet (there is no {where}); waiting for one. Ctrl-C exits.")
        try:
            if in_foreground(places, asked=wanted.foreground):
                rules = watching(source, wanted.thread)
                run_in_order(_watch(where, places, policy=rules, surface=surface, thread=wanted.thread, obeyed=obeyed))
            else:
                for warning in source.current().warnings:
                    warn(str(warning))
                asyncio.run(_watch_in_host(where, places, wanted, surface))
        finally:
            if isinstance(surface, Conversation):
                surface.close()
    return Exit.OK


def _socket(wanted: Wanted, places: Places) -> Path:
    where = (wanted.socket or places.control_socket).absolute()
    if wanted.socket is not None and not where.exists():
        message = f"No Codex is listening on {wanted.socket}: there is no such file."
        raise CodexError(message, way_out="Start its app-server first, or omit --socket to wait for your own Codex.")
    if wanted.thread and not where.exists():
        message = f"No Codex is running, so it has no thread {wanted.thread} open."
        raise CodexError(message, way_out="Start `codex` first, or omit --thread to wait for one.")
    return where


def _offer_tools(places: Places, home: Path) -> None:
    """Say once, ever, that the agent can mark its phases itself."""
    offered = home / OFFERED
    if offered.exists() or look(places.codex_home, home=home).status != "absent":
        return
    offered.touch(mode=FILE_MODE)
    warn("the agent can mark the phases of its work itself, which rawr then need not guess: `rawr setup codex`.")


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
        self._listing: set[str] = set()
        """The requests for a list that are under way."""
        self.missing = asyncio.Event()
        """Codex has listed its threads, and this one is not among them."""

    def notify(self, thread: str, level: Level, text: str) -> None:
        self._surface.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        self._surface.taken(taken)
        self._listing.update(one.id for one in taken.effects if isinstance(one.effect, ListThreads))
        fact = taken.recorded.fact
        if self._awaited and isinstance(fact, EffectSucceeded) and fact.effect in self._listing:
            if not any(one.endswith(self._awaited) for one in fact.result.split()):
                self.missing.set()
            self._awaited = ""


async def _until_over(rawr: Rawr, listening: _Listening, thread: str) -> None:
    """Until rawr cannot continue; raises if Codex does not have the one thread to watch."""
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


async def _watch(
    socket: Path,
    places: Places,
    *,
    policy: Callable[[], Policy],
    surface: Surface,
    thread: str,
    obeyed: Obeyed,
) -> None:
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
            obeyed=obeyed,
        ) as rawr,
    ):
        await _until_over(rawr, listening, thread)


def _newest_on(client: HostClient) -> str:
    """The thread of the watched Codex that was joined last; empty if there is none yet."""
    found = [name for name, state in client.threads.items() if state.link == client.link and not is_hidden(state)]
    return found[-1] if found else ""


async def _watch_in_host(socket: Path, places: Places, wanted: Wanted, surface: Surface) -> None:
    """Ctrl-C ends the watch; a closed terminal does not."""
    listening = _Listening(Muted(surface, muted=wanted.tui), wanted.thread)
    watched: list[HostClient] = []

    def is_watched(thread: str) -> bool:
        state = watched[0].threads.get(thread) if watched else None
        return state is not None and state.link == watched[0].link

    async with host_of(places, {}, Part(listening, is_watched), name="watch") as client:
        watched.append(client)
        mode = msgspec.convert(wanted.mode or "", Literal["", "tag", "suggest", "auto"])
        begun = partial(client.watch, m.Watch(str(socket), mode=mode, only=wanted.thread))
        if wanted.detach:
            await begun()
            warn(f"the host (process {client.welcome.pid}) is watching; `rawr host status` shows it")
            return
        if wanted.tui:
            await begun()
            await open_screen(client, opens=partial(_newest_on, client))
            warn("the watch goes on in the background; `rawr host status` shows it, `rawr host stop` ends it")
            return

        async def watch() -> None:
            await begun()
            await _until_over(client, listening, wanted.thread)

        watching = asyncio.ensure_future(watch())
        told: list[signal.Signals] = []

        def leave(number: signal.Signals) -> None:
            told.append(number)
            watching.cancel()

        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, leave, number)
        try:
            await watching
        except asyncio.CancelledError:
            if not told:
                raise
        except CodexError:
            await client.unwatch()
            raise
        if signal.SIGINT in told:
            await client.unwatch()
            raise KeyboardInterrupt
