"""Turns: how one begins, what happens in it, and how it ends."""

import re

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.events import FoundIdle, OwnMessageShown, TurnBegan, TurnLost, TurnSeen, UserCutIn
from rawr.core.state import ledger, ran, since
from rawr.core.state.ledger import Ledger
from rawr.core.state.thread import MAX_CHILDREN, ThreadState
from rawr.core.state.turn import (
    MAX_ACTION,
    MAX_ACTIONS,
    MAX_AT_ONCE,
    MAX_ENDED,
    MAX_FILES,
    MAX_OPEN_ITEMS,
    OF_WORK,
    WORK,
    ActiveTurn,
    OpenItem,
    TurnOutcome,
)
from rawr.core.text import head
from rawr.core.thread import cutting, delivery, limiting
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import (
    ItemCompleted,
    ItemStarted,
    Problem,
    SubAgentTurn,
    TurnCompleted,
    TurnStarted,
    TurnStatus,
)
from rawr.core.vocabulary.items import (
    AgentMessage,
    AnyItem,
    Command,
    Compaction,
    FileChange,
    Reasoning,
    ReviewEntered,
    ReviewExited,
    SubAgent,
    ToolCall,
    UserMessage,
    WebSearch,
)
from rawr.core.vocabulary.payloads import ToolUsed, UserSaid
from rawr.core.vocabulary.reasons import Reason

_PULL = re.compile(r"pull_?request|merge_?request", re.IGNORECASE)
"""A tool that may have opened one."""

# -- what happens in a turn -------------------------------------------------------------------------------------


def turn_started(draft: ThreadDraft, fact: TurnStarted) -> None:
    running = draft.state.turn
    ended = draft.state.ended
    turn = fact.root if fact.root and fact.root not in ended else fact.turn
    if turn in ended:
        draft.note(Reason.IGNORED_UNKNOWN_TURN, turn=turn, running=running.id if running else "")
        return
    draft.emit(TurnSeen())
    if running is None or not running.id:
        state = draft.state
        draft.state = replace(
            state, turn=ActiveTurn(turn, draft.at), certain=True, signals=_carried(state), pausing=False
        )
        draft.signal("turn_started", source="turn", turn=turn, gates=False)
    elif running.id != turn:
        _succeed(draft, running, ActiveTurn(turn, draft.at))
    draft.emit(TurnBegan(turn))
    if draft.state.beyond:
        limiting.end_turn(draft)


def _carried(state: ThreadState) -> tuple[BoundaryEvent, ...]:
    """A topic that the user has opened counts until a turn after it is finished. And where the last turn has yet to be
    judged, or was a moment to compact until they typed, everything does: another client's next turn may begin within
    milliseconds."""
    if state.unweighed or state.pausing:
        return state.signals
    opened = [one for one in state.signals if one.opens_topic]
    if not opened:
        return ()
    last = state.last_turn
    ended_at = last.ended_at if last is not None and any(one.kind == "agent_done" for one in state.signals) else 0
    return tuple(one for one in opened if one.at >= ended_at)


def forget_signals_before(draft: ThreadDraft, running: ActiveTurn) -> None:
    """The last turn is judged, and the next one is running already: what came before it no longer counts."""
    signals = draft.state.signals
    kept = tuple(one for one in signals if one.turn == running.id or one.opens_topic)
    if len(kept) < len(signals):
        draft.change(signals=kept)


def item_started(draft: ThreadDraft, fact: ItemStarted) -> bool:
    """Return True if it is an item of the running turn."""
    turn = _turn_of(draft, fact.turn)
    if turn is None:
        return False
    item = fact.item
    paths = _touched(item) if isinstance(item, FileChange) else ()
    opened = (*turn.open_items, OpenItem(item.id, type(item).__name__, paths))[-MAX_OPEN_ITEMS:]
    # Codex's own compaction at the end of a turn does not take the last word back.
    spoke = turn.spoke and isinstance(item, Compaction)
    draft.state = replace(draft.state, turn=replace(turn, open_items=opened, spoke=spoke), certain=True)
    return True


def _touched(item: FileChange) -> tuple[str, ...]:
    """Every path that a change reads or writes; empty if any is unknown, so that nobody judges a part."""
    if item.changes_omitted:
        return ()
    return tuple(path for one in item.changes for path in (one.path, one.moved_to) if path)


def item_completed(draft: ThreadDraft, fact: ItemCompleted) -> None:
    if draft.state.turn is None and isinstance(fact.item, Compaction):
        # Told late, it is no sign that its turn is running: that one has nothing else to tell, and would never end.
        return
    turn = _turn_of(draft, fact.turn)
    if turn is not None:
        draft.state = replace(draft.state, turn=with_item(turn, fact.item), certain=True)


# -- what an item brings ----------------------------------------------------------------------------------------------


def files_changed(draft: ThreadDraft, item: FileChange, _turn: str) -> None:
    if item.status != "completed":
        return
    kept = draft.state.ledger
    for change in item.changes:
        kept = ledger.add_file(kept, change.moved_to or change.path, change.kind)
    draft.change(ledger=kept)


