"""``rawr compact``, ``hold``, ``phase`` and ``pin``: a word to the rawr that is running."""

import asyncio

from rawr.cli.exit_codes import Exit
from rawr.cli.output import emit, say, warn
from rawr.cli.places import Places
from rawr.core.reasons import Reason
from rawr.runtime.control import Asked, Command, ask


def run(command: Command, *, thread: str, json: bool) -> Exit:
    """Tell it, and say what it made of it."""
    answer = asyncio.run(ask(Places.find().home, Asked(command, thread)))
    if json:
        emit({"type": "answer", "thread": answer.thread, "reasons": answer.reasons, "problem": answer.problem})
    elif answer.problem:
        warn(answer.problem)
    else:
        meanings = {one.value: one.meaning for one in Reason}
        for reason in answer.reasons:
            say(f"{answer.thread[-8:]}: {meanings.get(reason, reason)} ({reason})")
    return Exit.PROBLEM if answer.problem else Exit.OK
