"""The golden path, driven by facts: heads-up → packet → compaction → handoff (A9–A15).

Messages to the agent go through ``delivery`` like any other: written down first, looked up after a crash, never sent
twice. While a sequence runs, nothing else starts a turn; a user's messages wait, and follow the handoff.
"""

from msgspec.structs import replace

from rawr.core.compaction import breaker, packet_turn, path, room, tracking
from rawr.core.compaction.precompact import seconds, selected
from rawr.core.compaction.table import Move, cancellable
from rawr.core.draft import ThreadDraft
from rawr.core.events import (
    CompactionEnded,
    CompactionMoot,
    OwnMessageShown,
    SequenceCancelled,
    SequenceOver,
    ThreadShut,
    TurnFound,
    TurnWedged,
    Undelivered,
    UserCutIn,
    UserCutOff,
)
from rawr.core.handover import messages, offers, phases
from rawr.core.policy.tiers import Tier
from rawr.core.speech import NOTHING, Own, joined, line, render, word
from rawr.core.state.ledger import MAX_DIRECTIVE
from rawr.core.state.messages import Queued
from rawr.core.state.sequence import MAX_WORDS, Phase, Sequence
from rawr.core.state.turn import WORK, TurnOutcome
from rawr.core.text import head
from rawr.core.thread import cutting, outbox, quiet
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Carried, Notify
from rawr.core.vocabulary.reasons import Reason

SETTLING = "settling"
SETTLE_SECONDS = 1
"""How long a compaction waits for a message that is on its way."""
MOST_OVERTAKEN = 3
"""How often the connection may know of a turn that is not on record, before that is taken for a mistake."""
NOTHING_ENDED = "no phase in particular"
TELLING = (
    "phase_boundary",
    "plan_checkpoint",
    "pr_checkpoint",
    "commit",
    "agent_done",
    "topic_shift",
    "concluding",
    "idle",
)
"""Boundaries that say something about what ended, the most telling first."""

# -- beginning -------------------------------------------------------------------------------------------------------


def begin(
    draft: ThreadDraft, by: Move, *, tier: Tier, percent: int, reason: Reason, landing: bool = False, judgment: str = ""
) -> Sequence:
    """The decision is made: its boundaries are used up, and the heads-up goes out (A8, A10)."""
    state = draft.state
    started = Sequence(
        id=f"c{draft.seq}",
        phase=path.entered(draft, by),
        since=draft.at,
        tier=tier,
        percent=percent,
        boundaries=state.signals,
        ended=what_ended(state.signals),
        reason=reason.value,
        # A judgment has already been given, or was not needed.
        requests=tuple(one for one in selected(draft.policy.compaction, tier) if one != "judgment"),
        judgment=judgment,
        tokens_before=state.usage.in_context if state.usage is not None else None,
        landing=landing,
        after=state.last_turn.id if state.last_turn is not None else "",
        # Whoever lands a turn has nothing open from before it: the user's answer began it.
        offered="" if landing or not draft.policy.look_up_claims else offers.open_words(state),
    )
    draft.change(sequence=started, signals=(), preflight=False, pausing=False)
    draft.do(Notify(level="info", text=f"[rawr] compacting ({percent} % left): {started.ended}"))
    if not landing:
        _announce(draft)
    return started


def _announce(draft: ThreadDraft) -> None:
    """Tell the agent in a turn of its own, if one still fits before Codex compacts by itself."""
    policy = draft.policy.compaction
    if room.left(draft.state, policy) < policy.packet_room_tokens:
        # The heads-up goes into the history together with rawr's own packet.
        path.move(draft, Move.PACKET_ASKED)
        packet_turn.write_own(draft, heads_up=_heads_up(draft))
        return
    asked = packet_turn.request(draft) if packet_turn.asked_with_heads_up(draft) else NOTHING
    outbox.say(draft, joined((_heads_up(draft), asked)), "heads_up")
    draft.set_deadline(packet_turn.DEADLINE, seconds(policy, "packet"))


