"""The golden path, driven by facts: heads-up → packet → compaction → handoff (A9–A15).

What is said to the agent goes through ``delivery`` like any message: written down first, looked up after a crash, never
sent twice. While a sequence runs nothing else starts a turn; a user's messages wait, and follow the handoff.
"""

from typing import Literal

from msgspec.structs import replace

from rawr.core.compaction import breaker as gain
from rawr.core.compaction import tracking as compaction
from rawr.core.compaction.precompact import seconds, selected
from rawr.core.compaction.table import Move, after
from rawr.core.draft import ThreadDraft
from rawr.core.handover import packet
from rawr.core.handover.check import check
from rawr.core.handover.handoff import Content, byte_limit, write
from rawr.core.handover.messages import correction
from rawr.core.policy.tiers import Tier
from rawr.core.run import turn_end as fullauto
from rawr.core.speech import NOTHING, Own, joined, line, render, say, word
from rawr.core.state import since
from rawr.core.state.sequence import LastCompaction, Phase, Sequence
from rawr.core.state.turn import WORK, OwnPurpose, Purpose, TurnOutcome
from rawr.core.thread import cutting, turns
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import InjectPacket, Notify
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "pre_compact"
"""One at a time: what was asked of the agent last."""
SETTLING = "settling"
SETTLE_SECONDS = 1
"""On threads of others, how long a compaction waits for a message that the user had queued."""
LEAST_SECTIONS = 3
"""A reply with fewer of the seven sections is no packet."""

# -- beginning -------------------------------------------------------------------------------------------------------


def begin(
    draft: ThreadDraft, *, tier: Tier, percent: int, reason: Reason, landing: bool = False, judgment: str = ""
) -> Sequence:
    """The decision is made: its boundaries are used up, and the heads-up goes out (A8, A10)."""
    state = draft.state
    started = Sequence(
        id=f"c{draft.seq}",
        phase=Phase.HEADS_UP_INJECTED,
        since=draft.at,
        tier=tier,
        percent=percent,
        boundaries=state.signals,
        ended=what_ended(state.signals),
        reason=reason.value,
        # A judgment has been heard by now, or was not called for.
        requests=tuple(one for one in selected(draft.policy.compaction, tier) if one != "judgment"),
        judgment=judgment,
        tokens_before=state.usage.in_context if state.usage is not None else None,
        landing=landing,
    )
    draft.change(sequence=started, signals=(), preflight=False)
    draft.do(Notify(level="info", text=f"[rawr] compacting ({percent} % left): {started.ended}"))
    if landing:
        return started
    if _room(draft) < draft.policy.compaction.packet_room_tokens:
        # No turn fits any more. The heads-up goes into the history together with rawr's own packet.
        _move(draft, Move.PACKET_ASKED)
        _write_packet(draft, heads_up=_heads_up(draft))
        return started
    asked = _packet_request(draft) if _asks_in_same_turn(draft) else NOTHING
    _say(draft, joined((_heads_up(draft), asked)), "heads_up")
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
    return started


def _heads_up(draft: ThreadDraft) -> Own:
    sequence = _current(draft)
    why = say("{percent} % of the context is left", percent=sequence.percent)
    values = {"phase": line(sequence.ended), "reason": why, "sequence": word(sequence.id)}
    return render(draft.policy.prompts.heads_up, values)


def _packet_request(draft: ThreadDraft) -> Own:
    return render(draft.policy.prompts.packet_request, {})


def what_ended(boundaries: tuple[BoundaryEvent, ...]) -> str:
    """The most telling boundary, in a few words, some of which are the agent's."""
    order = ("phase_boundary", "plan_checkpoint", "pr_checkpoint", "commit", "agent_done", "topic_shift", "concluding")
    for kind in order:
        for one in reversed(boundaries):
            if one.kind == kind:
                return f"{kind.replace('_', ' ')}, {one.detail}" if one.detail else kind.replace("_", " ")
    return "no phase in particular"


