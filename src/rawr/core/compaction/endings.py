"""What the end of a turn of work says by its shape and its words: the boundaries ``agent_done``, ``concluding``,
``topic_shift`` (A5, B8, D8).

The shape of the turn comes first; a phrase of the frontmatter counts only where nothing speaks against it.
"""

from rawr.core.compaction.finished import contradicted, uncontradicted
from rawr.core.compaction.phrases import KINDS, words
from rawr.core.compaction.prose import prose_of
from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary.boundaries import Source
from rawr.core.vocabulary.payloads import PhraseSaid, WorkFinished

LARGE_ORDER, LARGE_WORK, LARGE_ANSWER = 2_000, 8, 400
"""Characters of what was asked, commands, and characters of the answer, from which on a finished turn concludes a
larger piece of work."""

Signal = tuple[BoundaryKind, PhraseSaid | WorkFinished, Source]


def signals(turn: TurnOutcome, policy: AutoCompaction) -> list[Signal]:
    """For a turn in which the agent did something."""
    prose = prose_of(turn.agent_text)
    done = uncontradicted(turn, prose) if prose else None
    said = _said(turn, policy, KINDS) if done is None and prose else []
    # To look for what speaks against it takes the longest, and most turns that only answer have nothing else.
    if (done is None and not said) or contradicted(turn, prose):
        return []
    if done is None:
        return said
    found: list[Signal] = [("agent_done", WorkFinished(done.evidence), "turn")]
    if turn.asked >= LARGE_ORDER and turn.commands >= LARGE_WORK and len(turn.agent_text) >= LARGE_ANSWER:
        evidence = (f"{turn.commands} commands", f"{len(turn.files)} files changed", "a long order")
        found.append(("concluding", WorkFinished(evidence), "turn"))
    return found + _said(turn, policy, ("topic_shift", "concluding"))


def _said(turn: TurnOutcome, policy: AutoCompaction, kinds: tuple[BoundaryKind, ...]) -> list[Signal]:
    return [(kind, PhraseSaid(phrase), "text") for kind, phrase in words(turn.agent_text, policy.markers, kinds)]