def _heads_up(draft: ThreadDraft) -> Own:
    sequence, by_agent = path.current(draft), draft.policy.compaction.packet_author == "agent"
    ended = phases.ended(sequence.ended, packet_turn.marks(draft))
    return messages.heads_up(draft.policy.prompts, sequence, ended, by_agent=by_agent)


def what_ended(boundaries: tuple[BoundaryEvent, ...]) -> str:
    """The most telling boundary, in a few words, partly the agent's."""
    for kind in TELLING:
        for one in reversed(boundaries):
            if one.kind == kind:
                return f"{kind.replace('_', ' ')}, {one.detail}" if one.detail else kind.replace("_", " ")
    return NOTHING_ENDED


# -- on the way ------------------------------------------------------------------------------------------------------


def shown(draft: ThreadDraft, event: OwnMessageShown) -> None:
    """One of our messages is in the thread."""
    if event.purpose == "recovery":
        draft.change(recovering=None)
    sequence = draft.state.sequence
    if sequence is None:
        return
    turn = draft.state.turn
    if turn is not None and event.purpose in outbox.ASKING and len(turn.messages) > 1 and sequence.joined != turn.id:
        # A user's turn came first, and Codex put the message into it. The agent may answer only the second of them.
        said = [one.text for one in draft.state.ledger.directives if one.at >= turn.started_at and not one.pinned]
        sequence = replace(sequence, joined=turn.id, drafted="", words=(*sequence.words, *said)[-MAX_WORDS:])
        draft.change(sequence=sequence)
        draft.note(Reason.PACKET_JOINED_USER, sequence=sequence.id, turn=turn.id)
    match event.purpose:
        case "heads_up" if sequence.phase is Phase.HEADS_UP_INJECTED and packet_turn.asked_with_heads_up(draft):
            packet_turn.wait(draft)
        case "landing" if sequence.phase is Phase.HEADS_UP_INJECTED:
            packet_turn.wait(draft)
        case "handoff" if sequence.phase is Phase.HANDOFF_PENDING:
            _finish(draft, Move.HANDED_OFF)
        case _:
            pass


def user_cut_in(draft: ThreadDraft, event: UserCutIn) -> None:
    """What a user types into their terminal program during a request is put into its turn by Codex (A15)."""
    sequence, turn = draft.state.sequence, draft.state.turn
    if sequence is None or turn is None or not cancellable(sequence.phase):
        return
    draft.note(Reason.PACKET_JOINED_USER, sequence=sequence.id, turn=turn.id)
    words = (*sequence.words, head(event.text, MAX_DIRECTIVE))[-MAX_WORDS:]
    drafted = sequence.drafted if sequence.joined == turn.id else turn.agent_text
    draft.change(sequence=replace(sequence, joined=turn.id, words=words, drafted=drafted))


