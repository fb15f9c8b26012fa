"""What guidance looks at, and which parts of it each question contains (C15).

A ``Scene`` comes from a thread's state, or from files for ``rawr guidance demo``; from there on both are treated alike.
Every field of a question is text and bounded. ``INPUTS`` lists the fields of each signature.
"""

from collections.abc import Mapping

from msgspec import Struct

from rawr.core.run import progress
from rawr.core.run.guards import MINUTE
from rawr.core.speech import NOTHING, Own, joined, line, listed, rows, say, shortened, word
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.text import head
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.opinions import Planning, SignatureName, TaskUnderstanding
from rawr.core.vocabulary.order import Order

MAX_FIELD = 6_000
MAX_QUOTED = 3_000
MOVES = ("continue", "pause", "stop", "review", "complete")
_ELSEWHERE = frozenset({"goal", "directives", "open_moves"})
"""Fields of the summary that have their own place in a question."""

INPUTS: dict[SignatureName, tuple[str, ...]] = {
    "guidance_router": ("user_message", "goal", "context"),
    "task_understanding": ("user_message", "goal", "repository", "context"),
    "planning": ("goal", "requirements", "repository", "constraints"),
    "guidance_directive": ("goal", "plan", "repository", "last_turn", "recent_directives"),
    "guidance_decision": ("goal", "success_criteria", "turn_summary", "plan", "guards", "open_moves"),
}


class Scene(Struct, frozen=True):
    """Everything that guidance knows at one moment."""

    message: str
    """The user's first message."""
    goal: str
    success: tuple[str, ...] = ()
    directives: tuple[str, ...] = ()
    """The user's standing directives."""
    permissions: str = ""
    summary: Mapping[str, str] = {}
    """Of the last turn that ended; empty before the first."""
    state: Mapping[str, str] = {}
    """Of the run: turns, tokens, time."""
    steps: tuple[PlanStep, ...] = ()
    """The agent's own plan."""
    failing: str = ""
    """The last command that failed, with its last line."""
    claimed: bool = False
    """The agent says that it is done."""
    research: str = ""
    understanding: TaskUnderstanding | None = None
    plan: Planning | None = None
    hint: str = ""
    recent: tuple[str, ...] = ()
    """Earlier directives."""
    moves: tuple[str, ...] = MOVES


def message_of(order: Order) -> str:
    return order.prompt or order.goal


def scene_of(state: ThreadState, *, summary: Mapping[str, str], moves: tuple[str, ...], now: int) -> Scene:
    """The scene of a guided run. ``summary`` is that of its last turn."""
    run = state.run
    assert run is not None, "only asked for a run"  # noqa: S101
    order, it = run.order, run.guidance
    failure = state.ledger.failures[-1] if state.ledger.failures else None
    return Scene(
        message=message_of(order),
        goal=order.goal,
        success=(f"the command `{order.done}` ends with exit code 0",) if order.done else (),
        directives=tuple(one.text for one in state.ledger.directives if one.standing),
        permissions=f"approvals: {order.approvals}; what is not provably safe: {order.unsafe}",
        summary={name: text for name, text in summary.items() if name not in _ELSEWHERE and text},
        state=_standing(run, now=now),
        steps=state.plan.steps,
        failing=f"{failure.command}: {failure.last_line}" if failure is not None else "",
        claimed=run.claimed,
        research=it.research if it is not None else "",
        understanding=it.understanding if it is not None else None,
        plan=it.plan if it is not None else None,
        hint=it.hint if it is not None else "",
        recent=it.directives if it is not None else (),
        moves=moves,
    )


def _standing(run: Run, *, now: int) -> dict[str, str]:
    budgets = run.order.budgets
    return {
        "turns": f"{run.turns} of {budgets.turns}",
        "turns_without_progress": str(progress.standstill(run)),
        "tokens": f"{run.tokens} of {budgets.tokens or 'no limit'}",
        "minutes": f"{run.used(now) // MINUTE} of {budgets.minutes or 'no limit'}",
    }


def inputs(signature: SignatureName, scene: Scene) -> dict[str, str]:
    """The question's fields by name."""
    verbatim, own = _verbatim(scene), _own(scene)
    return {
        name: shortened(own[name], MAX_FIELD) if name in own else head(verbatim[name], MAX_FIELD)
        for name in INPUTS[signature]
    }


def _verbatim(scene: Scene) -> dict[str, str]:
    """Fields with the words of one author, verbatim: the question says whose they are, and where they end."""
    return {
        "user_message": scene.message,
        "goal": scene.goal,
        "repository": scene.research,
        "open_moves": ", ".join(scene.moves),
    }


def _own(scene: Scene) -> dict[str, Own]:
    """Fields in which rawr reports who said what, with all foreign text quoted."""
    understanding = scene.understanding
    turn, standing = _summary(scene.summary), _summary(scene.state)
    hint = say("proposed next step: {hint}", hint=line(scene.hint, limit=MAX_QUOTED)) if scene.hint else NOTHING
    done, rules = _listed(scene.success), _listed(scene.directives)
    permissions = line(scene.permissions) if scene.permissions else NOTHING
    return {
        "success_criteria": done,
        "context": joined(
            (
                say("done when:\n{done}", done=done) if done else NOTHING,
                say("standing directives of the user:\n{rules}", rules=rules) if rules else NOTHING,
                say("permissions:\n{permissions}", permissions=permissions) if permissions else NOTHING,
                say("the run so far:\n{standing}", standing=standing) if standing else NOTHING,
                say("the last turn:\n{turn}", turn=turn) if turn else NOTHING,
            )
        ),
        "constraints": joined(
            (
                say("standing directives of the user:\n{rules}", rules=rules) if rules else NOTHING,
                say("done when:\n{done}", done=done) if done else NOTHING,
                say("permissions:\n{permissions}", permissions=permissions) if permissions else NOTHING,
            )
        ),
        "requirements": _listed(understanding.requirements if understanding is not None else (scene.message,)),
        "plan": _plan(scene),
        "turn_summary": turn,
        "last_turn": rows((turn, hint)),
        "guards": standing,
        "recent_directives": _listed(scene.recent),
    }


def _plan(scene: Scene) -> Own:
    """The agent's own plan with its progress; before there is one, the initial plan."""
    if scene.steps:
        return listed(say("[{status}] {step}", status=word(one.status), step=line(one.step)) for one in scene.steps)
    return _listed(scene.plan.steps) if scene.plan is not None else NOTHING


def _listed(texts: tuple[str, ...]) -> Own:
    return listed(line(one, limit=MAX_QUOTED) for one in texts)


def _summary(fields: Mapping[str, str]) -> Own:
    return rows(
        say("{name}: {text}", name=word(name), text=word(text, limit=MAX_QUOTED)) for name, text in fields.items()
    )
