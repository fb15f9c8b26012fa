"""States that the core's tests start from, and short words for what a step leads to."""

from msgspec.structs import replace

from rawr.core import facts
from rawr.core.compaction_policy import AutoCompaction
from rawr.core.draft import Step
from rawr.core.effects import AnyEffect, Intended, Notify, effect_id
from rawr.core.ledger import Ledger
from rawr.core.policy import Policy
from rawr.core.reasons import Reason
from rawr.core.records import Evidence, Record
from rawr.core.state import ActiveTurn, CompactionRun, Deadline, HostState, Queued, Sent, ThreadState
from rawr.core.step import step, step_host

AT = 1_700_000_000_000
SEQ = 7
QUIET = POLICY = Policy(compaction=AutoCompaction(enabled=False), watch_repositories=False)
"""What follows from turns, messages and requests is looked at with auto-compaction off; it has tests of its own."""

IDLE = ThreadState("t", cwd="/project", ours=True, online=True, wanted=True, certain=True)
RUNNING = replace(IDLE, turn=ActiveTurn("T1", AT - 5_000))
AWAY = replace(IDLE, online=False, certain=False)
CLOSED = replace(IDLE, online=False, closed=True)

HELLO = Queued(3, "hello")
SENT = replace(IDLE, sent=(Sent("t:3.0", HELLO),))
"""A message is on its way, and Codex has not answered."""
DOUBTED = replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt="lost", finding="t:5.0", lookups=1),))
"""A message whose fate is being looked up."""
COMPACTING = replace(
    IDLE,
    compacting=CompactionRun("rawr", AT - 2_000, effect="t:4.0", tokens_before=90_000),
    deadlines=(Deadline("compaction", AT + 598_000),),
)


def take(state: ThreadState, fact: facts.AnyFact, *, at: int = AT, policy: Policy = POLICY) -> Step[ThreadState]:
    """One step, without what it adds to the record for compaction: see test_signals for that."""
    whole = step(state, facts.Recorded(SEQ, at, state.id, fact), policy)
    return replace(whole, state=_plain(whole.state), boundaries=())


def take_host(state: HostState, fact: facts.AnyFact) -> Step[HostState]:
    return step_host(state, facts.Recorded(SEQ, AT, "", fact), POLICY)


def fold(state: ThreadState, *story: facts.AnyFact) -> ThreadState:
    """The state after several facts, a second apart."""
    for n, fact in enumerate(story):
        state = step(state, facts.Recorded(SEQ + n, AT + n * 1000, state.id, fact), POLICY).state
    return _plain(state)


def _plain(state: ThreadState) -> ThreadState:
    return replace(state, ledger=Ledger(), signals=(), work_turns=0)


def do(effect: AnyEffect, n: int = 0, *, thread: str = "t") -> Intended:
    return Intended(effect_id(thread, seq=SEQ, n=n), thread, effect)


CUT_OFF = Notify(
    level="warning",
    text="A turn was cut off while Codex was away; what it had done so far stands. Say something to go on.",
)


def cut_off(turn: str) -> Record:
    return Record(Reason.TURN_INTERRUPTED_LOST, {"turn": turn, "items": 0})


def why(reason: Reason, **evidence: Evidence) -> Record:
    return Record(reason, evidence)
