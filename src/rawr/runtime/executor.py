"""Carries out decisions once they are in the journal. Effects are independent: none waits for another.

The journal holds redacted effects; the executor carries out the real ones (``rawr.core.real``). If a secret was lost
with an earlier run, it does nothing instead: the effect fails and says so.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import assert_never

from msgspec.structs import replace

from rawr.core.real import Real
from rawr.core.speech import inert
from rawr.core.text import head
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.opinions import NoOpinion
from rawr.journal.redact import Redactor
from rawr.observe.claimed import look_up
from rawr.observe.workspace.research import research as look_around
from rawr.ports.advisers import Approvals, Models, Observer
from rawr.ports.harness import Done, Driver, HarnessEffect, Undone
from rawr.ports.surface import Surface, Tell
from rawr.runtime.checking import Checked, run_check
from rawr.runtime.timers import Timers

MAX_PROBLEM = 1_000
GONE = "it held a secret that rawr kept out of the journal and no longer has"

OBSERVE_DEADLINE = 10.0
"""Seconds for a look at a repository. Most take a fraction of a millisecond."""
RESEARCH_GRACE = 3.0
"""Seconds that the executor allows beyond the time limit of the research itself."""


class Executor:
    def __init__(
        self,
        driver: Driver,
        timers: Timers,
        *,
        surface: Surface,
        tell: Tell,
        redactor: Redactor,
        observer: Observer | None = None,
        approvals: Approvals | None = None,
        models: Models | None = None,
        research: Callable[[str, float], str] = look_around,
        environment: Callable[[str], Mapping[str, str] | None] = lambda _thread: None,
    ) -> None:
        """``environment``: the variables with which to run programs for a thread; None: those of this process."""
        self._driver = driver
        self._environment = environment
        self._models = models or NoModels()
        self._approvals = approvals or _nothing_is_safe
        self._observer = observer
        # One thread, so that observations keep the order of the commands.
        self._observing = ThreadPoolExecutor(1, thread_name_prefix="rawr-observe")
        # Research takes longer than a look at HEAD, and no turn waits for it.
        self._research = research
        self._researching = ThreadPoolExecutor(4, thread_name_prefix="rawr-research")
        self._timers = timers
        self._surface = surface
        self._tell = tell
        self._redactor = redactor
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self, intended: effects.Intended) -> None:
        """Start an effect; its outcome comes back as a fact. Calls go out in the order in which they start here.

        Deadlines and notices need no such fact: they cannot fail, and repeating one after a crash does no harm.
        """
        if self._closed:
            return
        effect = intended.effect
        match effect:
            case effects.SetDeadline(name=name, at=at):
                self._timers.set(intended.thread, name, at=at)
            case effects.CancelDeadline(name=name):
                self._timers.cancel(intended.thread, name)
            case effects.WatchRepository() | effects.ObserveCommand() | effects.ObserveTree():
                self._spawn(self._observe(intended, effect))
            case effects.RunCheck():
                self._spawn(self._check(intended, effect))
            case effects.JudgeApproval():
                self._spawn(self._judge(intended, effect))
            case effects.AskModel():
                self._spawn(self._ask(intended, effect))
            case effects.ResearchRepository():
                self._spawn(self._look_around(intended, effect))
            case effects.LookUpClaims():
                self._spawn(self._look_up(intended, effect))
            case effects.Notify(level=level, text=text):
                self._surface.notify(intended.thread, level, text)
            case (
                effects.StartThread()
                | effects.ListThreads()
                | effects.LookAtThread()
                | effects.ResumeThread()
                | effects.FindMessage()
                | effects.FindSaid()
                | effects.StartTurn()
                | effects.SteerTurn()
                | effects.InterruptTurn()
                | effects.RestartCodex()
                | effects.InjectPacket()
                | effects.StartCompaction()
                | effects.StartReview()
                | effects.NameThread()
                | effects.ClearGoal()
                | effects.AnswerRequest()
                | effects.ReadSession()
            ):
                self._spawn(self._carry_out(intended, effect))
            case _ as never:
                assert_never(never)

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop waiting. Effects under way stay unfinished in the journal; the next start looks them up."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._observing.shutdown(wait=False, cancel_futures=True)
        self._researching.shutdown(wait=False, cancel_futures=True)

    async def _observe(
        self, intended: effects.Intended, effect: effects.WatchRepository | effects.ObserveCommand | effects.ObserveTree
    ) -> None:
        """Look at a repository, in a thread. A failure must not hold up the turn's judgment."""
        outcome: facts.AnyFact = facts.EffectSucceeded(effect=intended.id)
        real = self._redactor.reveal(effect)
        if real is None and isinstance(effect, effects.ObserveCommand):
            # rawr can no longer tell what the line meant, but it can see what it did.
            real = self._redactor.reveal(replace(effect, command="", output=""))
        try:
            async with asyncio.timeout(OBSERVE_DEADLINE):
                seen = await asyncio.get_running_loop().run_in_executor(
                    self._observing, self._look, real, intended.thread
                )
            for fact in seen:
                self._tell(intended.thread, fact)
        except Exception as error:
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="observe", problem=problem))
            outcome = facts.EffectFailed(effect=intended.id, problem=problem, code="moot")
        self._tell(intended.thread, outcome)

    def _look(
        self, effect: Real[effects.WatchRepository | effects.ObserveCommand | effects.ObserveTree] | None, thread: str
    ) -> tuple[facts.CommandObserved | facts.TreeSeen, ...]:
        return self._observer.look(effect, thread=thread) if self._observer is not None and effect is not None else ()

    async def _check(self, intended: effects.Intended, effect: effects.RunCheck) -> None:
        """Run the user's check. A check that cannot run has not passed."""
        real = self._redactor.reveal(effect)
        if real is None:
            self._tell(intended.thread, facts.EffectFailed(effect=intended.id, problem=GONE, code="gone"))
            return
        try:
            checked = await run_check(real, env=self._environment(intended.thread))
        except OSError as error:
            checked = Checked(None, f"rawr could not run it: {error}", timed_out=False, duration_ms=0)
        fact = facts.DoneChecked(
            effect=intended.id,
            exit_code=checked.exit_code,
            output=checked.output,
            timed_out=checked.timed_out,
            duration_ms=checked.duration_ms,
        )
        self._tell(intended.thread, fact)
        self._tell(intended.thread, facts.EffectSucceeded(effect=intended.id))

    async def _judge(self, intended: effects.Intended, effect: effects.JudgeApproval) -> None:
        """Judge, in a thread, if a request is safe. If that fails, it is not."""
        real = self._redactor.reveal(effect)
        try:
            if real is None:
                judged = _not_judged(effect, GONE)
            else:
                judge = partial(self._approvals, real, env=self._environment(intended.thread))
                async with asyncio.timeout(OBSERVE_DEADLINE):
                    judged = await asyncio.get_running_loop().run_in_executor(self._observing, judge)
        except Exception as error:
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="approvals", problem=problem))
            judged = _not_judged(effect, problem)
        self._tell(intended.thread, judged)
        self._tell(intended.thread, facts.EffectSucceeded(effect=intended.id))

    async def _ask(self, intended: effects.Intended, effect: effects.AskModel) -> None:
        """Ask a model. Whatever goes wrong, the question gets an outcome within its time."""
        try:
            async with asyncio.timeout(effect.seconds):
                # A question quotes what was said and done, and says which parts are gone.
                answered = await self._models.ask(intended.id, self._redactor.quote(effect, only=inert))
        except TimeoutError:
            answered = _no_opinion(intended.id, effect, "timed_out", f"no answer within {effect.seconds} seconds")
        except Exception as error:
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="models", problem=problem))
            answered = _no_opinion(intended.id, effect, "lost", problem)
        self._tell(intended.thread, answered)
        self._tell(intended.thread, facts.EffectSucceeded(effect=intended.id))

    async def _look_around(self, intended: effects.Intended, effect: effects.ResearchRepository) -> None:
        """Research a workspace, in a thread. The research limits its own time; if it overruns, nobody waits."""
        begun = time.monotonic()
        text = problem = ""
        cwd = self._redactor.quote(effect).thing.cwd
        try:
            async with asyncio.timeout(effect.seconds + RESEARCH_GRACE):
                text = await asyncio.get_running_loop().run_in_executor(
                    self._researching, self._research, cwd, float(effect.seconds)
                )
        except Exception as error:
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="research", problem=problem))
        took = int((time.monotonic() - begun) * 1000)
        seen = facts.RepositoryResearched(effect=intended.id, text=text, problem=problem, duration_ms=took)
        self._tell(intended.thread, seen)
        self._tell(intended.thread, facts.EffectSucceeded(effect=intended.id))

    async def _look_up(self, intended: effects.Intended, effect: effects.LookUpClaims) -> None:
        """Look up, in a thread, what a packet names. Without an answer, only the record counts."""
        outcome: facts.AnyFact = facts.EffectSucceeded(effect=intended.id)
        asked = self._redactor.quote(effect).thing
        try:
            async with asyncio.timeout(OBSERVE_DEADLINE):
                look = partial(look_up, asked.cwd, paths=asked.paths, commits=asked.commits, notes=asked.notes)
                found = await asyncio.get_running_loop().run_in_executor(self._researching, look)
            seen = facts.ClaimsLookedUp(
                effect=intended.id, missing=found.missing, unknown=found.unknown, branch=found.branch
            )
            self._tell(intended.thread, seen)
        except Exception as error:
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="claims", problem=problem))
            outcome = facts.EffectFailed(effect=intended.id, problem=problem, code="moot")
        self._tell(intended.thread, outcome)

    async def _carry_out(self, intended: effects.Intended, effect: HarnessEffect) -> None:
        # A secret may be an agent's text and span several lines: it must not end the quotation around it.
        quotes = _only_quotes(effect)
        real = self._redactor.quote(effect, only=inert) if quotes else self._redactor.reveal(effect)
        if real is None or self._limits_differ(effect):
            self._tell(intended.thread, facts.EffectFailed(effect=intended.id, problem=GONE, code="gone"))
            return
        outcome = await self._outcome(intended, real)
        if isinstance(outcome, Done):
            for thread, fact in outcome.told:
                self._tell(thread, fact)
            self._tell(intended.thread, facts.EffectSucceeded(effect=intended.id, result=outcome.result))
        else:
            fact = facts.EffectFailed(effect=intended.id, problem=outcome.problem, code=outcome.code)
            self._tell(intended.thread, fact)

    def _limits_differ(self, effect: HarnessEffect) -> bool:
        """Return True if quoting alters the limits: words may replace a secret in a quotation, but not in a folder."""
        limits = effect.limits if isinstance(effect, effects.StartTurn) else None
        if limits is None:
            return False
        return self._redactor.reveal(limits) != self._redactor.quote(limits, only=inert)

    async def _outcome(self, intended: effects.Intended, effect: Real[HarnessEffect]) -> Done | Undone:
        try:
            return await self._driver.carry_out(intended.id, intended.thread, effect)
        except Exception as error:
            # A bug of ours. Record it and give the effect an outcome, so that nothing waits for it forever.
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", facts.FaultRecorded(where="executor", problem=problem))
            return Undone(problem, "lost")


