"""Guidance: route, understand and plan what a user says before the agent sees it, and after each turn look at the
repository and decide what comes next (C15).

A pipeline of questions to a model, one at a time, with a survey of the repository among them. The results so far
determine the next question, so a resumed run continues where it stopped. Each step is shown and recorded. The rules
take over if no model answers; guards and a person's word come before everything else; and the agent receives only the
text of a well-formed answer, or of the rules.
"""

from typing import Literal, assert_never

from msgspec.structs import replace

from rawr.core.compaction.tracking import compacts
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceOverridden, GuidanceOvertaken, GuidanceWanted
from rawr.core.guidance import decision, rules, wording
from rawr.core.guidance.rules import Settled
from rawr.core.guidance.scene import inputs, message_of
from rawr.core.guidance.steps import SHOWN, models, of, record, scene
from rawr.core.run import ending, going_on
from rawr.core.run.table import Move
from rawr.core.speech import joined
from rawr.core.state import ledger
from rawr.core.state.messages import Queued
from rawr.core.state.run import Course, Guidance, GuidanceStage
from rawr.core.text import head
from rawr.core.thread import asking, spoken
from rawr.core.vocabulary.effects import Notify, ResearchRepository
from rawr.core.vocabulary.facts import ModelAnswered, RepositoryResearched
from rawr.core.vocabulary.opinions import AnyOpinion, Route, SignatureName
from rawr.core.vocabulary.reasons import Reason

RESEARCH = "guidance.research"
RESEARCH_SECONDS = 4
GRACE = 10
"""Seconds beyond the survey's own time limit."""
MAX_RECENT = 5
MAX_KEPT = 500
"""How many characters of an earlier directive are remembered."""

ASKED: dict[GuidanceStage, SignatureName] = {
    "route": "guidance_router",
    "understand": "task_understanding",
    "plan": "planning",
    "direct": "guidance_directive",
    "decide": "guidance_decision",
}
REFUSED: dict[GuidanceStage, Reason] = {
    "route": Reason.GUIDANCE_REFUSED_RESPONSE,
    "direct": Reason.GUIDANCE_REFUSED_DIRECTIVE,
}
COURSES: dict[Course, tuple[GuidanceStage, ...]] = {
    "super": ("research", "understand", "plan", "direct"),
    "loop": ("research", "direct"),
}
STAGES: dict[Route | Literal[""], tuple[GuidanceStage, ...]] = {
    "": ("route",),
    "respond": (),
    "understand": ("understand",),
    "plan": ("plan",),
}
"""A first message follows its route."""


# -- entry points ----------------------------------------------------------------------------------------------------


def wanted(draft: ThreadDraft, event: GuidanceWanted) -> None:
    """A guided run needs its next step."""
    match event.what:
        case "begin":
            _begin(draft)
        case "opening":
            # The agent was told nothing yet; whatever else happened there, the first message is still to come.
            _go_on(draft)
        case "decision":
            # A turn ended and no guard objects: what next?
            ending.change(draft, guidance=replace(of(draft), course="loop", research="", directive="", hint=""))
            _ask(draft, "decide")
        case "next":
            it = of(draft)
            if it.opened:
                ending.change(draft, guidance=replace(it, course="loop", research="", directive=""))
            _go_on(draft)
        case _ as never:
            assert_never(never)


def _begin(draft: ThreadDraft) -> None:
    """A guided run was ordered: examine its first message before it is sent."""
    run = ending.run_of(draft)
    message = message_of(run.order)
    minimal = rules.is_minimal(message)
    ending.change(draft, guidance=Guidance("super" if minimal else "first"))
    reason = Reason.GUIDANCE_STARTED_SUPER if minimal else Reason.GUIDANCE_STARTED_MESSAGE
    draft.note(reason, run=run.id, message=head(message, SHOWN), models=list(models(draft)))
    if minimal:
        draft.do(Notify(level="info", text=wording.SUPER))
    _go_on(draft)


def overtaken(draft: ThreadDraft, _event: GuidanceOvertaken) -> None:
    """A turn ended while a question about the previous one was open. The first message is not about turns."""
    run = ending.run_of(draft)
    if run.guidance is not None and run.guidance.opened:
        _drop(draft)


