"""``rawr log``: whose decisions, how many, since when, and those that come next (C17, C18)."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rawr.cli.commands.since import moment
from rawr.cli.main import app
from rawr.cli.options import UsageError
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.journal.reader import JournalReader
from rawr.views import decisions
from tests.cli.in_process import Rawr
from tests.core.runs import RULES
from tests.views.labelled_journal import Told

OPENED = facts.ThreadOpened(cwd="/p", ours=True)
ORDER = facts.RunSubmitted(order=Order(goal="Build it."))
HOLD = facts.HoldSubmitted(until="green")


@pytest.fixture
def told(own_home: Path) -> Told:
    """An old thread with a run, and a newer one on which a person set nine holds."""
    with Told(own_home / "rawr", RULES) as it:
        it.tell("aa-1", OPENED, ORDER).tell("bb-2", OPENED, *[HOLD] * 9)
    return it


def seen(out: str) -> list[str]:
    """The decisions by their short names, as printed."""
    return [line.split()[2] for line in out.splitlines() if line[:2].isdigit()]


# -- whose ----------------------------------------------------------------------------------------------------------


def test_without_a_name_it_is_the_newest_and_says_which(rawr: Rawr, told: Told) -> None:
    """C17."""
    ended = rawr("log")
    assert (ended.code, ended.err) == (0, "rawr: thread bb-2 in /p\n")
    assert {name.split(":")[0] for name in seen(ended.out)} == {"bb-2"}
    assert len(seen(ended.out)) == 9


def test_a_run_is_named_by_its_goal(rawr: Rawr, own_home: Path) -> None:
    """C17."""
    with Told(own_home / "rawr", RULES) as it:
        it.tell("aa-1", OPENED, ORDER)
    assert rawr("log").err == "rawr: run r2 Build it.\n"
    assert seen(rawr("log", "r2").out) == seen(rawr("log", "aa").out) == seen(rawr("log", "aa-1").out) != []


def test_all_threads(rawr: Rawr, told: Told) -> None:
    """C17."""
    ended = rawr("log", "--all-threads", "--json")
    assert {str(line["thread"]) for line in ended.lines} == {"aa-1", "bb-2"}
    assert ended.err == ""


def test_helpers_are_not_the_newest(rawr: Rawr, own_home: Path, told: Told) -> None:
    """C17: nobody means the thread of a sub-agent."""
    with Told(own_home / "rawr", RULES) as it:
        it.tell("cc-3", facts.ThreadOpened(cwd="/p", parent="aa-1"), HOLD)
    assert rawr("log").err.startswith("rawr: thread bb-2")


def test_a_name_that_nobody_has(rawr: Rawr, told: Told) -> None:
    ended = rawr("log", "zzz")
    assert (ended.code, ended.err) == (1, "rawr: No thread or run matches zzz. `rawr status` lists them.\n")


# -- how many, since when -------------------------------------------------------------------------------------------


def test_the_newest_oldest_first(rawr: Rawr, told: Told) -> None:
    """C17."""
    everything = seen(rawr("log", "bb-2").out)
    assert seen(rawr("log", "bb-2", "-n", "3").out) == everything[-3:]
    assert [line["id"] for line in rawr("log", "bb-2", "-n", "2", "--json").lines] == everything[-2:]
    assert "not shown" not in rawr("log", "bb-2").out
    assert rawr("log", "bb-2", "-n", "0").out == ""


def test_the_name_in_an_explanation_is_the_decisions(rawr: Rawr, told: Told) -> None:
    [newest] = rawr("log", "bb-2", "-n", "1", "--json").lines
    *_, last = rawr("explain", str(newest["id"])).out.splitlines()
    assert last.startswith(f"It follows from fact {newest['fact']}, under policy ")
    assert last.endswith(f"The decision's full name is {newest['id']}.")


def test_older_ones_are_mentioned(rawr: Rawr, own_home: Path, told: Told) -> None:
    """C17: nobody must think that it is all."""
    with Told(own_home / "rawr", RULES) as it:
        it.tell("bb-2", *[HOLD] * 300)
    out = rawr("log").out
    assert (len(seen(out)), out.splitlines()[-1]) == (200, "(older ones are not shown; -n shows more, --json all)")
    assert len(rawr("log", "--json").lines) == 309


def test_since_a_moment(rawr: Rawr, told: Told) -> None:
    """C17: the journal's clock gives each fact a second."""
    from_date = rawr("log", "bb-2", "--since", "2023-11-14T22:13:31+00:00").out
    assert seen(from_date) == seen(rawr("log", "bb-2").out)[-3:]
    assert rawr("log", "bb-2", "--since", "10m").out == "No decisions since then.\n"


