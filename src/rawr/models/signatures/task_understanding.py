"""What a task takes (C15)."""

from typing import Literal

import dspy


class TaskUnderstanding(dspy.Signature):
    """Say what has to be true when a task is done, so that it can be planned and checked.

    Requirements are what the person asked for, in checkable words, nothing added. Open questions are those whose answer
    would change what is built and that neither the repository nor common practice settles; often there are none.
    """

    user_message: str = dspy.InputField(desc="what the person wrote")
    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    repository: str = dspy.InputField(desc="what was found in the repository")
    context: str = dspy.InputField(
        desc="when it is done, standing rules of the person, permissions, how the run stands, the last turn"
    )

    requirements: list[str] = dspy.OutputField(desc="what has to be true at the end, one checkable sentence each")
    open_questions: list[str] = dspy.OutputField(desc="what only the person can answer and what matters; may be empty")
    scope: Literal["small", "medium", "large"] = dspy.OutputField(
        desc="small: a file or two, within an hour; medium: several files; large: many files, or a change of design"
    )
    confidence: float = dspy.OutputField(desc="how sure you are that this is what is meant, from 0 to 1", ge=0, le=1)


DEMOS: tuple[dict[str, object], ...] = (
    {
        "user_message": "the csv export breaks when a name has a comma in it",
        "goal": "",
        "repository": (
            "python, pytest; src/shop/export.py joins columns with ','; tests/test_export.py has 4 tests, "
            "none with special characters"
        ),
        "context": "",
        "requirements": [
            "A name with a comma is one field again when the exported file is read with Python's csv module.",
            "The same holds for quotation marks and line breaks in any field.",
            "Files without such characters are exported as before, byte for byte.",
            "tests/test_export.py has a test for each of these.",
        ],
        "open_questions": [],
        "scope": "small",
        "confidence": 0.9,
    },
)
"""One example, to show how much is enough."""
