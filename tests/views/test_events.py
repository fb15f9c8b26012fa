"""The list of events: closed, with names that are a promise to whoever follows them."""

from typing import get_args

import msgspec

from rawr.views import events
from rawr.views.events import AnyEvent

TAGS = [
    "agent_asked",
    "agent_said",
    "answer_refused",
    "boundary_seen",
    "codex_connected",
    "codex_lost",
    "command_began",
    "command_ran",
    "compaction_audited",
    "compaction_began",
    "compaction_cancelled",
    "compaction_decided",
    "compaction_deferred",
    "compaction_ended",
    "compaction_held",
    "compaction_marked",
    "context_compacted",
    "context_used",
    "diff_changed",
    "error_seen",
    "files_changed",
    "handoff_sent",
    "notice",
    "packet_ready",
    "phase_ended",
    "plan_changed",
    "request_answered",
    "request_approved",
    "request_asked",
    "request_declined",
    "request_gone",
    "request_put",
    "run_checked",
    "run_checking",
    "run_continued",
    "run_done",
    "run_failed",
    "run_overridden",
    "run_paused",
    "run_refused",
    "run_resumed",
    "run_retrying",
    "run_reviewing",
    "run_stalled",
    "run_started",
    "run_stopped",
    "run_waiting",
    "steer_taken",
    "thread_closed",
    "thread_joined",
    "thread_replaced",
    "turn_began",
    "turn_ended",
    "user_said",
]
"""None of these may go, or mean something else."""


def tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def test_the_names_are_stable() -> None:
    assert sorted(tag(kind) for kind in get_args(AnyEvent)) == TAGS


def test_none_is_left_out_of_the_list() -> None:
    bases = {events.Event, events.Decided, events.RunEvent, events.RequestEvent}
    kinds = {one for one in vars(events).values() if isinstance(one, type) and issubclass(one, events.Event)}
    assert kinds - bases == set(get_args(AnyEvent))


def test_an_event_is_json_and_comes_back_as_itself() -> None:
    event = events.TurnEnded(
        thread="t", seq=7, at=9, turn="T1", status="failed", duration_ms=5, failed=True, problem="down"
    )
    encoded = msgspec.json.encode(event)
    assert msgspec.json.decode(encoded) == {
        "type": "turn_ended",
        "thread": "t",
        "seq": 7,
        "at": 9,
        "turn": "T1",
        "status": "failed",
        "duration_ms": 5,
        "failed": True,
        "problem": "down",
    }
    assert msgspec.json.decode(encoded, type=AnyEvent) == event
