"""``rawr tune``: a signature learns from the receipts that a person confirmed or overrode."""

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from rawr.cli.commands import guiding
from rawr.cli.commands.models import model_desk
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.numbers import short as amount
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.core.guidance import pipeline as guidance
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.errors import OutsideError
from rawr.journal.home import FOLDER_MODE, create_private, database, is_recorded, put_in_place
from rawr.journal.reader import JournalReader
from rawr.models import probing
from rawr.models.desk import NOT_INSTALLED
from rawr.models.tuning import tuned
from rawr.models.tuning.examples import NEEDED, SCORED, Receipt, lacks, tells
from rawr.models.tuning.report import Report, report_of
from rawr.views import labelled

if TYPE_CHECKING:
    from rawr.models.tuning.compiling import Asked, Outcome

HOW = "`rawr log` lists the decisions; to label one: rawr log DECISION --label good (or bad)"
METHODS = {
    "held-out": "scored on receipts it did not learn from",
    "leave-one-out": "each receipt scored with itself left out of the examples",
}


class Wanted(Struct, frozen=True):
    signature: SignatureName
    model: str = ""
    force: bool = False


def overview(*, json: bool) -> Exit:
    """Every signature: what there is to learn from, and what was learned."""
    places = Places.find()
    found = _read(places)
    for name in SHAPES:
        _show_one(places, name, found.answers[name], found.receipts[name], json=json)
    if not json:
        say()
        say(f"{HOW}. rawr can learn only from decisions that a model was asked about.")
    return Exit.OK


def _show_one(places: Places, name: SignatureName, answers: int, receipts: list[Receipt], *, json: bool) -> None:
    good, bad = _count(receipts)
    missing = lacks(name, receipts)
    learned = tuned.load(_folder(places), name)
    report = report_of(_folder(places), name)
    implied = sum(one.implied for one in receipts)
    if json:
        emit(
            {
                "type": "signature",
                "signature": name,
                "answers": answers,
                "good": good,
                "bad": bad,
                "implied": implied,
                "needed": NEEDED,
                "missing": missing,
                "tuned": learned is not None and bool(learned.instructions),
                "problem": learned.problem if learned is not None else "",
                "report": report,
            }
        )
        return
    overridden = f" ({implied} overridden)" if implied else ""
    say(f"{name:<20} {counted(answers, 'answer')} on record, {good} good, {bad} bad{overridden}")
    if learned is not None:
        say(f"    learned: {learned.problem or _scores(report)}")
    say(f"    {missing}" if missing else f"    enough: rawr tune --signature {name}")


def reset(name: SignatureName, *, json: bool) -> Exit:
    places = Places.find()
    path = _folder(places) / f"{name}.json"
    report = report_of(path.parent, name)
    try:
        path.unlink()
        removed = True
    except FileNotFoundError:
        removed = False
    if json:
        emit({"type": "reset", "signature": name, "removed": str(path) if removed else None, "report": report})
    elif removed:
        say(f"Removed {path} ({_scores(report)}).")
        say(f"{name} is back to its original wording.")
    else:
        say(f"Nothing has been learned for {name}; there is nothing to remove.")
    return Exit.OK


