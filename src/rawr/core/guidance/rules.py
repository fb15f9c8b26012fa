"""Guidance without a model (C15): the result of each step by rules, and the rules for a model's answer.

Every step has a result here. If an answer is missing, unusable or not confident enough, the rules settle the step, and
the user is notified. Text for an agent is checked once more: an error text is not a directive.
"""

import re
from itertools import takewhile
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from rawr.core.flaws import directive_flaw, sentence_flaw
from rawr.core.guidance.scene import Scene
from rawr.core.state.ledger import sounds_standing
from rawr.core.text import head
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import (
    AnyOpinion,
    GuidanceDecision,
    GuidanceDirective,
    GuidanceRouter,
    Planning,
    Route,
    TaskUnderstanding,
)

AsSaid = TypeVar("AsSaid", bound=AnyOpinion, covariant=True)

MAX_ENTRIES = 12
MAX_ENTRY = 400
MAX_DIRECTIVE = 4_000
MAX_WHY = 300
MANY = 3
"""A message that asks for this many things needs a plan."""
LONG = 400
"""A message with more characters is worth a second reading."""


class Settled(Struct, Generic[AsSaid], frozen=True):
    """The result of a step, who settled it, and, if by the rules, why."""

    opinion: AsSaid
    by: Literal["model", "rules"]
    why: str = ""


# -- messages that only say to go ------------------------------------------------------------------------------------

_GO = "|".join(
    (
        r"go+|go (?:ahead|on|for it)|continue|proceed|resume|carry on|move on|crack on|start|begin|ship it|have at it",
        r"do (?:it|so|that|this|your (?:thing|job|work)|the (?:work|job))|finish (?:it|this|the job)",
        r"make it (?:so|happen)",
        r"keep (?:going|working|at it)|get (?:going|started|to work|to it|on with it|it done)",
        r"(?:continue )?where you left off",
        r"(?:continue|proceed|carry on|go on) with (?:it|this|that|the (?:work|job|task)|your work)",
    )
)
_FILLER = "|".join(
    (
        r"ok|okay|k|yes|yep|yeah|sure|right|alright|all right|great|good|perfect|fine|well|so|now|then|and|just|simply",
        r"please|pls|plz|lets|let us|you can|you may|you|already|thanks|thank you|codex|hey|hi|right away|at once",
    )
)
_MINIMAL = re.compile(rf"(?:(?:{_FILLER}) )*(?:{_GO})(?: (?:{_FILLER}|{_GO}))*")
_NO_WORD = re.compile(r"[^\w\s]|_")
MAX_MINIMAL = 60


def is_minimal(message: str) -> bool:
    """Return True if a message only says to go: there is nothing in it to understand."""
    if len(message) > MAX_MINIMAL:
        return False
    plain = " ".join(_NO_WORD.sub(" ", message.casefold().replace("'", "").replace("’", "")).split())
    return _MINIMAL.fullmatch(plain) is not None


# -- what may be shown, and what may be sent -------------------------------------------------------------------------


