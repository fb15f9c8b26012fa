"""What must hold when a case is over, whatever was killed. Each rule says in a few words how it was broken."""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from rawr.cli.exit_codes import Exit
from rawr.core.vocabulary import effects
from tests.crash.case import Case
from tests.crash.evidence import Event, Evidence

HANDOFF = re.compile(r"\[rawr [cu]\d+\] Handoff: ")
MARKED = re.compile(r"\[rawr [cu]\d+\] \S+")
"""How a message of rawr's begins that may stand in a thread once only."""
SHORT = 160
LEFT = (0, 130)
"""Exit codes of a watch that a person ends."""
WITHOUT_HOST = (Exit.PROBLEM, Exit.JOURNAL)
"""Exit codes of a command whose host is gone, or did not come up."""


class Violation(Struct, frozen=True):
    rule: str
    what: str


def check(case: Case, seen: Evidence) -> list[Violation]:
    rules = {
        "rehearsal": _rehearsed(case, seen),
        "handoff": _handoffs(seen),
        "messages": _messages(seen),
        "record": _record(seen),
        "limits": _limits(case, seen),
        "end": _end(case, seen),
        "replay": iter(seen.divergences[:1]),
    }
    return [Violation(rule, what[:SHORT]) for rule, found in rules.items() for what in found]


def _rehearsed(case: Case, seen: Evidence) -> Iterator[str]:
    """With nothing killed the job shows what it is there for; otherwise its cases would prove nothing."""
    if not case.point and case.what.compacts and not any(event.kind == "compaction" for event in seen.history):
        yield "nothing was compacted"


def _record(seen: Evidence) -> Iterator[str]:
    """What Codex did not report is on record, and once."""
    for call in sorted({*seen.unreported, *seen.found}):
        count = seen.found.count(call)
        if count != seen.unreported.count(call):
            yield f"the call {call} is on record {count} times; Codex has it {seen.unreported.count(call)} times"


def _handoffs(seen: Evidence) -> Iterator[str]:
    """Exactly one after each compaction, whoever compacted, and none without one; and the agent has read the newest."""
    parts: list[list[Event]] = [[]]
    for event in seen.history:
        if event.kind == "compaction":
            parts.append([])
        else:
            parts[-1].append(event)
    counts = [sum(event.kind == "user" and HANDOFF.match(event.text) is not None for event in part) for part in parts]
    if counts[0]:
        yield f"{counts[0]} before any compaction"
    for number, count in enumerate(counts[1:], 1):
        if count != 1 and not (count == 0 and number + 1 < len(parts) and _overtaken(parts[number])):
            yield f"{count or 'none'} after compaction {number} of {len(counts) - 1}"
    if not _was_read(seen):
        yield "the agent went on without reading the newest"


def _overtaken(between: list[Event]) -> bool:
    """Codex compacted again before it took up the handoff of the first: after one answer, in which nothing is taken
    up, or at the start of the next turn. The handoff of the second compaction is that of both."""
    *said, summary = between or [Event("compaction")]
    kinds = [event.kind for event in said]
    in_the_turn = kinds[: kinds.index("turn")] if "turn" in kinds else kinds
    return (
        summary.kind == "agent"
        and kinds[len(in_the_turn) :] in ([], ["turn"])
        and in_the_turn in (["agent"], ["user", "agent"])
    )


def _was_read(seen: Evidence) -> bool:
    """Whatever the agent said after the newest handoff, the model had that handoff when it was asked."""
    newest = ""
    answered = False
    for event in seen.history:
        if event.kind == "user" and HANDOFF.match(event.text):
            newest, answered = event.text, False
        answered = answered or event.kind == "agent"
    asked = [one for one in seen.requests if not one.is_compaction]
    return not newest or not answered or (bool(asked) and newest in asked[-1].user_texts)


def _messages(seen: Evidence) -> Iterator[str]:
    """Nothing that a person said is lost or doubled, and nothing of rawr's that belongs to one moment is."""
    said = [event for event in seen.history if event.kind == "user"]
    texts = Counter(event.text for event in said)
    for text in seen.spoken:
        if texts[text] != 1:
            yield f"{'lost' if not texts[text] else f'{texts[text]} times'}: {text}"
    for name, count in Counter(event.client for event in said if event.client).items():
        if count > 1:
            yield f"{count} times under one name: {name}"
    marks = Counter(found.group() for text in texts.elements() if (found := MARKED.match(text)))
    yield from (f"{count} times: {mark}" for mark, count in marks.items() if count > 1)
    for request in seen.requests:
        again = [text for text in seen.spoken if request.user_texts.count(text) > 1]
        if again:
            yield f"the model was shown it twice, in request {request.number}: {again[0]}"
            return


def _limits(case: Case, seen: Evidence) -> Iterator[str]:
    """What a run was ordered with holds in every turn."""
    wanted = case.what.limits
    if wanted is None:
        return
    for what, values in (("sandbox", seen.sandboxes), ("approval", seen.approvals)):
        wrong = [value for value in values if value != wanted[what]]
        if wrong:
            yield f"{what} {wrong[0]} instead of {wanted[what]}, in {len(wrong)} of {len(values)} turns"
    if seen.theirs:
        # Codex keeps the configuration of whoever opens a thread first (measured); no resume changes it.
        return
    asked = [one for one in seen.requests if not one.is_compaction]
    without = [one.number for one in asked if "update_plan" not in one.tools]
    if without:
        yield f"no plan tool in {len(without)} of {len(asked)} requests"
    ordered = sum(isinstance(one.effect, effects.StartCompaction) for one in seen.effects)
    compacted = sum(event.kind == "compaction" for event in seen.history)
    if compacted > ordered and not case.what.native:
        yield f"{compacted} compactions, of which rawr ordered {ordered}"


def _end(case: Case, seen: Evidence) -> Iterator[str]:
    """A run ends as it was ordered: checked, with the exit code that says so."""
    if "Traceback" in seen.errors:
        yield "a traceback: " + seen.errors.strip().splitlines()[-1]
    for code, said in seen.abandoned:
        if code not in WITHOUT_HOST or "host" not in said:
            yield f"a client whose host was killed: exit code {code}: {said.strip()[-100:]}"
    if case.what.command == "run":
        stop = seen.summary.get("stop")
        reason = stop["reason"] if isinstance(stop, dict) else seen.errors.strip()[-100:]
        if (seen.code, seen.summary.get("done")) != (0, "checked"):
            yield f"exit code {seen.code}, done: {seen.summary.get('done')} ({reason})"
        elif not seen.checks:
            yield "it says checked, and the check was not run"
    elif seen.code not in LEFT:
        yield f"exit code {seen.code}: {seen.errors.strip()[-100:]}"
