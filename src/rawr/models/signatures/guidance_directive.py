"""What to tell the agent next (C15)."""

import dspy


class GuidanceDirective(dspy.Signature):
    """Write the next instruction to a coding agent: the next piece of the plan that is not done yet.

    It is sent to the agent as it is. Say what to do and how it can be seen to be done, in a few sentences, within the
    goal. Where a next step was proposed, start from it. Take up what went wrong in the last turn. Do not repeat a
    directive that did not help; say what to do differently. Nothing about yourself, no error texts, no questions.
    """

    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    plan: str = dspy.InputField(
        desc="the steps, one a line, with their status where it is known; empty if there is no plan"
    )
    repository: str = dspy.InputField(desc="what was found in the repository")
    last_turn: str = dspy.InputField(
        desc="what the agent did and said last, and a next step if one was proposed; empty before the first turn"
    )
    recent_directives: str = dspy.InputField(desc="what the agent was told before, one a line, newest last")

    directive: str = dspy.OutputField(desc="the instruction, addressed to the agent")
    reason: str = dspy.OutputField(desc="one sentence: why this comes next")
    confidence: float = dspy.OutputField(
        desc="how sure you are that this is the next thing to do, from 0 to 1", ge=0, le=1
    )
