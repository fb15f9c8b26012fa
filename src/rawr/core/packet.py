"""The continuation packet: the sections it must have, read from what the agent wrote or built from the record.

An agent's packet is data: it is read for its sections and nothing in it is obeyed.
"""

import re
from enum import StrEnum
from typing import Literal, Self

from msgspec import Struct

from rawr.core.facts import PlanStep
from rawr.core.ledger import Ledger
from rawr.core.text import head, tail

MAX_PACKET = 60_000


class Section(StrEnum):
    """What a packet must tell (A11), with the words by which its heading is known."""

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
"""How a heading is known in a packet that has all of them as it was asked to."""
_MARKED = re.compile(r"^\s{0,3}(?:#{1,6}\s+|\d{1,2}[.)]\s+|\*\*|__)")
"""How it is known otherwise: hashes, a number, bold letters; or, without any of these, by a colon after its words."""
_FENCE = re.compile(r"^\s*(`{3,}(?=[^`]*$)|~{3,})")
_ORNAMENT = re.compile(r"^[\s#*_\d.)]+|[\s*_#]+$")
MAX_HEADING = 80


class Packet(Struct, frozen=True):
    text: str
    sections: dict[Section, str]
    author: Literal["agent", "rawr"] = "agent"


def parse(text: str) -> Packet:
    """The agent's packet by its sections. A section that cannot be told is missing, and the text stays whole."""
    text = head(text.strip(), MAX_PACKET)
    lines = text.split("\n")
    readings = [_sections(lines, strict=True)]
    if len(readings[0]) < len(Section):
        readings.append(_sections(lines, strict=False))
        if _FENCE.match(lines[0]) and _FENCE.match(lines[-1]):
            # The whole packet in one block, as agents like to give a document.
            readings.append(_sections(lines[1:-1], strict=False))
    return Packet(text, max(readings, key=len))


def _sections(lines: list[str], *, strict: bool) -> dict[Section, str]:
    """What stands under each heading that is outside of code. The first of two equal headings counts."""
    found: dict[Section, list[str]] = {}
    current: Section | None = None
    fence = ""
    for line in lines:
        opening = _FENCE.match(line)
        if opening and not fence:
            fence = opening[1]
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        named = None if fence else _section_of(line, strict=strict)
        if named is not None and named[0] not in found:
            current, rest = named
            found[current] = [rest] if rest else []
        elif current is not None:
            found[current].append(line)
    bodies = {section: "\n".join(body).strip() for section, body in found.items()}
    return {section: body for section, body in bodies.items() if body}


def _section_of(line: str, *, strict: bool) -> tuple[Section, str] | None:
    """The section that a line begins, and what stands on the same line after the heading."""
    title, colon, rest = line.partition(":")
    loosely = not strict and (_MARKED.match(line) or (colon and line[:1].isupper()))
    if not (_HASHED.match(line) or loosely) or len(title) > MAX_HEADING:
        return None
    title = _ORNAMENT.sub("", title).lower()
    for section in Section:
        if any(re.search(rf"\b{re.escape(word)}", title) for word in section.words):
            return section, rest.strip(" *_")
    return None


# -- building --------------------------------------------------------------------------------------------------------


def build(ledger: Ledger, plan: tuple[PlanStep, ...], *, last_message: str, max_tail: int, phase: str = "") -> Packet:
    """A packet from the record alone, for when the agent gave none (A12). It says who wrote it."""
    done = [one.step for one in plan if one.status == "completed"]
    left = [one for one in plan if one.status != "completed"]
    sections = {
        Section.GOAL: ledger.goal or "Not recorded.",
        Section.COMPLETED: _list([*done, *(f"commit {one.sha[:7]} {one.subject}" for one in ledger.commits)]),
        Section.STATE: _state(last_message, max_tail=max_tail, phase=phase),
        Section.INVARIANTS: _list([one.text for one in ledger.directives if one.standing]),
        Section.FINDINGS: _list(
            [
                *(f"`{one.command}` failed with exit code {one.exit_code}: {one.last_line}" for one in ledger.failures),
                *(f"the user decided “{one.answer}” on “{one.question}”" for one in ledger.decisions),
            ]
        ),
        Section.QUESTIONS: "None recorded.",
        Section.NEXT: left[0].step if left else "Nothing is left on the plan.",
    }
    text = "\n\n".join(f"## {section.value}\n{body}" for section, body in sections.items())
    return Packet(text, sections, author="rawr")


def placeholders(packet: Packet) -> dict[str, str]:
    """The sections under the names that the watcher's template knows them by."""
    names = ("goal", "completed", "state", "invariants", "findings", "questions", "next")
    return {name: packet.sections.get(section, "None recorded.") for name, section in zip(names, Section, strict=True)}


def nothing_left(text: str, plan: tuple[PlanStep, ...]) -> bool:
    """Whether the job is over by the packet's own word, and the plan does not say otherwise.

    It must be a sentence of its own: “nothing is left to do in the parser” is about the parser.
    """
    sentences = re.split(r"[.!\n]", parse(text).sections.get(Section.NEXT, ""))
    says_so = any(one.strip(' \t*_`-"“”').lower() == "nothing is left to do" for one in sentences)
    return says_so and all(step.status == "completed" for step in plan)


def _state(last_message: str, *, max_tail: int, phase: str) -> str:
    said = tail(last_message.strip(), max_tail) if max_tail else ""
    words = f"The agent's last words were:\n{said}" if said else "The agent's last words are not recorded."
    return f"The phase that ended: {phase}.\n{words}" if phase else words


def _list(entries: list[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries) or "None recorded."