def turn_found(draft: ThreadDraft, event: TurnFound) -> None:
    turn_ended(draft, event.turn)


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """A turn ended while a sequence runs. Other people's turns in between change nothing."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase is Phase.AWAITING_JUDGMENT:
        return
    if turn.status == "interrupted" and _looked_for(draft, turn.id):
        return
    if sequence.phase is Phase.COMPACTING:
        # ``tracking`` follows the compaction, and what it may have cut off.
        return
    ours = turn.synthetic or sequence.landing
    if ours and turn.status == "interrupted" and not turn.lost and not sequence.late:
        _cancel(draft)
        return
    match sequence.phase:
        case Phase.HEADS_UP_INJECTED if turn.purpose == "heads_up" and packet_turn.asked_with_heads_up(draft):
            # rawr did not see that its message was shown. It asked for the packet, and this is the answer.
            packet_turn.wait(draft)
            _packet_turn_ended(draft, turn)
        case Phase.HEADS_UP_INJECTED if turn.purpose == "heads_up":
            _next_request(draft)
        case Phase.AWAITING_SCRATCH if turn.purpose == "scratch":
            packet_turn.look_for_notes(draft, wrote=_wrote(turn))
            _next_request(draft)
        case Phase.AWAITING_PACKET if sequence.packet:
            if not sequence.injecting:
                _compact(draft)
        case Phase.AWAITING_PACKET if turn.purpose in ("heads_up", "packet", "correction") or sequence.landing:
            _packet_turn_ended(draft, turn)
        case Phase.HANDOFF_PENDING if turn.purpose == "handoff":
            # The turn ended before its message was shown. The message is in, and nothing more will follow.
            _finish(draft, Move.HANDED_OFF)
        case _:
            pass


def _wrote(turn: TurnOutcome) -> bool:
    """Return True if the agent may have written its notes in this turn. Words alone are none."""
    return turn.status == "completed" and bool(turn.commands > turn.commands_failed or turn.files or turn.tools)


def _packet_turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> None:
    if packet_turn.turn_ended(draft, turn):
        _compact(draft)


def _looked_for(draft: ThreadDraft, turn: str) -> bool:
    """Codex can die between beginning a turn and writing down its message. rawr is looking for the message, and if it
    is there, the turn's end is reported again."""
    return any(one.turn == turn and one.doubt and not one.steer for one in draft.state.sent)


def _next_request(draft: ThreadDraft) -> None:
    """Take the next request off the queue. The packet is always the last."""
    sequence = path.current(draft)
    policy = draft.policy.compaction
    request, *rest = sequence.requests or ("packet",)
    draft.change(sequence=replace(sequence, requests=tuple(rest), late=False))
    if request == "scratch":
        path.move(draft, Move.SCRATCH_ASKED)
        values = {"file": word(packet_turn.scratch_file(draft)), "phase": line(sequence.ended)}
        outbox.say(draft, render(draft.policy.prompts.scratch_write, values), "scratch")
        draft.set_deadline(packet_turn.DEADLINE, seconds(policy, request))
    elif policy.packet_author == "watcher":
        path.move(draft, Move.PACKET_ASKED)
        packet_turn.write_own(draft)
    else:
        packet_turn.ask(draft)


LATE = {
    Phase.HEADS_UP_INJECTED: Reason.HEADS_UP_FAILED_DEADLINE,
    Phase.AWAITING_SCRATCH: Reason.SCRATCH_FAILED_DEADLINE,
    Phase.AWAITING_PACKET: Reason.PACKET_FAILED_DEADLINE,
}
"""The reason if the agent takes too long, for each phase that can be cancelled."""


def settled(draft: ThreadDraft) -> None:
    """Nobody had anything to say, or their message is running: then its end continues the sequence."""
    sequence = draft.state.sequence
    if sequence is not None and sequence.phase is Phase.AWAITING_PACKET and sequence.packet and not sequence.injecting:
        _compact(draft)


def found_idle(draft: ThreadDraft) -> None:
    if draft.state.turn is None and draft.state.online:
        settled(draft)


def deadline_passed(draft: ThreadDraft) -> None:
    """The agent took too long for a request. End its turn and continue without it."""
    sequence = draft.state.sequence
    if sequence is None or not cancellable(sequence.phase):
        return
    turn = draft.state.turn
    if turn is not None and ((turn.purpose in WORK and not sequence.landing) or turn.id == sequence.joined):
        # A person's turn came in between, or their words are in ours. Only they may end it, and the request waits.
        draft.set_deadline(packet_turn.DEADLINE, seconds(draft.policy.compaction, "packet"))
        return
    draft.note(LATE[sequence.phase], sequence=sequence.id)
    if turn is not None and turn.id:
        draft.change(sequence=replace(sequence, late=True))
        cutting.cut(draft, turn.id)
        # Do not wait forever for an end that is not seen, either.
        draft.set_deadline(packet_turn.DEADLINE, seconds(draft.policy.compaction, "packet"))
        return
    outbox.withdraw(draft)
    if sequence.phase is Phase.AWAITING_PACKET:
        packet_turn.write_own(draft)
    else:
        _next_request(draft)


