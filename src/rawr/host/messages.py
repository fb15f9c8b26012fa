"""What clients and the host say to each other.

``Hello`` and ``Welcome`` keep their shape for good, so that any two versions can tell each other apart. ``Ping``,
``AskStatus`` and ``Stop`` work between versions; for everything else both ends must be the same rawr.
"""

from hashlib import sha256
from typing import Literal

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.host import HostState
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts
from rawr.host.environment import Environment
from rawr.journal.shape import shape_of
from rawr.ports.surface import Delta
from rawr.runtime.control import Command

PROTOCOL = 2


class Message(Struct, frozen=True, tag_field="is", tag=True, omit_defaults=True):
    """Base of all messages."""


# -- greeting ---------------------------------------------------------------------------------------------------


class Hello(Message, frozen=True):
    """A client's first message."""

    protocol: int
    version: str
    shape: str = ""
    """A digest of the shapes of facts and states: clients fold them."""
    surface: str = ""
    """What it calls itself. For the record alone: nothing depends on it."""


class Welcome(Message, frozen=True):
    """The host's first message."""

    protocol: int
    version: str
    pid: int
    same: bool = True
    """Both ends are the same rawr. If not, only ``Ping``, ``AskStatus`` and ``Stop`` are answered."""


# -- calls ------------------------------------------------------------------------------------------------------


class Call(Struct, frozen=True, tag_field="call", tag=True, omit_defaults=True):
    """Base of what a client can ask for."""


class Ping(Call, frozen=True):
    """Answered when everything that was told before is written and shown."""


class AskStatus(Call, frozen=True):
    pass


class Stop(Call, frozen=True):
    """Pause the runs, and exit."""


class Subscribe(Call, frozen=True):
    """Show everything from here on. ``after``: first everything that was recorded after this fact."""

    after: int | None = None
    deltas: bool = False


class Bring(Call, frozen=True):
    """The environment of this client's terminal. What the host does for it from here on is done in that one."""

    environment: Environment


class Reach(Call, frozen=True):
    """Work with this Codex from here on: one that the host starts, or the one behind a socket."""

    program: str = ""
    codex_home: str = ""
    socket: str = ""


class Watch(Call, frozen=True):
    """Join the threads of the Codex behind a socket, and keep them on course."""

    socket: str
    mode: Literal["", "tag", "suggest", "auto"] = ""
    only: str = ""


class Unwatch(Call, frozen=True):
    """This client's watch is over. The last one ends it."""


class UseRules(Call, frozen=True):
    """Settings that override those of the home, by key. All clients of a host work under the same ones."""

    flags: dict[str, object]


class BeginThread(Call, frozen=True):
    cwd: str
    model: str = ""
    approvals: facts.AskPolicy = "on-request"
    sandbox: facts.Sandbox = "workspace-write"
    unattended: bool = False
    notify: str = ""


class AdoptThread(Call, frozen=True):
    thread: str
    approvals: facts.AskPolicy | Literal[""] = ""
    sandbox: facts.Sandbox | Literal[""] = ""
    take_goal: bool = False
    notify: str = ""


class PutThread(Call, frozen=True):
    """Continue a thread with this client's Codex and in its environment, unless it is at work."""

    thread: str
    notify: str = ""


Submission = Command | facts.SteerSubmitted | facts.RunSubmitted
"""What a person can submit. Nothing else gets in by the socket."""


class Submit(Call, frozen=True):
    thread: str
    fact: Submission


OneAnswer = (
    Ping
    | AskStatus
    | Stop
    | Bring
    | Reach
    | Watch
    | Unwatch
    | UseRules
    | BeginThread
    | AdoptThread
    | PutThread
    | Submit
)
AnyCall = OneAnswer | Subscribe
ACROSS_VERSIONS = (Ping, AskStatus, Stop)
READING = (Ping, AskStatus, Subscribe)
"""Everything else is an order, and only a person gives orders: a new call is one too, unless it is put here."""


class Calling(Message, frozen=True):
    number: int
    call: AnyCall


# -- answers ----------------------------------------------------------------------------------------------------


class LinkStatus(Struct, frozen=True, omit_defaults=True):
    name: str
    kind: Literal["own", "shared"]
    online: bool
    where: str = ""
    """The program that the host starts, or the socket it joins."""
    problem: str = ""
    runs: tuple[str, ...] = ()
    """Those under way there."""


class RunStatus(Struct, frozen=True, omit_defaults=True):
    run: str
    thread: str
    cwd: str
    status: str


class HostStatus(Struct, frozen=True, omit_defaults=True):
    pid: int
    version: str
    home: str
    since: int
    """In ms since the epoch."""
    clients: int = 0
    links: tuple[LinkStatus, ...] = ()
    processes: int = 0
    """How many Codex processes it has started: one for each environment and Codex that its runs need."""
    watching: str = ""
    """The socket of the Codex that it watches."""
    runs: tuple[RunStatus, ...] = ()
    """Those under way."""
    ends: str = ""
    """Why it stays, or when it ends by itself."""
    confined: str = ""
    """What this host cannot tell of its clients, and why; empty: it can."""


class Nothing(Struct, frozen=True, tag=True, tag_field="result"):
    pass


class Named(Struct, frozen=True, tag=True, tag_field="result"):
    """The name of a thread or of a connection."""

    name: str


class Shown(Struct, frozen=True, tag=True, tag_field="result"):
    status: HostStatus


class Recorded(Struct, frozen=True, tag=True, tag_field="result"):
    taken: Taken


class Subscribed(Struct, frozen=True, tag=True, tag_field="result"):
    """Everything as of fact ``seq``; the next message is about what came after it."""

    seq: int
    host: HostState
    policy: Policy
    threads: tuple[ThreadState, ...]


Result = Nothing | Named | Shown | Recorded | Subscribed


class Returned(Message, frozen=True):
    number: int
    result: Result


ErrorKind = Literal["codex", "journal", "lost", "config", "person", "outside", "bug"]


class Failed(Message, frozen=True):
    number: int
    kind: ErrorKind
    problem: str
    way_out: str = ""


# -- what happens -----------------------------------------------------------------------------------------------


class Happened(Message, frozen=True):
    taken: Taken


class Past(Message, frozen=True):
    """The same, from before the subscription: the states hold it already."""

    taken: Taken


class Appeared(Message, frozen=True):
    """A thread that was not in memory is now, as of fact ``seq``."""

    state: ThreadState
    seq: int


class Noticed(Message, frozen=True):
    thread: str
    level: facts.Level
    text: str


class Written(Message, frozen=True):
    delta: Delta


class Waits(Message, frozen=True):
    """What a person must decide on a thread, as it really is: it goes to the owner's own screen and is not written."""

    thread: str
    requests: tuple[OpenRequest, ...] = ()


class Leaving(Message, frozen=True):
    """The host exits, or has cut this client off; nothing more comes."""

    why: str
    kind: ErrorKind | Literal[""] = ""
    """What failed, if the host did; ``why`` is then a sentence of its own."""
    way_out: str = ""
    busy: bool = False
    """It takes no more clients for now. This comes instead of ``Welcome``."""


ToClient = Welcome | Returned | Failed | Happened | Past | Appeared | Noticed | Written | Waits | Leaving
ToHost = Hello | Calling


def own_shape() -> str:
    """A digest of everything that both ends must read the same way."""
    shapes = "/".join(shape_of(one) for one in (ThreadState, HostState, Taken, Policy))
    return sha256(shapes.encode()).hexdigest()[:16]