def test_what_is_newest_is_found_from_the_end(own_home: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """C17: of a long journal only the end is read."""
    read: list[object] = []
    real = JournalReader.decisions_back
    with JournalReader.open(own_home / "rawr") as reader:

        def watched(self: JournalReader, thread: str | None = None) -> Iterator[object]:
            for one in real(self, thread):
                read.append(one)
                yield one

        monkeypatch.setattr(JournalReader, "decisions_back", watched)
        found, older = decisions.latest(reader, "bb-2", most=2)
    end = told.taken[-1].recorded.seq
    assert ([one.seq for one in found], older, len(read)) == ([end - 1, end], True, 4)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("30s", 999_970_000),
        ("10m", 999_400_000),
        ("2 h", 992_800_000),
        ("1d", 913_600_000),
        ("1w", 395_200_000),
        ("1970-01-12T13:46:40+00:00", 1_000_000_000),
        ("1970-01-12T13:46:40Z", 1_000_000_000),
    ],
)
def test_a_moment_as_people_write_it(text: str, at: int) -> None:
    assert moment(text, now=1_000_000.0) == at


@pytest.mark.parametrize("text", ["soon", "-5m", "10", "5 y", "2026-13-01", "9999999999999d", "0001-01-01"])
def test_a_moment_that_is_none(told: Told, rawr: Rawr, text: str) -> None:
    """C17: one sentence, and the exit code of any bad usage."""
    ended = rawr("log", "--since", text)
    assert (ended.code, ended.out) == (64, "")
    assert "is not a time: give 10m, 2h, 1d or a date" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "-1"),
        ("-n", "few"),
        ("aa-1", "--all-threads"),
        ("x:1/0", "--label", "good", "-f"),
        ("x:1/0", "--label", "good", "-n", "1"),
        ("--since", " "),
    ],
)
def test_bad_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        app(["log", *words], standalone_mode=False)


# -- as it happens --------------------------------------------------------------------------------------------------


def following(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "rawr", "log", "-f", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def test_new_decisions_follow(own_home: Path, told: Told) -> None:
    """C17: another process writes them. Ctrl-C ends it."""
    with following("-n", "1") as program:
        try:
            assert program.stdout is not None
            assert program.stderr is not None
            first = program.stdout.readline()
            with Told(own_home / "rawr", RULES) as it:
                it.tell("aa-1", facts.HoldReleased()).tell("bb-2", facts.HoldReleased())
                newest = it.taken[-1].recorded.seq
            second = program.stdout.readline()
            assert ("hold.set.submitted" in first, f"bb-2:{newest}/0" in second) == (True, True), (first, second)
            program.send_signal(signal.SIGINT)
            assert (program.wait(timeout=20), program.stdout.read()) == (130, "")
            assert program.stderr.read() == "rawr: thread bb-2 in /p\n"
        finally:
            program.kill()


def test_nobody_reads_on(told: Told) -> None:
    """C17: it ends with its reader, though there is nothing to write."""
    with following("--json") as program:
        try:
            assert program.stdout is not None
            program.stdout.readline()
            program.stdout.close()
            assert program.wait(timeout=20) == 0
        finally:
            program.kill()
