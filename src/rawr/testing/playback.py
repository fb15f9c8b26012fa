"""Which reply answers which request.

Each conversation (one Codex thread; a fork or a subagent is a separate one) counts its own used replies. A request
takes the first reply, in file order, that is not used up in its conversation and whose ``when`` fits.

Codex's own request for a summary is separate: only replies with ``compaction: true`` answer it, and they answer nothing
else. If none is left, a short default summary is used, so that a scenario about something else need not write one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, assert_never

import msgspec

from rawr.errors import ScenarioError
from rawr.testing.model_request import ModelRequest
from rawr.testing.scenario import (
    Ask,
    Call,
    Cut,
    Fail,
    Fault,
    Garbage,
    Hang,
    HttpError,
    Patch,
    Plan,
    Raw,
    Reply,
    Run,
    Say,
    Scenario,
    Step,
    Think,
    When,
)

DEFAULT_SUMMARY = Reply(steps=(Say("Summary by the scripted model."),), when=When(compaction=True))

Answer = int | Literal["summary", "unexpected"]


class ScenarioMismatch(ScenarioError):
    """The conversation left its script. The message is the transcript: asked, used, left."""


class Played(msgspec.Struct, frozen=True):
    """A request and what answered it: a reply's place in the scenario, the default summary, or nothing."""

    request: ModelRequest
    answer: Answer


class Playback:
    """A running scenario: what was asked, which reply was used where, what is left. Not thread-safe by itself."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.played: list[Played] = []
        self._used: Counter[tuple[str, int]] = Counter()

    def take(self, request: ModelRequest) -> Reply | None:
        """The reply for this request, which is then used; None if the scenario has none."""
        for index, reply in enumerate(self.scenario.replies):
            used = self._used[request.conversation, index]
            if (reply.times == "always" or used < reply.times) and fits(reply.when, request):
                self._used[request.conversation, index] += 1
                self.played.append(Played(request, index))
                return reply
        self.played.append(Played(request, "summary" if request.is_compaction else "unexpected"))
        return DEFAULT_SUMMARY if request.is_compaction else None

    @property
    def unexpected(self) -> tuple[ModelRequest, ...]:
        return tuple(entry.request for entry in self.played if entry.answer == "unexpected")

    @property
    def never_used(self) -> tuple[int, ...]:
        """Places of the replies that no conversation has ever used."""
        used = {index for (_, index), count in self._used.items() if count}
        return tuple(index for index in range(len(self.scenario.replies)) if index not in used)

    def transcript(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        source = f" ({self.scenario.source})" if self.scenario.source else ""
        yield f"scenario {self.scenario.name!r}{source}"
        yield "asked:" if self.played else "asked: nothing"
        for entry in self.played:
            yield f"  #{entry.request.number} [{entry.request.conversation[-8:]}] {describe(entry.request)}"
            yield f"      → {self._answer(entry.answer)}"
        left = [self._left(index, reply) for index, reply in enumerate(self.scenario.replies)]
        yield "replies:"
        yield from left or ["  none are written"]

    def _answer(self, answer: Answer) -> str:
        match answer:
            case "summary":
                return "the default summary"
            case "unexpected":
                return "UNEXPECTED: no reply is left that fits"
            case _:
                return f"reply {answer}: {sketch(self.scenario.replies[answer])}"

    def _left(self, index: int, reply: Reply) -> str:
        count = sum(used for (_, place), used in self._used.items() if place == index)
        return f"  {index}. used {count} of {reply.times} | when {reply.when} | {sketch(reply)}"


def fits(when: When, request: ModelRequest) -> bool:
    if when.compaction != request.is_compaction:
        return False
    if when.tool is not None and not any(re.search(when.tool, out.text) for out in request.new_tool_outputs()):
        return False
    places = ((when.user, request.last_user), (when.first_user, request.first_user), (when.any, request.all_text))
    return all(re.search(pattern, text) for pattern, text in places if pattern is not None)


def describe(request: ModelRequest) -> str:
    """One line on what a request asks."""
    if request.is_compaction:
        return "compaction"
    outputs = ", ".join(f"{out.tool or 'tool'} gave {_short(out.text)}" for out in request.new_tool_outputs())
    return f"user: {_short(request.last_user)}" + (f"; {outputs}" if outputs else "")


def sketch(reply: Reply) -> str:
    """One line on what a reply does."""
    parts = [_sketch_step(step) for step in reply.steps]
    return ", ".join(parts if reply.fault is None else [*parts, _sketch_fault(reply.fault)])


def _sketch_step(step: Step) -> str:
    match step:
        case Say(text):
            return f"say {_short(text)}"
        case Think(text):
            return f"think {_short(text)}"
        case Run(cmd=cmd):
            return f"run {_short(cmd)}"
        case Plan(steps):
            return f"plan of {len(steps)}"
        case Call(tool=tool):
            return f"call {tool}"
        case Ask(questions):
            return f"ask {len(questions)}"
        case Patch():
            return "patch"
        case Raw(item):
            return f"raw {item.get('type')}"
        case _:
            assert_never(step)


def _sketch_fault(fault: Fault) -> str:
    match fault:
        case HttpError(status=status):
            return f"HTTP {status}"
        case Cut(after):
            return f"cut after {after}"
        case Hang(after):
            return f"hang after {after}"
        case Garbage():
            return "garbage"
        case Fail(code):
            return f"failed {code}"
        case _:
            assert_never(fault)


def _short(text: str, *, limit: int = 60) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")
