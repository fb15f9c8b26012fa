"""The course of a run as its journal has it: stops and starts, checks, compactions, answers, commits."""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.text import tail
from rawr.core.vocabulary.facts import CommandObserved, Recorded
from rawr.core.vocabulary.records import Decision
from rawr.core.vocabulary.requests import Question, UserInput
from rawr.journal.reader import JournalReader
from rawr.views import events as e
from rawr.views.changes import Committed
from rawr.views.following import Following
from rawr.views.questions import describe

SHOWN_OUTPUT = 400


class Happening(Struct, frozen=True):
    """The run began, rested, went on or ended; or a person told it what to do."""

    at: int
    what: str
    why: str
    detail: str = ""


class CheckView(Struct, frozen=True):
    at: int
    passed: bool
    exit_code: int | None
    """None: it could not be run, or did not end in time."""
    timed_out: bool
    output: str
    """The end of what it printed."""


class CompactionView(Struct, frozen=True):
    at: int
    ok: bool
    by_codex: bool
    """Codex compacted by itself, in the middle of a turn."""
    tokens_before: int | None
    tokens_after: int | None
    seconds: int | None
    packet: str
    """Who wrote what survives it: ``agent``, ``rawr``, or nobody."""


class AnswerView(Struct, frozen=True):
    """A question or an approval, and its answer."""

    at: int
    asked: str
    by: str
    """person, model, or why it was declined: rules, deadline, crowd."""
    answer: str
    approval: bool
    """What was asked for is an approval; otherwise an answer in words."""
    came: str = ""
    """By way of which surface and process a person's answer came."""


class Course(Struct, frozen=True):
    happenings: tuple[Happening, ...] = ()
    checks: tuple[CheckView, ...] = ()
    compactions: tuple[CompactionView, ...] = ()
    answers: tuple[AnswerView, ...] = ()
    approved_by_rule: int = 0
    commits: tuple[Committed, ...] = ()
    retries: int = 0
    whole: bool = True
    """False: the beginning of the run is no longer in the journal."""


def course_of(reader: JournalReader, thread: str, *, first: int, until: int | None = None) -> Course:
    """From the fact ``first``, with which the run was ordered, to the newest, or to ``until``."""
    course = _Course()
    for taken in _taken(reader, thread, after=first - 1, until=until):
        course.take(taken)
    whole = any(True for _ in reader.facts(after=first - 1, until=first))
    return replace(course.so_far, whole=whole)


def _taken(reader: JournalReader, thread: str, *, after: int, until: int | None) -> Iterator[Taken]:
    """Facts with their decisions. What rawr did about them is not needed here."""
    made = (one for one in reader.decisions(thread, after=after, until=until) if isinstance(one, Decision))
    by_fact = {seq: tuple(rows) for seq, rows in groupby(made, key=lambda one: one.seq)}
    for recorded in reader.facts(thread, after=after, until=until):
        if isinstance(recorded, Recorded):
            yield Taken(recorded, by_fact.get(recorded.seq, ()))


class _Course:
    """Takes the facts of one thread, in order."""

    def __init__(self) -> None:
        self._following = Following()
        self._happenings: list[Happening] = []
        self._checks: list[CheckView] = []
        self._compactions: list[CompactionView] = []
        self._answers: list[AnswerView] = []
        self._commits: dict[str, Committed] = {}
        self._questions: dict[str, Question] = {}
        self._by_rule = self._retries = 0
        self._packet = ""
        self._began: int | None = None
        self._tokens: int | None = None

    @property
    def so_far(self) -> Course:
        return Course(
            happenings=tuple(self._happenings),
            checks=tuple(self._checks),
            compactions=tuple(self._compactions),
            answers=tuple(self._answers),
            approved_by_rule=self._by_rule,
            commits=tuple(self._commits.values()),
            retries=self._retries,
        )

    def take(self, taken: Taken) -> None:
        fact = taken.recorded.fact
        if isinstance(fact, CommandObserved):
            for one in fact.commits:
                self._commits.pop(one.amends, None)
                self._commits[one.sha] = Committed(one.sha, one.subject, taken.recorded.at, fact.root)
        for event in self._following.take(taken):
            self._of_run(event)
            self._of_context(event)
            self._of_request(event)

    def _of_run(self, event: e.AnyEvent) -> None:
        match event:
            case e.RunChecked(passed=passed, exit_code=code, timed_out=late, output=output):
                self._checks.append(CheckView(event.at, passed, code, late, tail(output.strip(), SHOWN_OUTPUT)))
            case e.RunRetrying():
                self._retries += 1
            case e.RunOverridden(text=text):
                self._happenings.append(Happening(event.at, "told", event.why, text))
            case _ if isinstance(event, e.RunEvent) and type(event) in _HAPPENINGS:
                self._happenings.append(Happening(event.at, _HAPPENINGS[type(event)], event.why, event.detail))
            case _:
                pass

    def _of_context(self, event: e.AnyEvent) -> None:
        match event:
            case e.PacketReady(author=author):
                self._packet = author
            case e.CompactionBegan():
                self._began = event.at
            case e.CompactionEnded(ok=ok, by_codex=by_codex, tokens_before=before, tokens_after=after):
                seconds = (event.at - self._began) // 1000 if self._began is not None else None
                before = before if before is not None else self._tokens
                packet = self._packet if ok else ""
                self._compactions.append(CompactionView(event.at, ok, by_codex, before, after, seconds, packet))
                self._packet, self._began = "", None
            case e.ContextUsed(tokens=tokens):
                self._tokens = tokens
                if self._compactions and self._compactions[-1].tokens_after is None:
                    # Codex counts only when it next answers.
                    self._compactions[-1] = replace(self._compactions[-1], tokens_after=tokens)
            case _:
                pass

    def _of_request(self, event: e.AnyEvent) -> None:
        match event:
            case e.RequestAsked(request=request, question=question):
                self._questions[request] = question
            case e.RequestApproved():
                self._by_rule += 1
            case e.RequestAnswered(
                request=request, by=("person" | "model") as by, words=words, secret=secret, came=came
            ):
                self._answered(event.at, request, by=by, answer="(hidden)" if secret else words, came=came)
            case e.RequestDeclined(request=request, by=by):
                self._answered(event.at, request, by=by, answer="decline")
            case _:
                pass

    def _answered(self, at: int, request: str, *, by: str, answer: str, came: str = "") -> None:
        question = self._questions.get(request)
        asked = describe(question) if question is not None else f"request {request}"
        approval = question is not None and not isinstance(question, UserInput)
        self._answers.append(AnswerView(at, asked, by, answer, approval, came))


_HAPPENINGS: dict[type[e.RunEvent], str] = {
    e.RunStarted: "started",
    e.RunResumed: "resumed",
    e.RunWaiting: "waited",
    e.RunStalled: "stalled",
    e.RunPaused: "paused",
    e.RunStopped: "stopped",
    e.RunDone: "done",
    e.RunFailed: "failed",
}
