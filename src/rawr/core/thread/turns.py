"""Turns: how one begins, what happens in it, how it ends, and which message starts the next."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from rawr.core.compaction import decision as deciding
from rawr.core.compaction import holds as guards
from rawr.core.compaction import landing, sequence
from rawr.core.compaction import tracking as compaction
from rawr.core.compaction import veto as judging
from rawr.core.compaction.phrases import words
from rawr.core.draft import ThreadDraft
from rawr.core.run import commands as run_words
from rawr.core.run import failures as run_trouble
from rawr.core.run import turn_end as fullauto
from rawr.core.speech import Own
from rawr.core.state import ledger, since
from rawr.core.state.messages import Queued
from rawr.core.state.thread import MAX_CHILDREN
from rawr.core.state.turn import (
    MAX_ACTION,
    MAX_ACTIONS,
    MAX_ENDED,
    MAX_FILES,
    MAX_OPEN_ITEMS,
    WORK,
    ActiveTurn,
    OpenItem,
    OwnPurpose,
    TurnOutcome,
)
from rawr.core.text import head
from rawr.core.thread import connection as link
from rawr.core.thread import cutting, delivery, limiting, repository
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import (
    InterruptSubmitted,
    ItemCompleted,
    ItemStarted,
    Problem,
    SteerSubmitted,
    SubAgentTurn,
    TurnCompleted,
    TurnStarted,
    TurnStatus,
    UserSubmitted,
)
from rawr.core.vocabulary.items import (
    AgentMessage,
    AnyItem,
    Command,
    Compaction,
    FileChange,
    Item,
    Reasoning,
    ReviewEntered,
    ReviewExited,
    SubAgent,
    ToolCall,
    UserMessage,
    WebSearch,
)
from rawr.core.vocabulary.reasons import Reason

# -- what a person submits --------------------------------------------------------------------------------------


def user_submitted(draft: ThreadDraft, fact: UserSubmitted) -> None:
    if not _acceptable(draft, fact.text):
        return
    put(draft, Queued.of_user(draft.seq, fact.text))
    link.wake(draft)
    limiting.reassert(draft)
    if draft.state.busy:
        draft.note(Reason.TURN_QUEUED_BUSY, waiting=len(draft.state.queue))
    elif not draft.state.online:
        draft.note(Reason.TURN_QUEUED_OFFLINE, waiting=len(draft.state.queue))
    advance(draft)


def steer_submitted(draft: ThreadDraft, fact: SteerSubmitted) -> None:
    turn = draft.state.turn
    if not _acceptable(draft, fact.text):
        return
    if turn is None or not turn.id or draft.state.compacting is not None or not draft.state.online:
        # A compaction's turn cannot be steered, and a message must not be lost for that.
        put(draft, Queued.of_user(draft.seq, fact.text))
        link.wake(draft)
        draft.note(Reason.STEER_QUEUED_IDLE, waiting=len(draft.state.queue))
        advance(draft)
    else:
        delivery.send(draft, Queued.of_user(draft.seq, fact.text), steer=turn.id)
        draft.note(Reason.STEER_SENT_SUBMITTED, turn=turn.id)


def interrupt_submitted(draft: ThreadDraft, _fact: InterruptSubmitted) -> None:
    turn = draft.state.turn
    if turn is None or not turn.id:
        draft.note(Reason.IGNORED_NO_TURN)
        return
    cutting.cut(draft, turn.id)
    draft.note(Reason.TURN_INTERRUPTED_SUBMITTED, turn=turn.id)


def _acceptable(draft: ThreadDraft, text: str) -> bool:
    if not text.strip():
        draft.note(Reason.IGNORED_EMPTY_INPUT)
        return False
    if draft.state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD, message=draft.seq)
        draft.do(Notify(level="error", text="The thread is closed; the message was not sent."))
        return False
    return True


def put(draft: ThreadDraft, message: Queued) -> None:
    """Behind what waits already. A message of a run starts a turn when the run's slot comes."""
    draft.change(queue=(*draft.state.queue, message))
    if message.purpose == "user":
        judging.give_way(draft)


def say(draft: ThreadDraft, text: Own, purpose: OwnPurpose, *, into_running_turn: bool = False) -> None:
    """A message of rawr's own: in a turn of its own, or into the one that runs."""
    message = Queued.own(draft.seq, text, purpose)
    turn = draft.state.turn
    steerable = turn is not None and turn.id and draft.state.compacting is None and draft.state.online
    if turn is not None and steerable and (into_running_turn or purpose == "handoff"):
        # A user's message got in first, or the turn must hear of it now.
        delivery.send(draft, message, steer=turn.id)
        return
    put(draft, message)
    advance(draft)