def run(wanted: Wanted, *, json: bool, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    name = wanted.signature
    receipts = _read(places).receipts[name]
    missing = lacks(name, receipts)
    if missing:
        _too_few(name, receipts, missing, json=json)
        return Exit.PROBLEM
    if not probing.installed():
        raise OutsideError(f"{NOT_INSTALLED}.")
    learned = tuned.load(_folder(places), name)
    if learned is not None and learned.problem:
        warn(learned.problem)
    if not json:
        good, bad = _count(receipts)
        most = 2 * min(len(tells(receipts)), SCORED)
        say(f"{name}: {counted(len(receipts), 'labelled receipt')}, {good} good, {bad} bad.")
        say(f"Asking a model {most} times. Ctrl-C leaves everything as it is.")
    outcome = asyncio.run(_tune(wanted, places, receipts, learned or tuned.Tuned(), json=json))
    saved = wanted.force or outcome.report.better
    path = _folder(places) / f"{name}.json"
    if saved:
        _save(places.home, path, outcome.content)
    _last_word(name, outcome, path if saved else None, json=json)
    return Exit.OK if saved else Exit.PROBLEM


async def _tune(
    wanted: Wanted, places: Places, receipts: list[Receipt], using: tuned.Tuned, *, json: bool
) -> "Outcome":
    from rawr.models.tuning.compiling import tune

    policy = places.loaded.policy
    async with model_desk(places, lambda: policy) as desk:
        return await tune(
            wanted.signature,
            receipts,
            using=using,
            models=_models(wanted, policy.models.order),
            seconds=policy.models.seconds,
            ask=desk.ask,
            show=_show_json if json else _show,
            at=time.time_ns() // 1_000_000,
        )


def _models(wanted: Wanted, order: tuple[str, ...]) -> tuple[str, ...]:
    """The model rawr would ask, unless one is named."""
    if wanted.model:
        return (wanted.model,)
    guided = wanted.signature in guidance.ASKED.values()
    return (guiding.model_of(os.environ) if guided else ()) or order


# -- what is printed -------------------------------------------------------------------------------------------------


def _too_few(name: SignatureName, receipts: list[Receipt], missing: str, *, json: bool) -> None:
    good, bad = _count(receipts)
    if json:
        told = {"type": "too_few", "signature": name, "good": good, "bad": bad, "needed": NEEDED, "missing": missing}
        emit(told)
        return
    say(f"{name}: {counted(len(receipts), 'labelled receipt')}, {good} good, {bad} bad. {missing}.")
    say(f"Nothing was changed. {HOW}.")


def _show(asked: "Asked") -> None:
    verdict = "right" if asked.right else f"wrong ({asked.problem})" if asked.problem else "wrong"
    say(f"  {asked.stage:<6} {asked.done:>2} of {asked.of}: {verdict:<5} {_short(asked.receipt)}")


def _show_json(asked: "Asked") -> None:
    emit({"type": "asked", **msgspec.structs.asdict(asked)})


def _last_word(name: SignatureName, outcome: "Outcome", saved: Path | None, *, json: bool) -> None:
    report = outcome.report
    if json:
        emit({"type": "tuned", "signature": name, "saved": str(saved) if saved is not None else None, "report": report})
        return
    say(f"{_scores(report)}; {counted(report.examples, 'example')}, {amount(report.tokens)} tokens.")
    if saved is None:
        say("That is no better than before, so nothing was changed. --force saves it anyway.")
    else:
        say(f"Saved in {saved}, and used from now on. To undo: rawr tune --signature {name} --reset")


def _scores(report: Report | None) -> str:
    if report is None:
        return "no scores on record"
    when = time.strftime("%Y-%m-%d", time.localtime(report.at / 1000))
    return f"{when}, {report.model}: {report.before} right before, {report.after} after; {METHODS[report.method]}"


def _count(receipts: list[Receipt]) -> tuple[int, int]:
    good = sum(one.label == "good" for one in receipts)
    return good, len(receipts) - good


def _short(decision: str) -> str:
    thread, _, rest = decision.rpartition(":")
    return f"{thread[-4:]}:{rest}"


# -- where it comes from, and where it goes --------------------------------------------------------------------------


def _read(places: Places) -> labelled.Found:
    if not is_recorded(places.home):
        return labelled.nothing()
    with JournalReader.open(database(places.home)) as reader:
        return labelled.read(reader)


def _folder(places: Places) -> Path:
    return places.home / "tuned"


def _save(home: Path, path: Path, content: bytes) -> None:
    """Write the whole file or nothing, readable by nobody else."""
    own_home(home)
    path.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.unlink(missing_ok=True)
        create_private(unfinished)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
