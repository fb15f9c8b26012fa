"""Facts of one thread, one after the other, into a timeline. Knows facts, decisions and boundaries; no journal."""

from collections.abc import Iterator

from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.full_auto import MILLION
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS, percent_remaining
from rawr.core.text import head
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.boundaries import GATING, BoundaryEvent
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.views import events as e
from rawr.views.codes import area, is_ignored, meaning
from rawr.views.following import Following
from rawr.views.timeline.shapes import (
    BoundaryPoint,
    CompactionPoint,
    ContextPoint,
    DecisionPoint,
    PlanPoint,
    Timeline,
)
from rawr.views.timeline.thinning import Bounded, Sampled, Thinned, extremes, notable
from rawr.views.timeline.turns import Turns
from rawr.views.timeline.work import Work

MOST_POINTS = 1_600
MOST_BOUNDARIES = 600
MOST_COMPACTIONS = 400
MOST_STEPS = 60
FIRST, NEWEST = 4, 12
"""Decisions that are kept of each reason."""
LONG, SHORT, LISTED = 4_000, 300, 20
"""Characters of a goal and of other texts; entries of a list in the evidence."""
_TOLD = frozenset({"turn_started", "turn_completed", "turn_complete", "compaction_completed"})
"""Boundaries that the turns and the compactions show already."""


class TimelineFold:
    """Takes what a kernel gives, in order. Facts about other threads are ignored."""

    def __init__(self, thread: str, policy: Policy | None = None) -> None:
        """``policy`` is in force as long as none was adopted."""
        self._thread = thread
        self._policy = policy or Policy()
        self._following = Following()
        self._turns = Turns()
        self._work = Work()
        self._context = _Context()
        self._decisions: Sampled[DecisionPoint] = Sampled(first=FIRST, newest=NEWEST)
        self._boundaries: Thinned[BoundaryPoint] = Thinned(MOST_BOUNDARIES, notable(lambda one: one.gating))
        self._progress: Thinned[PlanPoint] = Thinned(MOST_POINTS, extremes(lambda one: one.done))
        self._plan: tuple[PlanStep, ...] = ()
        self._spending = _Spending()
        self._folder = self._model = self._goal = ""
        self._began = self._ended = 0

    def take(self, taken: Taken) -> None:
        recorded = taken.recorded
        if not recorded.thread and isinstance(recorded.fact, facts.PolicyAdopted):
            self._policy = recorded.fact.policy
        if recorded.thread != self._thread:
            return
        self._began = self._began or recorded.at
        self._ended = max(self._ended, recorded.at)
        self._of_fact(recorded.fact, recorded.at)
        for event in self._following.take(taken):
            self._of_event(event)
        for one in taken.boundaries:
            if one.kind not in _TOLD:
                self._boundaries.add(self._boundary(one))
        for decision in taken.decisions:
            if not is_ignored(decision.record.reason):
                self._decisions.add(decision.record.reason.value, self._point(decision))
            self._work.decided(decision.record, recorded.at, self._turn)
        if isinstance(recorded.fact, facts.TurnCompleted):
            self._turns.ended(recorded.fact, recorded.at)

    @property
    def _turn(self) -> int:
        return self._turns.number

    def _of_fact(self, fact: facts.AnyFact, at: int) -> None:
        self._turns.take(fact, at)
        self._work.take(fact, at, self._turn)
        self._context.take(fact, at, turns=self._turns)
        match fact:
            case facts.UsageUpdated():
                self._spending.used(fact, self._policy)
            case facts.ModelAnswered():
                self._spending.asked(fact, self._policy)
            case facts.ThreadOpened() | facts.ThreadJoined():
                self._folder, self._model = fact.cwd or self._folder, fact.model or self._model
            case facts.RunSubmitted(order=order):
                self._goal = head(order.goal, LONG)
            case _:
                pass

    def _of_event(self, event: e.AnyEvent) -> None:
        self._turns.told(event)
        self._context.told(event, turns=self._turns)
        self._work.told(event, self._turn)
        match event:
            case e.UserSaid(text=text, purpose=""):
                self._goal = self._goal or head(text, LONG)
            case e.PlanChanged(steps=steps):
                self._plan = tuple(PlanStep(head(one.step, SHORT), one.status) for one in steps[:MOST_STEPS])
                done = sum(one.status == "completed" for one in steps)
                self._progress.add(PlanPoint(event.at, self._turn, done, len(steps)))
            case _:
                pass

    def _boundary(self, one: BoundaryEvent) -> BoundaryPoint:
        detail, gating = head(one.detail, SHORT), one.kind in GATING
        return BoundaryPoint(one.at, self._turn, one.kind, one.source, detail, gating)

    def _point(self, one: Decision) -> DecisionPoint:
        evidence = dict(_bounded(one.record.evidence))
        against = evidence.pop("against", None)
        said = tuple(meaning(str(code)) for code in against) if isinstance(against, list) else ()
        reason = one.record.reason
        return DecisionPoint(one.at, self._turn, one.id, area(reason), reason.value, reason.meaning, evidence, said)

    @property
    def so_far(self) -> Timeline:
        work, turns, context = self._work, self._turns, self._context
        lists: dict[str, Bounded] = {
            "points": context.points,
            "turns": turns.done,
            "boundaries": self._boundaries,
            "compactions": context.compactions,
            "progress": self._progress,
            "decisions": self._decisions,
            **work.lists,
        }
        return Timeline(
            thread=self._thread,
            folder=self._folder,
            model=self._model,
            goal=self._goal,
            began=self._began,
            ended=self._ended,
            work_ms=turns.work_ms,
            tokens=self._spending.tokens,
            cost=self._spending.money(self._policy),
            bands={tier: self._policy.compaction.thresholds[tier] for tier in TIERS},
            points=tuple(context.points),
            turns=turns.spans,
            boundaries=tuple(self._boundaries),
            compactions=tuple(context.compactions),
            progress=tuple(self._progress),
            plan=self._plan,
            decisions=self._decisions.kept,
            reasons=dict(sorted(self._decisions.counts.items(), key=lambda one: (-one[1], one[0]))),
            packets=tuple(work.packets),
            requests=tuple(work.requests),
            checks=tuple(work.checks),
            commits=tuple(work.commits),
            files=tuple(work.files),
            counts={name: one.count for name, one in lists.items()}
            | {"turns": turns.count, "turns of work": turns.work}
            | dict(work.tallies),
            left_out={name: one.left_out for name, one in lists.items() if one.left_out},
        )