def _asks_in_same_turn(draft: ThreadDraft) -> bool:
    policy = draft.policy.compaction
    return policy.packet_author == "agent" and policy.packet_turn == "same" and _current(draft).requests == ("packet",)


def _room(draft: ThreadDraft) -> int:
    usage = draft.state.usage
    return (usage.window - usage.in_context) if usage is not None and usage.window is not None else 10**9


# -- on the way ------------------------------------------------------------------------------------------------------


def shown(draft: ThreadDraft, purpose: Purpose) -> None:
    """A message of ours stands in the thread."""
    sequence = draft.state.sequence
    if sequence is None:
        return
    match purpose:
        case "heads_up" if sequence.phase is Phase.HEADS_UP_INJECTED and _asks_in_same_turn(draft):
            _await_packet(draft)
        case "landing" if sequence.phase is Phase.HEADS_UP_INJECTED:
            _await_packet(draft)
        case "handoff" if sequence.phase is Phase.HANDOFF_PENDING:
            _finish(draft)
        case _:
            pass


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """A turn ended while a sequence runs. Turns of other people in between change nothing."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase is Phase.AWAITING_JUDGMENT:
        return
    if turn.status == "interrupted" and _looked_for(draft, turn.id):
        return
    ours = turn.synthetic or sequence.landing
    if ours and turn.status == "interrupted" and not turn.lost and not sequence.late:
        _cancel(draft)
        return
    match sequence.phase:
        case Phase.HEADS_UP_INJECTED if turn.purpose == "heads_up" and _asks_in_same_turn(draft):
            # That its message was shown was not seen. It asked for the packet, and this is the answer.
            _await_packet(draft)
            _packet_turn_ended(draft, turn)
        case Phase.HEADS_UP_INJECTED if turn.purpose == "heads_up":
            _next_request(draft)
        case Phase.AWAITING_SCRATCH if turn.purpose == "scratch":
            _next_request(draft)
        case Phase.AWAITING_PACKET if sequence.packet:
            if not sequence.injecting:
                _compact(draft)
        case Phase.AWAITING_PACKET if turn.purpose in ("heads_up", "packet", "correction") or sequence.landing:
            _packet_turn_ended(draft, turn)
        case Phase.HANDOFF_PENDING if turn.purpose == "handoff":
            # It ended before its message was shown. The message is in, and nothing more will come of it.
            _finish(draft)
        case _:
            pass


def _looked_for(draft: ThreadDraft, turn: str) -> bool:
    """Codex can die between beginning a turn and writing down its message. Whether it is there is being looked up, and
    if it is, the turn's end is told again."""
    return any(one.turn == turn and one.doubt and not one.steer for one in draft.state.sent)


def _next_request(draft: ThreadDraft) -> None:
    """Take the next one off the queue. The packet is always the last."""
    sequence = _current(draft)
    policy = draft.policy.compaction
    request, *rest = sequence.requests or ("packet",)
    draft.change(sequence=replace(sequence, requests=tuple(rest), late=False))
    if request == "scratch":
        _move(draft, Move.SCRATCH_ASKED)
        values = {"file": word(scratch_file(draft)), "phase": line(sequence.ended)}
        _say(draft, render(draft.policy.prompts.scratch_write, values), "scratch")
        draft.set_deadline(DEADLINE, seconds(policy, request))
    elif policy.packet_author == "watcher":
        _move(draft, Move.PACKET_ASKED)
        _write_packet(draft)
    else:
        _say(draft, _packet_request(draft), "packet")
        _await_packet(draft)


def _await_packet(draft: ThreadDraft) -> None:
    _move(draft, Move.PACKET_ASKED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))


def scratch_file(draft: ThreadDraft) -> str:
    return draft.policy.compaction.scratch_file.replace("{name}", draft.state.id[-8:])


_LATE = {
    Phase.HEADS_UP_INJECTED: Reason.HEADS_UP_FAILED_DEADLINE,
    Phase.AWAITING_SCRATCH: Reason.SCRATCH_FAILED_DEADLINE,
    Phase.AWAITING_PACKET: Reason.PACKET_FAILED_DEADLINE,
}