def withdraw(draft: ThreadDraft) -> None:
    """Messages of rawr's own that have not been sent are not needed any more."""
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose in WORK))


# -- starting the next turn -------------------------------------------------------------------------------------


def advance(draft: ThreadDraft) -> None:
    """Start the turn of the oldest waiting message, if nothing stands against it."""
    state = draft.state
    if not state.queue or state.busy or state.closed or not state.online or state.unjudged or limiting.held(state):
        return
    if state.run is not None and not state.run.active and any(one.purpose == "recovery" for one in state.queue):
        # The record was for a turn that is over, and no run goes on from it: it would start a turn that nobody wants.
        draft.change(queue=tuple(one for one in state.queue if one.purpose != "recovery"))
        advance(draft)
        return
    message = next((one for one in state.queue if one.purpose not in WORK), None)
    if message is None:
        message = fullauto.next_message(state)
        if message is None or state.sequence is not None:
            return
        if state.preflight and not message.text.startswith("!"):
            deciding.preflight(draft)
            return
    rest = tuple(one for one in state.queue if one is not message)
    draft.change(queue=rest)
    delivery.send(draft, message)
    if message.purpose == "continue":
        draft.note(Reason.TURN_STARTED_RUN, message=message.seq)
    elif message.purpose == "user":
        draft.note(Reason.TURN_STARTED_INPUT, message=message.seq, waiting=len(rest))
    else:
        draft.note(Reason.TURN_STARTED_SEQUENCE, message=message.seq, purpose=message.purpose)


# -- what happens in a turn -------------------------------------------------------------------------------------


def turn_started(draft: ThreadDraft, fact: TurnStarted) -> None:
    running = draft.state.turn
    ended = draft.state.ended
    turn = fact.root if fact.root and fact.root not in ended else fact.turn
    if turn in ended:
        draft.note(Reason.IGNORED_UNKNOWN_TURN, turn=turn, running=running.id if running else "")
        return
    judging.drop(draft, Reason.JUDGMENT_DROPPED_TURN)
    if running is None or not running.id:
        draft.change(turn=ActiveTurn(turn, draft.at), certain=True, signals=())
        draft.signal("turn_started", source="turn", turn=turn, gates=False)
    elif running.id != turn:
        _succeed(draft, running, ActiveTurn(turn, draft.at))
    compaction.turn_started(draft, turn)
    if draft.state.beyond:
        limiting.end_turn(draft)


def item_started(draft: ThreadDraft, fact: ItemStarted) -> None:
    turn = _turn_of(draft, fact.turn)
    if turn is not None:
        item = fact.item
        paths = _touched(item) if isinstance(item, FileChange) else ()
        if draft.state.run is not None:
            run_trouble.heard(draft)
        opened = (*turn.open_items, OpenItem(item.id, type(item).__name__, paths))[-MAX_OPEN_ITEMS:]
        draft.state = replace(draft.state, turn=replace(turn, open_items=opened), certain=True)
    if isinstance(fact.item, Compaction):
        compaction.item_started(draft, fact.turn)


def _touched(item: FileChange) -> tuple[str, ...]:
    """Every path that a change reads or writes; none where not all of them are known, so that nobody judges a part."""
    if item.changes_omitted:
        return ()
    return tuple(path for one in item.changes for path in (one.path, one.moved_to) if path)


def item_completed(draft: ThreadDraft, fact: ItemCompleted) -> None:
    turn = _turn_of(draft, fact.turn)
    if turn is not None:
        draft.state = replace(draft.state, turn=_with_item(turn, fact.item), certain=True)
    if draft.state.run is not None:
        run_trouble.heard(draft)
    handler = _ITEMS.get(type(fact.item))
    if handler is not None:
        handler(draft, fact.item, fact.turn)
    if draft.state.run is not None and draft.state.run.cut_asked:
        run_words.cut_if_asked(draft)


def _compacted(draft: ThreadDraft, _item: Compaction, turn: str) -> None:
    compaction.item_completed(draft, turn)
    advance(draft)


def _files_changed(draft: ThreadDraft, item: FileChange, _turn: str) -> None:
    if item.status != "completed":
        return
    kept = draft.state.ledger
    for change in item.changes:
        kept = ledger.add_file(kept, change.moved_to or change.path, change.kind)
    draft.change(ledger=kept)


