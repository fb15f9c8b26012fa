"""A journal with one damaged thread, as the commands show it: in words, with the way out (D5)."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from tests.cli.program import Ended, rawr
from tests.runtime.codex import RememberingCodex
from tests.runtime.rig import rawr as running

HURT, WELL = "0198-hurt", "0198-well"
DAMAGE = {
    "a fact": "UPDATE facts SET body = replace(body, 'job', 'jpb') WHERE thread = '0198-hurt' AND kind LIKE 'RunSub%'",
    "no text": "UPDATE facts SET body = CAST(x'22ff' AS TEXT) WHERE thread = '0198-hurt' AND kind = 'RunSubmitted'",
    "a missing fact": "DELETE FROM facts WHERE thread = '0198-hurt' AND kind = 'RunSubmitted'",
}


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    async with running(place, RememberingCodex()) as it:
        await it.opened(HURT)
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread=WELL)
        for thread in (HURT, WELL):
            await it.told(facts.RunSubmitted(order=Order(goal="the job")), thread=thread)
    return place


def damage(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "journal.db", isolation_level=None)) as db:
        assert db.execute(statement).rowcount > 0


def said(home: Path, words: Sequence[str], *, code: int = 0) -> Ended:
    ended = rawr(*words, env={"RAWR_HOME": str(home)})
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err + ended.out
    return ended


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
async def test_status_shows_the_rest_and_names_the_damage(home: Path, statement: str) -> None:
    damage(home, statement)
    ended = said(home, ["status"])
    assert "the job" in ended.out
    assert f"{WELL}  " in ended.out
    assert f"{HURT}  damaged" in ended.out
    assert f"rawr mend {HURT}" in ended.out
    assert "`rawr doctor --journal` lists all of them" in ended.err
    lines = {line["thread"]: line for line in said(home, ["status", "--json"]).lines if line["type"] == "thread"}
    assert lines[WELL]["damage"] is None
    hurt = lines[HURT]["damage"]
    assert isinstance(hurt, dict)
    assert hurt["rows"] == 1


async def test_the_doctor_names_it(home: Path) -> None:
    damage(home, DAMAGE["a fact"])
    ended = said(home, ["doctor", "--journal"], code=1)
    assert f"(RunSubmitted, thread {HURT}) is damaged: its checksum does not match." in ended.out
    assert "leaves the threads that need them alone" in ended.out
    [line, summary] = said(home, ["doctor", "--journal", "--json"], code=1).lines
    assert (line["name"], line["status"], summary["ok"]) == ("journal", "fail", False)


async def test_the_doctor_finds_nothing_in_a_sound_one(home: Path) -> None:
    assert "sound" in said(home, ["doctor", "--journal"]).out
    assert "none yet" in said(home.with_name("other"), ["doctor", "--journal"]).out


async def test_log_leaves_out_what_is_damaged_and_says_so(home: Path) -> None:
    before = said(home, ["log", "--all-threads"])
    assert before.err == ""
    damage(home, f"UPDATE decisions SET evidence = '{{}}' WHERE thread = '{HURT}'")  # noqa: S608
    ended = said(home, ["log", "--all-threads"])
    assert 0 < len(ended.out.splitlines()) < len(before.out.splitlines())
    assert "damaged decision" in ended.err
    assert f"of thread {HURT}" in ended.err


@pytest.mark.parametrize("words", [["resume", HURT], ["run", "More.", "--resume", HURT]])
async def test_nothing_is_done_on_it(home: Path, words: list[str]) -> None:
    damage(home, DAMAGE["a fact"])
    ended = said(home, words, code=74)
    assert f"The record of thread {HURT} is not intact: fact" in ended.err
    assert f"`rawr mend {HURT}`" in ended.err


async def test_mend_asks_which_and_says_what(home: Path) -> None:
    assert said(home, ["mend"]).out == "Every thread is intact.\n"
    assert said(home, ["mend", WELL]).out == f"Thread {WELL} is intact; there is nothing to mend.\n"
    damage(home, DAMAGE["a fact"])
    assert "No thread matches nobody" in said(home, ["mend", "nobody"], code=1).err
    ended = said(home, ["mend"])
    assert f"The record of thread {HURT} is not intact" in ended.out
    assert said(home, ["mend"]).out == "Every thread is intact.\n"
    assert f"{HURT}  damaged" not in said(home, ["status"]).out
    assert said(home, ["doctor", "--journal"], code=1).out.count("Fact 5 ") == 1
