"""The runs in the journal by the names that people use, and what to say about one that is missing or not at work.

For commands about a run, even if no rawr is running it.
"""

from rawr.cli.places import Places
from rawr.cli.terminal.output import warn
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.errors import OutsideError
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import ThreadDistrusted
from rawr.views.recorded import RecordedHome, RecordedThread, called
from rawr.views.runs import run_name, standing


def home() -> RecordedHome:
    places = Places.find()
    return RecordedHome(places.home, places.loaded.policy)


def find_run(name: str) -> Run | None:
    """The run that a person means; None if the name matches nothing, or more than one thread."""
    return home().find_run(name)


def _none_to_mean(*, active: bool) -> OutsideError:
    way_out = "`rawr status` lists the threads and runs on record."
    if active:
        return OutsideError("No run is under way.", way_out=way_out)
    newest = home().newest(of_a_run=True)
    run = newest.state.run if newest is not None and newest.state is not None else None
    if run is None:
        return OutsideError("There is no run to continue.", way_out=way_out)
    more = f'`rawr override {run.id} "…"` gives it more to do.'
    return OutsideError(f"There is no run to continue: {run.id}, the newest, is done.", way_out=more)


def named_or_newest(name: str, *, active: bool) -> str:
    """The run that a person means: without a name the newest, and they are told which."""
    if name:
        return name
    found = home().newest_run(active=active)
    if found is None:
        raise _none_to_mean(active=active)
    warn(f"run {run_name(found)}")
    return found.id


def refuse_distrusted(name: str) -> None:
    """Raise if the run that a person means is on a thread whose record is damaged: rawr does nothing there."""
    why = home().distrust_of(name)
    if why is not None:
        raise ThreadDistrusted(why)


def the_one(reader: JournalReader, policy: Policy, name: str) -> RecordedThread:
    """The thread that a person means, by its own name or by its run's."""
    found = called(reader, policy, name)
    if len(found) == 1:
        return found[0]
    raise OutsideError(
        f"{'More than one' if found else 'No'} thread or run matches {name}.",
        way_out="Give more of its id; `rawr status` lists them." if found else "`rawr status` lists them.",
    )


def unknown(name: str, *, what: str = "run") -> OutsideError:
    return OutsideError(f"No {what} matches {name}.", way_out="`rawr status` lists them.")


def not_under_way(run: Run, *, and_then: str = "") -> OutsideError:
    """No rawr is running, but a command was sent to this run."""
    message = f"Run {run.id} is not under way here ({standing(run, live=False)})."
    way_out = f"`rawr resume {run.id}` continues it{and_then}."
    return OutsideError(message, way_out="" if run.status == "done" else way_out)
