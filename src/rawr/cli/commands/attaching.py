"""``rawr attach``: a run that goes on in the host, shown here as if it had been started here."""

import asyncio
import contextlib
import signal

from rawr.cli.commands import recorded
from rawr.cli.commands.hosted import Part, connected
from rawr.cli.commands.ordering import Wanted, no_such_run
from rawr.cli.commands.run import Screen, attended, screen_for
from rawr.cli.commands.under_way import UnderWay
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.conversation import Conversation
from rawr.cli.terminal.ending import interruptible
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import OutputLost
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.core.state.run import Run
from rawr.errors import OutsideError
from rawr.journal.reader import JournalReader
from rawr.ports.surface import Surface
from rawr.runtime.sockets import host_answers
from rawr.views.runs import resume_command

TAIL = 300
"""Facts of the run that are shown first: a screen or two."""


def run(name: str, *, json: bool, plain: bool, verbose: bool) -> Exit:
    places = Places.find()
    if name and recorded.find_run(name) is None:
        raise no_such_run(name)
    chosen = recorded.named_or_newest(name, active=True)
    found = recorded.find_run(chosen)
    if not host_answers(places.home):
        raise _nobody(found)
    wanted = Wanted(resume=chosen, json=json, plain=plain, verbose=verbose)
    with flowing(json=json) as flow:
        code = asyncio.run(_attach(wanted, places))
    with contextlib.suppress(OutputLost):
        flow.check()
    return code


def _nobody(found: Run | None) -> OutsideError:
    way_out = f"`{resume_command(found)}` continues it." if found is not None and found.status != "done" else ""
    return OutsideError("No host is running, so no run is under way in the background.", way_out=way_out)


async def _attach(wanted: Wanted, places: Places) -> Exit:
    over, screen = UnderWay(outlives=True), screen_for(wanted)

    def leave(_number: signal.Signals) -> bool:
        over.leave()
        return True

    with interruptible(pause=leave, stop=over.leave):
        async with connected(places.home, "attach") as client:
            with JournalReader.open(places.home) as reader:
                await client.subscribe(Part(screen.surface, over.is_mine))
                thread = client.find_thread(wanted.resume)
                over.look_on(thread)
                after = reader.newest_from(thread, TAIL)
            past = Part(_telling(screen, wanted), over.is_mine)
            await client.subscribe(Part(screen.surface, over.is_mine), after=after, past=past)
            over.begin(client)
            async with attended(client, over, screen, places.settings.attention) as person:
                person.attach()
                person.begin()
                await over.wait_or_leave()
            return over.goes_on(json=wanted.json) if over.has_left else over.last_word(json=wanted.json)


def _telling(screen: Screen, wanted: Wanted) -> Surface:
    """What shows the past: the lines as they were, without the state of then."""
    if isinstance(screen.lines, PlainPrinter | RichPrinter):
        return Conversation(screen.lines, brief=not wanted.verbose)
    return screen.surface
