"""What only the session file has, in its place: whatever came after it in the turn counts more."""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.state import since
from rawr.core.state.turn import OF_WORK
from rawr.core.thread import observations, repository, turns
from rawr.core.vocabulary import items
from rawr.core.vocabulary.facts import ItemCompleted
from rawr.core.vocabulary.session import Found


def item_found(draft: ThreadDraft, fact: ItemCompleted, found: Found) -> None:
    _counted(draft, fact)
    if isinstance(fact.item, items.Command | items.FileChange | items.ToolCall):
        observations.acted(draft, fact.item, fact.turn)
    match fact.item:
        case items.Command() as command:
            if not found.overtaken:
                turns.command_ended(draft, command, fact.turn, behind=found.behind)
            if command.exit_code is not None:
                repository.command_ended(draft, command, fact.turn)
        case items.FileChange() as change:
            turns.files_changed(draft, change, fact.turn)
        case items.ToolCall() as call:
            turns.tool_called(draft, call, fact.turn)
        case _:
            pass


def _counted(draft: ThreadDraft, fact: ItemCompleted) -> None:
    """It counts for its turn, if that is the running or the last one."""
    running, last = draft.state.turn, draft.state.last_turn
    if running is not None and running.id == fact.turn:
        draft.state = replace(draft.state, turn=turns.with_item(running, fact.item))
    elif last is not None and last.id == fact.turn:
        draft.state = replace(draft.state, last_turn=turns.with_found(last, fact.item))
        if isinstance(fact.item, items.Command):
            turns.command_found(draft, fact.item)
        if isinstance(fact.item, items.FileChange) and last.purpose in OF_WORK:
            files = tuple(one.path for one in fact.item.changes)
            draft.change(since=since.add_turn(draft.state.since, files=files, said="", at=draft.at))
