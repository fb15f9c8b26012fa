"""Whether an agent could write what rawr obeys: at all, or if it worked in the current folder."""

from collections.abc import Iterator
from pathlib import Path

from rawr.cli.commands.doctor.check import Check, Grade
from rawr.cli.commands.in_reach import NOWHERE, obeyed
from rawr.cli.places import Places
from rawr.codex import binary
from rawr.codex.user_sandbox import configured
from rawr.errors import CodexError
from rawr.runtime.obeyed import Obeyed

NAME = "reach"


def reach_checks(places: Places) -> Iterator[Check]:
    sandbox = configured(places.codex_home)
    try:
        here, codex = str(Path.cwd()), binary.locate(places.codex_bin, configured=places.settings.codex_bin)[0]
    except (OSError, CodexError):
        here, codex = NOWHERE, None
    everything = obeyed(places, codex)
    if (found := everything.reached(sandbox, NOWHERE)) is not None:
        yield Check(NAME, "fail", found.message, found.way_out)
    elif (found := everything.reached(sandbox, here)) is not None:
        # A person may ask from anywhere; only a home in a project is surely meant for work there.
        of_the_home = Obeyed(places.home).reached(sandbox, here) is not None and Path(here) != Path.home()
        grade: Grade = "fail" if of_the_home else "warn"
        yield Check(NAME, grade, f"rawr refuses to work in this folder: {found.message}", found.way_out)
    else:
        yield Check(NAME, "ok", "no agent in Codex's sandbox can write rawr's home or code from here")
