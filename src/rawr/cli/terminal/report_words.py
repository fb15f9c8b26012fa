"""The report on a run in words: sections of lines, for a terminal or as Markdown.

A line is made of our own words and of quoted ones. Quoted are all texts of a model, a repository or a person: each
surface shows those so that they cannot be taken for ours.
"""

import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from rawr.cli.terminal.markdown import block, span
from rawr.cli.terminal.numbers import clock, clock_time, short
from rawr.cli.terminal.output import counted
from rawr.cli.terminal.run_words import how_it_failed
from rawr.views.changes import ChangesView, CommitView, Uncommitted
from rawr.views.course import AnswerView, CheckView, CompactionView, Happening
from rawr.views.report import RunReport

SHOWN = 20
"""Lines of a kind; the newest."""
SHOWN_GOAL = 4_000
SHORT_SHA = 10
DAY = "%m-%d"


class Quoted(Struct, frozen=True):
    text: str


Line = tuple["str | Quoted", ...]


class Section(Struct, frozen=True):
    title: str
    lines: Sequence[Line]
    quote: str = ""
    """A text of several lines, before the others."""


Drawn = Sequence[tuple[str, Sequence[str]]]
"""Pictures in lines of text, with their titles; one without lines is left out."""


def on_terminal(report: RunReport, drawn: Drawn = ()) -> Iterator[str]:
    """Lines for ``say``, which makes what is quoted harmless."""
    yield f"Run {report.run}: {report.verdict}"
    for section in sections(report):
        if section.title == "Commits":
            yield from pictures(drawn)
        yield from in_lines(section)


def pictures(drawn: Drawn) -> Iterator[str]:
    for title, lines in drawn:
        if lines:
            yield from in_lines(Section(title, [(line,) for line in lines]))


def in_lines(section: Section) -> Iterator[str]:
    yield ""
    yield section.title
    yield from (f"  {line}" for line in section.quote.splitlines())
    yield from ("  " + "".join(_flat(part) for part in line) for line in section.lines)


def as_markdown(report: RunReport) -> str:
    parts = [f"# Run {report.run}: {report.verdict}"]
    for section in sections(report):
        lines = "\n".join("- " + "".join(_marked(part) for part in line) for line in section.lines)
        quote = block(section.quote) if section.quote else ""
        parts.append("\n\n".join(part for part in (f"## {section.title}", quote, lines) if part))
    return "\n\n".join(parts) + "\n"


def _flat(part: str | Quoted) -> str:
    return part if isinstance(part, str) else " ".join(part.text.split())


def _marked(part: str | Quoted) -> str:
    return part if isinstance(part, str) else span(part.text)


def sections(report: RunReport) -> Iterator[Section]:
    goal = report.goal if len(report.goal) <= SHOWN_GOAL else f"{report.goal[:SHOWN_GOAL]}…"
    yield Section("Goal", [], quote=goal)
    yield Section("Outcome", list(_outcome(report)))
    if report.waiting or report.unsent:
        yield Section("Waiting for you", list(_waiting(report)))
    yield Section("Commits", list(_commits(report.changes)))
    if report.checks or report.until:
        yield Section("Checks", list(_checks(report)))
    if report.compactions:
        yield Section("Compactions", [_compaction(one, report) for one in report.compactions[-SHOWN:]])
    yield Section("Decisions", list(_decisions(report)))
    yield Section("To continue", [(Quoted(report.continue_with),)])


def _when(at: int, report: RunReport) -> str:
    """The time of day, with its date if the run went over midnight."""
    one_day = clock_time(report.began, DAY) == clock_time(report.last_seen, DAY)
    return clock_time(at, "%H:%M" if one_day else f"{DAY} %H:%M")


# -- the outcome ----------------------------------------------------------------------------------------------------


def _outcome(report: RunReport) -> Iterator[Line]:
    if report.why:
        yield (report.why, *((" ", Quoted(report.detail)) if report.detail else ()))
    yield ("In ", Quoted(report.folder), ", thread ", Quoted(report.thread))
    cost = f", cost {report.cost:.2f}" if report.cost is not None else ""
    turns = f"{counted(report.turns, 'turn')} of {report.max_turns}"
    yield (f"{turns}, {clock(report.seconds)} of work, {short(report.tokens)} tokens{cost}",)
    retried = f"; a turn was retried {counted(report.retries, 'time')}" if report.retries else ""
    yield (f"{clock_time(report.began)} to {clock_time(report.last_seen)}{retried}",)
    for one in _between(report)[-SHOWN:]:
        detail: Line = (" ", Quoted(one.detail)) if one.detail else ()
        yield (f"{_when(one.at, report)} {one.what}: {one.why}", *detail)
    if not report.whole:
        yield ("The beginning of the run is no longer in the journal.",)


