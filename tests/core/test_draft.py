"""A step while it is being worked out: which boundaries it keeps."""

from typing import get_args

import pytest

from rawr.core.draft import ThreadDraft
from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.state.thread import MAX_SIGNALS
from rawr.core.vocabulary.boundaries import EventKind
from rawr.core.vocabulary.payloads import PhraseSaid
from tests.core.samples import AT, IDLE, POLICY, SEQ, seen

KEPT: tuple[EventKind, ...] = get_args(BoundaryKind)
ONLY_RECORDED: tuple[EventKind, ...] = tuple(
    kind for kinds in get_args(EventKind) for kind in get_args(kinds) if kind not in KEPT
)


def draft() -> ThreadDraft:
    return ThreadDraft(IDLE, SEQ, AT, POLICY)


@pytest.mark.parametrize("kind", KEPT)
def test_what_a_tier_may_require_is_kept_for_the_decision(kind: EventKind) -> None:
    """A5, A8: and where its maker says that it gates nothing, it is only recorded."""
    gating, other = draft(), draft()
    gating.signal(kind, source="turn", turn="T1")
    other.signal(kind, source="turn", turn="T1", gates=False)
    assert gating.state.signals == gating.boundaries == other.boundaries == (seen(kind, "T1"),)
    assert other.state.signals == ()


@pytest.mark.parametrize("kind", ONLY_RECORDED)
def test_everything_else_is_only_recorded(kind: EventKind) -> None:
    """B2."""
    recording = draft()
    recording.signal(kind, source="turn", turn="T1")
    assert (recording.boundaries, recording.state.signals) == ((seen(kind, "T1"),), ())


def test_boundaries_that_are_kept_are_bounded() -> None:
    keeping = draft()
    for number in range(MAX_SIGNALS + 2):
        keeping.signal("topic_shift", PhraseSaid(str(number)), source="text", turn="T1")
    assert [one.detail for one in keeping.state.signals] == [str(number) for number in range(2, MAX_SIGNALS + 2)]
