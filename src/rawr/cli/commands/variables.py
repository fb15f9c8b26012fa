"""The variables that a terminal sends to the host, and those that stay: ``rawr host environment``, and what is said of
them when a run starts and when its check fails."""

import re
from collections.abc import Sequence

from msgspec import Struct

from rawr.cli.commands.hosted import to_send
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.cli.terminal.visible import harmless
from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import DoneChecked
from rawr.ports.surface import Surface

SHOWN = 5
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Variables(Struct, frozen=True):
    """What ``rawr host environment --json`` says. Names; values are shown nowhere."""

    sent: tuple[str, ...]
    stay: tuple[str, ...]


def show(*, json: bool) -> Exit:
    places = Places.find()
    found = to_send(places)
    if json:
        emit(Variables(tuple(sorted(found.variables)), found.staying))
        return Exit.OK
    say("Sent to the host, for the runs of this terminal:")
    for name in sorted(found.variables):
        say(f"  {harmless(name)}")
    say("Staying here:" if found.staying else "Nothing else that a check could miss is set here.")
    for name in found.staying:
        say(f"  {harmless(name)}")
    if found.staying:
        say(f'To send one, name it in {places.home / "config.toml"}: environment = ["NAME"] under [host].')
    return Exit.OK


def tell_what_stays(names: Sequence[str]) -> None:
    if names:
        what = counted(len(names), "variable")
        stay = "stays" if len(names) == 1 else "stay"
        warn(
            f"{what} of this terminal {stay} here (`rawr host environment`). "
            "Name those that your check needs with --env, or in the config: environment under [host]."
        )


class Missed:
    """Looks whether a check that failed speaks of a variable that stayed; says so once."""

    def __init__(self, names: Sequence[str], surface: Surface) -> None:
        self._names = frozenset(names)
        self._surface = surface

    def look(self, taken: Taken) -> None:
        fact = taken.recorded.fact
        if not self._names or not isinstance(fact, DoneChecked) or fact.exit_code == 0:
            return
        spoken_of = sorted(self._names.intersection(_WORD.findall(fact.output)))
        if spoken_of:
            self._names = frozenset()
            names = " and ".join(spoken_of[:SHOWN])
            text = f"The check speaks of {names}, which stayed in your terminal: --env {spoken_of[0]} sends it along."
            self._surface.notify(taken.recorded.thread, "warning", text)
