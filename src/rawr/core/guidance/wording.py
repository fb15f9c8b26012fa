"""What guidance shows to the user, and what it sends to the agent (C15).

The agent sees the user's own words first, verbatim, in a block. Versions by a model or the rules follow in separate
blocks; none of them replaces the goal.
"""

import msgspec
from msgspec.structs import replace

from rawr.core.guidance.rules import Settled
from rawr.core.guidance.scene import message_of
from rawr.core.run import instructions
from rawr.core.speech import Own, block, joined, say, word
from rawr.core.state.ledger import Ledger
from rawr.core.state.run import Guidance, GuidanceStage, Run
from rawr.core.state.thread import Plan
from rawr.core.text import head
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    GuidanceDecision,
    GuidanceDirective,
    GuidanceRouter,
    Planning,
    TaskUnderstanding,
)
from rawr.core.vocabulary.records import Evidence

MAX_SHOWN = 2_000
MAX_EVIDENCE = 500
SUPER = "[rawr] Nothing but “go”: rawr looks at the repository, then understands, plans and directs."


def shown(settled: Settled[AnyOpinion]) -> str:
    """One step, for the person who watches."""
    opinion = settled.opinion
    notes = "; ".join(filter(None, ("by rawr's rules" if settled.by == "rules" else "", settled.why)))
    return f"[rawr] {head(_said(opinion), MAX_SHOWN)}{f' ({notes})' if notes else ''}"


def evidence(opinion: AnyOpinion) -> dict[str, Evidence]:
    """What an opinion says, for the record. Its reason becomes ``because``: a record has its own ``reason``."""
    found: dict[str, Evidence] = {}
    for field, value in msgspec.structs.asdict(opinion).items():
        name = "because" if field == "reason" else field
        match value:
            case str():
                found[name] = head(value, MAX_EVIDENCE)
            case tuple():
                found[name] = [head(str(one), MAX_EVIDENCE) for one in value]
            case _:
                found[name] = value
    return found


def _said(opinion: AnyOpinion) -> str:
    match opinion:
        case GuidanceRouter(route=route, response=response):
            return f"Route: {route}. {response}"
        case TaskUnderstanding(requirements=requirements, open_questions=questions, scope=scope):
            asked = f" Open: {_inline(questions)}" if questions else ""
            return f"Understood ({scope}): {_inline(requirements)}{asked}"
        case Planning(steps=steps, checks=checks):
            seen = f" Checks: {_inline(checks)}" if checks else ""
            return f"Plan: {_inline(steps)}{seen}"
        case GuidanceDirective(directive=directive):
            return f"Directive: {' '.join(directive.split())}"
        case GuidanceDecision(action=action, reason=reason):
            return f"Decision: {action}. {' '.join(reason.split())}"
        case _:
            return type(opinion).__name__


def _inline(texts: tuple[str, ...]) -> str:
    return " ".join(f"{number}) {text}" for number, text in enumerate(texts, 1))


def opening(run: Run, it: Guidance, *, ledger: Ledger, plan: Plan) -> Own:
    """The first message of a guided run."""
    if it.course == "super":
        return _directed(run, it, ledger, plan)
    order, message = run.order, message_of(run.order)
    found: list[Own] = []
    if it.understanding is not None:
        found += [_lead(run, it, "understand"), *_understanding(it.understanding)]
    if it.plan is not None:
        found += [_lead(run, it, "plan"), *_plan(it.plan)]
    if order.goal != message and found:
        found.append(say("The goal, in the user's words:\n\n{goal}", goal=block(order.goal)))
    return joined((say("The user said:\n\n{words}", words=block(message)), *found))


def _lead(run: Run, it: Guidance, stage: GuidanceStage) -> Own:
    return say(
        "[rawr {run}] The words above are the user's, and they are what counts. Before they reached you, {who} took "
        "{what} from them. Where it does not fit the words, the words hold.",
        run=word(run.id),
        who=say("rawr's rules") if stage in it.by_rules else say("a model"),
        what=say("requirements") if stage == "understand" else say("a plan"),
    )


def _directed(run: Run, it: Guidance, ledger: Ledger, plan: Plan) -> Own:
    """The user said no more than “go”: the fixed template, with everything that was found out."""
    parts: list[Own] = []
    if run.order.prompt and run.order.prompt != run.order.goal:
        parts.append(say("The user said:\n\n{words}", words=block(run.order.prompt)))
    if it.understanding is not None:
        parts += _understanding(it.understanding)
    if it.plan is not None:
        parts += _plan(it.plan)
    parts.append(directive(it.directive, by_rules="direct" in it.by_rules))
    return instructions.go_on(replace(run, note=joined(parts)), ledger, plan)


def _understanding(found: TaskUnderstanding) -> list[Own]:
    parts = [say("Requirements:\n\n{found}", found=_block(found.requirements))]
    if found.open_questions:
        parts.append(
            say(
                "Open questions. Nobody is there to answer them: choose what can be undone, and say what you chose."
                "\n\n{found}",
                found=_block(found.open_questions),
            )
        )
    return parts


def _plan(found: Planning) -> list[Own]:
    steps = _block(found.steps)
    parts = [say("A plan to begin with; change it where what you find asks for it:\n\n{steps}", steps=steps)]
    if found.files:
        parts.append(say("Files that it is likely to touch:\n\n{files}", files=_block(found.files)))
    if found.checks:
        parts.append(say("How it can be seen to be done:\n\n{checks}", checks=_block(found.checks)))
    return parts


def _block(texts: tuple[str, ...]) -> Own:
    return block("\n".join(f"- {one}" for one in texts))


def directive(text: str, *, by_rules: bool) -> Own:
    """What comes next. It is added to the goal and never replaces it (C8)."""
    model = say("from a model that looked at the repository and at your last turn")
    return say(
        "What to do next, {by}. The goal and the user's directives come before it:\n\n{directive}",
        by=say("chosen by rawr's rules") if by_rules else model,
        directive=block(text),
    )