def inside(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths that stay in the workspace."""
    return tuple(one for one in paths if not one.startswith(("/", "~", "\\")) and ".." not in one.split("/"))


def fit(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Entries that can be shown and sent: one line each, bounded, none of them empty or an error."""
    lines = [" ".join(one.split()).removeprefix("- ") for one in texts]
    kept = dict.fromkeys(head(one, MAX_ENTRY) for one in lines if not directive_flaw(one))
    return tuple(kept)[:MAX_ENTRIES]


# -- each step: the model's answer, or the rules ---------------------------------------------------------------------


def no_opinion(fact: ModelAnswered) -> str:
    """Why there is no answer."""
    return head(f"{fact.code or 'unreadable'}: {fact.problem}".rstrip(": "), MAX_WHY)


def unsure(confidence: float, least: int) -> str:
    return f"it is only {confidence:.2f} sure" if confidence * 100 < least else ""


def routed(scene: Scene, fact: ModelAnswered) -> Settled[GuidanceRouter]:
    """The route, and one sentence about it. A sentence that breaks its rule is replaced; the route is kept."""
    if not isinstance(fact.opinion, GuidanceRouter):
        return Settled(route(scene), "rules", no_opinion(fact))
    wrong = sentence_flaw(fact.opinion.response) or directive_flaw(fact.opinion.response)
    if not wrong:
        return Settled(
            GuidanceRouter(route=fact.opinion.route, response=fact.opinion.response.strip()),
            "model",
        )
    return Settled(
        GuidanceRouter(route=fact.opinion.route, response=_RESPONSES[fact.opinion.route]),
        "model",
        f"its sentence was left out: {wrong}",
    )


def understood(scene: Scene, fact: ModelAnswered, *, least: int) -> Settled[TaskUnderstanding]:
    said = fact.opinion
    if not isinstance(said, TaskUnderstanding):
        return Settled(understanding(scene), "rules", no_opinion(fact))
    requirements = fit(said.requirements)
    why = unsure(said.confidence, least) or ("it names no requirement" if not requirements else "")
    if why:
        return Settled(understanding(scene), "rules", why)
    kept = TaskUnderstanding(
        requirements=requirements,
        open_questions=fit(said.open_questions),
        scope=said.scope,
        confidence=said.confidence,
    )
    return Settled(kept, "model")


def planned(scene: Scene, fact: ModelAnswered, *, least: int) -> Settled[Planning]:
    said = fact.opinion
    if not isinstance(said, Planning):
        return Settled(plan(scene), "rules", no_opinion(fact))
    steps = fit(said.steps)
    why = unsure(said.confidence, least) or ("it has no step" if not steps else "")
    if why:
        return Settled(plan(scene), "rules", why)
    kept = Planning(steps=steps, files=inside(fit(said.files)), checks=fit(said.checks), confidence=said.confidence)
    return Settled(kept, "model")


def directed(scene: Scene, fact: ModelAnswered, *, least: int) -> Settled[GuidanceDirective]:
    """What to tell the agent: only the text of a well-formed answer, and never an error text."""
    said = fact.opinion
    if not isinstance(said, GuidanceDirective):
        return Settled(directive(scene), "rules", no_opinion(fact))
    why = unsure(said.confidence, least) or directive_flaw(said.directive)
    if why:
        return Settled(directive(scene), "rules", why)
    kept = GuidanceDirective(
        directive=head(said.directive.strip(), MAX_DIRECTIVE),
        reason=head(said.reason, MAX_ENTRY),
        confidence=said.confidence,
    )
    return Settled(kept, "model")


# -- the rules themselves --------------------------------------------------------------------------------------------

_RESPONSES: dict[Route, str] = {
    "respond": "Your message goes to the agent as it is.",
    "understand": "Your message is read for what it asks for before the agent gets it.",
    "plan": "Your message asks for several things, so there is a plan first.",
}
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(.+)$", re.MULTILINE)
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_PLANS = re.compile(
    r"\b(?:(?:make|write|draw up|give me) (?:a|the) plan|plan (?:it|this|first)|step by step|roadmap|in this order)\b",
    re.IGNORECASE,
)
WAYS = "Ways to test and build"
"""How the section of the survey that lists commands begins."""
_NO_GOAL = "Find the unfinished work in this repository and bring it to an end that can be checked."
_LOOK = (
    "Look at what is unfinished here: the newest changes, tests that fail, notes that are open. Take the piece that "
    "serves the goal most, finish it, and check it."
)
_TESTS = ("test", "check", "lint")


def wishes(text: str) -> tuple[str, ...]:
    """What a message asks for, in its own words: the items of its list, or its sentences."""
    items = _ITEM.findall(text)
    parts = items if len(items) > 1 else _SENTENCES.split(text)
    return fit(tuple(part for part in parts if part.strip() and not part.strip().endswith("?")))


def route(scene: Scene) -> GuidanceRouter:
    asked = wishes(scene.message)
    chosen: Route = "respond"
    if _PLANS.search(scene.message) or len(_ITEM.findall(scene.message)) >= MANY:
        chosen = "plan"
    elif len(scene.message) > LONG or len(asked) > MANY:
        chosen = "understand"
    return GuidanceRouter(route=chosen, response=_RESPONSES[chosen])


def understanding(scene: Scene) -> TaskUnderstanding:
    """The user's own words, taken apart."""
    text = scene.goal if is_minimal(scene.message) else scene.message
    # A goal that was named is one, whatever its words.
    unknown = is_minimal(text) and text == scene.message
    asked = (_NO_GOAL,) if unknown else wishes(text) or fit((text,)) or (_NO_GOAL,)
    questions = fit(tuple(part for part in _SENTENCES.split(text) if part.strip().endswith("?")))
    if unknown:
        questions = ("The user named no goal beside what the repository shows.",)
    scope: Literal["small", "medium", "large"] = (
        "small" if len(asked) <= 1 and not unknown else "medium" if len(asked) <= MANY * 2 else "large"
    )
    return TaskUnderstanding(requirements=asked, open_questions=questions, scope=scope, confidence=1.0)


def checks(scene: Scene) -> tuple[str, ...]:
    """How to see that the work is done: what the user said, then what the repository offers."""
    lines = scene.research.splitlines()
    start = next((number for number, line in enumerate(lines, 1) if line.startswith(WAYS)), len(lines))
    offered = takewhile(lambda line: line.startswith("- "), lines[start:])
    return fit((*scene.success, *(one for one in offered if any(word in one for word in _TESTS))))


def plan(scene: Scene) -> Planning:
    found = (scene.understanding or understanding(scene)).requirements
    # "Never push" applies throughout and is not a step.
    asked = tuple(one for one in found if not sounds_standing(one)) or found
    seen = checks(scene)
    last = f"Run {seen[0]} and mend what it shows." if seen and not scene.success else "Check that all of it holds."
    steps = ("Read what is there before changing it.", *asked[: MAX_ENTRIES - 2], last)
    return Planning(steps=steps, files=(), checks=seen, confidence=1.0)


def directive(scene: Scene) -> GuidanceDirective:
    """The next thing to do, from the record: never empty, and never the text of an error."""
    text, reason = _next_thing(scene)
    return GuidanceDirective(directive=head(text, MAX_DIRECTIVE), reason=reason, confidence=1.0)


def _next_thing(scene: Scene) -> tuple[str, str]:
    if scene.hint and not directive_flaw(scene.hint):
        return scene.hint.strip(), "This was said with the decision to go on."
    if scene.failing:
        return f"Find out why this fails, and mend it: {' '.join(scene.failing.split())}", "A command fails."
    opened = next((one.step for one in scene.steps if one.status != "completed"), "")
    if opened.strip():
        return f"Do the next open step of your plan: {' '.join(opened.split())}", "The plan has an open step."
    steps = scene.plan.steps if scene.plan is not None else ()
    told = "\n".join(scene.recent)
    fresh = next((one for one in steps if one not in told), "")
    if fresh:
        return fresh, "It is the next step of the plan."
    return _LOOK, "Nothing on record says more."


def decision(scene: Scene) -> GuidanceDecision:
    """What comes next, if nobody else has examined how the turn ended."""
    status = scene.summary.get("last_turn_status", "")
    waits = any(scene.summary.get(name, "0") not in ("", "0") for name in ("pending_approvals", "pending_tool_inputs"))
    if waits:
        return _decided("pause", "Somebody has to answer first.")
    if status == "failed":
        return _decided("pause", "The last turn failed.")
    if status == "interrupted":
        return _decided("pause", "The last turn was interrupted.")
    return done_or_on(scene)


def done_or_on(scene: Scene) -> GuidanceDecision:
    """What comes next, once no guard objects."""
    if scene.claimed:
        return _decided("complete", "The agent says that it is done.")
    return _decided("continue", "The job is not done, and nothing objects.")


def _decided(action: Literal["continue", "pause", "stop", "review", "complete"], reason: str) -> GuidanceDecision:
    return GuidanceDecision(action=action, next_input="", reason=reason, confidence=1.0)