def settled(draft: ThreadDraft) -> None:
    """Nobody had anything to say, or what they said is running: then the end of that leads on."""
    sequence = draft.state.sequence
    if sequence is not None and sequence.phase is Phase.AWAITING_PACKET and sequence.packet and not sequence.injecting:
        _compact(draft)


def deadline_passed(draft: ThreadDraft) -> None:
    """The agent took too long for what it was asked. Its turn is ended, and the sequence goes on without."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase not in _LATE:
        return
    turn = draft.state.turn
    if turn is not None and turn.purpose in WORK and not sequence.landing:
        # A person's turn got in between. It is theirs to end, and what was asked waits behind it.
        draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
        return
    draft.note(_LATE[sequence.phase], sequence=sequence.id)
    if turn is not None and turn.id:
        draft.change(sequence=replace(sequence, late=True))
        cutting.cut(draft, turn.id)
        # An end that is not seen must not be waited for without end either.
        draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
        return
    turns.withdraw(draft)
    if sequence.phase is Phase.AWAITING_PACKET:
        _write_packet(draft)
    else:
        _next_request(draft)


def undelivered(draft: ThreadDraft, purpose: Purpose) -> None:
    """Codex did not take a message of ours, or nobody knows whether it did. The sequence does not wait for it."""
    sequence = draft.state.sequence
    if sequence is None or purpose in WORK:
        return
    if sequence.phase is Phase.HANDOFF_PENDING:
        draft.note(Reason.HANDOFF_FAILED_UNDELIVERED, sequence=sequence.id)
        _finish(draft)
    elif sequence.phase in _LATE and not sequence.packet:
        draft.cancel_deadline(DEADLINE)
        if sequence.phase is not Phase.AWAITING_PACKET:
            _move(draft, Move.PACKET_ASKED)
        _write_packet(draft)


def closed(draft: ThreadDraft) -> None:
    """The thread is gone, and with it whatever was asked there."""
    sequence = draft.state.sequence
    if sequence is not None:
        draft.cancel_deadline(DEADLINE)
        draft.cancel_deadline(SETTLING)
        _audit(draft, sequence, outcome="failed")
        draft.change(sequence=None)


# -- the packet ------------------------------------------------------------------------------------------------------


def _packet_turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> None:
    sequence = _current(draft)
    written = packet.parse(turn.agent_text)
    if turn.status != "completed" or len(written.sections) < LEAST_SECTIONS:
        if turn.status == "completed" and sequence.corrections < draft.policy.compaction.packet_corrections:
            _send_back(draft, written)
            return
        draft.note(Reason.PACKET_FAILED_TURN, sequence=sequence.id, status=turn.status, sections=len(written.sections))
        _write_packet(draft)
        return
    findings = check(written, draft.state.ledger, draft.state.plan.steps)
    if findings and sequence.corrections < draft.policy.compaction.packet_corrections:
        _send_back(draft, written)
        return
    missing: list[str] = [finding.text for finding in findings]
    reason = Reason.PACKET_TAKEN_INCOMPLETE if missing else Reason.PACKET_TAKEN_AGENT
    draft.note(reason, sequence=sequence.id, missing=missing)
    draft.change(sequence=replace(sequence, packet=written.text, packet_author="agent", missing=tuple(missing)))
    _compact(draft)


def _send_back(draft: ThreadDraft, written: packet.Packet) -> None:
    sequence = _current(draft)
    findings = check(written, draft.state.ledger, draft.state.plan.steps)
    draft.note(Reason.PACKET_RETURNED_CHECK, sequence=sequence.id, findings=[one.text for one in findings])
    draft.change(sequence=replace(sequence, corrections=sequence.corrections + 1, landing=False))
    _move(draft, Move.PACKET_RETURNED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
    _say(draft, correction(sequence.id, findings), "correction")


def _write_packet(draft: ThreadDraft, *, heads_up: Own = NOTHING) -> None:
    """rawr writes it, says so, and puts it into the history before the compaction (A12)."""
    state, sequence = draft.state, _current(draft)
    said = state.last_turn.agent_text if state.last_turn is not None else ""
    built = packet.build(
        state.ledger,
        state.plan.steps,
        last_message=said,
        max_tail=draft.policy.compaction.packet_max_tail_chars,
        phase=sequence.ended,
    )
    text = render(draft.policy.prompts.watcher_packet, built)
    draft.note(Reason.PACKET_WRITTEN_WATCHER, sequence=sequence.id)
    effect = draft.do(InjectPacket(text=text, heads_up=heads_up))
    draft.change(sequence=replace(sequence, packet=text, packet_author="rawr", injecting=effect))


def effect_ended(draft: ThreadDraft, effect: str) -> bool:
    """The packet is in the history, or could not be put there: the handoff will carry it either way."""
    sequence = draft.state.sequence
    if sequence is None or not effect or sequence.injecting != effect:
        return False
    draft.change(sequence=replace(sequence, injecting=""))
    _compact(draft)
    return True


# -- compaction and handoff --------------------------------------------------------------------------------------------


def _compact(draft: ThreadDraft) -> None:
    draft.cancel_deadline(DEADLINE)
    if not draft.state.online:
        # Codex is away. Joining the thread again leads back here.
        return
    if draft.state.turn is not None:
        # A person's turn got in first, and a compaction would interrupt it. Its end leads back here.
        return
    if draft.state.busy:
        # A message is on its way and would meet the compaction.
        draft.set_deadline(SETTLING, SETTLE_SECONDS)
        return
    if not draft.state.ours and not _current(draft).settled:
        # The user's own program sends what they queued when a turn ends. It must not meet the compaction.
        draft.change(sequence=replace(_current(draft), settled=True))
        draft.set_deadline(SETTLING, SETTLE_SECONDS)
        return
    _move(draft, Move.PACKET_READY)
    compaction.start(draft)


def compaction_ended(draft: ThreadDraft, *, ok: bool, by_chance: bool = False) -> None:
    """Called for a compaction of ours when it is over. Without success there is no handoff (A13)."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase is not Phase.COMPACTING:
        return
    if not ok:
        _move(draft, Move.COMPACTION_FAILED)
        _audit(draft, sequence, outcome="failed")
        if not by_chance:
            gain.failed(draft)
        draft.change(sequence=None)
        draft.do(Notify(level="error", text="[rawr] the compaction failed; the thread goes on as it was."))
        fullauto.sequence_over(draft)
        return
    _move(draft, Move.COMPACTED)
    gain.account(draft, sequence.tokens_before)
    draft.note(Reason.HANDOFF_SENT_COMPACTED, sequence=sequence.id)
    _say(draft, handoff_text(draft, _current(draft)), "handoff")


