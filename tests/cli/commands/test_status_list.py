"""``rawr status`` on a journal with many threads: the list, its bounds, and one of them by name (C18)."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.commands import status
from rawr.cli.main import app
from rawr.cli.options import UsageError
from rawr.cli.terminal.thread_words import brief, detail
from rawr.core.policy.policy import Policy
from rawr.core.state.ledger import Ledger, add_pin
from rawr.core.state.run import Stop
from rawr.core.state.sequence import Guard
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from rawr.views.threads import ThreadsSummary, ThreadView, thread_view
from tests.cli.commands.test_status import RUN
from tests.cli.in_process import Rawr
from tests.core.runs import RULES
from tests.core.samples import AT, IDLE, RUNNING
from tests.views.labelled_journal import Told

OPENED = facts.ThreadOpened(cwd="/p", ours=True)
HELPER = facts.ThreadOpened(cwd="/p", ephemeral=True)
SUB_AGENT = facts.ThreadOpened(cwd="/p", parent="t-00")


@pytest.fixture
def threads(own_home: Path) -> list[str]:
    """Names of 24 threads, oldest first."""
    names = [f"t-{number:02}" for number in range(24)]
    with Told(own_home / "rawr", RULES) as told:
        for name in names:
            told.tell(name, OPENED)
    return names


def listed(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines() if line.startswith("t-")]


def test_the_newest_come_first_and_the_rest_are_counted(rawr: Rawr, threads: list[str]) -> None:
    """C18."""
    out = rawr("status").out
    assert listed(out) == threads[:3:-1]
    assert "20 threads, 4 older not shown (-n shows more), " in out.splitlines()[-1]


def test_a_limit(rawr: Rawr, threads: list[str]) -> None:
    """C18."""
    assert listed(rawr("status", "-n", "2").out) == ["t-23", "t-22"]
    everything = rawr("status", "--limit", "100").out
    assert (listed(everything), "not shown" in everything) == (threads[::-1], False)
    lines = rawr("status", "-n", "2", "--json").lines
    assert [line.get("thread") for line in lines] == ["t-23", "t-22", None]
    assert (lines[-1]["threads"], lines[-1]["shown"]) == (24, 2)


def test_the_newest_stays_on_the_screen(
    rawr: Rawr, threads: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """C18: what does not fit is counted, not scrolled away."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))
    out = rawr("status").out
    assert listed(out) == threads[:13:-1]
    assert len(out.splitlines()) <= 24 - 2
    assert "10 threads, 14 older not shown" in out


def test_active_ones_that_do_not_fit_are_counted() -> None:
    """C18: nobody must think that nothing else waits."""
    said = status._summed_up(ThreadsSummary(9, 5, 1, Path("j")), 3, active=True)
    assert said == "3 active of 9 threads, 2 more active not shown (-n shows them), 1 fact in j"


@pytest.mark.parametrize(("columns", "lines", "fit"), [(80, 24, 2), (80, 3, 1), (5, 24, 1), (80, 8, 1), (80, 9, 2)])
def test_how_many_fit(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int, fit: int) -> None:
    """C18: the newest always does; a long line takes several."""
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((columns, lines)))
    assert status._how_many_fit([["x" * 100], ["y", "z" * 80, ""]]) == fit


# -- what is listed -------------------------------------------------------------------------------------------------


def test_helpers_and_sub_agents_are_listed_only_on_request(rawr: Rawr, own_home: Path) -> None:
    """C18."""
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-00", OPENED).tell("t-01", HELPER).tell("t-02", SUB_AGENT).tell("t-03", OPENED)
    out = rawr("status").out
    assert listed(out) == ["t-03", "t-00"]
    assert "2 threads, helpers and sub-agents hidden: 2 (--all shows them), " in out
    assert listed(rawr("status", "--all").out) == ["t-03", "t-02", "t-01", "t-00"]
    seen = {str(line["thread"]): line for line in rawr("status", "--all", "--json").lines if "thread" in line}
    assert [(one["ephemeral"], one["parent"]) for one in seen.values()] == [
        (False, ""),
        (False, "t-00"),
        (True, ""),
        (False, ""),
    ]


