"""What guidance does after a turn (C15)."""

from typing import Literal

import dspy


class GuidanceDecision(dspy.Signature):
    """Decide what guidance does after a turn of the coding agent, on the way to the goal.

    Choose one of the open moves:
    - continue: work is left that the agent can do without a person. Say in next_input what to do next.
    - pause: a person has to look first, or you cannot tell.
    - stop: it makes no sense to go on.
    - review: what was changed is worth a second look before more is built on it.
    - complete: every success criterion is met, and the summary shows it; the agent's word alone shows nothing.

    A limit that is near, and turns without progress, are reasons to pause or to stop.
    """

    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    success_criteria: str = dspy.InputField(
        desc="what has to be true for that, one a line; empty if the person named nothing"
    )
    turn_summary: str = dspy.InputField(desc="what happened in the last turn, one thing a line")
    plan: str = dspy.InputField(
        desc="the steps, one a line, with their status where it is known; empty if there is no plan"
    )
    guards: str = dspy.InputField(desc="turns, tokens and time of the run, one a line, each with its limit")
    open_moves: str = dspy.InputField(desc="the moves to choose from; any other is thrown away")

    action: Literal["continue", "pause", "stop", "review", "complete"] = dspy.OutputField(desc="one of the open moves")
    next_input: str = dspy.OutputField(desc="for continue: one concrete instruction to the agent; else empty")
    reason: str = dspy.OutputField(desc="one sentence that names what decided it, for a person to read")
    confidence: float = dspy.OutputField(desc="how sure you are, from 0 to 1; below 0.55 a person is asked", ge=0, le=1)
