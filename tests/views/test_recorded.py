"""The threads of a home by the names that people call them (C13, D5)."""

from pathlib import Path

from msgspec.structs import replace

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.views.recorded import RecordedHome
from tests.core.runs import RULES
from tests.views.labelled_journal import Told

OPENED = facts.ThreadOpened(cwd="/p", ours=True)


def home(own_home: Path) -> RecordedHome:
    return RecordedHome(own_home / "rawr", RULES)


def test_a_home_without_a_journal(own_home: Path) -> None:
    assert list(home(own_home).threads()) == []
    assert home(own_home).find_run("r1") is None
    assert home(own_home).distrust_of("t") is None


def test_the_newest_comes_first(own_home: Path) -> None:
    with Told(own_home / "rawr", RULES) as told:
        told.tell("old-1", OPENED).tell("new-2", OPENED)
    assert [state.id for state in home(own_home).states()] == ["new-2", "old-1"]


def test_a_run_by_its_id_or_the_end_of_its_threads(own_home: Path) -> None:
    """C13: a name that fits two threads means none of them, unless it is a run's own."""
    with Told(own_home / "rawr", RULES) as told:
        for thread in ("a-7", "b-7"):
            told.tell(thread, OPENED, facts.RunSubmitted(order=Order(goal=thread)))
        runs = {name: state.run for name, state in told.kernel.threads.items() if state.run is not None}
    first, second = runs["a-7"].id, runs["b-7"].id
    found = {name: home(own_home).find_run(name) for name in ("a-7", "7", first, second, "r99")}
    goals = {name: run.order.goal if run is not None else None for name, run in found.items()}
    assert goals == {"a-7": "a-7", "7": None, first: "a-7", second: "b-7", "r99": None}


def test_a_thread_that_is_whole_is_trusted(own_home: Path) -> None:
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-1", OPENED)
    (one,) = home(own_home).threads()
    assert one.why is None
    assert one.is_called("1")
    assert not replace(one, state=None).is_called("2")
