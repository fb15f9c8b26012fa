"""The continuation packet: its required sections, read from what the agent wrote or built from the record.

An agent's packet is data: rawr reads its sections and obeys nothing in it.
"""

import re
from enum import StrEnum
from typing import Literal, Self

from msgspec import Struct

from rawr.core.speech import NOTHING, Own, block, line, listed, rows, say, word
from rawr.core.state.ledger import Commit, Failure, Ledger, UserDecision
from rawr.core.text import head
from rawr.core.vocabulary.facts import PlanStep

MAX_PACKET = 60_000


class Section(StrEnum):
    """What a packet must contain (A11), with the words that identify its heading."""

    words: tuple[str, ...]

    def __new__(cls, title: str, *words: str) -> Self:
        member = str.__new__(cls, title)
        member._value_ = title
        member.words = words
        return member

    GOAL = "Overall goal and scope", "goal", "scope", "objective", "mission"
    COMPLETED = "What just completed", "completed", "finished", "accomplished", "what was done", "outputs"
    STATE = "Current state", "current state", "where we are", "status", "state"
    INVARIANTS = "Invariants", "invariant", "constraint", "rules"
    FINDINGS = "Decisions and findings not to repeat", "decision", "finding", "learned", "do not repeat"
    QUESTIONS = "Open questions", "question", "unknown", "open issue", "open point"
    NEXT = "The single next step", "next step", "next action", "next"


_HASHED = re.compile(r"^\s{0,3}#{1,6}\s+")
"""What marks a heading in a packet that has all of them in the requested form."""
_MARKED = re.compile(r"^\s{0,3}(?:#{1,6}\s+|\d{1,2}[.)]\s+|\*\*|__)")
"""What marks a heading otherwise: hashes, a number, bold letters; or, without any of these, a colon after its words."""
_FENCE = re.compile(r"^\s*(`{3,}(?=[^`]*$)|~{3,})")
_ORNAMENT = re.compile(r"^[\s#*_\d.)]+|[\s*_#]+$")
MAX_HEADING = 80


class Packet(Struct, frozen=True):
    text: str
    sections: dict[Section, str]
    author: Literal["agent", "rawr"] = "agent"


def parse(text: str) -> Packet:
    """The agent's packet by its sections. A section that cannot be identified is missing; the text stays complete."""
    text = head(text.strip(), MAX_PACKET)
    lines = text.split("\n")
    readings = [_sections(lines, strict=True)]
    if len(readings[0]) < len(Section):
        readings.append(_sections(lines, strict=False))
        if _FENCE.match(lines[0]) and _FENCE.match(lines[-1]):
            # The whole packet in one block, as agents like to present a document.
            readings.append(_sections(lines[1:-1], strict=False))
    return Packet(text, max(readings, key=len))


def _sections(lines: list[str], *, strict: bool) -> dict[Section, str]:
    """The text under each heading that is outside code. The first of two equal headings counts."""
    found: dict[Section, list[str]] = {}
    current: Section | None = None
    fence = ""
    for written in lines:
        opening = _FENCE.match(written)
        if opening and not fence:
            fence = opening[1]
        elif fence and written.strip().startswith(fence) and not written.strip().strip(fence[0]):
            fence = ""
        named = None if fence else _section_of(written, strict=strict)
        if named is not None and named[0] not in found:
            current, rest = named
            found[current] = [rest] if rest else []
        elif current is not None:
            found[current].append(written)
    bodies = {section: "\n".join(body).strip() for section, body in found.items()}
    return {section: body for section, body in bodies.items() if body}


def _section_of(written: str, *, strict: bool) -> tuple[Section, str] | None:
    """The section that a line begins, and the rest of the line after the heading."""
    title, colon, rest = written.partition(":")
    loosely = not strict and (_MARKED.match(written) or (colon and written[:1].isupper()))
    if not (_HASHED.match(written) or loosely) or len(title) > MAX_HEADING:
        return None
    title = _ORNAMENT.sub("", title).lower()
    for section in Section:
        if any(re.search(rf"\b{re.escape(word)}", title) for word in section.words):
            return section, rest.strip(" *_")
    return None


# -- building --------------------------------------------------------------------------------------------------------


class Stretch(Struct, frozen=True):
    """What was done since the last compaction."""

    steps: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()
    files: tuple[str, ...] = ()
    last_message: str = ""
    """What the agent said last at work. Its answers to rawr are none."""
    phase: str = ""
    """What ended."""


def build(ledger: Ledger, plan: tuple[PlanStep, ...], stretch: Stretch, *, max_tail: int) -> dict[str, Own]:
    """A packet from the record alone, if the agent gave none (A12), by the names in its template.

    What was done before this stretch is in the record that goes with every handoff.
    """
    rules = "\n".join(f"- {one.text}" for one in ledger.directives if one.standing)
    added = listed(say("{text} (the agent's, from an earlier packet)", text=line(one)) for one in ledger.added)
    commits = (
        say("commit {sha} {subject}", sha=word(one.sha[:7]), subject=line(one.subject)) for one in stretch.commits
    )
    next_step, closing = _next(plan)
    return {
        "goal": block(ledger.goal) if ledger.goal else say("Not recorded."),
        "completed": listed((*map(line, stretch.steps), *commits)) or _NONE,
        "state": _state(stretch, max_tail=max_tail),
        "invariants": rows((block(rules) if rules else NOTHING, added)) or _NONE,
        "findings": listed((*map(_failed, ledger.failures), *map(_decided, ledger.decisions))) or _NONE,
        "questions": _NONE,
        "next": next_step,
        "closing": closing,
    }


def _next(plan: tuple[PlanStep, ...]) -> tuple[Own, Own]:
    """The next step, and the directive with which the packet ends."""
    left = next((one.step for one in plan if one.status != "completed"), None)
    if left is not None:
        return line(left), say("Continue now with this step.")
    if plan:
        return say("Nothing is left on the plan."), say("If the goal needs more than the plan, continue now with that.")
    return say("No plan is recorded."), say("Continue now where the last words end.")


_NONE = say("None recorded.")
_OVER = "nothing is left to do"


def _failed(one: Failure) -> Own:
    command, code = line(one.command), one.exit_code
    if not one.last_line:
        return say("{command} failed with exit code {code}", command=command, code=code)
    return say("{command} failed with exit code {code}: {why}", command=command, code=code, why=line(one.last_line))


def _decided(one: UserDecision) -> Own:
    return say("the user decided {answer} on {question}", answer=line(one.answer), question=line(one.question))


def nothing_left(text: str, plan: tuple[PlanStep, ...]) -> bool:
    """Return True if the packet itself says that the job is over, and the plan does not contradict it.

    It must be a separate sentence: “nothing is left to do in the parser” is about the parser.
    """
    if _OVER not in text.lower() or any(step.status != "completed" for step in plan):
        return False  # most packets need not be read for it
    sentences = re.split(r"[.!\n]", parse(text).sections.get(Section.NEXT, ""))
    return any(one.strip(' \t*_`-"“”').lower() == _OVER for one in sentences)


def _state(stretch: Stretch, *, max_tail: int) -> Own:
    said = stretch.last_message.strip() if max_tail else ""
    ended = say("The phase that ended: {phase}.", phase=line(stretch.phase)) if stretch.phase else NOTHING
    files = listed(map(line, stretch.files))
    changed = say("Changed in this stretch:\n{files}", files=files) if files else NOTHING
    if not said:
        return rows((ended, changed, say("The agent's last words are not recorded.")))
    words = block(said, limit=max_tail, end=True)
    return rows((ended, changed, say("The agent's last words were:\n{words}", words=words)))
