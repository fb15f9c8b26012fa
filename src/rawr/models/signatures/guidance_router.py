"""Where a person's first message goes (C15)."""

import dspy

from rawr.core.vocabulary.opinions import Route


class GuidanceRouter(dspy.Signature):
    """Say where a person's message to a supervisor of coding agents goes first.

    - respond: it is talk, or a question that needs no work in the repository.
    - understand: it is a task, but what it takes is not clear yet.
    - plan: it is a task that is clear enough to be planned.

    The response is shown as one line while the work begins: one plain sentence of at most 140 characters that says
    what happens now. No question, no list, no markdown, no quotes.
    """

    user_message: str = dspy.InputField(desc="what the person wrote")
    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    context: str = dspy.InputField(
        desc="when it is done, standing rules of the person, permissions, how the run stands, the last turn"
    )

    route: Route = dspy.OutputField(desc="where the message goes")
    response: str = dspy.OutputField(desc="one plain sentence, at most 140 characters, no question mark")
