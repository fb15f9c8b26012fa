"""What a running rawr made of a command, in words."""

import msgspec
import pytest

from rawr.core.state.run import Run
from rawr.core.vocabulary.order import Order
from rawr.runtime.control import Answered
from rawr.views.replies import ReplyView, reply_view

RUN = Run("r1", Order(goal="g"), "paused", 0, 0)


def test_for_programs() -> None:
    """A run is named only where the command was about one."""
    answer = Answered("t", ("run.paused.person",))
    assert reply_view(answer, RUN) == ReplyView("t", ("run.paused.person",), "", "r1", "paused")
    assert msgspec.json.decode(msgspec.json.encode(reply_view(answer))) == {
        "type": "answer",
        "thread": "t",
        "reasons": ["run.paused.person"],
        "problem": "",
    }
    assert reply_view(answer).in_words == ("A person paused it. (run.paused.person)",)


@pytest.mark.parametrize(
    ("answer", "ignored", "refused"),
    [
        (Answered("t"), False, False),
        (Answered("t", ("hold.set.submitted",)), False, False),
        (Answered("t", ("ignored.no_run",)), True, True),
        (Answered("t", ("ignored.empty_input",)), True, False),
        (Answered("t", ("compact.deferred.busy",)), True, False),
        (Answered("t", ("compact.skipped.sequence",)), True, False),
        (Answered("t", ("directive.refused.length",)), True, False),
        (Answered("t", ("phase.marked.user", "compact.skipped.no_boundary")), False, False),
        (Answered("t", ("ignored.no_run", "hold.set.submitted")), False, True),
        (Answered(problem="rawr knows no thread x."), False, True),
    ],
)
def test_what_changed_nothing(answer: Answered, ignored: bool, refused: bool) -> None:
    view = reply_view(answer)
    assert (view.ignored, view.refused) == (ignored, refused)


def test_a_reason_of_another_version_is_said_as_it_is() -> None:
    assert reply_view(Answered("t", ("new.code.here",))).in_words == ("new.code.here (new.code.here)",)
