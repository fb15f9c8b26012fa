"""A Full Auto run, from its start to its end."""

from rawr.views.events.base import Decided


class RunEvent(Decided, frozen=True, kw_only=True):
    """Base of the events of a run, by its id. ``detail`` is what the decision adds to its reason, in words."""

    run: str = ""
    detail: str = ""


class RunStarted(RunEvent, frozen=True, kw_only=True):
    goal: str


class RunResumed(RunEvent, frozen=True, kw_only=True):
    pass


class RunOverridden(RunEvent, frozen=True, kw_only=True):
    """A person decided what comes next."""

    text: str


class RunContinued(RunEvent, frozen=True, kw_only=True):
    pass


class RunChecking(RunEvent, frozen=True, kw_only=True):
    """The done check is run; ``reason`` says why now."""


class RunChecked(RunEvent, frozen=True, kw_only=True):
    passed: bool
    exit_code: int | None = None
    """Without one, it could not be run, or did not end in time."""
    timed_out: bool = False
    output: str = ""
    """The end of what it printed."""


class RunReviewing(RunEvent, frozen=True, kw_only=True):
    pass


class RunRetrying(RunEvent, frozen=True, kw_only=True):
    """The turn failed for a transient reason."""

    seconds: int
    """Seconds until the retry."""


class RunWaiting(RunEvent, frozen=True, kw_only=True):
    """The run waits for the account's limit to reset."""

    seconds: int


class RunStalled(RunEvent, frozen=True, kw_only=True):
    """Nothing happens in its turn, so rawr interrupts it."""


class RunDone(RunEvent, frozen=True, kw_only=True):
    checked: bool
    """Otherwise the agent's own word counts."""


class RunPaused(RunEvent, frozen=True, kw_only=True):
    pass


class RunStopped(RunEvent, frozen=True, kw_only=True):
    pass


class RunFailed(RunEvent, frozen=True, kw_only=True):
    pass


class RunRefused(RunEvent, frozen=True, kw_only=True):
    """Codex pursues its own goal on the thread."""