def command_ended(draft: ThreadDraft, item: Command, _turn: str, *, behind: int = 0) -> None:
    kept = draft.state.ledger
    failed = item.went_wrong
    if failed or kept.failures:
        told = ledger.add_command(
            kept, item.meant, exit_code=item.exit_code, failed=failed, output=item.output_tail, behind=behind
        )
        if told is not kept:
            draft.state = replace(draft.state, ledger=told)
    running = draft.state.turn
    if running is not None and len(running.ran) >= MAX_AT_ONCE:
        draft.change(ledger=_with_runs(draft.state.ledger, running.ran), turn=replace(running, ran=()))


def command_found(draft: ThreadDraft, item: Command) -> None:
    """A command that Codex did not report, of a turn that may be over."""
    if item.status != "declined":
        done = ran.ended(item.meant, exit_code=item.exit_code, output=item.output_tail)
        draft.change(ledger=_with_runs(draft.state.ledger, (done,)))


def _with_runs(kept: Ledger, done: tuple[ran.Ended, ...]) -> Ledger:
    return replace(kept, runs=ran.add(kept.runs, done))


def user_spoke(draft: ThreadDraft, item: UserMessage, turn: str) -> None:
    purpose = delivery.shown(draft, item.client_id, turn=turn)
    running = draft.state.turn
    joined = purpose == "recovery" and running is not None and (running.midway or len(running.messages) > 1)
    if purpose is not None and running is not None and not joined and (purpose not in WORK or not running.purpose):
        # A record that goes along makes nobody's turn rawr's own.
        draft.change(turn=replace(running, purpose=purpose, worked=running.agent_text))
    if purpose is None or purpose == "user":
        draft.state = replace(draft.state, ledger=ledger.add_message(draft.state.ledger, item.text, at=draft.at))
        draft.signal("user_directive", UserSaid(head(item.text, 120)), source="user", turn=turn, gates=False)
        if running is not None and running.purpose not in OF_WORK:
            draft.emit(UserCutIn(item.text))
    else:
        draft.emit(OwnMessageShown(purpose))


def tool_called(draft: ThreadDraft, item: ToolCall, turn: str) -> None:
    if item.status == "completed":
        if _PULL.search(item.tool):
            draft.change(ledger=ledger.add_pull(draft.state.ledger, (item.tool,), ""))
        draft.signal("tool_milestone", ToolUsed(item.tool, item.server), source="turn", turn=turn, gates=False)


def agent_spawned(draft: ThreadDraft, item: SubAgent, _turn: str) -> None:
    known = dict.fromkeys((*draft.state.children, *item.threads))
    draft.change(children=tuple(known)[-MAX_CHILDREN:])


def sub_agent_turn(draft: ThreadDraft, fact: SubAgentTurn) -> None:
    others = tuple(one for one in draft.state.busy_children if one != fact.thread)
    draft.change(busy_children=(*others, fact.thread)[-MAX_CHILDREN:] if fact.running else others)


def review_entered(draft: ThreadDraft, _item: ReviewEntered, _turn: str) -> None:
    draft.change(in_review=True)


def review_exited(draft: ThreadDraft, _item: ReviewExited, _turn: str) -> None:
    draft.change(in_review=False)


# -- its end ----------------------------------------------------------------------------------------------------------


def turn_completed(draft: ThreadDraft, fact: TurnCompleted) -> bool:
    """Return True if it was the running turn that ended."""
    turn = _turn_of(draft, fact.turn)
    if turn is None:
        running, last = draft.state.turn, draft.state.last_turn
        draft.note(Reason.IGNORED_UNKNOWN_TURN, turn=fact.turn, running=running.id if running else "")
        if running is not None and not running.id and last is not None and last.id == fact.turn:
            # Something was reported as running when the thread was joined, and nothing else is known of it: it was this
            # turn.
            draft.change(turn=None, certain=True)
            draft.emit(FoundIdle())
        return False
    if not draft.state.certain:
        draft.change(certain=True)
    end(draft, turn, fact.status, problem=fact.problem)
    if fact.problem is not None:
        problem = fact.problem
        draft.note(Reason.TURN_FAILED_PROBLEM, turn=fact.turn, code=problem.code, problem=problem.message)
    return True


