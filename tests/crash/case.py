"""One case of the matrix: what is done, how rawr reaches Codex, what is killed and where. Its name repeats it."""

import random
from typing import get_args

import msgspec
from msgspec import Struct

from tests.crash.jobs import JOBS, Job, Transport
from tests.crash.victim import IN_FOREGROUND, IN_HOST, OF_CODEX, OF_RAWR, Kill

DELAYS = (0.0, 0.0, 0.05, 0.2)
"""Seconds that a summary takes: a compaction can be hit while it runs, too."""
LATEST_MS = 60
"""How long after a point, at most, a kill at a random moment comes."""
HOSTED = "@host"
"""Behind the name of a job that a host does."""


class Case(Struct, frozen=True, kw_only=True):
    job: str
    transport: Transport
    kill: Kill
    point: str
    """``sent:StartTurn#2``, or ``any#57`` for a random moment after the 57th; empty: nothing is killed."""
    again: str = ""
    """A point of the life after it, at which rawr is killed once more."""
    seed: int = 0
    hosted: bool = False
    """The work is done by a host, and not by the command that was started."""

    @property
    def name(self) -> str:
        again = f"+{self.again}" if self.again else ""
        return f"{self.place}/{self.kill}/{self.point or 'nothing'}{again}/{self.seed}"

    @property
    def place(self) -> str:
        """What is done where: its rehearsal has the same."""
        return f"{self.job}{HOSTED if self.hosted else ''}/{self.transport}"

    @classmethod
    def named(cls, name: str) -> "Case":
        job, transport, kill, point, seed = name.split("/")
        hosted, job = job.endswith(HOSTED), job.removesuffix(HOSTED)
        point, _, again = point.partition("+")
        if job not in JOBS or transport not in get_args(Transport) or kill not in victims(hosted=hosted):
            raise ValueError(f"there is no case {name!r}.")
        point = "" if point == "nothing" else point
        return cls(
            job=job,
            transport=msgspec.convert(transport, Transport),
            kill=msgspec.convert(kill, Kill),
            point=point,
            again=again,
            seed=int(seed),
            hosted=hosted,
        )

    @property
    def what(self) -> Job:
        return JOBS[self.job]

    @property
    def stage(self) -> str:
        """Without the passing: the row of the table that it belongs to."""
        return "random moment" if self.point.startswith("any#") else self.point.partition("#")[0]

    @property
    def rawr_dies(self) -> bool:
        """Nobody does the work until it is started again."""
        return bool(self.point) and self.kill in OF_RAWR

    @property
    def codex_dies(self) -> bool:
        return bool(self.point) and self.kill in OF_CODEX

    @property
    def in_terminal(self) -> bool:
        """The first command is in a terminal that can be closed."""
        return self.kill == "terminal"

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
    def shows_screen(self) -> bool:
        """In its terminal rawr draws for a person, and does not print JSON."""
        return self.in_terminal and self._drawn("screen").random() < 0.5

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
    def is_kept(self) -> bool:
        """A service manager starts the host again, and the host continues its runs by itself."""
        possible = self.hosted and self.rawr_dies and not self.again and self.what.command == "run"
        return possible and self._drawn("service").random() < 0.3

    @property
    def waits_for_the_end(self) -> bool:
        """rawr comes back when everything has come to rest, or at once."""
        return self._drawn("patience").random() < 0.5


def victims(*, hosted: bool) -> tuple[Kill, ...]:
    """What can be killed there; first the one that does the work."""
    return IN_HOST if hosted else IN_FOREGROUND
