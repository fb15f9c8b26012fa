"""The word detectors: whole words, in the agent's own prose, stated and not hoped for (B8)."""

import pytest

from rawr.core.compaction.phrases import stated
from rawr.core.policy.markers import Markers

MARKERS = Markers()


@pytest.mark.parametrize(
    "text",
    [
        "The migration is done.",
        "All done!",
        "I read it twice. Now the work is complete.",
        "I don't like it, and that is fine. The refactor is done.",
        "Step one: the parser is done",
        "```\nnot prose\n```\nThe parser is done.",
        "After fixing the parser and the lexer, the whole task is complete.",
    ],
)
def test_stated(text: str) -> None:
    assert stated(text, MARKERS.agent_done)


@pytest.mark.parametrize(
    "text",
    [
        "I abandoned it.",
        "It is not done yet.",
        "This isn't all done.",
        "We haven’t finished the parser.",
        "This is far from done.",
        "Is everything that you wanted in place, and is done?",
        "Once all of the tests in the suite pass on both machines, it is done.",
        "If the check on the main branch passes, then the task is complete.",
        "It will not take long until this is done.",
        "Validation is done in the loader.",
        "Parsing is done by hand, and caching is done with care.",
        "The work is complete when the tests pass.",
        "`all done`",
        "```\nall done\n```",
        "~~~~\n```\nall done\n~~~~",
        "  ```\n  all done\n  ```",
        "> all done",
        'It printed "all done".',
        "It printed “all done”.",
        "",
    ],
)
def test_not_stated(text: str) -> None:
    assert stated(text, MARKERS.agent_done) == ""


def test_the_phrase_that_was_stated_is_named() -> None:
    assert stated("Moving on to the tests.", MARKERS.topic_shift) == "moving on to"
    assert stated("Moving on To the tests.", ("on to the TESTS", "!!!")) == "on to the TESTS"
    assert stated("In summary: it works.", MARKERS.concluding) == "in summary"
