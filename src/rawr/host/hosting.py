"""What clients can ask of a host: connections to Codex by name, the watch, orders, its status."""

import os
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.host import link_of
from rawr.core.vocabulary.facts import RunResumed
from rawr.errors import OutsideError
from rawr.host import messages as m
from rawr.ports.harness import Harness
from rawr.runtime.supervisor import Supervisor
from rawr.version import __version__
from rawr.views.runs import was_cut_off

Dial = Callable[[m.Reach], Harness]
"""How a Codex is reached, or started."""
SHARED, OWN = "shared-", "own-"
"""How the names of connections begin: to a Codex that a person is using, and to one that the host starts."""


class OtherRules(OutsideError):
    """A host works under one set of rules."""


class _Watch(Struct, frozen=True):
    wanted: m.Watch
    link: str


class Rules:
    """The rules of a host: the files of its home, settings over them, and what a watch adds."""

    def __init__(self, load: Callable[[Mapping[str, object]], Policy]) -> None:
        """``load``: the policy from the files, under settings given by key."""
        self._load = load
        self.flags: dict[str, object] = {}
        self._watch: _Watch | None = None
        self._made: tuple[Policy, _Watch | None, Policy] | None = None

    def watch(self, watch: _Watch | None) -> None:
        self._watch = watch

    def __call__(self) -> Policy:
        base, watch = self._load(self.flags), self._watch
        # The same object for the same files: the loop compares it at every turn's end.
        if self._made is None or self._made[0] is not base or self._made[1] is not watch:
            policy = base
            if watch is not None:
                policy = replace(
                    base, join="all", join_only=watch.wanted.only, join_on=watch.link, watch_mode=watch.wanted.mode
                )
            self._made = (base, watch, policy)
        return self._made[2]


