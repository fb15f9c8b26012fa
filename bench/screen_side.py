"""The terminal program in a process of its own, on a journal that is there: for ``screen.py`` to look at.

``python -m bench.screen_side HOME THREAD RATE``: so many pieces of text a second stream into the thread, as an adapter
hands them on, in bursts of a hundredth of a second.
"""

import asyncio
import sys
import time
from pathlib import Path

from tests.tui.told_rawr import ToldRawr

from rawr.core.vocabulary import facts
from rawr.tui.app import RawrApp

BURST = 0.01
WORDS = ("reading ", "the **parser** ", "again, ", "line by line; ", "`read_row` ", "stops early.\n", "\n")


async def main(home: Path, thread: str, rate: int) -> None:
    with ToldRawr(home) as rawr:
        rawr.connects()
        rawr.begin_thread(thread)
        if rate:
            # Only then: a journal that is opened again and again would have these at its end.
            rawr.take(thread, facts.UserSubmitted(text="Go on."))
            rawr.begins(thread, "T-live")
        app = RawrApp(rawr, thread=thread)
        streaming = asyncio.ensure_future(_stream(rawr, thread, rate)) if rate else None
        await app.run_async()
        if streaming is not None:
            streaming.cancel()


async def _stream(rawr: ToldRawr, thread: str, rate: int) -> None:
    """As many as are due by the clock: if the program is slow, they come all at once."""
    sent, began = 0, time.perf_counter()
    while True:
        due = int((time.perf_counter() - began) * rate)
        for number in range(sent, due):
            rawr.writes(thread, f"m{number // 200_000}", WORDS[number % len(WORDS)], kind="message")
        sent = due
        await asyncio.sleep(BURST)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
