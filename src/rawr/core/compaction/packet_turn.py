"""The packet: the agent writes it and rawr checks it against the record, or rawr writes it (A11, A12, D2)."""

from typing import Literal

from msgspec.structs import replace

from rawr.core.compaction import path
from rawr.core.compaction.precompact import seconds, selected
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.handover import packet, phases
from rawr.core.handover.check import check
from rawr.core.handover.handoff import Content, byte_limit, write
from rawr.core.handover.messages import correction
from rawr.core.speech import NOTHING, Own, render
from rawr.core.state.sequence import Sequence
from rawr.core.state.thread import PhaseMark
from rawr.core.state.turn import TurnOutcome
from rawr.core.thread import outbox
from rawr.core.vocabulary.effects import InjectPacket
from rawr.core.vocabulary.reasons import Reason

DEADLINE = "pre_compact"
"""One at a time: for the latest request to the agent."""
LEAST_SECTIONS = 3
"""A reply with fewer of the seven sections is not a packet."""


def request(draft: ThreadDraft) -> Own:
    """The words that ask for the packet."""
    return render(draft.policy.prompts.packet_request, {})


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
    written = packet.parse(turn.agent_text)
    may_correct = sequence.corrections < draft.policy.compaction.packet_corrections
    if turn.status != "completed" or len(written.sections) < LEAST_SECTIONS:
        if turn.status == "completed" and may_correct:
            _send_back(draft, written)
        else:
            sections = len(written.sections)
            draft.note(Reason.PACKET_FAILED_TURN, sequence=sequence.id, status=turn.status, sections=sections)
            write_own(draft)
        return False
    findings = check(written, draft.state.ledger, draft.state.plan.steps, marks(draft))
    if findings and may_correct:
        _send_back(draft, written)
        return False
    missing = [str(finding.text) for finding in findings]
    reason = Reason.PACKET_TAKEN_INCOMPLETE if missing else Reason.PACKET_TAKEN_AGENT
    draft.note(reason, sequence=sequence.id, missing=missing)
    draft.change(sequence=replace(sequence, packet=written.text, packet_author="agent"))
    return True


def _send_back(draft: ThreadDraft, written: packet.Packet) -> None:
    sequence = path.current(draft)
    findings = check(written, draft.state.ledger, draft.state.plan.steps, marks(draft))
    draft.note(Reason.PACKET_RETURNED_CHECK, sequence=sequence.id, findings=[one.text for one in findings])
    draft.change(sequence=replace(sequence, corrections=sequence.corrections + 1, landing=False))
    path.move(draft, Move.PACKET_RETURNED)
    draft.set_deadline(DEADLINE, seconds(draft.policy.compaction, "packet"))
    outbox.say(draft, correction(sequence.id, findings), "correction")


def write_own(draft: ThreadDraft, *, heads_up: Own = NOTHING) -> None:
    """rawr writes the packet, says so, and puts it into the history before the compaction (A12)."""
    state, sequence = draft.state, path.current(draft)
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
        scratch=scratch_file(draft) if "scratch" in selected(draft.policy.compaction, sequence.tier) else "",
        marks=marks(draft),
    )
    return write(draft.policy.prompts.handoff, content, limit=_limit(draft))


def record(draft: ThreadDraft, name: str) -> Own:
    """A handoff without a packet: rawr's own record."""
    content = Content(name, None, draft.state.ledger, draft.state.plan.steps, marks=marks(draft))
    return write(draft.policy.prompts.handoff, content, limit=_limit(draft))


def marks(draft: ThreadDraft) -> tuple[PhaseMark, ...]:
    return phases.since_compaction(draft.state, told=draft.policy.tell_phases)


def scratch_file(draft: ThreadDraft) -> str:
    return draft.policy.compaction.scratch_file.replace("{name}", draft.state.id[-8:])


def _limit(draft: ThreadDraft) -> int:
    usage = draft.state.usage
    share = draft.policy.compaction.handoff_share_percent
    return byte_limit(usage.window if usage is not None else None, share_percent=share)
