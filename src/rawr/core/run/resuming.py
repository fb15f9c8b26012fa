"""What continues a run besides a turn's end: the thread is back, a sequence is over, a message was refused (C13)."""

from rawr.core.compaction.tracking import compacts
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceWanted, JudgmentDue, JudgmentOver, Undelivered
from rawr.core.run import checks, ending, going_on, next_move
from rawr.core.state.turn import WORK
from rawr.core.thread import outbox
from rawr.core.vocabulary.facts import RuntimeStarted
from rawr.core.vocabulary.reasons import Reason

EACH_LOST = "each time the connection was lost"


def go_on_after_absence(draft: ThreadDraft) -> None:
    """The thread is (again) ours to drive: a run for which nothing else is under way continues, from what Codex's
    history says. A check, a review and a wait for a limit or a retry have their own ends."""
    state, run = draft.state, draft.state.run
    if run is None or not run.active or run.interrupted or not state.online:
        return
    if state.sequence is not None or state.unweighed or state.reading:
        return
    if any(one.doubt or not one.steer for one in state.sent):
        return
    if state.turn is not None and not compacts(state, state.turn.id):
        return
    if run.waiting not in ("resume", "turn", "sequence"):
        return
    if ending.rests(draft):
        return
    if run.opens:
        draft.emit(GuidanceWanted("opening"))
    elif outbox.work_waits(state):
        going_on.queue_up(draft)
    elif run.waiting == "turn" and run.retries >= draft.policy.full_auto.retries:
        ending.stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {EACH_LOST}")
    elif run.waiting == "resume" and run.claimed:
        # It stopped between the agent's claim and what had to follow.
        next_move.claimed_done(draft)
    elif run.waiting == "resume" and checks.due(run, now=draft.at):
        # Or between the end of its work and the check of it.
        checks.check(draft, Reason.RUN_CHECKED_WORK)
    else:
        draft.note(Reason.RUN_CONTINUED_RESUMED, run=run.id)
        ending.change(draft, retries=run.retries + (run.waiting == "turn"))
        going_on.go_on(draft)


def absent(draft: ThreadDraft, fact: RuntimeStarted) -> None:
    """rawr was away. A run does not continue by itself because some rawr starts on this home: it is resumed by name.
    The time in between does not count."""
    run = draft.state.run
    if run is None or not run.active:
        return
    if fact.last_at:
        ending.change(draft, stretch=run.stretch + max(draft.at - max(fact.last_at, run.stretch), 0))
    ending.stop(draft, "paused", Reason.RUN_PAUSED_AWAY, "rawr ended while it ran")


# -- a sequence -------------------------------------------------------------------------------------------------------


def sequence_over(draft: ThreadDraft) -> None:
    """A sequence ended without a handoff, so the agent has no next instruction."""
    run, turn = draft.state.run, draft.state.turn
    if run is None or not run.active or (turn is not None and not compacts(draft.state, turn.id)):
        return
    if ending.rests_as_asked(draft):
        return
    if run.waiting == "resume":
        go_on_after_absence(draft)
    elif run.waiting in ("sequence", "turn"):
        if outbox.work_waits(draft.state):
            going_on.queue_up(draft)
        else:
            draft.note(Reason.RUN_CONTINUED_SEQUENCE, run=run.id)
            going_on.go_on(draft)


def sequence_cancelled(draft: ThreadDraft) -> None:
    """Its turn was interrupted, for a budget or by a person: the run rests too."""
    run = draft.state.run
    if run is not None and run.active and not ending.rests(draft):
        ending.interrupted(draft, "a person interrupted rawr")


def judgment_due(draft: ThreadDraft, _event: JudgmentDue) -> None:
    """Before rawr acts on a judgment: a run that must rest does so. Then nothing is compacted for it."""
    run = draft.state.run
    if run is not None and run.active:
        ending.rests(draft)


def judgment_over(draft: ThreadDraft, _event: JudgmentOver) -> None:
    """No compaction after all. A message that already has its slot goes out by itself."""
    run = draft.state.run
    if run is not None and run.active and not ending.rests(draft) and run.waiting != "turn":
        sequence_over(draft)


def undelivered(draft: ThreadDraft, event: Undelivered) -> None:
    """Codex did not accept the run's message, and may refuse the next one too: pause for a person. If another message
    is on its way, the turn that the run waits for comes with that one."""
    run = draft.state.run
    if run is None or not run.active:
        return
    coming = any(one.message.purpose in WORK and not one.doubt for one in draft.state.sent)
    if event.purpose == "handoff":
        sequence_over(draft)
    elif event.purpose in WORK and not coming and not ending.rests_as_asked(draft) and run.waiting == "turn":
        ending.stop(draft, "paused", Reason.RUN_PAUSED_REFUSED, event.problem)
