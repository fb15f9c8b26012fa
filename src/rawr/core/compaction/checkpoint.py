"""Where a running turn pauses: something is done, and the next thing has not begun (A19, D8).

A commit, a step of the plan, a phase that was marked, a check that passed after a change. If the limit is in sight, the
turn is landed there, and not wherever it runs out of room.
"""

from msgspec.structs import replace

from rawr.core.compaction import checks, landing
from rawr.core.draft import ThreadDraft
from rawr.core.state.turn import OF_WORK, Pause
from rawr.core.vocabulary.items import Command

KINDS = ("phase_boundary", "pr_checkpoint", "commit", "plan_checkpoint")
"""Boundaries that can come inside a turn, the most telling first."""
CHECK = "check_passed"


def marked(draft: ThreadDraft) -> None:
    """Boundaries may have come with this fact: the turn pauses at the most telling one. After a step of the plan that
    only read, the next call writes what was read: that is no pause."""
    turn = draft.state.turn
    if turn is None or not draft.boundaries:
        return
    newest = {one.kind: one for one in draft.boundaries}
    for kind in KINDS:
        if kind in newest and (kind != "plan_checkpoint" or turn.files):
            _pause(draft, Pause(kind, newest[kind].detail))
            return


def command_ended(draft: ThreadDraft, item: Command, _turn: str) -> None:
    """A check that passes after a change says that the change is in order; one that fails, that something is not."""
    turn = draft.state.turn
    if turn is None or item.exit_code is None:
        return
    passed = item.exit_code == 0
    if passed and not (turn.unchecked or turn.failing):
        return
    check = checks.named(item.meant)
    if not check:
        return
    if not passed:
        draft.state = replace(draft.state, turn=replace(turn, failing=check))
        return
    draft.state = replace(draft.state, turn=replace(turn, unchecked=False, failing=""))
    if turn.unchecked:
        _pause(draft, Pause(CHECK, check))


def _pause(draft: ThreadDraft, pause: Pause) -> None:
    turn = draft.state.turn
    if turn is None or turn.purpose not in OF_WORK:
        return
    draft.state = replace(draft.state, turn=replace(turn, paused=pause))
    landing.checkpoint(draft)