def _only_quotes(effect: HarnessEffect) -> bool:
    """Return True for rawr's own words, which it always sends: a handoff that lacks a secret of an earlier run, and
    says so, is better than none."""
    match effect:
        case effects.StartTurn(own=own) | effects.SteerTurn(own=own):
            return own
        case _:
            return isinstance(effect, effects.InjectPacket | effects.FindMessage)


def _nothing_is_safe(effect: Real[effects.JudgeApproval], /, *, env: Mapping[str, str] | None) -> facts.ApprovalJudged:
    return facts.ApprovalJudged(request=effect.thing.request, safe=False, reasons=("nothing here can judge it",))


def _not_judged(effect: effects.JudgeApproval, why: str) -> facts.ApprovalJudged:
    return facts.ApprovalJudged(request=effect.request, safe=False, reasons=(f"it was not judged: {why}",))


class NoModels:
    """Used when no model is set up."""

    async def ask(self, name: str, question: Real[effects.AskModel]) -> facts.ModelAnswered:
        return _no_opinion(name, question.thing, "unavailable", "no model is set up here")


def _no_opinion(name: str, question: effects.AskModel, code: NoOpinion, problem: str) -> facts.ModelAnswered:
    return facts.ModelAnswered(effect=name, signature=question.signature, code=code, problem=problem)