def test_only_what_is_active(rawr: Rawr, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: without a rawr nothing runs, whatever the record says."""
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-00", OPENED, facts.RunSubmitted(order=Order(goal="Build it."))).tell("t-01", OPENED)
    assert rawr("status", "--active").out.startswith("Nothing is running or waiting for you: 2 threads, ")
    monkeypatch.setattr(status, "is_live", lambda _home: True)
    out = rawr("status", "--active").out
    assert (listed(out), "1 active of 2 threads, " in out) == (["t-00"], True)
    assert [line["type"] for line in rawr("status", "--active", "--json").lines] == ["thread", "summary"]


def test_a_run_that_nobody_answered_is_active() -> None:
    """C18: it waits for a person, though nothing runs."""
    waits = replace(RUN, status="paused", stop=Stop(Reason.RUN_PAUSED_UNANSWERED.value, "Which colour?"))
    paused = replace(RUN, status="paused", stop=Stop(Reason.RUN_PAUSED_PERSON.value))
    states = [replace(IDLE, run=waits), replace(IDLE, run=paused), RUNNING, replace(RUNNING, online=False), IDLE]
    assert [_view(state, live=True).active for state in states] == [True, False, True, False, False]
    assert [_view(state, live=False).active for state in states] == [True, False, False, False, False]


def _view(state: ThreadState, *, live: bool = True) -> ThreadView:
    return thread_view(state, Policy(), last_seen=AT, now=AT, live=live)


# -- one of them ----------------------------------------------------------------------------------------------------


def test_one_by_any_of_its_names(rawr: Rawr, own_home: Path) -> None:
    """C18: by its run, its id, or either end of that."""
    with Told(own_home / "rawr", RULES) as told:
        told.tell("aa-1", OPENED, facts.RunSubmitted(order=Order(goal="Build it."))).tell("bb-2", OPENED)
        run = told.kernel.threads["aa-1"].run
    assert run is not None
    for name in (run.id, "aa-1", "aa", "1"):
        out = rawr("status", name).out
        assert out.startswith("aa-1  "), out
        assert f"run {run.id}: cut off" in out
        assert "facts in" not in out
    (line,) = rawr("status", run.id, "--json").lines
    assert (line["type"], line["thread"]) == ("thread", "aa-1")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("zzz", "No thread or run matches zzz. `rawr status` lists them."),
        ("r99", "No thread or run matches r99."),
        ("t-", "More than one thread or run matches t-. Give more of its id"),
        ("r9" * 40, "No thread or run matches"),
    ],
)
def test_a_name_that_means_nothing(rawr: Rawr, threads: list[str], name: str, says: str) -> None:
    """C18: one sentence."""
    ended = rawr("status", name)
    assert (ended.code, ended.out, ended.err.startswith(f"rawr: {says}"), ended.err.count("\n")) == (1, "", True, 1)


def test_a_name_before_anything_is_recorded(rawr: Rawr) -> None:
    ended = rawr("status", "r1")
    assert (ended.code, "No thread or run matches r1." in ended.err) == (1, True)


@pytest.mark.parametrize("words", [("-n", "3"), ("--active",), ("--all",)])
def test_flags_of_the_list_do_not_fit_a_name(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="cannot be combined with a NAME"):
        app(["status", "t", *words], standalone_mode=False)


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_limit_that_is_none(number: str) -> None:
    with pytest.raises(UsageError):
        app(["status", "-n", number], standalone_mode=False)


def test_holds_and_pins_are_shown() -> None:
    """C18, B3: counted in the list, in full for one."""
    guards = (Guard("released"), Guard("the tests pass"), Guard("released", turns_left=2))
    view = _view(replace(IDLE, guards=guards, ledger=add_pin(Ledger(), "Never push.", at=AT)))
    assert "    3 holds, 1 pin" in list(brief(view))
    shown = list(detail(view))
    assert shown[-4:] == [
        "    hold: no compaction until you release it",
        "    hold: no compaction until “the tests pass”",
        "    hold: no compaction until you release it, for 2 more turns",
        "    pinned: “Never push.”",
    ]