def _command_ended(draft: ThreadDraft, item: Command, turn: str) -> None:
    kept = draft.state.ledger
    if item.went_wrong or kept.failures:
        kept = ledger.add_command(
            kept, item.meant, exit_code=item.exit_code, failed=item.went_wrong, output=item.output_tail
        )
        draft.change(ledger=kept)
    repository.command_ended(draft, item, turn)


def _user_spoke(draft: ThreadDraft, item: UserMessage, turn: str) -> None:
    compaction.user_spoke(draft, turn)
    purpose = delivery.shown(draft, item.client_id, turn=turn)
    running = draft.state.turn
    if purpose is not None and running is not None and (purpose not in WORK or not running.purpose):
        draft.change(turn=replace(running, purpose=purpose))
    if purpose is None or purpose == "user":
        draft.change(ledger=ledger.add_message(draft.state.ledger, item.text, at=draft.at))
        draft.signal("user_directive", source="user", turn=turn, detail=head(item.text, 120), gates=False)
    else:
        sequence.shown(draft, purpose)


def _tool_called(draft: ThreadDraft, item: ToolCall, turn: str) -> None:
    if item.status == "completed":
        detail = f"{item.server}/{item.tool}" if item.server else item.tool
        draft.signal("tool_milestone", source="turn", turn=turn, detail=detail, gates=False)


def _agent_spawned(draft: ThreadDraft, item: SubAgent, _turn: str) -> None:
    known = dict.fromkeys((*draft.state.children, *item.threads))
    draft.change(children=tuple(known)[-MAX_CHILDREN:])


def sub_agent_turn(draft: ThreadDraft, fact: SubAgentTurn) -> None:
    others = tuple(one for one in draft.state.busy_children if one != fact.thread)
    draft.change(busy_children=(*others, fact.thread)[-MAX_CHILDREN:] if fact.running else others)


def _review_entered(draft: ThreadDraft, _item: ReviewEntered, _turn: str) -> None:
    draft.change(in_review=True)


def _review_exited(draft: ThreadDraft, _item: ReviewExited, _turn: str) -> None:
    draft.change(in_review=False)


_ITEMS: dict[type[Item], Callable[[ThreadDraft, Any, str], None]] = {
    Command: _command_ended,
    FileChange: _files_changed,
    UserMessage: _user_spoke,
    Compaction: _compacted,
    ToolCall: _tool_called,
    SubAgent: _agent_spawned,
    ReviewEntered: _review_entered,
    ReviewExited: _review_exited,
}
"""Of the others it matters only that the turn has counted them."""


def turn_completed(draft: ThreadDraft, fact: TurnCompleted) -> None:
    turn = _turn_of(draft, fact.turn)
    if turn is None:
        running, last = draft.state.turn, draft.state.last_turn
        draft.note(Reason.IGNORED_UNKNOWN_TURN, turn=fact.turn, running=running.id if running else "")
        if running is not None and not running.id and last is not None and last.id == fact.turn:
            # Something was said to run when the thread was joined, and nothing else is known of it: it was this one.
            draft.change(turn=None, certain=True)
            link.idle_after_all(draft)
        return
    draft.change(certain=True)
    end(draft, turn, fact.status, problem=fact.problem)
    if fact.problem is not None:
        problem = fact.problem
        draft.note(Reason.TURN_FAILED_PROBLEM, turn=fact.turn, code=problem.code, problem=problem.message)
    compaction.turn_completed(draft, fact)
    judge(draft)
    advance(draft)


def judge(draft: ThreadDraft) -> None:
    """What the end of a turn means for compaction: a step of the sequence, or the question whether to begin one."""
    turn = draft.state.last_turn
    if turn is None:
        return
    if draft.state.observing and draft.state.sequence is None:
        # What the last commands did to the repository is not known yet; it is a matter of milliseconds.
        draft.change(unjudged=True)
        return
    draft.change(unjudged=False)
    draft.signal("turn_completed", source="turn", turn=turn.id, detail=turn.status, gates=False)
    if draft.state.sequence is not None:
        sequence.turn_ended(draft, turn)
        return
    joined_midway = turn.midway and bool(turn.agent_text)
    if turn.synthetic or turn.status != "completed" or not (turn.messages or joined_midway):
        fullauto.turn_ended(draft, turn)
        return
    draft.change(work_turns=draft.state.work_turns + 1, guards=guards.after_turn(draft))
    did_work = turn.commands > 0 or bool(turn.files)
    if did_work:
        for kind, phrase in words(turn.agent_text, draft.policy.compaction.markers):
            draft.signal(kind, source="text", turn=turn.id, detail=phrase)
    draft.signal("turn_complete", source="turn", turn=turn.id)
    if not fullauto.turn_ended(draft, turn):
        deciding.weigh(draft)


