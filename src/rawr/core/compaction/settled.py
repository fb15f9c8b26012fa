"""Is what the last turn came to settled? Then nothing is lost if the conversation behind it goes (D8).

An agent can be done with what it was asked, and the place still be a bad one to compact. It explained something, and
what it found out is in the conversation alone. Or it tried something: the user had reported a problem, or is to run it
and see, and goes on from there. docs/signals.md says what came of these at real turn ends, read one by one.
"""

from collections.abc import Set as AbstractSet

from rawr.core.compaction.finding import Finder
from rawr.core.compaction.finished import ANNOUNCES, ENDING, contrary, only_answers
from rawr.core.compaction.orders import request
from rawr.core.compaction.prose import prose_of
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import TurnOutcome

DONE: frozenset[str] = frozenset({"agent_done", "concluding"})
"""Boundaries that say that the agent is done, and not what became of it."""
PLAN: frozenset[str] = frozenset({"plan_update", "plan_checkpoint"})
"""Signals of the plan alone: steps can be done, and a question be left."""
NEWEST = 2
"""Messages of the user in which a problem that they reported is taken to be open still."""
_REPORT = 300
"""Characters at each end of a message in which the user says what is wrong."""
_PROBLEM, _NO_PROBLEM = Finder("problem"), Finder("no_problem")
"""What a user says who reports that something does not work; what sounds like it, and is a name."""
_WORKS = Finder("works")
"""What a user says whose problem is gone."""
_BLOCKED = Finder("blocked")
"""What the note of a plan says that cannot go on."""
_TO_TRY = Finder("to_try")
"""What an agent says whose user is to find out whether it works."""


def is_unsettled(state: ThreadState, kinds: AbstractSet[str]) -> bool:
    """Return True if boundaries of these kinds came at a turn's end that leaves more open than they say."""
    last = state.last_turn
    if last is None or not kinds or not kinds <= DONE | PLAN:
        return False
    if kinds <= DONE:
        return not is_settled(state)
    return bool(last.failing) or _is_blocked(state) or _leaves_open(last) or _is_attempt(state, last)


def is_settled(state: ThreadState) -> bool:
    """Return True if the last turn left its result in files, said so, no check is known to fail, and nobody has to find
    out whether it works."""
    last = state.last_turn
    if last is None or not last.spoke or last.failing or only_answers(last):
        return False
    return not (_is_blocked(state) or _is_attempt(state, last))


def _is_blocked(state: ThreadState) -> bool:
    """Return True if the plan has steps left, and its note says that it cannot go on."""
    plan = state.plan
    if not plan.explanation or all(one.status == "completed" for one in plan.steps):
        return False
    return next(_BLOCKED.hits(plan.explanation.lower()), None) is not None


def _is_attempt(state: ThreadState, last: TurnOutcome) -> bool:
    """Return True if it is for the user to find out whether it worked: no check has passed since the last change."""
    if last.files and not last.unchecked:
        return False
    return _in_trouble(state, last) or next(_TO_TRY.hits(prose_of(last.agent_text)[-ENDING:]), None) is not None


def _leaves_open(last: TurnOutcome) -> bool:
    """Return True if it asks, waits or could not. That more comes is what a plan is for."""
    return contrary(prose_of(last.agent_text)) not in {"", *ANNOUNCES}


def _in_trouble(state: ThreadState, last: TurnOutcome) -> bool:
    """Return True if the user reported a problem lately, and has not said since that it is gone. A run goes on without
    the user: only a message in the turn itself says where they stand."""
    if not last.asked:
        return False
    ledger = state.ledger
    asked = [one.text for one in ledger.directives[-NEWEST:]]
    for text in reversed([ledger.goal, *asked] if len(asked) < NEWEST else asked):
        if _says(_PROBLEM, text, unless=_NO_PROBLEM):
            return True
        if _says(_WORKS, text):
            return False
    return False


def _says(what: Finder, text: str, *, unless: Finder | None = None) -> bool:
    text = request(text)
    for part in (text[:_REPORT], text[max(len(text) - _REPORT, _REPORT) :]):
        said = part.replace("’", "'").lower()
        denied = list(unless.hits(said)) if unless is not None else []
        if any(not any(one.overlaps(hit) for one in denied) for hit in what.hits(said)):
            return True
    return False
