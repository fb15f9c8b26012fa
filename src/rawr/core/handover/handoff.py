"""The handoff: the one message that carries a thread across a compaction (A14, D3).

It contains the packet in a block that its content cannot close, rawr's own record, and the user's standing directives
verbatim. Its size is limited to a share of the window; cuts are marked, and the user's words are cut last.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.handover import phases
from rawr.core.handover.packet import Packet
from rawr.core.policy.prompts import PINNED, Prompts
from rawr.core.speech import NOTHING, Own, Template, bare, block, line, render, rows, say, with_places, word
from rawr.core.state.ledger import Failure, Ledger, Pull, Touched, UserDecision
from rawr.core.state.mode import Mode
from rawr.core.state.thread import PhaseMark
from rawr.core.text import head
from rawr.core.vocabulary.facts import PlanStep

LEAST_BYTES = 4_000
"""Room that a handoff always has, however small the window."""
BYTES_PER_TOKEN = 2
"""On the safe side: prose takes three to four bytes per token, hashes and code about two."""

GO_ON = say("Continue from here.")
CUT_OFF = say(
    "What follows this message is the user's, word for word. It was cut off as the compaction began, and has no answer "
    "yet, also where it stands above: it comes first, before you continue from here."
)
MEANWHILE = say("The user said this while the packet was written. What of it is not answered or done yet comes first:")
MOST_MEANWHILE = 2_000
"""Bytes. The whole of it is in the thread, and in the user's words above as far as there is room."""
OFFERED = say(
    "The last thing you said to the user, word for word. What you offered or asked in it is theirs to answer: do not "
    "do it before they have. Their next message may answer it in one word."
)
SAID = say("The last thing you said before the compaction, word for word:")
ANSWERED = say(
    "The last thing you said to the user before their newest message, word for word. That message may answer it in one "
    "word."
)
MOST_OFFERED = 6_000
"""Bytes."""
ALL_DONE = say("Nothing is left to do on the plan: do not start new work, say in one line that you are ready.")


class Content(Struct, frozen=True):
    """What goes into a handoff."""

    sequence: str
    packet: Packet | None
    ledger: Ledger
    plan: tuple[PlanStep, ...]
    finished: bool = False
    scratch: str = ""
    words: tuple[str, ...] = ()
    """What the user said while the packet was asked for."""
    carries: bool = False
    """A message of the user's goes out behind it."""
    marks: tuple[PhaseMark, ...] = ()
    wrong: tuple[Own, ...] = ()
    """What the packet says and is not so."""
    offered: str = ""
    """The agent's last words to the user before the compaction."""
    driven: bool = False
    """A run goes on by itself: nobody answers what the agent asks."""
    recovers: bool = False
    """Somebody else compacted, perhaps in the turn of the user's answer."""
    full: bool = False
    """Under the rules from before, pull requests, invariants and mode are not passed on."""
    mode: Mode = ""
    mode_by: Literal["agent", "user", ""] = ""


