"""What a run does after a turn (C3)."""

import dspy

from rawr.core.vocabulary.opinions import Move


class FullAutoDecision(dspy.Signature):
    """Decide what a supervisor does with a coding agent whose turn has just ended, on the way to the goal.

    Choose one of the open moves:
    - continue: there is work left that the agent can do without a person. Say in next_input what to do next.
    - pause: a person has to look first. The agent asks something, the goal and what it does have come apart, something
      risky or irreversible comes next, or you cannot tell.
    - stop: the goal is reached, and what you see shows it; or it cannot be reached.
    - review: what was changed is worth a second look before more is built on it.

    The agent's word that it is done is a claim, not proof. Going round in circles is a reason to pause. Approvals and
    questions that are pending belong to a person.
    """

    thread_id: str = dspy.InputField(desc="the conversation, only to tell it from others")
    turn_id: str = dspy.InputField(desc="the turn that ended")
    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    directives: str = dspy.InputField(desc="standing rules of the person, one a line; they bind the agent")
    last_turn_status: str = dspy.InputField(desc="how the turn ended: completed, interrupted or failed")
    turn_error: str = dspy.InputField(desc="what went wrong in it; empty if nothing did")
    turn_plan: str = dspy.InputField(desc="the agent's plan, one step a line with its status")
    diff_summary: str = dspy.InputField(desc="files changed in the turn, with lines added and removed")
    token_usage: str = dspy.InputField(desc="tokens that the run has used, and how much of the context is left")
    pending_approvals: str = dspy.InputField(desc="how many approvals wait for a person")
    pending_tool_inputs: str = dspy.InputField(desc="how many questions of the agent wait for an answer")
    recent_actions: str = dspy.InputField(desc="the last decisions, each with its turn, as JSON, one a line")
    compaction_events: str = dspy.InputField(desc="the last compactions of the context as JSON, one a line")
    last_message: str = dspy.InputField(desc="what the agent said last")
    agent_claims_done: str = dspy.InputField(desc="yes, if the agent says that it has reached the goal")
    open_moves: str = dspy.InputField(desc="the moves to choose from; any other is thrown away")

    action: Move = dspy.OutputField(desc="one of the open moves")
    next_input: str = dspy.OutputField(
        desc="for continue: one concrete instruction to the agent, within the goal and the directives; else empty"
    )
    reason: str = dspy.OutputField(desc="one sentence that names what decided it, for a person to read")
    confidence: float = dspy.OutputField(desc="how sure you are, from 0 to 1; below 0.55 a person is asked", ge=0, le=1)
