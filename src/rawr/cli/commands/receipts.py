"""``rawr explain`` and ``rawr log --label``: one decision, its grounds, and a person's verdict on it (C17)."""

import asyncio
import time
from collections.abc import Iterator
from typing import Literal

from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.numbers import short as amount
from rawr.cli.terminal.output import emit, say
from rawr.core.vocabulary.facts import DecisionLabelled
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.aside import write_down
from rawr.runtime.control import Asked, NobodyThere, ask
from rawr.views.asked import short, uncounted
from rawr.views.decisions import Explanation, decided, decisions_named, explanation


def label(name: str, *, word: Literal["good", "bad"], note: str, json: bool) -> Exit:
    """A person's label on a decision, kept with it: through the running rawr, or without one."""
    with journal() as reader:
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
    with journal() as reader:
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
        yield from explained.exchange.in_words(amount)
    for one in explained.effects:
        outcome = f"{one.state}, {one.detail}" if one.detail else one.state
        yield f"  followed by {one.effect} ({outcome})"
    if row.label:
        yield f"A person labelled it {row.label}{f': {row.note}' if row.note else '.'}"
    yield f"It follows from fact {row.fact}, under policy {row.policy}. The decision's full name is {row.id}."


def _grounds(evidence: dict[str, Evidence]) -> Iterator[str]:
    for name, value in evidence.items():
        if value in ("", None, []):
            continue
        if isinstance(value, list):
            yield f"{name.replace('_', ' ')}:"
            yield from (f"  - {one}" for one in value)
        else:
            yield f"{name.replace('_', ' ')}: {value}"


def journal() -> JournalReader:
    places = Places.find()
    if not is_recorded(places.home):
        raise OutsideError(
            f"Nothing is recorded yet in {places.home}.", way_out="`rawr run` and `rawr watch` start a record."
        )
    return JournalReader.open(database(places.home))