def _between(report: RunReport) -> tuple[Happening, ...]:
    """What happened between the start and the end, both of which have a line of their own."""
    rest = report.happenings[1:]
    return rest[:-1] if rest and report.why and rest[-1].why == report.why else rest


def _waiting(report: RunReport) -> Iterator[Line]:
    for one in report.waiting:
        yield (Quoted(one.asked),)
        yield from (("  ", Quoted(ground)) for ground in one.grounds)
        yield ("  → ", *_listed(one.commands))
    for text in report.unsent:
        yield ("Not sent until you resume it: ", Quoted(text))


def _listed(commands: Sequence[str]) -> Line:
    return tuple(part for number, one in enumerate(commands) for part in ((" or " if number else ""), Quoted(one)))


# -- what was done --------------------------------------------------------------------------------------------------


def _commits(changes: ChangesView) -> Iterator[Line]:
    commits = changes.commits
    if not commits:
        yield ("None.",)
    elif changes.files:
        numbers = f"{counted(changes.files, 'file')}, +{changes.added} -{changes.removed}"
        yield (f"{counted(len(commits), 'commit')}: {numbers}",)
    if len(commits) > SHOWN:
        yield (f"The newest {SHOWN}:",)
    yield from (_commit(one, looked=not changes.problem) for one in commits[-SHOWN:])
    if changes.problem:
        yield (Quoted(changes.problem),)
    elif changes.uncommitted.files:
        yield from _uncommitted(changes.uncommitted)


def _commit(one: CommitView, *, looked: bool) -> Line:
    numbers = ""
    if one.files is not None:
        numbers = f" ({counted(one.files, 'file')}, +{one.added} -{one.removed})"
    elif looked:
        numbers = " (not in the repository now)"
    return (Quoted(one.sha[:SHORT_SHA]), " ", Quoted(one.subject), numbers)


def _uncommitted(found: Uncommitted) -> Iterator[Line]:
    yield (f"Not committed: {counted(found.files, 'file')}",)
    for what, names in (("changed", found.changed), ("staged", found.staged), ("new", found.untracked)):
        if names:
            parts = [part for name in names for part in (", ", Quoted(name))]
            yield (f"{what}: ", *parts[1:])


def _checks(report: RunReport) -> Iterator[Line]:
    if report.until:
        yield (Quoted(report.until),)
    passed = sum(one.passed for one in report.checks)
    ran = f"Ran {counted(len(report.checks), 'time')}: {passed} passed, {len(report.checks) - passed} failed"
    yield (ran if report.checks else "Not run yet.",)
    yield from (_check(one, report) for one in report.checks[-SHOWN:])


def _check(one: CheckView, report: RunReport) -> Line:
    when = _when(one.at, report)
    if one.passed:
        return (f"{when} passed",)
    how = how_it_failed(one)
    last = one.output.splitlines()[-1:] if one.output else []
    return (f"{when} failed, {how}", *((": ", Quoted(last[0])) if last else ()))


def _compaction(one: CompactionView, report: RunReport) -> Line:
    before, after = (short(count) if count is not None else "?" for count in (one.tokens_before, one.tokens_after))
    how = ", by Codex itself" if one.by_codex else f", packet by {one.packet}" if one.packet else ""
    took = f", {one.seconds} s" if one.seconds is not None else ""
    gained = f"{before} → {after} tokens" if one.ok else "failed"
    return (f"{_when(one.at, report)} {gained}{how}{took}",)


# -- who decided what -----------------------------------------------------------------------------------------------


def _decisions(report: RunReport) -> Iterator[Line]:
    made = report.approvals
    approved = f"Approved: {made.by_rule} by rule, {made.by_person} by you; declined: {made.declined}"
    yield (approved,)
    if made.answered_by_person or made.answered_by_model:
        yield (f"Questions answered: {made.answered_by_person} by you, {made.answered_by_model} by a model",)
    if report.allow:
        parts = [part for words in report.allow for part in (", ", Quoted(words))]
        yield ("Allowed by your order: ", *parts[1:])
    yield from (_answer(one, report) for one in report.answers[-SHOWN:])
    yield ("All of them: ", Quoted(f"rawr log {shlex.quote(report.run)}"))


def _answer(one: AnswerView, report: RunReport) -> Line:
    who = {
        "person": "you",
        "model": "a model",
        "rules": "declined by rule",
        "deadline": "declined, because nobody answered in time",
        "crowd": "declined, because too many were open",
    }.get(one.by, one.by)
    answer: Line = (": ", Quoted(one.answer)) if one.by in ("person", "model") and one.answer else ()
    came: Line = (" (by way of ", Quoted(one.came), ")") if one.came else ()
    return (f"{_when(one.at, report)} ", Quoted(one.asked), f" → {who}", *answer, *came)
