"""``rawr log`` and ``rawr explain``: what was decided, when, on what grounds (C17)."""

import asyncio
import time
from collections.abc import Iterator
from typing import Literal

from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import emit, say
from rawr.core.vocabulary.facts import DecisionLabelled
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.aside import write_down
from rawr.runtime.control import Asked, NobodyThere, ask
from rawr.views.asked import short, uncounted
from rawr.views.decisions import (
    Explanation,
    decided,
    decision_views,
    decisions_named,
    explanation,
    is_worth_showing,
    labels,
    newest_decided,
)

SHOWN = 200


def log(*, thread: str, json: bool, everything: bool) -> Exit:
    """The newest decisions of a thread, or of all."""
    with _journal() as reader:
        chosen = _thread(reader, thread) if thread else None
        # One more than is shown says whether there are older ones. JSON has all.
        rows = (
            decided(reader, chosen) if json else newest_decided(reader, chosen, most=SHOWN + 1, everything=everything)
        )
        views = decision_views(rows, labels(reader))
        tell_of_damage(reader)
    shown = [view for row, view in zip(rows, views, strict=True) if everything or is_worth_showing(row)]
    if json:
        for view in shown:
            emit(view)
        return Exit.OK
    for view in shown[-SHOWN:]:
        when = time.strftime("%m-%d %H:%M:%S", time.localtime(view.at / 1000))
        word = f"  [{view.label}]" if view.label else ""
        say(f"{when}  {short(view.id):<16} {view.reason:<28} {view.meaning}{word}")
    if len(shown) > SHOWN:
        say("(older ones not shown; --json prints all)")
    if not shown:
        say("No decisions yet.")
    return Exit.OK


def label(name: str, *, word: Literal["good", "bad"], note: str, json: bool) -> Exit:
    """A person's label on a decision, kept with it: through the running rawr, or without one."""
    with _journal() as reader:
        row = _decision(reader, name)
        untaught = uncounted(decided(reader, row.thread), row)
    fact = DecisionLabelled(decision=row.id, label=word, note=note)
    home = Places.find().home
    try:
        answer = asyncio.run(ask(home, Asked(fact)))
        if answer.problem:
            raise OutsideError(answer.problem)
    except NobodyThere:
        write_down(home, fact)
    if json:
        emit({"type": "label", "decision": row.id, "label": word, "note": note, "tuning": untaught})
    else:
        say(f"{short(row.id)} is {word}: {row.record.reason.meaning}")
        if untaught:
            say(untaught)
    return Exit.OK


def _decision(reader: JournalReader, name: str) -> Decision:
    found = decisions_named(reader, name)
    if len(found) != 1 or not name:
        tell_of_damage(reader)
        how = "More than one" if found else "No"
        raise OutsideError(f"{how} decision matches {name or '(nothing)'}.", way_out="`rawr log` lists them.")
    return found[0]


def explain(name: str, *, json: bool) -> Exit:
    """One decision in plain words: what it was, what led to it, what followed."""
    with _journal() as reader:
        explained = explanation(reader, _decision(reader, name))
        tell_of_damage(reader)
    if json:
        emit(explained.as_json())
    else:
        for line in _in_words(explained):
            say(line)
    return Exit.OK


def _in_words(explained: Explanation) -> Iterator[str]:
    row = explained.decision
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.at / 1000))
    yield f"{row.meaning} ({row.reason})"
    yield f"Decided {when} about thread {row.thread or '-'}."
    for line in _grounds(row.evidence):
        yield f"  {line}"
    if explained.exchange is not None:
        yield from explained.exchange.in_words()
    for one in explained.effects:
        outcome = f"{one.state}, {one.detail}" if one.detail else one.state
        yield f"  followed by {one.effect} ({outcome})"
    if row.label:
        yield f"A person labelled it {row.label}{f': {row.note}' if row.note else '.'}"
    yield f"Fact {row.fact} led to it, under policy {row.policy}. Its full name is {row.id}."


def _grounds(evidence: dict[str, Evidence]) -> Iterator[str]:
    for name, value in evidence.items():
        if value in ("", None, []):
            continue
        if isinstance(value, list):
            yield f"{name.replace('_', ' ')}:"
            yield from (f"  - {one}" for one in value)
        else:
            yield f"{name.replace('_', ' ')}: {value}"


def _journal() -> JournalReader:
    places = Places.find()
    if not is_recorded(places.home):
        raise OutsideError(
            f"Nothing is recorded yet in {places.home}.", way_out="`rawr run` and `rawr watch` start a record."
        )
    return JournalReader.open(database(places.home))


def _thread(reader: JournalReader, name: str) -> str:
    found = [one.thread for one in reader.threads() if one.thread and one.thread.endswith(name)]
    if len(found) != 1:
        how = "More than one" if found else "No"
        raise OutsideError(f"{how} thread matches {name}.", way_out="`rawr status` lists them.")
    return found[0]