def _bounded(evidence: dict[str, Evidence]) -> Iterator[tuple[str, Evidence]]:
    for name, value in evidence.items():
        if value in ("", None, []):
            continue
        if isinstance(value, str):
            yield name, head(value, SHORT)
        elif isinstance(value, list):
            more = [f"… {len(value) - LISTED} more"] if len(value) > LISTED else []
            yield name, [head(str(one), SHORT) for one in value[:LISTED]] + more
        else:
            yield name, value


class _Context:
    """How full it is, and the compactions that made room."""

    def __init__(self) -> None:
        self.points: Thinned[ContextPoint] = Thinned(MOST_POINTS, extremes(lambda one: one.tokens))
        self.compactions: Thinned[CompactionPoint] = Thinned(MOST_COMPACTIONS, notable(lambda one: one.by != "rawr"))
        self._since: int | None = None
        self._place = (0, 0, False)
        """Where the compaction under way began: the turn, after how many items, and whether there was work in it."""

    def take(self, fact: facts.AnyFact, at: int, *, turns: Turns) -> None:
        match fact:
            case facts.UsageUpdated(in_context=tokens, window=window):
                percent = percent_remaining(in_context=tokens, window=window)
                self.points.add(ContextPoint(at, turns.number, tokens, window, percent))
                last = self.compactions.last
                if last is not None and last.ok and last.tokens_after is None:
                    # Codex counts only when it next answers.
                    self.compactions.change_last(replace(last, tokens_after=tokens))
            case _:
                pass

    def told(self, event: e.AnyEvent, *, turns: Turns) -> None:
        match event:
            case e.CompactionBegan():
                self._since, self._place = event.at, turns.place
            case e.ContextCompacted() if self._since is None:
                self._since, self._place = event.at, turns.place
            case e.CompactionEnded():
                self._over(event)
            case e.CompactionAudited():
                self._audited(event)
            case _:
                pass

    def _over(self, event: e.CompactionEnded) -> None:
        point = self.points.last
        turn, items, in_work = self._place
        known = event.tokens_before if event.tokens_before is not None else point.tokens if point is not None else None
        window = point.window if point is not None else None
        self.compactions.add(
            CompactionPoint(
                at=event.at,
                turn=turn,
                ok=event.ok,
                by="codex" if event.by_codex else "rawr",
                tokens_before=known,
                tokens_after=event.tokens_after if event.tokens_after != known else None,
                percent_left=percent_remaining(in_context=known, window=window) if known is not None else None,
                tier="",
                packet="",
                duration_ms=event.at - self._since if self._since is not None else None,
                in_work=in_work,
                items_before=items,
            )
        )
        self._since, self._place = None, (0, 0, False)

    def _audited(self, event: e.CompactionAudited) -> None:
        last = self.compactions.last
        if last is None or last.tier or last.packet or last.ok != event.ok:
            return
        percent = event.percent_left if event.percent_left is not None else last.percent_left
        changed = replace(last, by=event.by, tier=event.tier, packet=event.packet, percent_left=percent)
        self.compactions.change_last(changed)


class _Spending:
    """As the budgets of a run count it."""

    def __init__(self) -> None:
        self.tokens = 0
        self._cost = 0
        self._spent: int | None = None

    def used(self, fact: facts.UsageUpdated, policy: Policy) -> None:
        before = self._spent if self._spent is not None else max(fact.spent - fact.in_context, 0)
        if fact.spent == before:
            return
        fresh = max(fact.in_context - fact.cached_input - fact.output, 0)
        self.tokens += max(fact.spent - before, 0)
        self._cost += policy.full_auto.cost(fresh=fresh, cached=fact.cached_input, output=fact.output)
        self._spent = fact.spent

    def asked(self, fact: facts.ModelAnswered, policy: Policy) -> None:
        fresh = max(fact.tokens - fact.output_tokens, 0)
        self.tokens += fact.tokens
        self._cost += policy.full_auto.cost(fresh=fresh, output=fact.output_tokens)

    def money(self, policy: Policy) -> float | None:
        prices = policy.full_auto
        priced = self._cost or prices.price_input or prices.price_cached or prices.price_output
        return self._cost / MILLION if priced else None