def undelivered(draft: ThreadDraft, event: Undelivered) -> None:
    """Codex did not accept one of our messages, or that is unknown. The sequence does not wait for it."""
    sequence = draft.state.sequence
    if event.purpose == "recovery":
        # Nobody knows if the agent has it. A second copy would be worse than none.
        draft.change(recovering=None)
    if sequence is None or event.purpose in WORK or event.purpose == "recovery":
        return
    if sequence.phase is Phase.HANDOFF_PENDING:
        draft.note(Reason.HANDOFF_FAILED_UNDELIVERED, sequence=sequence.id)
        for carried in sequence.carries:
            outbox.put(draft, Queued.once_more(draft.seq, carried))
        _finish(draft, Move.HANDOFF_LOST)
    elif event.purpose == "landing" and sequence.phase is Phase.HEADS_UP_INJECTED:
        draft.note(Reason.LANDING_MISSED_TURN, sequence=sequence.id)
        draft.change(sequence=replace(sequence, landing=False))
        _announce(draft)
    elif cancellable(sequence.phase) and not sequence.packet:
        draft.cancel_deadline(packet_turn.DEADLINE)
        if sequence.phase is not Phase.AWAITING_PACKET:
            path.move(draft, Move.PACKET_ASKED)
        packet_turn.write_own(draft)


def effect_ended(draft: ThreadDraft, effect: str) -> bool:
    """The packet is in the history, or could not be put there: the handoff carries it either way."""
    sequence = draft.state.sequence
    if sequence is not None and effect and sequence.looking == effect:
        if packet_turn.look_over(draft, effect):
            _compact(draft)
        return True
    if sequence is None or not effect or sequence.injecting != effect:
        return False
    draft.change(sequence=replace(sequence, injecting=""))
    _compact(draft)
    return True


# -- compaction and handoff --------------------------------------------------------------------------------------------


def _compact(draft: ThreadDraft) -> None:
    draft.cancel_deadline(packet_turn.DEADLINE)
    if not draft.state.online:
        # Codex is away. Joining the thread again leads back here.
        return
    if draft.state.turn is not None:
        # A person's turn came first, and a compaction would interrupt it. Its end leads back here.
        return
    if draft.state.busy:
        # A message is on its way and would collide with the compaction.
        draft.set_deadline(SETTLING, SETTLE_SECONDS)
        return
    if quiet.comes(draft, quiet.BEFORE_COMPACTING):
        # The user's own program sends queued messages when a turn ends. They must not collide with the compaction.
        return
    path.move(draft, Move.PACKET_READY)
    tracking.start(draft)


def compaction_ended(draft: ThreadDraft, event: CompactionEnded) -> None:
    """One of our compactions is over. Without success there is no handoff (A13)."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase is not Phase.COMPACTING:
        return
    if event.ok:
        path.move(draft, Move.COMPACTED)
        hand_over(draft)
        return
    path.audit(draft, sequence, outcome="failed")
    if not event.by_chance:
        breaker.failed(draft)
    path.move(draft, Move.COMPACTION_FAILED)
    for carried in sequence.carries:
        outbox.put(draft, Queued.once_more(draft.seq, carried))
    draft.do(Notify(level="error", text="[rawr] the compaction failed; the thread continues as it was."))
    draft.emit(SequenceOver())


def hand_over(draft: ThreadDraft) -> None:
    sequence, past = path.current(draft), draft.state.compactions
    breaker.account(draft, past[-1].tokens_before if past else None)
    draft.note(Reason.HANDOFF_SENT_COMPACTED, sequence=sequence.id)
    outbox.say(draft, packet_turn.handoff(draft, sequence), "handoff", carries=sequence.carries)
    # It has the record, too.
    draft.change(recovering=None)


def compaction_moot(draft: ThreadDraft, _event: CompactionMoot) -> None:
    """Somebody's turn began first. Its end leads back to the compaction."""
    sequence = draft.state.sequence
    if sequence is None or sequence.phase is not Phase.COMPACTING:
        return
    draft.note(Reason.COMPACT_OVERTAKEN_TURN, sequence=sequence.id)
    unknown = draft.state.turn is None
    if unknown and sequence.overtaken >= MOST_OVERTAKEN:
        compaction_ended(draft, CompactionEnded(ok=False, by_chance=True))
        return
    path.move(draft, Move.OVERTAKEN)
    draft.change(sequence=replace(path.current(draft), overtaken=sequence.overtaken + 1 if unknown else 0))
    if unknown:
        draft.set_deadline(SETTLING, SETTLE_SECONDS)


