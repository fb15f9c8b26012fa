"""What Codex wrote down and did not report (C2): its session file is read when a turn ends and when rawr joins.

A command that Codex's sandbox denies is in no notification. What the file has in addition comes as facts like any
other, marked with their source; the turn is judged, and the next one begins, when the file has been read. A run whose
next turn does not depend on it is not kept waiting: the file is read when that turn has begun.
"""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.state.session import MAX_FOUND, MAX_TOLD, SessionFile
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary import items
from rawr.core.vocabulary.effects import Notify, ReadSession
from rawr.core.vocabulary.facts import (
    EffectFailed,
    EffectSucceeded,
    ItemCompleted,
    ItemStarted,
    SessionRead,
    ThreadJoined,
    ThreadOpened,
)
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import SessionMark, plan_digest

_CALLS = (items.Command, items.FileChange, items.ToolCall, items.SubAgent, items.WebSearch, items.OtherItem)


# -- which file -------------------------------------------------------------------------------------------------------


def opened(draft: ThreadDraft, fact: ThreadOpened) -> None:
    """We started the thread, so everything in its file is news."""
    if fact.session_file and draft.state.session is None:
        draft.change(session=SessionFile(fact.session_file, SessionMark()))


def joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """Read on from where we were. A thread that is new to us is read for its plan, and for the turn that is running."""
    if not fact.session_file:
        return
    known = draft.state.session or SessionFile(fact.session_file)
    draft.change(session=replace(known, path=fact.session_file))
    if not known.reading:
        running = draft.state.turn
        _read(draft, running.id if running is not None else "", over=running is None)


# -- which calls are known --------------------------------------------------------------------------------------------


def is_news(draft: ThreadDraft, fact: ItemStarted | ItemCompleted) -> bool:
    """Return False for a call that is known from the other source. Remembers the others."""
    file, item = draft.state.session, fact.item
    if file is None or not isinstance(item, _CALLS):
        return True
    found = fact.found if isinstance(fact, ItemCompleted) else None
    if item.id in file.found or (found is not None and (item.id in file.told or item.id in file.asked)):
        draft.note(Reason.IGNORED_KNOWN_CALL, item=item.id, source=found.source if found is not None else "codex")
        return False
    if found is not None:
        draft.change(session=replace(file, found=(*file.found, item.id)[-MAX_FOUND:]))
    elif file.told[-1:] != (item.id,) and item.id not in file.told:
        over = len(file.told) >= MAX_TOLD
        told = (*file.told, item.id)[-MAX_TOLD:]
        draft.state = replace(draft.state, session=replace(file, told=told, overflow=file.overflow or over))
    return True


# -- reading ----------------------------------------------------------------------------------------------------------


def due(draft: ThreadDraft, turn: TurnOutcome, *, matters: bool) -> bool:
    """Return True if the file must be read before the turn is judged: the read is under way, or begins here. If what is
    in it cannot change the judgment (not ``matters``), it is put off."""
    file = draft.state.session
    if file is None:
        return False
    if not file.reading and file.read != turn.id:
        if matters:
            _read(draft, turn.id, over=True)
        else:
            draft.change(session=replace(file, owed=turn.id, read=turn.id))
        return matters
    return bool(file.reading)


def owed_read(draft: ThreadDraft) -> None:
    """Read it now, if that was put off: the next turn has begun, or there is none."""
    file = draft.state.session
    if file is None or not file.owed or file.reading:
        return
    _read(draft, file.owed, over=True, late=True)


def _read(draft: ThreadDraft, turn: str, *, over: bool, again: bool = False, late: bool = False) -> None:
    file = draft.state.session
    if file is None:
        return
    if over:
        # The next turn may begin before the read is back. What is reported from here on is that one's.
        asked = (*file.asked, *file.told)
        overflow = file.overflow or len(asked) > MAX_TOLD
        file = replace(file, late=turn if late else "", asked=asked[-MAX_TOLD:], told=(), overflow=overflow)
    effect = draft.do(
        ReadSession(
            path=file.path,
            turn=turn,
            over=over,
            late=late,
            mark=file.mark,
            told=(*file.asked, *file.told, *file.found),
            overflow=file.overflow,
            plan=plan_digest(draft.state.plan.steps),
            trouble=file.trouble,
        )
    )
    read = turn if over and not late else file.read
    draft.change(session=replace(file, reading=effect, again=again, read=read, owed=""))


def read(draft: ThreadDraft, fact: SessionRead) -> None:
    """How far it was read, and what was wrong with it: said once, until it is well again."""
    file = draft.state.session
    if file is None or file.reading != fact.effect:
        draft.note(Reason.IGNORED_STALE_SESSION, effect=fact.effect)
        return
    if fact.ended:
        # The calls of the turn need not be remembered any longer; those of the next one must be, if it has begun.
        file = replace(file, asked=(), overflow=False)
    draft.change(session=replace(file, mark=fact.mark, trouble=fact.trouble))
    if fact.found or fact.omitted:
        draft.note(Reason.SESSION_FOUND_UNREPORTED, calls=fact.found, omitted=fact.omitted)
    if fact.trouble and fact.trouble != file.trouble:
        draft.note(Reason.SESSION_DOUBTED_FILE, trouble=fact.trouble, problem=fact.problem)
        text = f"Codex's session file: {fact.problem}. Commands that Codex denied and did not report may be missing."
        draft.do(Notify(level="warning", text=text))


def effect_ended(draft: ThreadDraft, fact: EffectSucceeded | EffectFailed) -> bool:
    """The file was read, or not. A read that was cut off, because rawr was, is repeated once."""
    file = draft.state.session
    if file is None or not file.reading or file.reading != fact.effect:
        return False
    draft.change(session=replace(file, reading="", again=False, late=""))
    if isinstance(fact, EffectFailed):
        if fact.code == "lost" and not file.again:
            running = draft.state.turn
            turn = running.id if running is not None else file.read
            _read(draft, turn, over=running is None, again=True)
        else:
            draft.note(Reason.SESSION_FAILED_READ, problem=fact.problem)
    return True
