"""What rawr asks an agent for on the golden path, from its prompts and with true reasons (A10, A19, D2)."""

from rawr.core.handover.check import Finding
from rawr.core.policy.prompts import Prompts
from rawr.core.speech import NOTHING, Own, joined, line, listed, render, say, with_places, word
from rawr.core.state.invariants import Invariant
from rawr.core.state.sequence import Sequence
from rawr.core.vocabulary.reasons import Reason

AGENT_WRITES = say(
    "First you write a continuation packet, then the context is compacted, then you get the packet back and go on "
    "from it. The request for the packet follows, below or as the next message. If it is not here yet, answer with one "
    "short line and wait."
)
RAWR_WRITES = say(
    "rawr writes the continuation packet from its record, then the context is compacted, then you get the packet and "
    "go on from it. You need not write one: answer with one short line and wait."
)
INVARIANTS_SO_FAR = say(
    "On record as invariants so far. Begin the section from them: keep what still holds, say which no longer do, add "
    "what is new."
)
MOST_INVARIANTS = 40
_WHOSE = {"user": say("the user's"), "agent": say("yours, from an earlier packet")}
STOP_WITH_PACKET = say("End this turn with a continuation packet.")


def heads_up(prompts: Prompts, sequence: Sequence, ended: Own, *, by_agent: bool) -> Own:
    """We pause and compact. ``by_agent``: the agent is asked for the packet."""
    values = {
        "phase": ended,
        "reason": why(sequence),
        "sequence": word(sequence.id),
        "how": AGENT_WRITES if by_agent else RAWR_WRITES,
    }
    return render(prompts.heads_up, values)


def why(sequence: Sequence) -> Own:
    """Why it is compacted now."""
    left = say("{percent} % of the context is left", percent=sequence.percent)
    match sequence.reason:
        case Reason.COMPACT_DECIDED_SUBMITTED:
            return say("the user asked for it")
        case Reason.COMPACT_DECIDED_EMERGENCY | Reason.COMPACT_DECIDED_LANDING:
            return say("the context is nearly full, {left}", left=left)
        case Reason.COMPACT_DECIDED_LAST_RESORT:
            return say("Codex would soon compact in the middle of a turn, and {left}", left=left)
        case _:
            return say("this is a good place, and {left}", left=left)


def correction(prompts: Prompts, sequence: str, findings: tuple[Finding, ...]) -> Own:
    """Send a packet back with its problems (D2), one line per finding."""
    points = listed(finding.text for finding in findings)
    return render(with_places(prompts.correction, ("findings",)), {"sequence": word(sequence), "findings": points})


def invariants_so_far(known: tuple[Invariant, ...]) -> Own:
    """Goes behind the request for the packet, from which it otherwise would have to remember them."""
    if not known:
        return NOTHING
    listing = [say("{text} ({by})", text=line(one.text), by=_WHOSE[one.by]) for one in known[-MOST_INVARIANTS:]]
    more = len(known) - len(listing)
    left_out = say("({more} earlier ones are not listed)", more=more) if more else NOTHING
    return joined((INVARIANTS_SO_FAR, listed(filter(None, (left_out, *listing)))))


def landing(prompts: Prompts, sequence: str, *, left: int, by_agent: bool, known: tuple[Invariant, ...] = ()) -> Own:
    """Steered into a running turn that would otherwise hit Codex's own compaction, ``left`` tokens from now (A19)."""
    asked = (STOP_WITH_PACKET, render(prompts.packet_request, {}), invariants_so_far(known))
    request = joined(asked) if by_agent else NOTHING
    room = say("about {tokens} thousand tokens", tokens=left // 1000)
    values = {"sequence": word(sequence), "request": request, "room": room}
    return render(with_places(prompts.landing, ("request",)), values)