def end(
    draft: ThreadDraft, turn: ActiveTurn, status: TurnStatus, *, problem: Problem | None = None, lost: bool = False
) -> None:
    """The running turn becomes the last one."""
    draft.emit(TurnSeen())
    purpose = turn.purpose or delivery.purpose_of_turn(draft, turn.id)
    kept = draft.state.since
    if purpose in OF_WORK or purpose == "landing":
        # A turn that was landed worked until then.
        said = turn.agent_text if purpose in OF_WORK else turn.worked
        kept = since.add_turn(kept, files=turn.files, said=said, at=draft.at)
    draft.state = replace(
        draft.state,
        turn=None,
        last_turn=TurnOutcome(
            id=turn.id,
            status=status,
            ended_at=draft.at,
            problem=problem,
            items=turn.items,
            commands=turn.commands,
            commands_failed=turn.commands_failed,
            files=turn.files,
            agent_text=turn.agent_text,
            agent_phase=turn.agent_phase,
            messages=turn.messages,
            asked=turn.asked,
            unchecked=turn.unchecked,
            failing=turn.failing,
            spoke=turn.spoke,
            left_open=tuple(dict.fromkeys(one.kind for one in turn.open_items)) if turn.open_items else (),
            lost=lost,
            purpose=purpose,
            actions=turn.actions,
            tools=turn.tools,
            midway=turn.midway,
            review=turn.review,
            held=draft.state.usage.in_context if draft.state.usage is not None else 0,
        ),
        ended=(*draft.state.ended, turn.id)[-MAX_ENDED:] if turn.id else draft.state.ended,
        turns=draft.state.turns + 1,
        in_review=False,
        reviewed=turn.id if turn.review else draft.state.reviewed,
        since=kept,
        ledger=_with_runs(draft.state.ledger, turn.ran) if turn.ran else draft.state.ledger,
    )
    cutting.over(draft)
    delivery.turn_over(draft, turn.id)
    if lost and status != "completed" and not draft.state.closed:
        draft.note(Reason.TURN_INTERRUPTED_LOST, turn=turn.id, items=turn.items)
        text = "A turn was cut off while Codex was away; what it had done so far is kept. Send a message to continue."
        draft.do(Notify(level="warning", text=text))


def _succeed(draft: ThreadDraft, running: ActiveTurn, following: ActiveTurn) -> None:
    """A thread has one turn at a time: another one is running, so this one is over, and its end was not seen."""
    end(draft, running, "interrupted", lost=True)
    draft.change(turn=following, certain=True)
    draft.emit(TurnLost(running.id))


def _turn_of(draft: ThreadDraft, turn: str) -> ActiveTurn | None:
    """The running turn that a fact is about. A turn that we joined in the middle begins for us with its first fact."""
    running = draft.state.turn
    if turn in draft.state.ended:
        return None
    if running is None:
        draft.emit(TurnSeen())
        return ActiveTurn(turn, draft.at, midway=True)
    if not running.id:
        return replace(running, id=turn)
    if running.id != turn and not draft.state.certain:
        _succeed(draft, running, ActiveTurn(turn, draft.at))
        return draft.state.turn
    return running if running.id == turn else None


def with_item(turn: ActiveTurn, item: AnyItem) -> ActiveTurn:
    opened = turn.open_items
    if len(opened) == 1 and opened[0].id == item.id:  # usually
        opened = ()
    elif opened:
        opened = tuple(one for one in opened if one.id != item.id)
    match item:
        case Reasoning():  # among the most frequent, and without consequence
            return replace(turn, open_items=opened, items=turn.items + 1)
        case Command():
            return replace(
                turn,
                open_items=opened,
                items=turn.items + 1,
                commands=turn.commands + 1,
                commands_failed=turn.commands_failed + item.went_wrong,
                actions=(*turn.actions, item.meant[:MAX_ACTION])[-MAX_ACTIONS:],
                ran=(*turn.ran, ran.ended(item.meant, exit_code=item.exit_code, output=item.output_tail))
                if item.status != "declined"
                else turn.ran,
                # One that had begun before the pause is part of the same call.
                spoke=False,
            )
        case AgentMessage():
            return replace(
                turn,
                open_items=opened,
                items=turn.items + 1,
                agent_text=item.text,
                agent_phase=item.phase,
                spoke=True,
            )
        case FileChange(status="completed"):
            known = dict.fromkeys(turn.files) | dict.fromkeys(change.path for change in item.changes)
            return replace(
                turn,
                open_items=opened,
                items=turn.items + 1,
                files=tuple(known)[:MAX_FILES],
                unchecked=True,
                spoke=False,
            )
        case UserMessage():
            return replace(
                turn,
                open_items=opened,
                items=turn.items + 1,
                messages=(*turn.messages, item.client_id)[-32:],
                asked=turn.asked + len(item.text),
                spoke=False,
            )
        case ToolCall() | WebSearch() | SubAgent():
            # A phase is marked by a tool too, so that only the next call says that the agent went on.
            return replace(turn, open_items=opened, items=turn.items + 1, tools=turn.tools + 1, spoke=False)
        case ReviewEntered() | ReviewExited():
            return replace(turn, open_items=opened, items=turn.items + 1, review=item.review or "review")
        case _:
            return replace(turn, open_items=opened, items=turn.items + 1)


def with_found(turn: TurnOutcome, item: AnyItem) -> TurnOutcome:
    """The same for a turn that is over."""
    counted = replace(turn, items=turn.items + 1)
    match item:
        case Command():
            return replace(
                counted,
                commands=turn.commands + 1,
                commands_failed=turn.commands_failed + item.went_wrong,
                actions=(*turn.actions, item.meant[:MAX_ACTION])[-MAX_ACTIONS:],
            )
        case FileChange(status="completed"):
            known = dict.fromkeys(turn.files) | dict.fromkeys(change.path for change in item.changes)
            return replace(counted, files=tuple(known)[:MAX_FILES], unchecked=True)
        case ToolCall():
            return replace(counted, tools=turn.tools + 1)
        case _:
            return counted
