"""Does a user's message open a new topic? Then what came before can go (A5, A16).

Other words alone say little: people ask for the next change to the same thing in words that nobody has used before.
What tells, on messages labelled by reading: the next piece of a numbered series; the same prepared prompt with other
words in it; "now let's", with words that are new; and, after a pause, other files and other words without a reference
back. Each of them only after a finished turn.
"""

import re

from msgspec.structs import replace

from rawr.core.compaction.finished import finished
from rawr.core.compaction.orders import LOOKED_AT, next_piece, order, request, same_prompt
from rawr.core.compaction.turning import BACK, BACK_UNSPACED, GOES_ON, TURNS
from rawr.core.draft import ThreadDraft
from rawr.core.state.messages import Queued
from rawr.core.state.thread import ThreadState
from rawr.core.state.topic import MAX_ORDERS, Order
from rawr.core.vocabulary.items import UserMessage
from rawr.core.vocabulary.payloads import TopicOpened

AWAY = 300_000
"""Milliseconds after which a user who speaks has been away."""
NEW_WORDS, FEW_WORDS = 50, 3
"""The share of a message's words, in percent, that must be new where it says that it turns to something else, and how
many words there must be."""
NEW_WORDS_AFTER_PAUSE = 60
TYPED = 2_000
"""Characters of a message whose words are compared."""
BEGINNING, ENDING = 80, 200
"""Characters of a long message in which it refers back, if it does: a log that is pasted once more, a question."""
NEWEST = 4
"""Messages of each side that make up the topic, at least."""
_LONG_WORD, _STEM = 4, 7
_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
_WORDS = re.compile(rf"{_UNSPACED}+|(?:(?!{_UNSPACED})[^\W\d_]){{{_LONG_WORD},}}")
_NOT_TYPED = re.compile(r"```.*?(?:```|\Z)|https?://\S+", re.DOTALL)
_SUFFIX = (
    r"\.(?:py|[jt]sx?|md|json|toml|ya?ml|go|rs|java|kt|swift|cc|cpp|hpp|cs|rb|php|lua|sh|ps1|html|s?css|sql|txt|ipynb|"
    r"tf|xml|vue|svelte|dart|gradle|ini|cfg|csv)(?!\w)"
)
_NAMES_FILE = re.compile(_SUFFIX)
_FILE = re.compile(r"(?<![\w.])(?!(?:next|node|vue|react|three|express)\.js)[\w./\\@-]*[a-z][\w-]+" + _SUFFIX)
_WORD = re.compile(r"\w+")


def before_turn(draft: ThreadDraft, message: Queued) -> bool:
    """A user's message is about to be delivered. Return True if it opens a new topic: then that is signalled, once."""
    if draft.state.last_turn is None or message.seq <= draft.state.topic.looked_at:
        return False
    draft.change(topic=replace(draft.state.topic, looked_at=message.seq))
    return _signal(draft, message.text, order(message.text))


def spoken(draft: ThreadDraft, item: UserMessage) -> None:
    """A message is shown in the thread, and is not in the record yet. Where rawr did not deliver it, the turn has begun
    already; what it opens counts at the end of that turn."""
    running = draft.state.turn
    purpose = next((one.message.purpose for one in draft.state.sent if one.effect == item.client_id), None)
    if purpose not in (None, "user"):
        return
    new = order(item.text)
    if purpose is None and running is not None and len(running.messages) == 1:
        _signal(draft, item.text, new)
    if new is not None:
        kept = draft.state.topic
        draft.change(topic=replace(kept, orders=(*kept.orders, new)[-MAX_ORDERS:]))


def _signal(draft: ThreadDraft, text: str, new: Order | None) -> bool:
    last, evidence = draft.state.last_turn, opened(draft.state, text, new, now=draft.at)
    if evidence and last is not None:
        draft.signal("topic_shift", TopicOpened(evidence), source="user", turn=last.id)
    return bool(evidence)


def opened(state: ThreadState, text: str, new: Order | None, *, now: int) -> tuple[str, ...]:
    """Why a message opens a new topic, of which ``new`` is what it orders; empty if it does not."""
    last = state.last_turn
    if last is None or last.synthetic or last.review or text.startswith(("!", "/")):
        return ()
    typed = request(text)
    by_order = _by_order(state, new, typed) if new is not None and state.topic.orders else ()
    found = by_order or _by_words(state, typed, away=now - last.ended_at >= AWAY)
    if not found or last.status != "completed":
        return ()
    # Who orders the next piece in the very words of the last order has made up their mind, whatever the agent said. In
    # all other cases its words count; to look at them costs the most, and few messages get here.
    return found if len(by_order) > 1 or finished(last) is not None else ()


def _by_order(state: ThreadState, new: Order, typed: str) -> tuple[str, ...]:
    beginning = typed[:LOOKED_AT]
    if beginning.rstrip().endswith("?") or GOES_ON.search(beginning.lower()):
        return ()
    piece = next_piece(new, state.topic.orders)
    again = same_prompt(new, state.topic.orders) and (bool(piece) or not _refers_back(typed[:BEGINNING].lower()))
    return tuple(filter(None, (piece, "the same prompt as before, about something else" if again else "")))


def _by_words(state: ThreadState, typed: str, *, away: bool) -> tuple[str, ...]:
    typed = typed[:TYPED].replace("’", "'").lower()
    turns = TURNS.match(typed)
    if turns is None and not (away and _NAMES_FILE.search(typed)):
        return ()
    typed = _NOT_TYPED.sub(" ", typed)
    rest = typed[turns.end() : LOOKED_AT] if turns else typed[:LOOKED_AT]
    ending = typed[max(LOOKED_AT, len(typed) - ENDING) :]
    if _refers_back(f"{rest} {ending}") or not (turns or _FILE.search(typed)):
        return ()
    words, topic = _words(typed), _topic(state)
    new = [word for word in words if word[:_STEM] not in topic]
    share = f"{len(new)} of {len(words)} words are new"
    if len(words) < FEW_WORDS or len(new) * 100 < len(words) * NEW_WORDS:
        return ()
    if turns:
        return f"it begins with “{turns.group().strip()}”", share, "no reference back"
    files = {re.split(r"[/\\]", one)[-1] for one in _FILE.findall(typed)}
    if len(new) * 100 < len(words) * NEW_WORDS_AFTER_PAUSE or any(one.rpartition(".")[0] in topic for one in files):
        return ()
    return "after a pause", f"other files: {', '.join(sorted(files)[:3])}", share, "no reference back"


def _refers_back(words: str) -> bool:
    return BACK_UNSPACED.search(words) is not None or not BACK.isdisjoint(_WORD.findall(words))


def _words(typed: str) -> list[str]:
    """Each once. Where words are not told apart by spaces, pairs of characters stand for them."""
    found: list[str] = []
    for word in _WORDS.findall(typed):
        unspaced = re.match(_UNSPACED, word)
        found += [word[at : at + 2] for at in range(len(word) - 1)] if unspaced else [word]
    return list(dict.fromkeys(found))


def _topic(state: ThreadState) -> str:
    """What both sides said last, in lower case."""
    ledger, last = state.ledger, state.last_turn
    asked = [request(one.text) for one in ledger.directives[-NEWEST:]]
    if len(asked) < NEWEST:
        asked.append(request(ledger.goal))
    said = [one.text for one in state.since.said[-NEWEST:]]
    return "\n".join((*asked, *said, last.agent_text if last is not None else "")).lower()