def put_down(draft: ThreadDraft) -> None:
    """The run comes to rest. Results so far are kept: when it is resumed, it continues from there."""
    run = ending.run_of(draft)
    if run.guidance is None:
        return
    _drop(draft)
    if any(one.purpose == "continue" and spoken.begins(one, run) for one in draft.state.queue):
        # Messages in rawr's own words that still wait are not sent, so the agent has not seen them.
        ending.change(draft, guidance=replace(of(draft), opened=False))


def _drop(draft: ThreadDraft) -> None:
    """Nobody waits for the answer any more: if it comes, it is recorded and dropped."""
    for signature in ASKED.values():
        asking.drop(draft, signature)
    draft.cancel_deadline(RESEARCH)
    ending.change(draft, guidance=replace(of(draft), stage="", effect=""))


def overridden(draft: ThreadDraft, _event: GuidanceOverridden) -> None:
    """A person decides what comes next. Their first message, if the agent has not seen it, goes before it."""
    put_down(draft)
    run = ending.run_of(draft)
    if run.guidance is None or run.guidance.opened:
        return
    ending.change(draft, guidance=replace(run.guidance, opened=True))
    words = message_of(run.order)
    words = run.order.goal if rules.is_minimal(words) else words
    if not rules.is_minimal(words):
        going_on.put_first(draft, Queued.of_user(run.number, words))


# -- the pipeline ----------------------------------------------------------------------------------------------------


def due(it: Guidance) -> GuidanceStage:
    """The next stage, given the results so far; empty once everything is there."""
    there = {
        "route": it.route,
        "research": it.research,
        "understand": it.understanding,
        "plan": it.plan,
        "direct": it.directive,
    }
    stages = STAGES[it.route] if it.course == "first" else COURSES[it.course]
    return next((stage for stage in stages if not there[stage]), "")


def _go_on(draft: ThreadDraft) -> None:
    """Take the next step, unless a person or a budget prevents it."""
    if ending.rests(draft):
        return
    it = of(draft)
    match due(it):
        case "":
            _say(draft, it)
        case "research":
            _look(draft)
        case stage:
            _ask(draft, stage)


def _ask(draft: ThreadDraft, stage: GuidanceStage) -> None:
    _wait(draft, stage)
    signature = ASKED[stage]
    asking.ask(draft, signature, inputs(signature, scene(draft)), models=models(draft))


def _look(draft: ThreadDraft) -> None:
    effect = draft.do(ResearchRepository(cwd=draft.state.cwd, seconds=RESEARCH_SECONDS))
    _wait(draft, "research", effect=effect)
    draft.set_deadline(RESEARCH, RESEARCH_SECONDS + GRACE)


def _wait(draft: ThreadDraft, stage: GuidanceStage, *, effect: str = "") -> None:
    ending.move(draft, Move.GUIDED, guidance=replace(of(draft), stage=stage, effect=effect))


def _say(draft: ThreadDraft, it: Guidance) -> None:
    """Everything is there: tell the agent."""
    run = ending.run_of(draft)
    recent = it.directives
    if it.directive and recent[-1:] != (head(it.directive, MAX_KEPT),):
        recent = (*recent, head(it.directive, MAX_KEPT))[-MAX_RECENT:]
    ending.change(draft, guidance=replace(it, stage="", effect="", hint="", opened=True, directives=recent))
    if it.opened:
        text = wording.directive(it.directive, by_rules="direct" in it.by_rules)
        ending.remark(draft, joined((run.note, text)))
        going_on.say_go_on(draft)
    elif it.route == "respond":
        going_on.send_first(draft, Queued.of_user(run.number, message_of(run.order)))
    else:
        _remember(draft)
        text = wording.opening(run, it, ledger=draft.state.ledger, plan=draft.state.plan)
        going_on.send_first(draft, Queued.own(run.number, text, "continue"))
    if not ending.run_of(draft).active and not it.opened:
        # The message was not accepted: Codex drives the thread itself.
        ending.change(draft, guidance=replace(of(draft), opened=False))


def _remember(draft: ThreadDraft) -> None:
    """The user's own words belong to the record; guidance's version of them does not."""
    order = ending.run_of(draft).order
    for text in (order.goal, message_of(order)):
        kept = draft.state.ledger
        minimal = text != order.goal and rules.is_minimal(text)
        if kept.goal != text and not minimal and all(one.text != text for one in kept.directives):
            draft.change(ledger=ledger.add_message(kept, text, at=draft.at))