def recover(draft: ThreadDraft) -> None:
    """Codex compacted by itself in the middle of a turn: the record goes to the agent at once (A19)."""
    policy = draft.policy.compaction
    sequence = draft.state.sequence
    if not policy.enabled or policy.mode != "auto" or (sequence is not None and sequence.phase not in _LATE):
        return
    if sequence is not None:
        # What the sequence was for has happened before the packet was there. A second compaction would gain nothing.
        draft.note(Reason.COMPACT_CANCELLED_UPSTREAM, sequence=sequence.id, phase=sequence.phase.value)
        _put_down(draft)
    name = f"u{draft.seq}"
    draft.note(Reason.HANDOFF_SENT_RECOVERY, sequence=name)
    content = Content(name, None, draft.state.ledger, draft.state.plan.steps)
    text = write(draft.policy.prompts.handoff, content, limit=_limit(draft))
    # One that still waits is out of date: the record only grows.
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "recovery"))
    turns.say(draft, text, "recovery", into_running_turn=True)


def handoff_text(draft: ThreadDraft, sequence: Sequence) -> Own:
    state = draft.state
    plan = state.plan.steps
    author: Literal["agent", "rawr"] = "rawr" if sequence.packet_author == "rawr" else "agent"
    content = Content(
        sequence.id,
        packet.Packet(sequence.packet, {}, author),
        state.ledger,
        plan,
        finished=packet.nothing_left(sequence.packet, plan),
        scratch=scratch_file(draft) if "scratch" in selected(draft.policy.compaction, sequence.tier) else "",
    )
    return write(draft.policy.prompts.handoff, content, limit=_limit(draft))


