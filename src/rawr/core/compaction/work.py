"""Compactions without work in between: after three of them rawr stops on the thread (A20a).

Codex may compact after, before and inside every turn, and what rawr says then must not lead to the next compaction,
whatever the numbers say. So it is not the gain that is counted here, but work: a turn that a person, a run or a goal of
Codex's caused, and that changed files, the plan or the repository, or ran a command not run before. What rawr's own
turns do is none.
"""

import zlib
from typing import Literal

from msgspec.structs import replace

from rawr.core.compaction import breaker
from rawr.core.draft import ThreadDraft
from rawr.core.state.sequence import Compactor
from rawr.core.state.turn import OF_WORK, WORK, Purpose
from rawr.core.vocabulary.facts import CommandObserved, PlanUpdated, TreeSeen
from rawr.core.vocabulary.items import Command, FileChange
from rawr.core.vocabulary.reasons import Reason

MAX_TRIED = 64


def compacted(draft: ThreadDraft, by: Compactor) -> None:
    """One has succeeded. One that a person asked for says nothing: they have their reasons."""
    sequence = draft.state.sequence
    asked = sequence is not None and sequence.reason == Reason.COMPACT_DECIDED_SUBMITTED
    if by == "other" or (by == "rawr" and (sequence is None or asked)):
        return
    idling = draft.state.idling
    draft.change(idling=replace(idling, compactions=idling.compactions + 1))
    if idling.compactions + 1 >= breaker.MOST_WITHOUT_WORK:
        breaker.stop(draft, idling.compactions + 1)


def command_ended(draft: ThreadDraft, item: Command, _turn: str) -> None:
    """The same command again, without a change, is none; and a command that rawr's own turn ran is not new any more."""
    idling, name = draft.state.idling, zlib.crc32(item.meant.encode(errors="replace"))
    if name in idling.tried or item.status == "declined":
        return
    idling = replace(idling, tried=(*idling.tried, name)[-MAX_TRIED:])
    draft.change(idling=replace(idling, compactions=0) if _counts(draft) else idling)


def files_changed(draft: ThreadDraft, item: FileChange, _turn: str) -> None:
    if item.status == "completed":
        _worked(draft)


def plan_updated(draft: ThreadDraft, _fact: PlanUpdated) -> None:
    """The same plan once more is no boundary of any kind."""
    if draft.boundaries:
        _worked(draft)


def observed(draft: ThreadDraft, fact: CommandObserved) -> None:
    if fact.commits:
        _worked(draft)


def tree_seen(draft: ThreadDraft, fact: TreeSeen) -> None:
    """Files that a script wrote."""
    last = draft.state.last_turn
    if last is not None and last.id == fact.turn and last.changed_tree and draft.state.idling.compactions:
        _worked(draft, last.purpose)


def _worked(draft: ThreadDraft, purpose: Purpose | Literal[""] | None = None) -> None:
    if draft.state.idling.compactions and _counts(draft, purpose):
        draft.change(idling=replace(draft.state.idling, compactions=0))


def _counts(draft: ThreadDraft, purpose: Purpose | Literal[""] | None = None) -> bool:
    """Return True if the turn at work is not rawr's alone. For what follows a handoff a run answers: it counts its
    turns, and stops by its own guards."""
    run = draft.state.run
    if purpose is None:
        turn = draft.state.turn or draft.state.last_turn
        purpose = turn.purpose if turn is not None else ""
    return purpose in (OF_WORK if run is not None and run.active else WORK)
