"""What was said of a phase when it was marked as over: its result, its files, and what comes next (B3, B9).

The agent names them in ``phase_complete``, or a person does. They are claims of whoever made them, quoted as such, and
what rawr passes on and asks for in the packet.
"""

from collections.abc import Sequence

from rawr.core.speech import Own, bare, line, say
from rawr.core.state.thread import PhaseMark, ThreadState

SHORT = 50
"""Characters of each in a heads-up, which stays in the context."""
ENOUGH = 80
"""A text counts as mentioned if this many characters from its start are."""


def since_compaction(state: ThreadState, *, told: bool) -> tuple[PhaseMark, ...]:
    """The phases of this stretch, oldest first; none under rules from before they were passed on."""
    last = state.last_compaction
    return tuple(one for one in state.phases if last is None or one.at > last.at) if told else ()


def ended(what: str, marks: Sequence[PhaseMark]) -> Own:
    """What ended, for the heads-up; with what came of it and what is next, if the newest mark is about it."""
    parts = [line(what)]
    if marks and marks[-1].phase in what:
        newest = marks[-1]
        parts += [say("result: {summary}", summary=line(newest.summary, limit=SHORT))] if newest.summary.strip() else []
        parts += [say("next: {phase}", phase=line(newest.next_phase, limit=SHORT))] if newest.next_phase.strip() else []
    whole = parts[0]
    for part in parts[1:]:
        whole = say("{whole}; {part}", whole=whole, part=part)
    return whole


def recorded(marks: Sequence[PhaseMark]) -> list[Own]:
    """One line per fact."""
    facts: list[Own] = []
    for one in marks:
        by = say("the user") if one.by == "user" else say("the agent")
        fact = say("phase finished, says {by}: {phase}", by=by, phase=line(one.phase))
        facts.append(say("{fact} ({summary})", fact=fact, summary=line(one.summary)) if one.summary.strip() else fact)
        facts += [say("result of {phase}: {path}", phase=line(one.phase), path=line(path)) for path in one.artifacts]
    if marks and marks[-1].next_phase.strip():
        facts.append(say("next phase: {phase}", phase=line(marks[-1].next_phase)))
    return facts


def unmentioned(said: str, marks: Sequence[PhaseMark]) -> list[Own]:
    """What a packet must name and does not: files that hold results, and what comes next."""
    paths = dict.fromkeys(path for one in marks for path in one.artifacts if path.strip())
    missing = [say("The result {path}", path=line(path)) for path in paths if not _mentioned(said, path)]
    following = marks[-1].next_phase if marks else ""
    if following.strip() and _start(following) not in said:
        missing.append(say("The next phase {phase}", phase=line(following)))
    return missing


def _mentioned(said: str, path: str) -> bool:
    name = bare(path).rpartition("/")[2].strip()
    return bare(path) in said or (len(name) > 3 and name in said)


def _start(text: str) -> str:
    return bare(text[:ENOUGH])