class Hosting:
    """One host's work, for all of its clients."""

    def __init__(self, rawr: Supervisor, dial: Dial, rules: Rules) -> None:
        self._rawr = rawr
        self._dial = dial
        self._rules = rules
        self._since = int(time.time() * 1000)
        self._reached: dict[str, m.Reach] = {}
        self._watch: _Watch | None = None
        self._watchers: set[int] = set()
        """Clients that watch. The watch outlives one that goes away without a word: its terminal was closed."""
        self.notify: dict[str, str] = {}
        """The command that calls a person back, by thread."""

    # -- connections --------------------------------------------------------------------------------------------

    async def reach(self, wanted: m.Reach) -> str:
        """The name of an open connection to this Codex."""
        name = link_name(wanted)
        await self._renewed(name, wanted, patient=False)
        await self._rawr.connected(name)
        return name

    async def _renewed(self, name: str, wanted: m.Reach, *, patient: bool) -> None:
        """Have the connection; one that was given up is made again."""
        links = self._rawr.links
        if name in links and links.serving(name).done():
            await links.drop(name)
        if name not in links:
            harness = self._dial(wanted)
            self._reached[name] = wanted
            if wanted.codex_home:
                self._rawr.protect(Path(wanted.codex_home))
            links.add(name, harness, patient=patient)

    # -- watching -----------------------------------------------------------------------------------------------

    async def watch(self, wanted: m.Watch, client: int) -> str:
        """Watch; several clients may watch the same Codex in the same way."""
        if self._watch is not None and self._watch.wanted != wanted:
            raise OtherRules(
                f"This home already watches {_in_words(self._watch.wanted)}.",
                way_out="End that watch first with Ctrl-C in its terminal, or with `rawr host stop`.",
            )
        self._watchers.add(client)
        if self._watch is None:
            reached = m.Reach(socket=wanted.socket)
            self._watch = _Watch(wanted, link_name(reached))
            self._rules.watch(self._watch)
            self._rawr.adopt_policy()
            # A connection that a run is using already has not asked which threads there are: make it anew.
            await self._rawr.links.drop(self._watch.link)
            await self._renewed(self._watch.link, reached, patient=True)
        return self._watch.link

    def gone(self, client: int) -> None:
        """A client has gone away. Its watch goes on, until somebody else who watches ends it."""
        self._watchers.discard(client)

    async def unwatch(self, client: int) -> None:
        """End the watch, unless others are watching."""
        self._watchers.discard(client)
        if self._watch is None or self._watchers:
            return
        link, self._watch = self._watch.link, None
        self._rules.watch(None)
        self._rawr.adopt_policy()
        if not any(state.link == link and state.ours and state.in_touch for state in self._rawr.threads.values()):
            await self._rawr.links.drop(link)

    @property
    def watching(self) -> str:
        """The socket of the Codex that is watched; empty: none is."""
        return self._watch.wanted.socket if self._watch is not None else ""

    @property
    def watched_is_there(self) -> bool:
        return self._watch is not None and link_of(self._rawr.host, self._watch.link) is not None

    # -- rules --------------------------------------------------------------------------------------------------

    def use_rules(self, flags: dict[str, object], *, alone: bool) -> None:
        """``alone``: no other client is there, and nothing is under way."""
        if flags == self._rules.flags:
            return
        if not alone:
            theirs = "other settings" if self._rules.flags else "the settings of the home alone"
            raise OtherRules(
                f"The host of this home works under {theirs}, and has work under way.",
                way_out="Wait until it is over, or use another RAWR_HOME for this one.",
            )
        self._rules.flags = flags
        self._rawr.adopt_policy()

    # -- threads ------------------------------------------------------------------------------------------------

    async def begin(self, wanted: m.BeginThread) -> str:
        thread = await self._rawr.start_thread(
            Path(wanted.cwd),
            model=wanted.model,
            approvals=wanted.approvals,
            sandbox=wanted.sandbox,
            unattended=wanted.unattended,
            link=wanted.link,
        )
        self._remember(thread, wanted.notify)
        return thread

    async def adopt(self, wanted: m.AdoptThread) -> None:
        self._remember(wanted.thread, wanted.notify)
        await self._rawr.adopt(
            wanted.thread,
            sandbox=wanted.sandbox,
            approvals=wanted.approvals,
            take_goal=wanted.take_goal,
            link=wanted.link,
        )

    def put(self, wanted: m.PutThread) -> None:
        self._remember(wanted.thread, wanted.notify)
        self._rawr.put(wanted.thread, wanted.link)

    def cut_off(self, *, own: m.Reach, shared: m.Reach) -> list[tuple[str, str, m.Reach | None]]:
        """The runs that were under way when the last host was killed, with their threads, each with the Codex that
        continues it: the one that a person is using, if that has its thread, since no other could open it; else our
        own. None: it worked with a Codex behind a socket that nobody here knows."""
        found = [(state, state.run) for state in self._rawr.threads.values() if state.run is not None]
        theirs = link_name(shared)

        def continues(link: str) -> m.Reach | None:
            if not link.startswith(SHARED):
                return own
            return shared if link == theirs else None

        return [(run.id, state.id, continues(state.link)) for state, run in found if was_cut_off(run)]

    async def resume(self, thread: str, wanted: m.Reach) -> None:
        """Continue the run of a thread on this Codex."""
        self._rawr.put(thread, await self.reach(wanted))
        await self._rawr.record(thread, RunResumed())

    def _remember(self, thread: str, command: str) -> None:
        if command:
            self.notify[thread] = command

    # -- status -------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[m.RunStatus, ...]:
        """Those under way."""
        found = [(state, state.run) for state in self._rawr.threads.values() if state.run is not None]
        return tuple(m.RunStatus(run.id, state.id, state.cwd, run.status) for state, run in found if run.active)

    def status(self, *, clients: int, ends: str) -> m.HostStatus:
        return m.HostStatus(
            pid=os.getpid(),
            version=__version__,
            home=str(self._rawr.home),
            since=self._since,
            clients=clients,
            links=tuple(self._link(name) for name in self._rawr.links.names),
            watching=self.watching,
            runs=self.runs,
            ends=ends,
        )

    def _link(self, name: str) -> m.LinkStatus:
        reached, online = self._reached.get(name, m.Reach()), link_of(self._rawr.host, name) is not None
        return m.LinkStatus(
            name,
            "shared" if reached.socket else "own",
            online,
            where=reached.socket or reached.program,
            problem="" if online else self._rawr.links.connection(name).problem,
        )


def link_name(wanted: m.Reach) -> str:
    """The same name for the same Codex, in every host on this home."""
    kind = SHARED if wanted.socket else OWN
    place = wanted.socket or f"{wanted.program}\0{wanted.codex_home}"
    return f"{kind}{sha256(place.encode()).hexdigest()[:8]}"


def _in_words(watch: m.Watch) -> str:
    how = f" in mode {watch.mode}" if watch.mode else ""
    return f"{f'thread {watch.only}' if watch.only else 'all threads'} of {watch.socket}{how}"
