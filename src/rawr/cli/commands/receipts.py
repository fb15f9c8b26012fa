"""``rawr log`` and ``rawr explain``: what was decided, when, on what grounds (C17)."""

import asyncio
import time
from collections.abc import Iterator
from typing import Literal

from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.damage import tell_of_damage
from rawr.cli.terminal.output import emit, say
from rawr.core.vocabulary.facts import DecisionLabelled, Recorded
from rawr.core.vocabulary.records import Decision, Evidence
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.runtime.aside import write_down
from rawr.runtime.control import Asked, NobodyThere, ask
from rawr.views.asked import exchange, questions, short, uncounted

SHOWN = 200


def log(*, thread: str, json: bool, everything: bool) -> Exit:
    """The newest decisions of a thread, or of all."""
    with _journal() as reader:
        chosen = _thread(reader, thread) if thread else None
        decided = [one for one in reader.decisions(chosen) if isinstance(one, Decision)]
        labelled = labels(reader)
        tell_of_damage(reader)
    asked = questions(decided)
    rows = [one for one in decided if everything or not one.record.reason.startswith("ignored.")]
    for row in rows if json else rows[-SHOWN:]:
        if json:
            effect = {"question_effect": asked[row.id]} if row.id in asked else {}
            emit({**_as_json(row, labelled.get(row.id)), **effect})
        else:
            when = time.strftime("%m-%d %H:%M:%S", time.localtime(row.at / 1000))
            word = f"  [{labelled[row.id].label}]" if row.id in labelled else ""
            say(f"{when}  {short(row.id):<16} {row.record.reason.value:<28} {row.record.reason.meaning}{word}")
    if not json and len(rows) > SHOWN:
        say(f"({len(rows) - SHOWN} older ones; --json prints all)")
    if not rows and not json:
        say("Nothing was decided yet.")
    return Exit.OK


def label(name: str, *, word: Literal["good", "bad"], note: str, json: bool) -> Exit:
    """A person's word on a decision, kept with it: through the rawr that runs, or without one."""
    with _journal() as reader:
        row = _decision(reader, name)
        decided = [one for one in reader.decisions(row.thread) if isinstance(one, Decision)]
    untaught = uncounted(decided, row)
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


def labels(reader: JournalReader) -> dict[str, DecisionLabelled]:
    """What was said of decisions; the last word counts."""
    told = (one.fact for one in reader.facts("") if isinstance(one, Recorded))
    return {fact.decision: fact for fact in told if isinstance(fact, DecisionLabelled)}


def _decision(reader: JournalReader, name: str) -> Decision:
    found = [one for one in reader.decisions() if isinstance(one, Decision) and one.id.endswith(name)]
    found = [one for one in found if one.id == name] or found
    if len(found) != 1 or not name:
        tell_of_damage(reader)
        how = "More than one" if found else "No"
        raise OutsideError(f"{how} decision is called {name or '(nothing)'}.", way_out="`rawr log` lists them.")
    return found[0]


def explain(name: str, *, json: bool) -> Exit:
    """One decision in plain words: what it was, what led to it, what followed."""
    with _journal() as reader:
        row = _decision(reader, name)
        labelled = labels(reader).get(row.id)
        effects = [
            one for one in reader.effects(row.thread, after=row.seq - 1, until=row.seq) if isinstance(one, StoredEffect)
        ]
        asked = exchange(reader, row)
        tell_of_damage(reader)
    if json:
        followed = [
            {"id": one.id, "effect": type(one.effect).__name__, "state": one.state, "detail": one.detail}
            for one in effects
        ]
        emit({**_as_json(row, labelled), "effects": followed, **(asked.as_json() if asked is not None else {})})
        return Exit.OK
    say(f"{row.record.reason.meaning} ({row.record.reason.value})")
    say(
        f"Decided {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(row.at / 1000))} about thread {row.thread or '-'}."
    )
    for line in _grounds(row.record.evidence):
        say(f"  {line}")
    for line in asked.in_words() if asked is not None else ():
        say(line)
    for one in effects:
        outcome = f"{one.state}, {one.detail}" if one.detail else one.state
        say(f"  followed by {type(one.effect).__name__} ({outcome})")
    if labelled is not None:
        say(f"A person called it {labelled.label}{f': {labelled.note}' if labelled.note else '.'}")
    say(f"Fact {row.seq} led to it, under the rules {row.policy}. Its whole name is {row.id}.")
    return Exit.OK


def _grounds(evidence: dict[str, Evidence]) -> Iterator[str]:
    for name, value in evidence.items():
        if value in ("", None, []):
            continue
        if isinstance(value, list):
            yield f"{name.replace('_', ' ')}:"
            yield from (f"  - {one}" for one in value)
        else:
            yield f"{name.replace('_', ' ')}: {value}"


def _as_json(row: Decision, labelled: DecisionLabelled | None) -> dict[str, object]:
    word = {"label": labelled.label, "note": labelled.note} if labelled is not None else {}
    return {
        **word,
        "type": "decision",
        "id": row.id,
        "at": row.at,
        "thread": row.thread,
        "reason": row.record.reason.value,
        "meaning": row.record.reason.meaning,
        "evidence": row.record.evidence,
        "policy": row.policy,
        "logic": row.logic,
        "fact": row.seq,
    }


def _journal() -> JournalReader:
    places = Places.find()
    if not is_recorded(places.home):
        raise OutsideError(f"Nothing is recorded yet in {places.home}.", way_out="`rawr run` and `rawr watch` record.")
    return JournalReader.open(database(places.home))


def _thread(reader: JournalReader, name: str) -> str:
    found = [one.thread for one in reader.threads() if one.thread and one.thread.endswith(name)]
    if len(found) != 1:
        how = "More than one" if found else "No"
        raise OutsideError(f"{how} thread is called {name}.", way_out="`rawr status` lists them.")
    return found[0]
