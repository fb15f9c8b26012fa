"""The events from rawr's decisions: the one place outside the core that reads reason codes to tell what happened.

The tables say which code is which event. A code in none of them makes no event, and a test keeps the list of those.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from msgspec.structs import replace

from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record
from rawr.views import events as e

CameTo = Literal["returned", "taken", "written"]
Maker = Callable[[Record], e.AnyEvent]


def outcome(record: Record) -> e.AnyEvent | None:
    """What a decision means to a follower, without its place."""
    maker = _EXACT.get(record.reason) or _BY_OUTCOME.get(record.reason.rpartition(".")[0])
    return explained(maker(record), record) if maker is not None else None


def explained(event: e.AnyEvent, record: Record) -> e.AnyEvent:
    """The event with the reason of the decision, and its subject."""
    about: dict[str, str] = {"reason": record.reason.value, "why": record.reason.meaning}
    if isinstance(event, e.RunEvent):
        about |= {"run": _text(record, "run"), "detail": _text(record, _DETAIL.get(record.reason, "detail"))}
    if isinstance(event, e.RequestEvent):
        about |= {"request": _text(record, "request")}
    return replace(event, **about)


def own_words(records: Iterable[Record]) -> e.Purpose | None:
    """Why rawr itself speaks to the agent, if one of these decisions makes it."""
    for record in records:
        if record.reason is Reason.TURN_STARTED_SEQUENCE:
            return next((one for one in _PURPOSES if one == record.evidence.get("purpose")), "heads_up")
        if record.reason in _SPEAKING:
            return _SPEAKING[record.reason]
    return None


def is_known(records: Iterable[Record]) -> bool:
    """Return True if the fact tells what was shown before, from another source."""
    return any(one.reason is Reason.IGNORED_KNOWN_CALL for one in records)


def is_put_to_a_person(record: Record) -> bool:
    return record.reason is Reason.REQUEST_WAITS_PERSON


def is_answered_by_a_person(record: Record) -> bool:
    return record.reason is Reason.REQUEST_ANSWERED_PERSON


def phase_marked(record: Record) -> str | None:
    """The phase that the agent declared over."""
    return str(record.evidence.get("phase")) if record.reason is Reason.PHASE_MARKED_TOOL else None


def packet_found(record: Record) -> tuple[CameTo, tuple[str, ...]] | None:
    """What the check of a packet came to: ``returned``, ``taken`` or ``written`` by rawr, and what it found."""
    came_to = _PACKET.get(record.reason)
    found = record.evidence.get("findings") or record.evidence.get("missing")
    return None if came_to is None else (came_to, tuple(map(str, found)) if isinstance(found, list) else ())


def number(record: Record, name: str) -> int | None:
    found = record.evidence.get(name)
    return found if isinstance(found, int) else None


def _text(record: Record, name: str) -> str:
    return str(record.evidence.get(name) or "")


def _compacted(record: Record) -> e.AnyEvent:
    return e.CompactionEnded(
        ok=record.reason in (Reason.COMPACT_DONE_BOTH, Reason.COMPACT_SEEN_UPSTREAM),
        by_codex=record.reason is Reason.COMPACT_SEEN_UPSTREAM,
        tokens_before=number(record, "tokens_before"),
        tokens_after=number(record, "tokens_after"),
    )


def _audited(record: Record) -> e.AnyEvent:
    author = _text(record, "packet_author")
    return e.CompactionAudited(
        ok=_text(record, "outcome") == "compacted",
        tokens_before=number(record, "tokens_before"),
        tokens_after=number(record, "tokens_after"),
        packet="" if not author else "agent" if author == "agent" else "rawr",
        duration_ms=number(record, "duration_ms"),
        by=_by(record),
        tier=_text(record, "tier"),
        percent_left=number(record, "percent"),
    )


def _by(record: Record) -> Literal["rawr", "person", "codex"]:
    trigger = _text(record, "trigger")
    if "Codex itself" in (trigger, _text(record, "by")):
        return "codex"
    return "person" if _A_PERSONS.intersection((trigger, _text(record, "by"))) else "rawr"


def _decided(record: Record, *, only_suggested: bool) -> e.AnyEvent:
    return e.CompactionDecided(only_suggested=only_suggested, judgment=_text(record, "judgment"))


def _approved(record: Record) -> e.AnyEvent:
    return e.RequestApproved(what=_text(record, "what").removeprefix("approval of").removeprefix(":").removeprefix(" "))


def _checked(record: Record, *, passed: bool) -> e.AnyEvent:
    return e.RunChecked(
        passed=passed,
        exit_code=number(record, "exit_code"),
        timed_out=record.evidence.get("timed_out") is True,
        output=_text(record, "output"),
    )


_A_PERSONS = frozenset({"submitted", "another client", Reason.COMPACT_DECIDED_SUBMITTED.value})
_PACKET: Mapping[Reason, CameTo] = {
    Reason.PACKET_RETURNED_CHECK: "returned",
    Reason.PACKET_TAKEN_AGENT: "taken",
    Reason.PACKET_TAKEN_INCOMPLETE: "taken",
    Reason.PACKET_WRITTEN_WATCHER: "written",
}
_DETAIL: Mapping[Reason, str] = {Reason.RUN_RETRIED_PASSING: "problem", Reason.RUN_WAITS_LIMIT: "problem"}
_PURPOSES: tuple[e.Purpose, ...] = ("heads_up", "scratch", "packet", "correction", "handoff", "recovery", "landing")
_SPEAKING: Mapping[Reason, e.Purpose] = {
    Reason.TURN_STARTED_RUN: "continue",
    Reason.HANDOFF_SENT_RECOVERY: "recovery",
    Reason.COMPACT_DECIDED_LANDING: "landing",
    Reason.COMPACT_DECIDED_CHECKPOINT: "landing",
    Reason.REQUEST_DECLINED_UNSAFE: "declined",
}
_EXACT: Mapping[Reason, Maker] = {
    Reason.COMPACT_AUDITED_SEQUENCE: _audited,
    Reason.COMPACT_AUDITED_OUTSIDE: _audited,
    Reason.COMPACT_SUGGESTED_BOUNDARY: lambda record: _decided(record, only_suggested=True),
    Reason.COMPACT_TAGGED_BOUNDARY: lambda record: e.CompactionMarked(
        percent_left=number(record, "percent"), boundary=_text(record, "ended"), judgment=_text(record, "judgment")
    ),
    Reason.COMPACT_HELD_PREFLIGHT: lambda record: e.CompactionHeld(percent_left=number(record, "percent")),
    Reason.TURN_STARTED_SEQUENCE: lambda record: e.AgentAsked(purpose=own_words((record,)) or "heads_up"),
    Reason.COMPACT_SEEN_UPSTREAM: _compacted,
    Reason.PACKET_TAKEN_AGENT: lambda _: e.PacketReady(author="agent", complete=True),
    Reason.PACKET_TAKEN_INCOMPLETE: lambda _: e.PacketReady(author="agent", complete=False),
    Reason.PACKET_WRITTEN_WATCHER: lambda _: e.PacketReady(author="rawr", complete=True),
    Reason.RUN_FAILED_CHECK: lambda record: _checked(record, passed=False),
    Reason.RUN_PASSED_CHECK: lambda record: _checked(record, passed=True),
    Reason.RUN_DONE_CHECKED: lambda _: e.RunDone(checked=True),
    Reason.RUN_DONE_REPORTED: lambda _: e.RunDone(checked=False),
    Reason.REQUEST_JUDGED_SAFE: _approved,
    Reason.REQUEST_ANSWERED_POLICY: lambda _: e.RequestAnswered(by="policy"),
    Reason.REQUEST_ANSWERED_MODEL: lambda _: e.RequestAnswered(by="model"),
    Reason.REQUEST_DECLINED_DEADLINE: lambda _: e.RequestDeclined(by="deadline"),
    Reason.REQUEST_DECLINED_UNSAFE: lambda _: e.RequestDeclined(by="rules"),
    Reason.REQUEST_DECLINED_CROWDED: lambda _: e.RequestDeclined(by="crowd"),
    Reason.IGNORED_UNKNOWN_REQUEST: lambda _: e.AnswerRefused(unfit=False),
    Reason.IGNORED_WRONG_ANSWER: lambda _: e.AnswerRefused(unfit=True),
}
_BY_OUTCOME: Mapping[str, Maker] = {
    "compact.deferred": lambda record: e.CompactionDeferred(by="rules", judgment=_text(record, "judgment")),
    "judgment.deferred": lambda record: e.CompactionDeferred(by="model", judgment=_text(record, "judgment")),
    "judgment.vetoed": lambda record: e.CompactionDeferred(by="model", judgment=_text(record, "judgment")),
    "compact.decided": lambda record: _decided(record, only_suggested=False),
    "compact.done": _compacted,
    "compact.failed": _compacted,
    "compact.cancelled": lambda _: e.CompactionCancelled(),
    "handoff.sent": lambda _: e.HandoffSent(),
    "run.started": lambda record: e.RunStarted(goal=_text(record, "goal")),
    "run.resumed": lambda _: e.RunResumed(),
    "run.overridden": lambda record: e.RunOverridden(text=_text(record, "text")),
    "run.continued": lambda _: e.RunContinued(),
    "run.checked": lambda _: e.RunChecking(),
    "run.reviewed": lambda _: e.RunReviewing(),
    "run.retried": lambda record: e.RunRetrying(seconds=number(record, "seconds") or 0),
    "run.waits": lambda record: e.RunWaiting(seconds=number(record, "seconds") or 0),
    "run.interrupted": lambda _: e.RunStalled(),
    "run.paused": lambda _: e.RunPaused(),
    "run.stopped": lambda _: e.RunStopped(),
    "run.failed": lambda _: e.RunFailed(),
    "run.refused": lambda _: e.RunRefused(),
}
"""By area and outcome: a new cause of an outcome in this table needs no entry."""
