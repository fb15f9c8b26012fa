"""Which Codex continues a run that was under way when the last host was killed."""

from types import SimpleNamespace
from typing import cast

from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run, Stop
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from rawr.host import messages as m
from rawr.host.codexes import Dial, shared_name
from rawr.host.environment import Environments
from rawr.host.hosting import Hosting, Rules
from rawr.runtime.supervisor import Supervisor

OWN = m.Reach(program="/bin/codex", codex_home="/home/ada/.codex")
SHARED = m.Reach(socket="/home/ada/.codex/control.sock")
CUT_OFF = Stop(Reason.RUN_PAUSED_AWAY, "rawr ended while it ran")


def thread(name: str, link: str, *, stop: Stop | None = CUT_OFF) -> ThreadState:
    run = Run(f"run-{name}", Order(goal="g"), "paused" if stop else "running", 0, 0, stop=stop)
    return ThreadState(id=name, link=link, run=run)


def test_each_by_the_codex_that_has_its_thread() -> None:
    """A thread that is open in somebody's Codex can be opened by no other."""
    threads = [
        thread("ours", "own-0011"),
        thread("of-an-older-codex", "own-2233"),
        thread("in-the-foreground", ""),
        thread("theirs", shared_name(SHARED.socket)),
        thread("elsewhere", shared_name("/another.sock")),
        thread("under-way", "own-0011", stop=None),
        thread("paused-by-a-person", "own-0011", stop=Stop(Reason.RUN_PAUSED_PERSON)),
    ]
    rawr = cast("Supervisor", SimpleNamespace(threads={one.id: one for one in threads}))
    hosting = Hosting(rawr, cast("Dial", None), Rules(lambda _: Policy()), Environments())
    assert hosting.cut_off(own=OWN, shared=SHARED) == [
        ("run-ours", "ours", OWN),
        ("run-of-an-older-codex", "of-an-older-codex", OWN),
        ("run-in-the-foreground", "in-the-foreground", OWN),
        ("run-theirs", "theirs", SHARED),
        ("run-elsewhere", "elsewhere", None),
    ]
