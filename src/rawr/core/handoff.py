"""The handoff: the one message that carries a thread over a compaction (A14, D3).

It holds the packet in a block that its content cannot close, what rawr recorded itself, and the user's standing
directives verbatim. It is bounded by a share of the window; what had to be cut is said, and the user's words go last.
"""

from msgspec import Struct

from rawr.core.facts import PlanStep
from rawr.core.fence import fenced
from rawr.core.ledger import Ledger
from rawr.core.packet import Packet
from rawr.core.prompts import PINNED, render
from rawr.core.text import head

LEAST_BYTES = 4_000
"""Room that a handoff always has, however small the window."""
BYTES_PER_TOKEN = 2
"""On the safe side: prose runs at three to four bytes a token, hashes and code at about two."""

GO_ON = "Continue from here."
ALL_DONE = "Nothing is left to do on the plan: do not start new work, say in one line that you are ready."
_NO_PACKET = "(There is no packet: Codex compacted by itself before one could be written.)"


class Content(Struct, frozen=True):
    """What goes into a handoff."""

    sequence: str
    packet: Packet | None
    ledger: Ledger
    plan: tuple[PlanStep, ...]
    finished: bool = False
    scratch: str = ""


def byte_limit(window: int | None, *, share_percent: int) -> int:
    """How long a handoff may be, in bytes of UTF-8. An unknown window is taken for a small one."""
    return max((window or 32_000) * share_percent // 100 * BYTES_PER_TOKEN, LEAST_BYTES)


def write(template: str, content: Content, *, limit: int) -> str:
    """The message, at most ``limit`` bytes long: the packet gives way first, then the record, then the directives."""
    template = _with_all(template)
    packet = content.packet.text if content.packet is not None else _NO_PACKET
    facts = recorded(content.ledger, content.plan)
    # Nothing may crowd out the rest: the user's words have half of it, the record a quarter, if it comes to that.
    words = _cut(directives(content.ledger, limit=limit // 2), limit // 2)
    facts = _cut(facts, max(limit // 4, limit - _size(words) - limit // 4))
    for _ in range(4):
        message = _filled(template, content, packet=packet, facts=facts, words=words)
        over = _size(message) - limit
        if over <= 0:
            return message
        if _size(packet) > _NOTE:
            packet = _cut(packet, _size(packet) - over - _NOTE)
        elif _size(facts) > _NOTE:
            facts = _cut(facts, _size(facts) - over - _NOTE)
        else:
            words = _cut(words, _size(words) - over - _NOTE)
    return _cut(message, limit - _NOTE)


def _with_all(template: str) -> str:
    """A template that a person edited may have lost a place. What is pinned is in every handoff all the same."""
    lost = [place for place in (f"{{{name}}}" for name in PINNED) if place not in template]
    return "\n\n".join([template.rstrip(), *lost])


def _filled(template: str, content: Content, *, packet: str, facts: str, words: str) -> str:
    author = "you" if content.packet is not None and content.packet.author == "agent" else "rawr"
    return render(
        template,
        {
            "sequence": content.sequence,
            "author": author,
            "packet": fenced(packet, label="packet"),
            "recorded": fenced(facts, label="recorded"),
            "directives": fenced(words, label="directives") if words else "None.",
            "scratch": f"Your notes are in {content.scratch}." if content.scratch else "",
            "closing": ALL_DONE if content.finished else GO_ON,
        },
    ).rstrip()


def recorded(ledger: Ledger, plan: tuple[PlanStep, ...]) -> str:
    """What rawr saw itself, one line a fact."""
    marks = {"completed": "done", "in_progress": "doing", "pending": "to do"}
    lines = [
        *(f"plan, {marks[step.status]}: {step.step}" for step in plan),
        *(f"commit {one.sha[:10]}: {one.subject}" for one in ledger.commits),
        *(f"file, {one.kind}: {one.path}" for one in ledger.files),
        *(f"failed, exit code {one.exit_code}: {one.command}" + _because(one.last_line) for one in ledger.failures),
        *(f"decided by the user: {one.answer} (asked: {one.question})" for one in ledger.decisions),
    ]
    if ledger.dropped:
        lines.append(f"({ledger.dropped} older entries are not listed)")
    return "\n".join(" ⏎ ".join(line.splitlines()) for line in lines) or "nothing"


def _because(last_line: str) -> str:
    return f" ({last_line})" if last_line else ""


LATEST = 5
"""Messages that were for their moment: the newest are quoted too, because one of them may have given the job."""
LATEST_CHARS = 1_500


def directives(ledger: Ledger, *, limit: int = 1_000_000) -> str:
    """The user's words, verbatim: what was pinned, the goal, what holds until it is taken back, and what came last.

    Where they do not fit, what came last gives way first, then the goal; what was pinned never does before them.
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


def _cut(text: str, size: int) -> str:
    """At most about ``size`` bytes from the start, never splitting a character, and saying what is gone."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    kept = data[: max(size, 0)].decode("utf-8", "ignore")
    return f"{kept}\n[rawr cut {len(data) - len(kept.encode())} bytes here]"
