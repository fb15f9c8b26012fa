"""The packet: the agent writes it and rawr checks it against the record, or rawr writes it (A11, A12, D2)."""

from typing import Literal

from msgspec.structs import replace

from rawr.core.compaction import path
from rawr.core.compaction.precompact import seconds
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.handover import claims, messages, packet, paths, phases
from rawr.core.handover.check import Finding, check, corrections
from rawr.core.handover.handoff import Content, byte_limit, write
from rawr.core.handover.messages import correction
from rawr.core.speech import NOTHING, Own, joined, render
from rawr.core.state import invariants, since
from rawr.core.state.sequence import Phase, Recovery, Seen, Sequence
from rawr.core.state.thread import PhaseMark, ThreadState
from rawr.core.state.turn import OF_WORK, ActiveTurn, TurnOutcome
from rawr.core.thread import outbox
from rawr.core.vocabulary.effects import InjectPacket, LookUpClaims
from rawr.core.vocabulary.facts import ClaimsLookedUp
from rawr.core.vocabulary.payloads import BranchNamed
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "pre_compact"
"""One at a time: for the latest request to the agent."""
ANSWERING = frozenset({"heads_up", "packet", "correction", "landing"})
"""Messages that ask for the packet, alone or along with something else."""
LEAST_SECTIONS = 3
"""A reply with fewer of the seven sections is not a packet."""


def request(draft: ThreadDraft) -> Own:
    """The words that ask for the packet."""
    asked = render(draft.policy.prompts.packet_request, {})
    known = draft.state.invariants if draft.policy.look_up_claims else ()
    return joined((asked, messages.invariants_so_far(known)))


def asked_with_heads_up(draft: ThreadDraft) -> bool:
    """Return True if the heads-up itself asks for the packet, so that one turn does both."""
    policy = draft.policy.compaction
    alone = path.current(draft).requests == ("packet",)
    return policy.packet_author == "agent" and policy.packet_turn == "same" and alone


def ask(draft: ThreadDraft) -> None:
    outbox.say(draft, request(draft), "packet")
    wait(draft)