def user_cut_off(draft: ThreadDraft, event: UserCutOff) -> None:
    """The compaction replaced somebody's turn. The agent answers their message from the handoff, or as a message of its
    own; where Codex has kept none, only they can send it again (A15)."""
    cut, sequence = event.cut, draft.state.sequence
    if cut.what != "message":
        draft.note(Reason.COMPACT_CUT_UNSEEN, turn=cut.turn, what=cut.what)
        draft.do(Notify(level="warning", text=AGAIN[cut.what]))
        return
    draft.note(Reason.COMPACT_CUT_MESSAGE, turn=cut.turn)
    carried = Carried(cut.turn, cut.text)
    if sequence is not None:
        draft.change(sequence=replace(sequence, carries=(*sequence.carries, carried)))
    else:
        outbox.put(draft, Queued.once_more(draft.seq, carried))


AGAIN = {
    "review": "[rawr] Codex ended your review to compact: both began in the same moment. Start it again.",
    "command": "[rawr] Codex ended your command to compact: both began in the same moment. Run it again.",
    "unseen": "[rawr] Codex ended a turn to compact, and kept no message of it: both began in the same moment. If you "
    "had just sent one, send it again (the up arrow in Codex brings it back).",
}
"""What only the person can repeat."""


# -- its end -----------------------------------------------------------------------------------------------------------


def _finish(draft: ThreadDraft, by: Move) -> None:
    sequence = path.current(draft)
    path.audit(draft, sequence, outcome="compacted")
    path.move(draft, by)


def _cancel(draft: ThreadDraft) -> None:
    sequence = path.current(draft)
    draft.note(Reason.COMPACT_CANCELLED_PERSON, sequence=sequence.id, phase=sequence.phase.value)
    if cancellable(sequence.phase):
        put_down(draft)
        draft.do(Notify(level="info", text="[rawr] interrupted; not compacting for now."))
        draft.emit(SequenceCancelled())


def turn_wedged(draft: ThreadDraft, _event: TurnWedged) -> None:
    """The turn of a request does not end, so nothing can follow it."""
    sequence = draft.state.sequence
    if sequence is not None and cancellable(sequence.phase):
        draft.note(Reason.COMPACT_CANCELLED_WEDGED, sequence=sequence.id, phase=sequence.phase.value)
        put_down(draft)


def put_down(draft: ThreadDraft) -> None:
    draft.cancel_deadline(packet_turn.DEADLINE)
    draft.cancel_deadline(SETTLING)
    outbox.withdraw(draft)
    path.move(draft, Move.CANCELLED)


def thread_shut(draft: ThreadDraft, _event: ThreadShut) -> None:
    """The thread is gone, and with it all requests there."""
    sequence = draft.state.sequence
    if sequence is not None:
        draft.cancel_deadline(packet_turn.DEADLINE)
        draft.cancel_deadline(SETTLING)
        path.audit(draft, sequence, outcome="failed")
        path.move(draft, Move.CLOSED)