def end(
    draft: ThreadDraft, turn: ActiveTurn, status: TurnStatus, *, problem: Problem | None = None, lost: bool = False
) -> None:
    """The running turn becomes the last one."""
    judging.drop(draft, Reason.JUDGMENT_DROPPED_TURN)
    purpose = turn.purpose or delivery.purpose_of_turn(draft, turn.id)
    kept = draft.state.since
    if purpose in landing.OF_WORK:
        kept = since.add_turn(kept, files=turn.files, said=turn.agent_text, at=draft.at)
    draft.change(
        turn=None,
        last_turn=TurnOutcome(
            turn.id,
            status,
            draft.at,
            problem,
            turn.items,
            turn.commands,
            turn.commands_failed,
            turn.files,
            turn.agent_text,
            turn.messages,
            tuple(dict.fromkeys(one.kind for one in turn.open_items)),
            lost,
            purpose,
            turn.actions,
            turn.tools,
            turn.midway,
            turn.review,
        ),
        ended=(*draft.state.ended, *filter(None, (turn.id,)))[-MAX_ENDED:],
        turns=draft.state.turns + 1,
        in_review=False,
        since=kept,
    )
    cutting.over(draft)
    delivery.turn_over(draft, turn.id)
    if lost and status != "completed" and not draft.state.closed:
        draft.note(Reason.TURN_INTERRUPTED_LOST, turn=turn.id, items=turn.items)
        text = "A turn was cut off while Codex was away; what it had done so far stands. Say something to go on."
        draft.do(Notify(level="warning", text=text))


def _succeed(draft: ThreadDraft, running: ActiveTurn, following: ActiveTurn) -> None:
    """A thread has one turn at a time: another one runs, so this one is over, and its end was not seen."""
    end(draft, running, "interrupted", lost=True)
    draft.change(turn=following, certain=True)
    compaction.turn_lost(draft, running.id)


def _turn_of(draft: ThreadDraft, turn: str) -> ActiveTurn | None:
    """The running turn that a fact is about. One that we joined in the middle begins for us with its first fact."""
    running = draft.state.turn
    if turn in draft.state.ended:
        return None
    if running is None:
        judging.drop(draft, Reason.JUDGMENT_DROPPED_TURN)
        return ActiveTurn(turn, draft.at, midway=True)
    if not running.id:
        return replace(running, id=turn)
    if running.id != turn and not draft.state.certain:
        _succeed(draft, running, ActiveTurn(turn, draft.at))
        return draft.state.turn
    return running if running.id == turn else None


def _with_item(turn: ActiveTurn, item: AnyItem) -> ActiveTurn:
    opened = turn.open_items
    if opened:
        opened = tuple(one for one in opened if one.id != item.id)
    match item:
        case Reasoning():  # among the most frequent, and of no consequence
            return replace(turn, open_items=opened, items=turn.items + 1)
        case Command():
            return replace(
                turn,
                open_items=opened,
                items=turn.items + 1,
                commands=turn.commands + 1,
                commands_failed=turn.commands_failed + item.went_wrong,
                actions=(*turn.actions, item.meant[:MAX_ACTION])[-MAX_ACTIONS:],
            )
        case AgentMessage():
            return replace(turn, open_items=opened, items=turn.items + 1, agent_text=item.text)
        case FileChange(status="completed"):
            known = dict.fromkeys(turn.files) | dict.fromkeys(change.path for change in item.changes)
            return replace(turn, open_items=opened, items=turn.items + 1, files=tuple(known)[:MAX_FILES])
        case UserMessage():
            return replace(
                turn, open_items=opened, items=turn.items + 1, messages=(*turn.messages, item.client_id)[-32:]
            )
        case ToolCall() | WebSearch() | SubAgent():
            return replace(turn, open_items=opened, items=turn.items + 1, tools=turn.tools + 1)
        case ReviewEntered() | ReviewExited():
            return replace(turn, open_items=opened, items=turn.items + 1, review=item.review or "review")
        case _:
            return replace(turn, open_items=opened, items=turn.items + 1)
