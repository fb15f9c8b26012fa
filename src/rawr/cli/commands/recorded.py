"""The runs in the journal, by the names that people call them, and how they stand in a few words.

For commands that talk about a run, whether or not a rawr has it in hand.
"""

from collections.abc import Iterator

from rawr import __version__
from rawr.cli.places import Places
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.text import head
from rawr.core.vocabulary.reasons import Reason
from rawr.errors import OutsideError
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import Distrust, Recollection, ThreadDistrusted

NEWEST = 64
"""Threads that are looked at."""
SHOWN_DETAIL = 300


def states() -> Iterator[ThreadState]:
    """The newest threads, as the journal has them; of one whose record is damaged, the newest state that is sound."""
    return (state for state, _ in _newest() if state is not None)


def _newest() -> Iterator[tuple[ThreadState | None, Distrust | None]]:
    places = Places.find()
    if not is_recorded(places.home):
        return
    with JournalReader.open(database(places.home)) as reader:
        recollection = Recollection(reader, policy=places.loaded.policy, version=__version__)
        spans = sorted((one for one in reader.threads() if one.thread), key=lambda one: -one.last_at)
        for span in spans[:NEWEST]:
            yield recollection.last_sound(span.thread)


def is_called(state: ThreadState, name: str) -> bool:
    return state.id.endswith(name) or (state.run is not None and state.run.id == name)


def find_run(name: str) -> Run | None:
    """The run that a person means; none if the name fits nothing, or more than one thread."""
    runs = [state.run for state in states() if state.run is not None and is_called(state, name)]
    exact = [run for run in runs if run.id == name]
    found = exact or runs
    return found[0] if len(found) == 1 else None


def refuse_distrusted(name: str) -> None:
    """Raise if the run that a person means is on a thread whose record is damaged: nothing is done there."""
    for state, why in _newest():
        if why is not None and (why.thread.endswith(name) or (state is not None and is_called(state, name))):
            raise ThreadDistrusted(why)


def unknown(name: str) -> OutsideError:
    return OutsideError(f"No run is called {name}.", way_out="`rawr status` lists them.")


def standing(run: Run, *, live: bool) -> str:
    """How it stands, and why."""
    if run.active and live:
        waits = f", waits for: {run.waiting}" if run.waiting not in ("", "turn") else ""
        return f"under way: turn {run.turns + 1} of {run.order.budgets.turns}{waits}"
    if run.active:
        return "cut off: rawr ended while it was under way"
    if run.stop is None:
        return run.status
    meaning = next((one.meaning for one in Reason if one.value == run.stop.reason), run.stop.reason).rstrip(".")
    detail = f" ({head(run.stop.detail, SHOWN_DETAIL)})" if run.stop.detail else ""
    return f"{run.status}: {meaning}{detail}"


def not_under_way(run: Run, *, and_then: str = "") -> OutsideError:
    """No rawr runs, and something was said to this run."""
    message = f"Run {run.id} is not under way here ({standing(run, live=False)})."
    way_out = f"`rawr resume {run.id}` goes on with it{and_then}."
    return OutsideError(message, way_out="" if run.status == "done" else way_out)
