"""``rawr`` without a command: the terminal program, on the host of the home."""

import asyncio
from importlib.util import find_spec

from rawr.cli.commands.hosted import codex_for, connected, to_send
from rawr.cli.commands.in_reach import refuse
from rawr.cli.commands.ordering import Wanted
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, warn
from rawr.cli.terminal.screen import open_screen
from rawr.errors import CodexError, OutsideError
from rawr.host.messages import HostStatus


def can_open() -> bool:
    """Return True if the program is installed, and there is a terminal to draw on."""
    if find_spec("textual") is None:
        return False
    from rawr.tui.opening import has_terminal

    return has_terminal()


def run() -> Exit:
    places = Places.find()
    if not places.home.exists():
        refuse(places)  # before anything is made
    own_home(places.home)
    again: str | None = ""
    status: HostStatus | None = None
    while again is not None:
        again, status = asyncio.run(_open(places, again))
    if status is not None and (going_on := _going_on(status)):
        warn(f"in the background: {going_on}. `rawr` comes back to it; `rawr host stop` pauses everything.")
    return Exit.OK


async def _open(places: Places, thread: str) -> tuple[str | None, HostStatus | None]:
    """The thread to come back to, if the host went and the person wants another one; and what the host does."""
    async with connected(places.home, "tui") as client:
        await client.bring(to_send(places).variables)
        await client.subscribe()
        problem = ""
        try:
            await client.reach(codex_for(Wanted(), places))
        except CodexError as error:
            # One can look at everything without a Codex; only new work needs one.
            problem = str(error)
        again = await open_screen(client, thread=thread, problem=problem, returns=True)
        try:
            return again, await client.status()
        except OutsideError:
            return again, None


def _going_on(status: HostStatus) -> str:
    runs = counted(len(status.runs), "run") if status.runs else ""
    return " and ".join(filter(None, (runs, "a watch" if status.watching else "")))