def _limit(draft: ThreadDraft) -> int:
    usage = draft.state.usage
    share = draft.policy.compaction.handoff_share_percent
    return byte_limit(usage.window if usage is not None else None, share_percent=share)


def _finish(draft: ThreadDraft) -> None:
    sequence = _current(draft)
    _move(draft, Move.HANDED_OFF)
    _audit(draft, sequence, outcome="compacted")
    draft.change(sequence=None)


def _cancel(draft: ThreadDraft) -> None:
    sequence = _current(draft)
    draft.note(Reason.COMPACT_CANCELLED_PERSON, sequence=sequence.id, phase=sequence.phase.value)
    if sequence.phase in _LATE:
        _put_down(draft)
        draft.do(Notify(level="info", text="[rawr] you interrupted; nothing is compacted for now."))
        fullauto.sequence_cancelled(draft)


def given_up(draft: ThreadDraft) -> None:
    """The turn of what was asked does not end, so nothing can follow it."""
    sequence = draft.state.sequence
    if sequence is not None and sequence.phase in _LATE:
        draft.note(Reason.COMPACT_CANCELLED_WEDGED, sequence=sequence.id, phase=sequence.phase.value)
        _put_down(draft)


def _put_down(draft: ThreadDraft) -> None:
    _move(draft, Move.CANCELLED)
    draft.cancel_deadline(DEADLINE)
    draft.cancel_deadline(SETTLING)
    turns.withdraw(draft)
    draft.change(sequence=None)


def remember(draft: ThreadDraft, name: str, tier: str, reason: str, *, judgment: str = "") -> None:
    """A compaction has taken place, whoever began it: the cooldown counts from here (A7, B3)."""
    past = draft.state.compactions[-1] if draft.state.compactions else None
    draft.change(
        last_compaction=LastCompaction(draft.at, draft.state.work_turns, name, tier, reason, judgment),
        since=since.after_compaction(draft.state.ledger),
        suggested="",
    )
    draft.signal("compaction_completed", source="rawr", turn=past.turn if past is not None else "", detail=reason)


def _audit(draft: ThreadDraft, sequence: Sequence, *, outcome: str) -> None:
    """The record that every compaction leaves (A23)."""
    state = draft.state
    past = state.compactions[-1] if state.compactions else None
    if outcome == "compacted":
        remember(draft, sequence.id, sequence.tier, sequence.reason, judgment=sequence.judgment)
    draft.note(
        Reason.COMPACT_AUDITED_SEQUENCE,
        sequence=sequence.id,
        trigger=sequence.reason,
        tier=sequence.tier,
        percent=sequence.percent,
        boundaries=[one.kind for one in sequence.boundaries],
        judgment=sequence.judgment or None,
        packet_author=sequence.packet_author,
        corrections=sequence.corrections,
        tokens_before=sequence.tokens_before,
        tokens_after=past.tokens_after if past is not None else None,
        duration_ms=draft.at - sequence.since,
        outcome=outcome,
    )


# -- small things ------------------------------------------------------------------------------------------------------


def _current(draft: ThreadDraft) -> Sequence:
    sequence = draft.state.sequence
    assert sequence is not None, "only called while a sequence runs"  # noqa: S101
    return sequence


def _move(draft: ThreadDraft, move: Move) -> None:
    sequence = _current(draft)
    draft.change(sequence=replace(sequence, phase=after(sequence.phase, move)))


def _say(draft: ThreadDraft, text: Own, purpose: OwnPurpose) -> None:
    turns.say(draft, text, purpose)
