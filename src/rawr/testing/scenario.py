"""What a scripted model says: a scenario is a list of replies, and a reply is a list of steps.

These are values only. ``scenario_file`` reads them from a file, ``playback`` chooses among them, ``responses`` puts
them on the wire.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from rawr.errors import ScenarioError

JsonObject = dict[str, object]
PlanStatus = Literal["pending", "in_progress", "completed"]


class Say(msgspec.Struct, frozen=True):
    """An assistant message, streamed word by word."""

    text: str


class Think(msgspec.Struct, frozen=True):
    """A reasoning summary, streamed word by word."""

    text: str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A shell command. With ``escalate`` it asks to leave the sandbox, and the user sees ``why``."""

    cmd: str
    escalate: bool = False
    why: str | None = None
    yield_ms: int | None = None
    workdir: str | None = None


class PlanStep(msgspec.Struct, frozen=True):
    step: str
    status: PlanStatus


class Plan(msgspec.Struct, frozen=True):
    """The whole plan, as Codex's plan tool takes it."""

    steps: tuple[PlanStep, ...]
    explanation: str | None = None


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call of any function tool; ``namespace`` for tools that Codex groups, such as ``multi_agent_v1``."""

    tool: str
    arguments: JsonObject = {}
    namespace: str | None = None


class Option(msgspec.Struct, frozen=True):
    label: str
    description: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    header: str
    question: str
    options: tuple[Option, ...]


class Ask(msgspec.Struct, frozen=True):
    """Questions to the user; outside plan mode, Codex requires ``features.default_mode_request_user_input``."""

    questions: tuple[Question, ...]


class Patch(msgspec.Struct, frozen=True):
    """A patch in Codex's own format (``*** Begin Patch`` … ``*** End Patch``); Codex shows it as a file change.

    It travels as ``apply_patch`` in a shell command: Codex offers no patch tool to a model that it does not know, and
    recognises such a command as a patch.
    """

    text: str

    def __post_init__(self) -> None:
        lines = self.text.strip().splitlines()
        if not lines or lines[0] != "*** Begin Patch" or lines[-1] != "*** End Patch":
            raise ScenarioError("a patch starts with '*** Begin Patch' and ends with '*** End Patch'.")


class Raw(msgspec.Struct, frozen=True):
    """A Responses item, sent as it is."""

    item: JsonObject


Step = Say | Think | Run | Plan | Call | Ask | Patch | Raw


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens that this reply reports. The total is input and output; cached and reasoning are parts of those."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    def __post_init__(self) -> None:
        if min(self.input, self.cached, self.output, self.reasoning) < 0:
            raise ScenarioError("token counts cannot be negative.")
        if self.cached > self.input or self.reasoning > self.output:
            raise ScenarioError("cached tokens are part of input, and reasoning tokens part of output.")

    @property
    def total(self) -> int:
        return self.input + self.output


DEFAULT_USAGE = Usage(input=1000)


class HttpError(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP error instead of a stream."""

    status: int
    retry_after: float | None = None
    body: str | None = None
    headers: dict[str, str] = {}

    def __post_init__(self) -> None:
        if not 400 <= self.status <= 599:
            raise ScenarioError(f"an HTTP error is a status from 400 to 599, not {self.status}.")


class Cut(msgspec.Struct, frozen=True):
    """The connection drops after that many events."""

    after: int


class Hang(msgspec.Struct, frozen=True):
    """Silence after that many events, until ``release()``; then the reply continues. With 0, no header is sent."""

    after: int = 0


class Garbage(msgspec.Struct, frozen=True):
    """A stream that is not an event stream."""


class Fail(msgspec.Struct, frozen=True):
    """The stream ends with ``response.failed``; ``context_length_exceeded`` is the code Codex knows best."""

    code: str
    message: str = "the scripted model fails on purpose"


Fault = HttpError | Cut | Hang | Garbage | Fail


class When(msgspec.Struct, frozen=True, kw_only=True):
    """What a request must look like. Every given pattern must be found (``re.search``).

    ``user``        in the newest message of the user
    ``first_user``  in the first one
    ``tool``        in a tool output that this request brings
    ``any``         anywhere in the input
    ``compaction``  the request is Codex's own call for a summary
    """

    user: str | None = None
    first_user: str | None = None
    tool: str | None = None
    any: str | None = None
    compaction: bool = False

    def __post_init__(self) -> None:
        for key, pattern in self.patterns():
            try:
                re.compile(pattern)
            except re.error as error:
                raise ScenarioError(f"when.{key} is not a regular expression: {error}.") from error

    def patterns(self) -> tuple[tuple[str, str], ...]:
        keys = ("user", self.user), ("first_user", self.first_user), ("tool", self.tool), ("any", self.any)
        return tuple((key, pattern) for key, pattern in keys if pattern is not None)

    def __str__(self) -> str:
        parts = [f"{key}: {pattern!r}" for key, pattern in self.patterns()]
        return ", ".join([*parts, "compaction"] if self.compaction else parts) or "anything"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to one model request: its steps in order, the tokens it reports, and what goes wrong."""

    steps: tuple[Step, ...] = ()
    when: When = When()
    usage: Usage = DEFAULT_USAGE
    delay: float = 0.0
    delay_between: float | None = None
    fault: Fault | None = None
    times: int | Literal["always"] = 1

    def __post_init__(self) -> None:
        if self.times != "always" and self.times < 1:
            raise ScenarioError("times is 1 or more, or always.")
        if self.delay < 0 or (self.delay_between or 0) < 0:
            raise ScenarioError("a delay is 0 seconds or more.")
        match self.fault:
            case HttpError() | Garbage() if self.steps:
                raise ScenarioError("a reply that fails before it begins has no steps; give it the fault alone.")
            case Cut(after) | Hang(after) if after < 0:
                raise ScenarioError("a number of events is 0 or more.")
            case None if not self.steps:
                raise ScenarioError(
                    "a reply needs something to do: say, think, run, plan, call, ask, patch, raw or fault."
                )
            case _:
                pass


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A named list of replies; ``source`` is the file it came from, ``window`` the context window to run it with."""

    name: str
    replies: tuple[Reply, ...]
    window: int | None = None
    source: str = ""

    @classmethod
    def of(cls, name: str, replies: Sequence[Reply | Step], *, window: int | None = None) -> "Scenario":
        """The short form in Python: a bare step is a reply of that one step.

        >>> len(Scenario.of("greeting", [Say("Hello."), Say("Goodbye.")]).replies)
        2
        """
        whole = tuple(reply if isinstance(reply, Reply) else Reply(steps=(reply,)) for reply in replies)
        return cls(name=name, replies=whole, window=window)
