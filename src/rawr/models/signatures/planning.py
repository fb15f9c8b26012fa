"""How to do a task (C15)."""

import dspy


class Planning(dspy.Signature):
    """Plan a task for a coding agent in steps that each leave the repository working.

    A step is one piece of work with a result that can be seen, in the order in which they build on each other; as few
    as the task needs. Name files only where you have reason to think that they exist or have to be made.
    """

    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    requirements: str = dspy.InputField(desc="what has to be true at the end, one a line")
    repository: str = dspy.InputField(desc="what was found in the repository")
    constraints: str = dspy.InputField(
        desc="standing rules of the person, when it is done, and what the agent may do; they bind the plan"
    )

    steps: list[str] = dspy.OutputField(desc="the steps in order, one sentence each; at least one")
    files: list[str] = dspy.OutputField(desc="files that are likely to be touched, as paths inside the workspace")
    checks: list[str] = dspy.OutputField(
        desc="how each piece can be seen to be done: a command, a test, something to see"
    )
    confidence: float = dspy.OutputField(desc="how sure you are that this reaches the goal, from 0 to 1", ge=0, le=1)
