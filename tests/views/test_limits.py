"""Under what a thread works, in words (D11)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.full_auto import ApprovalMode, Unsafe
from rawr.core.state.run import Run
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing, in_words
from rawr.core.vocabulary.order import Order
from rawr.views.limits import limits_in_words
from tests.core.samples import AT, IDLE

ORDERED = Limits(sandbox=Sandboxing("read-only"), approvals="on-request")
TOLD = InForce(sandbox=Sandboxing("workspace-write"), approvals="on-request")


def test_as_codex_told_or_else_as_ordered() -> None:
    assert limits_in_words(IDLE) == ""
    assert limits_in_words(replace(IDLE, limits=ORDERED)) == in_words(ORDERED)
    assert limits_in_words(replace(IDLE, limits=ORDERED, in_force=TOLD)) == in_words(TOLD)


@pytest.mark.parametrize(
    ("approvals", "unsafe", "more"),
    [
        ("never", "wait", ""),
        ("policy", "wait", "; rules approve what is safe"),
        ("policy", "decline", "; rules approve what is safe, the rest is declined"),
        ("ask", "decline", "; a person is asked"),
    ],
)
def test_who_says_yes(approvals: ApprovalMode, unsafe: Unsafe, more: str) -> None:
    """C10."""
    run = Run("r1", Order(goal="g", approvals=approvals, unsafe=unsafe), "running", AT, AT)
    assert limits_in_words(replace(IDLE, in_force=TOLD, run=run)) == in_words(TOLD) + more


def test_where_codex_asks_nobody_nobody_says_yes() -> None:
    run = Run("r1", Order(goal="g", approvals="ask"), "running", AT, AT)
    never = replace(TOLD, approvals="never")
    assert limits_in_words(replace(IDLE, in_force=never, run=run)) == in_words(never)