def byte_limit(window: int | None, *, share_percent: int) -> int:
    """The size limit of a handoff, in bytes of UTF-8. An unknown window counts as a small one."""
    return max((window or 32_000) * share_percent // 100 * BYTES_PER_TOKEN, LEAST_BYTES)


def write(template: Template, content: Content, *, limit: int) -> Own:
    """The message, at most ``limit`` bytes long: the packet is cut first, then the record, then the directives."""
    # Nothing may crowd out the rest: at worst, the user's words get half of the room, the record a quarter.
    content = replace(content, offered=_end(content.offered, min(limit // 8, MOST_OFFERED)))
    words = _cut(directives(content.ledger, limit=limit // 2), limit // 2)
    facts: str = _facts(content)
    facts = _cut(facts, max(limit // 4, limit - _size(words) - limit // 4))
    packet = content.packet.text if content.packet is not None else ""
    parts = _Parts(content, packet, facts, words)
    # A template that a person edited may lack a place. The pinned parts are in every handoff anyway.
    pinned = PINNED if content.packet is not None else tuple(one for one in PINNED if one != "packet")
    pinned = (*pinned, "words") if content.words else pinned
    pinned = (*pinned, "offered") if content.offered else pinned
    message = _fitted(with_places(template, pinned), parts, limit)
    if message is not None:
        return message
    # A template that leaves no room is not used: the user's words are worth more.
    smallest = Prompts().handoff if content.packet is not None else Prompts().recovery
    small = _Parts(content, _cut(packet, limit // 16), _cut(facts, limit // 16), _cut(words, limit // 8))
    return _fitted(smallest, parts, limit) or _filled(smallest, small)


class _Parts(Struct, frozen=True):
    content: Content
    packet: str
    facts: str
    words: str


def _fitted(template: Template, parts: _Parts, limit: int) -> Own | None:
    """The message, cut until it fits; None if it does not."""
    for _ in range(5):
        message = _filled(template, parts)
        over = _size(message) - limit
        if over <= 0:
            return message
        if _size(parts.packet) > _NOTE:
            parts = replace(parts, packet=_cut(parts.packet, _size(parts.packet) - over - _NOTE))
        elif _size(parts.facts) > _NOTE:
            parts = replace(parts, facts=_cut(parts.facts, _size(parts.facts) - over - _NOTE))
        else:
            parts = replace(parts, words=_cut(parts.words, _size(parts.words) - over - _NOTE))
    return None


def _filled(template: Template, parts: _Parts) -> Own:
    content, scratch = parts.content, parts.content.scratch
    meanwhile = _cut("\n\n".join(content.words), MOST_MEANWHILE)
    by_agent = content.packet is not None and content.packet.author == "agent"
    return render(
        template,
        {
            "sequence": word(content.sequence),
            "author": say("you") if by_agent else say("rawr"),
            "packet": block(parts.packet, label="packet") if content.packet is not None else NOTHING,
            "recorded": block(parts.facts, label="recorded"),
            "directives": block(parts.words, label="directives") if parts.words else say("None."),
            "scratch": say("Your notes are in {file}.", file=word(scratch)) if scratch else NOTHING,
            "words": say("{intro}\n\n{words}", intro=MEANWHILE, words=block(meanwhile)) if meanwhile else NOTHING,
            "offered": _offered(content),
            "closing": _closing(content),
        },
    )


def _offered(content: Content) -> Own:
    if not content.offered:
        return NOTHING
    intro = ANSWERED if content.recovers else (SAID if content.driven else OFFERED)
    return say("{intro}\n\n{words}", intro=intro, words=block(content.offered))


def _closing(content: Content) -> Own:
    if content.carries:
        return CUT_OFF
    return ALL_DONE if content.finished and not content.words else GO_ON


_MARKS = {"completed": say("done"), "in_progress": say("doing"), "pending": say("to do")}


def _facts(content: Content) -> Own:
    """What is recorded; above it, where the packet says otherwise, and what kind of work comes now."""
    seen = recorded(content.ledger, content.plan, content.marks)
    above = (
        *(say("the packet is wrong here: {what}", what=what) for what in content.wrong),
        *(_more(content) if content.full else ()),
    )
    return rows((*above, NOTHING if above and seen == _NOTHING_SEEN else seen))


def _more(content: Content) -> Iterator[Own]:
    if content.mode:
        by = say("set by the user") if content.mode_by == "user" else say("by the phase that the agent named")
        yield say("mode: {mode} ({by})", mode=word(content.mode), by=by)
    yield from map(_pulled, content.ledger.pulls)
    packet = bare(content.packet.text) if content.packet is not None else ""
    for text in content.ledger.added:
        if bare(text) not in packet:
            yield say("invariant, from an earlier packet of the agent's: {text}", text=line(text))


_NOTHING_SEEN = say("nothing")


def recorded(ledger: Ledger, plan: tuple[PlanStep, ...], marks: tuple[PhaseMark, ...] = ()) -> Own:
    """What rawr itself saw, one line per fact."""
    facts = [
        *(say("plan, {mark}: {step}", mark=_MARKS[one.status], step=line(one.step)) for one in plan),
        *phases.recorded(marks),
        *(say("commit {sha}: {subject}", sha=word(one.sha[:10]), subject=line(one.subject)) for one in ledger.commits),
        *map(_file, ledger.files),
        *map(_failed, ledger.failures),
        *map(_decided, ledger.decisions),
    ]
    if ledger.dropped:
        facts.append(say("({dropped} older entries are not listed)", dropped=ledger.dropped))
    return rows(facts) or _NOTHING_SEEN


def _pulled(one: Pull) -> Own:
    fact = say("pull request: {done}", done=word(one.done))
    return say("{fact} ({url})", fact=fact, url=line(one.url)) if one.url else fact


def _file(one: Touched) -> Own:
    fact = say("file, {kind}: {path}", kind=word(one.kind), path=line(one.path))
    return say("{fact} (perhaps by another thread)", fact=fact) if one.shared else fact


def _failed(one: Failure) -> Own:
    how = say("failed, exit code {code}", code=one.exit_code) if one.exit_code is not None else say("failed")
    fact = say("{how}: {command}", how=how, command=line(one.command))
    return say("{fact} ({why})", fact=fact, why=line(one.last_line)) if one.last_line else fact


def _decided(one: UserDecision) -> Own:
    return say(
        "decided by the user: {answer} (asked: {question})", answer=line(one.answer), question=line(one.question)
    )


LATEST = 5
"""How many of the user's latest other messages to quote, because one of them may have given the job."""
LATEST_CHARS = 1_500


def directives(ledger: Ledger, *, limit: int = 1_000_000) -> str:
    """The user's words, verbatim: the goal, pins, rules that apply until they are withdrawn, and the latest messages.

    They all have one author, and are in one block. If they do not fit, the latest messages go first, then the goal is
    cut; pins are never cut before these.
    """
    pins = [f"- {one.text}" for one in ledger.directives if one.pinned]
    rules = [f"- {one.text}" for one in ledger.directives if one.standing and not one.pinned]
    latest = [one for one in ledger.directives if not one.standing][-LATEST:]
    said = [f"Said later: {head(one.text, LATEST_CHARS)}" for one in latest]
    first = "\n".join([*pins, *rules])
    goal = f"Goal: {ledger.goal}" if ledger.goal else ""
    for parts in ((goal, *pins, *rules, *said), (goal, *pins, *rules)):
        words = "\n".join(filter(None, parts))
        if _size(words) <= limit:
            return words
    room = limit - _size(first) - _NOTE
    return "\n".join(filter(None, (_cut(goal, max(room, _NOTE)), _cut(first, limit - _NOTE))))


_NOTE = 80


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _end(text: str, size: int) -> str:
    """At most about ``size`` bytes from the end: what is offered stands last."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    return f"[rawr cut {len(data) - size} bytes here]\n{data[-size:].decode('utf-8', 'ignore')}"


def _cut(text: str, size: int) -> str:
    """At most about ``size`` bytes from the start, never splitting a character; a cut is marked."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    kept = data[: max(size, 0)].decode("utf-8", "ignore")
    return f"{kept}\n[rawr cut {len(data) - len(kept.encode())} bytes here]"