# -- the result of each step -----------------------------------------------------------------------------------------


def researched(draft: ThreadDraft, fact: RepositoryResearched) -> None:
    run = draft.state.run
    it = run.guidance if run is not None else None
    if run is None or it is None or not run.active or it.stage != "research" or it.effect != fact.effect:
        draft.note(Reason.IGNORED_STALE_RESEARCH, effect=fact.effect)
        return
    _looked(draft, fact.text, fact.problem, duration_ms=fact.duration_ms)


def research_late(draft: ThreadDraft) -> None:
    """The survey did not come back."""
    run = draft.state.run
    if run is not None and run.active and run.guidance is not None and run.guidance.stage == "research":
        _looked(draft, "", "it took too long")


def _looked(draft: ThreadDraft, text: str, problem: str, *, duration_ms: int = 0) -> None:
    draft.cancel_deadline(RESEARCH)
    if _out_of_date(draft):
        draft.note(Reason.IGNORED_STALE_RESEARCH, effect=of(draft).effect)
        return
    run, it = ending.run_of(draft), of(draft)
    found = text.strip() or f"Nothing is known of the repository: {problem or 'nothing was seen'}."
    lines = found.splitlines()
    draft.note(
        Reason.GUIDANCE_RESEARCHED_REPOSITORY,
        run=run.id,
        research=head(found, SHOWN),
        size=len(found),
        problem=head(problem, SHOWN),
        duration_ms=duration_ms,
        by="rules",
    )
    more = f" (and {len(lines) - 1} lines more)" if len(lines) > 1 else ""
    draft.do(Notify(level="info", text=f"[rawr] Repository: {head(lines[0], SHOWN)}{more}"))
    ending.change(draft, guidance=replace(it, research=found, effect=""))
    _go_on(draft)


def answered(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """A model answered, or did not. Changes in the meantime take precedence."""
    run = draft.state.run
    it = run.guidance if run is not None else None
    if run is None or it is None or not run.active or ASKED.get(it.stage) != fact.signature:
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    if _out_of_date(draft):
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    if ending.rests_as_asked(draft):
        return
    if it.stage == "decide":
        decision.decided(draft, fact)
    else:
        _settled(draft, it, fact)
        _go_on(draft)


def _out_of_date(draft: ThreadDraft) -> bool:
    """A statement about the last turn is useless if another is running; the end of that one leads back here. A handoff
    makes the agent continue by itself, or else the run does."""
    state, run = draft.state, ending.run_of(draft)
    if run.opens:
        return False
    turn = state.turn is not None and not compacts(state, state.turn.id)
    if not turn and state.sequence is None:
        return False
    _drop(draft)
    if state.sequence is not None:
        ending.move(draft, Move.COMPACTING)
    return True


def _settled(draft: ThreadDraft, it: Guidance, fact: ModelAnswered) -> None:
    """One step is over: settled by the model, or by the rules."""
    now, least = scene(draft), draft.policy.models.min_confidence_percent
    match it.stage:
        case "route":
            route = rules.routed(now, fact)
            _keep(draft, replace(it, route=route.opinion.route), route, fact)
        case "understand":
            task = rules.understood(now, fact, least=least)
            _keep(draft, replace(it, understanding=task.opinion), task, fact)
        case "plan":
            plan = rules.planned(now, fact, least=least)
            _keep(draft, replace(it, plan=plan.opinion), plan, fact)
        case _:
            directive = rules.directed(now, fact, least=least)
            _keep(draft, replace(it, directive=directive.opinion.directive), directive, fact)


def _keep(draft: ThreadDraft, it: Guidance, settled: Settled[AnyOpinion], fact: ModelAnswered) -> None:
    if fact.opinion is not None and settled.why and it.stage in REFUSED:
        draft.note(REFUSED[it.stage], run=ending.run_of(draft).id, why=settled.why, model=fact.model)
    record(draft, it.stage, settled, fact)
    others = tuple(one for one in it.by_rules if one != it.stage)
    by_rules = (*others, it.stage) if settled.by == "rules" else others
    ending.change(draft, guidance=replace(it, by_rules=by_rules))
