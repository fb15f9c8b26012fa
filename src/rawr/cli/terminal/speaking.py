"""A message to the agent, typed where a run is shown while no question is open (C18)."""

from collections.abc import Callable
from typing import Protocol

from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts

MOST_KEPT = 100
"""How many lines are kept until the run has begun."""


class Heard(Protocol):
    """What a message needs from rawr."""

    @property
    def threads(self) -> dict[str, ThreadState]: ...

    def tell(self, thread: str, fact: facts.AnyFact) -> None: ...


class Speaker:
    """Sends a message into the running turn. Anything typed before there is one is kept until then."""

    def __init__(self, rawr: Heard, is_mine: Callable[[str], bool], *, say: Callable[[str], None]) -> None:
        self._rawr = rawr
        self._is_mine = is_mine
        self._say = say
        self._begun = False
        self._early: list[str] = []
        """What was typed before there was a run to receive it."""

    def begin(self) -> None:
        """All runs of this call have started, or none will: send or refuse what was typed in the meantime."""
        self._begun = True
        self.send_early()

    def speak(self, text: str) -> None:
        if self._is_early:
            self._keep(text)
            return
        runs = {run.id: state.id for state, run in self._under_way}
        if len(runs) > 1:
            name, _, text = text.partition(" ")
            thread = runs.get(name.rstrip(":"), "") if text.strip() else ""
        else:
            thread = next(iter(runs.values()), "")
        if thread:
            self._rawr.tell(thread, facts.SteerSubmitted(text=text.strip()))
        elif runs:
            names = ", ".join(runs)
            self._say(f"Several runs are under way ({names}): start the line with the one you mean. Nothing was sent.")
        else:
            self._say("No run is under way to receive it. Nothing was sent.")

    def send_early(self) -> None:
        """Send what was kept, once there is a run to receive it."""
        if self._early and not self._is_early:
            early, self._early = self._early, []
            for text in early:
                self.speak(text)

    @property
    def _under_way(self) -> list[tuple[ThreadState, Run]]:
        states = [state for state in self._rawr.threads.values() if self._is_mine(state.id)]
        return [(state, state.run) for state in states if state.run is not None and state.run.active]

    @property
    def _is_early(self) -> bool:
        """More runs will come, or none has started its first turn: a message would go behind that turn."""
        waits = [run.turns == 0 and state.turn is None and not state.unweighed for state, run in self._under_way]
        return not self._begun or (bool(waits) and all(waits))

    def _keep(self, text: str) -> None:
        if len(self._early) < MOST_KEPT:
            self._early.append(text)
            self._say("Kept until the run starts.")
        else:
            self._say(f"Ignored: {MOST_KEPT} lines are already waiting for the run to start.")
