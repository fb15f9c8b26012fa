"""What clients can ask of a host: connections to Codex by name, the watch, orders, its status."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.host import link_of
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.errors import OutsideError
from rawr.host import messages as m
from rawr.host.codexes import Client, Codexes, Dial, is_shared, shared_name
from rawr.host.environment import Environment, Environments
from rawr.local.peers import what_it_cannot_tell
from rawr.runtime.supervisor import Supervisor
from rawr.version import __version__
from rawr.views.runs import was_cut_off

SET_TO_WORK = (
    facts.RunSubmitted,
    facts.RunResumed,
    facts.RunOverridden,
    facts.UserSubmitted,
    facts.SteerSubmitted,
)
"""What a person submits to have something done, in the terminal that they are in."""


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

    def __init__(self, rawr: Supervisor, dial: Dial, rules: Rules, environments: Environments) -> None:
        self._rawr = rawr
        self._environments = environments
        self._codexes = Codexes(rawr, dial, environments, at_work=self._has_work)
        self._rules = rules
        self._since = int(time.time() * 1000)
        self._watch: _Watch | None = None
        self._watchers: set[int] = set()
        """Clients that watch. The watch outlives one that goes away without a word: its terminal was closed."""
        self.notify: dict[str, str] = {}
        """The command that calls a person back, by thread."""

    # -- connections --------------------------------------------------------------------------------------------

    async def reach(self, client: Client) -> str:
        return await self._codexes.reach(client)

    def left(self, client: Client) -> None:
        """A client has gone away. Its watch goes on, until somebody else who watches ends it."""
        self._watchers.discard(client.number)
        self._codexes.forget(client)

    def look(self, taken: Taken) -> None:
        """Something was taken: what a host holds for a thread goes with its work."""
        fact, thread = taken.recorded.fact, taken.recorded.thread
        if isinstance(fact, facts.ThreadTookOver):
            self._environments.hand_on(fact.origin, thread)
            self._remember(thread, self.notify.get(fact.origin, ""))
        self._codexes.look()

    def forget(self) -> None:
        """A run is over, and a host can live long."""
        self._environments.keep(self._rawr.threads)

    def _has_work(self, link: str) -> bool:
        begins = any(one.fact.link == link for one in self._rawr.host.wanted)
        return begins or any(one.link == link and not _at_rest(one) for one in self._rawr.threads.values())

    # -- watching -----------------------------------------------------------------------------------------------

    async def watch(self, wanted: m.Watch, client: Client) -> str:
        """Watch; several clients may watch the same Codex in the same way."""
        if self._watch is not None and self._watch.wanted != wanted:
            raise OtherRules(
                f"This home already watches {_in_words(self._watch.wanted)}.",
                way_out="End that watch first with Ctrl-C in its terminal, or with `rawr host stop`.",
            )
        self._watchers.add(client.number)
        client.codex = m.Reach(socket=wanted.socket)
        if self._watch is None:
            self._watch = _Watch(wanted, shared_name(wanted.socket))
            self._rules.watch(self._watch)
            self._rawr.adopt_policy()
            # A connection that a run is using already has not asked which threads there are: make it anew.
            await self._rawr.links.drop(self._watch.link)
            await self._codexes.open(self._watch.link, client.codex, None, patient=True)
        return self._watch.link

    async def unwatch(self, client: Client) -> None:
        """End the watch, unless others are watching."""
        self._watchers.discard(client.number)
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

    async def begin(self, wanted: m.BeginThread, client: Client) -> str:
        thread = await self._rawr.start_thread(
            Path(wanted.cwd),
            model=wanted.model,
            approvals=wanted.approvals,
            sandbox=wanted.sandbox,
            unattended=wanted.unattended,
            link=await self.reach(client),
        )
        self._environments.use(thread, client.environment)
        self._remember(thread, wanted.notify)
        return thread

    async def adopt(self, wanted: m.AdoptThread, client: Client) -> None:
        self._remember(wanted.thread, wanted.notify)
        await self._rawr.adopt(
            wanted.thread,
            sandbox=wanted.sandbox,
            approvals=wanted.approvals,
            take_goal=wanted.take_goal,
            link=await self._settled(wanted.thread, client),
        )

    async def put(self, wanted: m.PutThread, client: Client) -> None:
        self._remember(wanted.thread, wanted.notify)
        await self._settled(wanted.thread, client)

    async def submit(self, thread: str, fact: m.Submission, client: Client) -> Taken:
        if isinstance(fact, SET_TO_WORK) and client.codex is not None:
            state = self._rawr.state(thread)
            if state.ours:
                await self._settled(thread, client)
            elif self._rests(state):
                self._environments.use(thread, client.environment)
        return await self._rawr.record(thread, fact)

    def cut_off(self, *, own: m.Reach, shared: m.Reach) -> list[tuple[str, str, m.Reach | None]]:
        """The runs that were under way when the last host was killed, with their threads, each with the Codex that
        continues it: the one that a person is using, if that has its thread, since no other could open it; else our
        own. None: it worked with a Codex behind a socket that nobody here knows."""
        found = [(state, state.run) for state in self._rawr.threads.values() if state.run is not None]
        theirs = shared_name(shared.socket)

        def continues(link: str) -> m.Reach | None:
            if not is_shared(link):
                return own
            return shared if link == theirs else None

        return [(run.id, state.id, continues(state.link)) for state, run in found if was_cut_off(run)]

    async def resume(self, thread: str, codex: m.Reach) -> None:
        """Continue the run of a thread on this Codex. Its terminal's environment went with the host before: from here
        on it has this host's own."""
        here = Client(0, Environment.of(os.environ), codex)
        try:
            await self._settled(thread, here)
            await self._rawr.record(thread, facts.RunResumed())
        finally:
            self.left(here)

    async def _settled(self, thread: str, client: Client) -> str:
        """Have a thread that rests continue with this client's Codex, in its environment. Returns where it is then."""
        state = self._rawr.state(thread)
        if not self._rests(state):
            return state.link
        link, before = await self.reach(client), state.link
        if before != link and state.online and self._codexes.is_own(before) and self._codexes.is_own(link):
            # Codex lets no other process have a thread that it has open, and closes none while it runs (measured).
            if self._has_work(before):
                raise _in_use(state, [one for one in self.runs if self._rawr.state(one.thread).link == before])
            await self._codexes.close(before)
        self._environments.use(thread, client.environment)
        self._rawr.put(thread, link)
        return link

    def _rests(self, state: ThreadState) -> bool:
        """Return True if nothing is under way there. Nothing is where this host has no connection."""
        return state.link not in self._rawr.links or _at_rest(state)

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
        links = tuple(self._link(name) for name in self._rawr.links.names)
        return m.HostStatus(
            pid=os.getpid(),
            version=__version__,
            home=str(self._rawr.home),
            since=self._since,
            clients=clients,
            links=links,
            processes=sum(one.kind == "own" and one.online for one in links),
            watching=self.watching,
            runs=self.runs,
            ends=ends,
            confined=what_it_cannot_tell(),
        )

    def _link(self, name: str) -> m.LinkStatus:
        reached, online = self._codexes.reached(name), link_of(self._rawr.host, name) is not None
        found = [(state, state.run) for state in self._rawr.threads.values() if state.link == name]
        return m.LinkStatus(
            name,
            "shared" if reached.socket else "own",
            online,
            where=reached.socket or reached.program,
            problem="" if online else self._rawr.links.connection(name).problem,
            runs=tuple(run.id for _, run in found if run is not None and run.active),
        )


def _at_rest(state: ThreadState) -> bool:
    if state.run is not None and state.run.active:
        return False
    judged = state.unweighed or state.reading or state.observing
    return not (state.online and (state.busy or state.sequence is not None or judged)) and not state.resuming


def _in_use(state: ThreadState, others: list[m.RunStatus]) -> OutsideError:
    what = f"Run {state.run.id}" if state.run is not None else f"Thread {state.id}"
    names = " and ".join(one.run for one in others) or "another thread"
    return OutsideError(
        f"{what} is open in a Codex with another environment, which is at work for {names}.",
        way_out=f"Wait for {names}, or continue in a terminal with the environment in which it ran before.",
    )


def _in_words(watch: m.Watch) -> str:
    how = f" in mode {watch.mode}" if watch.mode else ""
    return f"{f'thread {watch.only}' if watch.only else 'all threads'} of {watch.socket}{how}"
