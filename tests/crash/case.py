"""One case of the matrix: what is done, how rawr reaches Codex, what is killed and where. Its name repeats it."""

import random
from typing import get_args

from msgspec import Struct

from tests.crash.jobs import JOBS, Job, Transport
from tests.crash.victim import Kill

DELAYS = (0.0, 0.0, 0.05, 0.2)
"""Seconds that a summary takes: a compaction can be hit while it runs, too."""
LATEST_MS = 60
"""How long after a point, at most, a kill at a random moment comes."""


class Case(Struct, frozen=True, kw_only=True):
    job: str
    transport: Transport
    kill: Kill
    point: str
    """``sent:StartTurn#2``, or ``any#57`` for a random moment after the 57th; empty: nothing is killed."""
    again: str = ""
    """A point of the life after it, at which rawr is killed once more."""
    seed: int = 0

    @property
    def name(self) -> str:
        again = f"+{self.again}" if self.again else ""
        return f"{self.job}/{self.transport}/{self.kill}/{self.point or 'nothing'}{again}/{self.seed}"

    @classmethod
    def named(cls, name: str) -> "Case":
        job, transport, kill, point, seed = name.split("/")
        point, _, again = point.partition("+")
        if job not in JOBS or transport not in get_args(Transport) or kill not in get_args(Kill):
            raise ValueError(f"there is no case {name!r}.")
        point = "" if point == "nothing" else point
        return cls(job=job, transport=transport, kill=kill, point=point, again=again, seed=int(seed))  # type: ignore[arg-type]

    @property
    def what(self) -> Job:
        return JOBS[self.job]

    @property
    def stage(self) -> str:
        """Without the passing: the row of the table that it belongs to."""
        return "random moment" if self.point.startswith("any#") else self.point.partition("#")[0]

    @property
    def rawr_dies(self) -> bool:
        return bool(self.point) and self.kill != "codex"

    # -- what the seed decides ------------------------------------------------------------------------------------

    def _drawn(self, what: str) -> random.Random:
        return random.Random(f"{self.seed} {what}")  # noqa: S311 - cases are repeated, not hidden

    @property
    def summary_seconds(self) -> float:
        return self._drawn("summary").choice(DELAYS)

    @property
    def delay_ms(self) -> int:
        return self._drawn("delay").randint(1, LATEST_MS) if self.point.startswith("any#") else 0

    @property
    def cold(self) -> bool:
        """rawr is started as a shell does it, and not out of the nursery."""
        return self._drawn("cold").random() < 0.1

    @property
    def user_speaks(self) -> bool:
        """While rawr is away, somebody says something in the thread. That takes a Codex that others can reach.

        Who interrupts turns there may interrupt their own words as well, and then they are not lost.
        """
        possible = self.transport == "socket" and self.rawr_dies and not self.what.interrupted
        return possible and self._drawn("user").random() < 0.5

    @property
    def waits_for_the_end(self) -> bool:
        """rawr comes back when everything has come to rest, or at once."""
        return self._drawn("patience").random() < 0.5