def wait(draft: ThreadDraft) -> None:
    path.move(draft, Move.PACKET_ASKED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """Accept what the agent wrote as the packet, or ask again. Return True if there is a packet now."""
    sequence = path.current(draft)
    if draft.policy.compaction.packet_author == "watcher":
        # The turn was asked to stop, not to write.
        write_own(draft)
        return False
    written = _best(draft, turn)
    joined = turn.id == sequence.joined and turn.status == "completed"
    if joined and not sequence.asked_again and not _whole(draft, written):
        _ask_again(draft)
        return False
    may_correct = sequence.corrections < draft.policy.compaction.packet_corrections
    if turn.status != "completed" or len(written.sections) < LEAST_SECTIONS:
        if turn.status == "completed" and may_correct:
            _send_back(draft, written)
        else:
            sections = len(written.sections)
            draft.note(Reason.PACKET_FAILED_TURN, sequence=sequence.id, status=turn.status, sections=sections)
            write_own(draft)
        return False
    if draft.policy.look_up_claims:
        _look_up(draft, written)
        return False
    return _judged(draft, written)


def _look_up(draft: ThreadDraft, written: packet.Packet) -> None:
    """What the packet names is looked at before it is judged."""
    sequence = path.current(draft)
    notes = scratch_file(draft) if draft.policy.compaction.scratch_write_enabled else ""
    named, commits = paths.named(written), claims.named_commits(written)
    looking = draft.do(LookUpClaims(cwd=draft.state.cwd, paths=named, commits=commits, notes=notes))
    draft.change(sequence=replace(sequence, looking=looking, written=written.text, seen=None))


def looked_up(draft: ThreadDraft, fact: ClaimsLookedUp) -> None:
    sequence = draft.state.sequence
    if sequence is None or not sequence.looking or sequence.looking != fact.effect:
        draft.note(Reason.IGNORED_STALE_LOOK, effect=fact.effect)
    else:
        noted = draft.policy.compaction.scratch_write_enabled and scratch_file(draft) not in fact.missing
        seen = Seen(fact.missing, fact.unknown, fact.branch) if sequence.written else None
        draft.change(sequence=replace(sequence, noted=noted, seen=seen))


def look_for_notes(draft: ThreadDraft, *, wrote: bool) -> None:
    """The handoff names the notes only if they are there. Nobody waits for the answer: the packet comes first.
    ``wrote``: what is believed under rules from before there was a look."""
    if not draft.policy.look_up_claims:
        draft.change(sequence=replace(path.current(draft), noted=wrote))
        return
    looking = draft.do(LookUpClaims(cwd=draft.state.cwd, notes=scratch_file(draft)))
    draft.change(sequence=replace(path.current(draft), looking=looking, written="", noted=False))


def look_over(draft: ThreadDraft, effect: str) -> bool:
    """A look is over, whatever it brought. Return True if there is a packet now."""
    sequence = path.current(draft)
    draft.change(sequence=replace(sequence, looking=""))
    written = sequence.written
    if not written or sequence.packet:
        return False
    draft.change(sequence=replace(path.current(draft), written=""))
    return _judged(draft, packet.parse(written))


def _judged(draft: ThreadDraft, written: packet.Packet) -> bool:
    sequence = path.current(draft)
    findings = check(written, known(draft, sequence.seen), marks(draft))
    if findings and sequence.corrections < draft.policy.compaction.packet_corrections:
        _send_back(draft, written)
        return False
    _take(draft, written, findings)
    return True


def _take(draft: ThreadDraft, written: packet.Packet, findings: tuple[Finding, ...]) -> None:
    sequence = path.current(draft)
    missing = [str(finding.text) for finding in findings]
    reason = Reason.PACKET_TAKEN_INCOMPLETE if missing else Reason.PACKET_TAKEN_AGENT
    draft.note(reason, sequence=sequence.id, missing=missing)
    draft.change(sequence=replace(sequence, packet=written.text, packet_author="agent"))
    if draft.policy.look_up_claims:
        section = written.sections.get(packet.Section.INVARIANTS, "")
        draft.change(ledger=invariants.add(draft.state.ledger, section))


def is_at_hand(draft: ThreadDraft) -> bool:
    """Codex has just compacted by itself: return True if there is a packet all the same. It was taken before, or the
    agent has written it in the turn that is still running; if what it wrote there will not do, rawr writes one."""
    sequence, turn = path.current(draft), draft.state.turn
    if sequence.phase is not Phase.AWAITING_PACKET or sequence.packet:
        return bool(sequence.packet) and sequence.phase is Phase.AWAITING_PACKET
    if sequence.written:
        # What it names was being looked up. It cannot be sent back any more: what it was written from is gone.
        draft.change(sequence=replace(sequence, written=""))
        written = packet.parse(sequence.written)
        _take(draft, written, check(written, known(draft, None), marks(draft)))
        return True
    if turn is None or turn.purpose not in ANSWERING:
        return False
    by_agent = draft.policy.compaction.packet_author == "agent"
    written = _best(draft, turn)
    if by_agent and turn.agent_text != turn.worked and len(written.sections) >= LEAST_SECTIONS:
        _take(draft, written, check(written, known(draft, None), marks(draft)))
    elif turn.answered:
        draft.note(Reason.PACKET_WRITTEN_WATCHER, sequence=sequence.id)
        draft.change(sequence=replace(sequence, packet=_own(draft), packet_author="rawr"))
    return bool(path.current(draft).packet)


def _best(draft: ThreadDraft, turn: TurnOutcome | ActiveTurn) -> packet.Packet:
    """What the agent wrote last, or what it wrote before the user's words came into the turn, if only that will do."""
    sequence, written = path.current(draft), packet.parse(turn.agent_text)
    if turn.id == sequence.joined and sequence.drafted and not _whole(draft, written):
        drafted = packet.parse(sequence.drafted)
        return drafted if _whole(draft, drafted) else written
    return written


def _whole(draft: ThreadDraft, written: packet.Packet) -> bool:
    return not check(written, known(draft, None), marks(draft))


def known(draft: ThreadDraft, seen: Seen | None) -> claims.Known:
    """What a packet is held against."""
    state = draft.state
    sequence = state.sequence
    signals = (*state.signals, *(sequence.boundaries if sequence is not None else ()))
    branches = frozenset(one.payload.branch for one in signals if isinstance(one.payload, BranchNamed))
    notes = scratch_file(draft) if draft.policy.look_up_claims else ""
    return claims.Known(state.ledger, state.plan.steps, seen, branches, notes)


def _ask_again(draft: ThreadDraft) -> None:
    """The turn was about the user's words."""
    sequence = path.current(draft)
    draft.note(Reason.PACKET_ASKED_AGAIN, sequence=sequence.id)
    draft.change(sequence=replace(sequence, asked_again=True, landing=False))
    path.move(draft, Move.PACKET_RETURNED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
    outbox.say(draft, request(draft), "packet")


def _send_back(draft: ThreadDraft, written: packet.Packet) -> None:
    sequence = path.current(draft)
    findings = check(written, known(draft, sequence.seen), marks(draft))
    draft.note(Reason.PACKET_RETURNED_CHECK, sequence=sequence.id, findings=[one.text for one in findings])
    draft.change(sequence=replace(sequence, corrections=sequence.corrections + 1, landing=False))
    path.move(draft, Move.PACKET_RETURNED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
    outbox.say(draft, correction(draft.policy.prompts, sequence.id, findings), "correction")


def write_own(draft: ThreadDraft, *, heads_up: Own = NOTHING) -> None:
    """rawr writes the packet, says so, and puts it into the history before the compaction (A12)."""
    sequence, text = path.current(draft), _own(draft)
    draft.note(Reason.PACKET_WRITTEN_WATCHER, sequence=sequence.id)
    effect = draft.do(InjectPacket(text=text, heads_up=heads_up))
    draft.change(sequence=replace(sequence, packet=text, packet_author="rawr", injecting=effect))


def _own(draft: ThreadDraft) -> Own:
    state = draft.state
    stretch = _stretch(state, path.current(draft).ended)
    built = packet.build(
        state.ledger, state.plan.steps, stretch, max_tail=draft.policy.compaction.packet_max_tail_chars
    )
    return render(draft.policy.prompts.watcher_packet, built)


def _stretch(state: ThreadState, ended: str) -> packet.Stretch:
    last, since_at = state.last_turn, state.last_compaction.at if state.last_compaction is not None else 0
    said = state.since.said[-1].text if state.since.said else ""
    return packet.Stretch(
        steps=tuple(one.step for one in state.plan.trail if one.at > since_at),
        commits=since.commits(state.since, state.ledger),
        files=state.since.files,
        # The record keeps the end of it; the last turn has all, if it was one of work.
        last_message=last.agent_text if last is not None and last.purpose in OF_WORK and last.agent_text else said,
        phase=ended,
    )


# -- what it becomes --------------------------------------------------------------------------------------------------


def handoff(draft: ThreadDraft, sequence: Sequence) -> Own:
    """The message from which the agent continues."""
    state = draft.state
    plan = state.plan.steps
    author: Literal["agent", "rawr"] = "rawr" if sequence.packet_author == "rawr" else "agent"
    content = Content(
        sequence.id,
        packet.Packet(sequence.packet, {}, author),
        state.ledger,
        plan,
        finished=packet.nothing_left(sequence.packet, plan),
        wrong=_wrong(draft, sequence.packet, sequence.packet_author, sequence.seen),
        offered=sequence.offered,
        driven=state.run is not None and state.run.active,
        full=draft.policy.look_up_claims,
        mode=state.mode,
        mode_by=state.mode_by,
        scratch=scratch_file(draft) if sequence.noted else "",
        words=sequence.words,
        carries=bool(sequence.carries),
        marks=marks(draft),
    )
    return write(draft.policy.prompts.handoff, content, limit=_limit(draft))


def recovery(draft: ThreadDraft, due: Recovery) -> Own:
    """A handoff after a compaction that was not rawr's, with no packet for it: the record alone."""
    plan = draft.state.plan.steps
    scratch = scratch_file(draft) if due.noted else ""
    content = Content(
        due.id,
        None,
        draft.state.ledger,
        plan,
        offered=due.offered,
        recovers=True,
        full=draft.policy.look_up_claims,
        mode=draft.state.mode,
        mode_by=draft.state.mode_by,
        scratch=scratch,
        marks=marks(draft),
    )
    return write(draft.policy.prompts.recovery, content, limit=_limit(draft))


def _wrong(draft: ThreadDraft, text: str, author: str, seen: Seen | None) -> tuple[Own, ...]:
    """What the agent's packet still says and is not so (D2). Nothing to correct in rawr's own."""
    if not draft.policy.look_up_claims or author != "agent":
        return ()
    return corrections(packet.parse(text), known(draft, seen))


def marks(draft: ThreadDraft) -> tuple[PhaseMark, ...]:
    return phases.since_compaction(draft.state, told=draft.policy.tell_phases)


def scratch_file(draft: ThreadDraft) -> str:
    return draft.policy.compaction.scratch_file.replace("{name}", draft.state.id[-8:])


def _limit(draft: ThreadDraft) -> int:
    usage = draft.state.usage
    share = draft.policy.compaction.handoff_share_percent
    return byte_limit(usage.window if usage is not None else None, share_percent=share)
