"""``rawr host serve``: the process that owns a home, until nothing is left to do."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path

from rawr.cli.commands.in_reach import refuse
from rawr.cli.commands.models import model_desk
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.explaining import explain
from rawr.cli.places import Places
from rawr.cli.terminal.attention import Bell
from rawr.codex import binary
from rawr.codex.stdio import StdioDialer
from rawr.codex.unix_socket import UnixDialer
from rawr.config.load import PolicySource
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.facts import Level
from rawr.errors import CodexError, RawrError
from rawr.host import messages as m
from rawr.host.audience import Audience
from rawr.host.ending import Ending, pause_runs
from rawr.host.environment import Environment, Environments
from rawr.host.faults import kind_of, leaving
from rawr.host.hosting import Hosting, Rules
from rawr.host.server import HostServer
from rawr.host.starting import LOG, Ready, say_ready
from rawr.journal.errors import JournalBusy
from rawr.local.peers import is_confined, what_it_cannot_tell
from rawr.ports.harness import Harness
from rawr.runtime.obeyed import InReach, Obeyed
from rawr.runtime.supervisor import Supervisor
from rawr.version import __version__

LOG_SIZE = 1_000_000
log = logging.getLogger("rawr.host")

_LEVELS: dict[Level, int] = {
    "debug": logging.DEBUG,
    "status": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Logging(Audience):
    """The audience, and what it is told in the log."""

    def notify(self, thread: str, level: Level, text: str) -> None:
        log.log(_LEVELS[level], "%s%s", f"{thread[-8:]}: " if thread else "", text)
        super().notify(thread, level, text)


def run(*, ready: int | None, stay: bool, resume: bool) -> Exit:
    places = Places.find()
    if not places.home.exists():
        refuse(places)  # before anything is made
    home = own_home(places.home)
    _open_log(home)
    try:
        asyncio.run(_serve(places, refuse(places), ready, stay=stay, resume=resume))
    except RawrError as error:
        log.error("%s", error)
        if ready is None:
            return explain(error)
        failed = m.Failed(0, kind_of(error), error.message, error.way_out)
        say_ready(ready, Ready(failed=failed, busy=isinstance(error, JournalBusy)))
        return Exit.JOURNAL if isinstance(error, JournalBusy) else Exit.PROBLEM
    return Exit.OK


def _open_log(home: Path) -> None:
    os.umask(0o077)
    handler = RotatingFileHandler(home / LOG, maxBytes=LOG_SIZE, backupCount=1, encoding="utf-8", errors="replace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


class _Settings:
    """The policy of the home's files, under the settings that clients gave."""

    def __init__(self, home: Path, obeyed: Obeyed) -> None:
        self._home = home
        self._obeyed = obeyed
        self._source: tuple[Mapping[str, object], PolicySource] | None = None
        self._known: set[str] = set()

    def __call__(self, flags: Mapping[str, object]) -> Policy:
        if self._source is None or self._source[0] != flags:
            self._source = (dict(flags), PolicySource(self._home, flags=flags, seeding=True, held=self._is_held))
        loaded = self._source[1].current()
        for warning in map(str, loaded.warnings):
            if warning not in self._known:
                self._known.add(warning)
                log.warning("%s", warning)
        return loaded.policy

    def _is_held(self) -> bool:
        return self._obeyed.is_in_reach


def _dial(wanted: m.Reach, environment: Environment | None) -> Harness:
    if wanted.socket:
        return UnixDialer(Path(wanted.socket))
    variables = environment.variables if environment is not None else os.environ
    return StdioDialer(Path(wanted.program), env={**variables, "CODEX_HOME": wanted.codex_home})


async def _serve(places: Places, obeyed: Obeyed, ready: int | None, *, stay: bool, resume: bool) -> None:
    audience, rules, ending = _Logging(), Rules(_Settings(places.home, obeyed)), Ending(stay=stay)
    environments = Environments()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.stop)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    async with (
        model_desk(places, rules) as models,
        Supervisor(
            None,
            places.home,
            policy=rules,
            surface=audience,
            protected=(places.codex_home,),
            models=models,
            keep_days=places.settings.keep_days,
            environments=environments,
            obeyed=obeyed,
        ) as rawr,
    ):
        hosting = Hosting(rawr, _dial, rules, environments)
        server = HostServer(rawr, hosting, audience, ending=ending)
        attention = places.settings.attention
        bell = Bell(attention, rawr.threads, terminal=False, commands=hosting.notify, environments=environments)
        rawr.follow(bell.taken)
        await server.start()
        if is_confined():
            log.warning("%s", what_it_cannot_tell())
        log.info("rawr %s serves %s as process %d", __version__, places.home, os.getpid())
        if ready is not None:
            say_ready(ready, Ready(pid=os.getpid(), notice=what_it_cannot_tell() if is_confined() else ""))
        if resume:
            await _resume(places, hosting)
        last = m.Leaving("it failed", kind="bug")
        try:
            last = m.Leaving(await _until_over(rawr, server, ending))
        except Exception as error:
            last = leaving(error)
            raise
        finally:
            log.info("exiting: %s", last.why)
            await bell.close()
            await server.close(last)


async def _resume(places: Places, hosting: Hosting) -> None:
    """Continue what was under way when the last host was killed: a person asked for that when they installed it."""
    shared = m.Reach(socket=str(places.control_socket))
    with contextlib.suppress(CodexError):
        codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
        own = m.Reach(program=str(codex.path.absolute()), codex_home=str(places.codex_home))
        for run, thread, reached in hosting.cut_off(own=own, shared=shared):
            if reached is None:
                log.warning("run %s waits to be resumed: it used a Codex behind another socket", run)
                continue
            try:
                await hosting.resume(thread, reached)
            except (CodexError, InReach) as error:
                log.warning("run %s waits to be resumed: %s", run, error)
            else:
                log.info("continuing run %s", run)


async def _until_over(rawr: Supervisor, server: HostServer, ending: Ending) -> str:
    ended, over = asyncio.ensure_future(rawr.ended()), asyncio.ensure_future(ending.wait(server))
    try:
        await asyncio.wait({ended, over}, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            ended.result()
        why = await over
        await pause_runs(rawr)
        await rawr.shown()
        return why
    finally:
        ended.cancel()
        over.cancel()
        with contextlib.suppress(asyncio.CancelledError, RawrError):
            await ended
