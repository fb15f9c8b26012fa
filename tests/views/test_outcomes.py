"""Every reason code is an event, or is known to be none: a new one has to be looked at."""

import pytest

from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence, Record
from rawr.views import events as e
from rawr.views.outcomes import outcome, own_words

ELSEWHERE = {"request.waits.person", "request.answered.person", "phase.marked.tool", "phase.marked.user"}
"""What the fact tells more of; ``following`` and ``happened`` have these."""
SILENT = {
    # The way of a message, and of a thread, is seen in the turn that comes of it.
    "turn",
    "steer",
    "thread",
    "clock",
    "limits",
    # Steps inside the golden path, which notices tell of.
    "headsup",
    "landing",
    "scratch",
    "gain",
    "commit",
    "hold",
    "phase",
    "directive",
    # Codex's session file: what was found in it are facts, and a notice tells what is wrong with it.
    "session",
    # What was asked of models: ``asked`` has it.
    "model",
    "guidance",
    "ignored",
}
"""Areas none of whose codes is an event."""
SILENT_CODES = {
    "mode.set.user",
    "compact.cut.message",
    "compact.cut.unseen",
    "compact.overtaken.turn",
    "compact.seen.along",
    "compact.seen.storm",
    "compact.skipped.disabled",
    "compact.skipped.goal",
    "compact.skipped.in_reach",
    "compact.skipped.no_boundary",
    "compact.skipped.overrun",
    "compact.skipped.review",
    "compact.skipped.roomy",
    "compact.skipped.sequence",
    "compact.skipped.synthetic",
    "compact.skipped.token_budget",
    "compact.skipped.usage",
    "compact.started.again",
    "compact.started.submitted",
    "compact.stopped.breaker",
    "handoff.awaited.recovery",
    "handoff.failed.undelivered",
    "handoff.held.recovery",
    "judgment.asked.model",
    "judgment.dropped.closed",
    "judgment.dropped.emergency",
    "judgment.dropped.message",
    "judgment.dropped.person",
    "judgment.dropped.run",
    "judgment.dropped.turn",
    "judgment.waived.error",
    "order.refused.agent",
    "packet.asked.again",
    "packet.failed.deadline",
    "packet.failed.turn",
    "packet.joined.user",
    "packet.returned.check",
    "request.judged.unsafe",
    "request.left.others",
    "request.refused.unable",
    "request.unsure.model",
    "run.skipped.review",
}


def test_every_code_is_an_event_or_is_known_to_be_none() -> None:
    silent = {one.value for one in Reason if outcome(Record(one)) is None}
    by_area = {one for one in silent if one.partition(".")[0] in SILENT}
    assert silent - by_area - ELSEWHERE == SILENT_CODES


@pytest.mark.parametrize(
    ("reason", "evidence", "event"),
    [
        (
            Reason.RUN_PAUSED_UNSURE,
            {"run": "r1", "detail": "0.2 of 0.55", "problem": "boom"},
            e.RunPaused(
                reason="run.paused.unsure",
                why="The model is not sure enough of what comes next.",
                run="r1",
                detail="0.2 of 0.55",
            ),
        ),
        (
            Reason.RUN_RETRIED_PASSING,
            {"run": "r1", "seconds": 5, "problem": "overloaded"},
            e.RunRetrying(
                reason="run.retried.passing",
                why="The turn failed for a reason that may pass.",
                run="r1",
                detail="overloaded",
                seconds=5,
            ),
        ),
        (
            Reason.COMPACT_SEEN_UPSTREAM,
            {"turn": "T"},
            e.CompactionEnded(
                reason="compact.seen.upstream",
                why="Codex compacted by itself, inside a turn.",
                ok=True,
                by_codex=True,
                tokens_before=None,
                tokens_after=None,
            ),
        ),
        (
            Reason.COMPACT_TAGGED_BOUNDARY,
            {"percent": 64},
            e.CompactionMarked(
                reason="compact.tagged.boundary", why=Reason.COMPACT_TAGGED_BOUNDARY.meaning, percent_left=64
            ),
        ),
        (
            Reason.COMPACT_HELD_PREFLIGHT,
            {"percent": 64},
            e.CompactionHeld(
                reason="compact.held.preflight",
                why=Reason.COMPACT_HELD_PREFLIGHT.meaning,
                percent_left=64,
            ),
        ),
        (
            Reason.TURN_STARTED_SEQUENCE,
            {"purpose": "scratch"},
            e.AgentAsked(reason="turn.started.sequence", why=Reason.TURN_STARTED_SEQUENCE.meaning, purpose="scratch"),
        ),
        (
            Reason.COMPACT_DECIDED_BOUNDARY,
            {"judgment": "compact, a model says: it is over"},
            e.CompactionDecided(
                reason="compact.decided.boundary",
                why=Reason.COMPACT_DECIDED_BOUNDARY.meaning,
                only_suggested=False,
                judgment="compact, a model says: it is over",
            ),
        ),
        (
            Reason.JUDGMENT_VETOED_MODEL,
            {},
            e.CompactionDeferred(
                reason="judgment.vetoed.model",
                why="A model says that this is not the moment to compact.",
                by="model",
            ),
        ),
        (
            Reason.REQUEST_JUDGED_SAFE,
            {"request": "1/0", "what": "approval of: ls -l"},
            e.RequestApproved(
                reason="request.judged.safe",
                why="The request is provably safe.",
                request="1/0",
                what="ls -l",
            ),
        ),
        (
            Reason.REQUEST_JUDGED_SAFE,
            {"request": "1/0", "what": "approval of: : > out.txt"},
            e.RequestApproved(
                reason="request.judged.safe",
                why="The request is provably safe.",
                request="1/0",
                what=": > out.txt",
            ),
        ),
        (
            Reason.REQUEST_DECLINED_DEADLINE,
            {"request": "1/0"},
            e.RequestDeclined(
                reason="request.declined.deadline",
                why="Nobody answered in time; declined, so that the turn can continue.",
                request="1/0",
                by="deadline",
            ),
        ),
    ],
)
def test_what_a_decision_means(reason: Reason, evidence: dict[str, Evidence], event: e.AnyEvent) -> None:
    assert outcome(Record(reason, evidence)) == event


@pytest.mark.parametrize(
    ("reason", "evidence", "purpose"),
    [
        (Reason.TURN_STARTED_SEQUENCE, {"purpose": "packet"}, "packet"),
        (Reason.TURN_STARTED_RUN, {}, "continue"),
        (Reason.HANDOFF_SENT_RECOVERY, {}, "recovery"),
        (Reason.REQUEST_DECLINED_UNSAFE, {}, "declined"),
        (Reason.TURN_STARTED_INPUT, {}, None),
    ],
)
def test_whose_words_it_sends(reason: Reason, evidence: dict[str, Evidence], purpose: e.Purpose | None) -> None:
    assert own_words([Record(Reason.COMPACT_SKIPPED_ROOMY), Record(reason, evidence)]) == purpose
