"""What happened, as lines for a person: who, what, and at which level (A21).

Status lines are live: they say how things stand and belong to no record. Info lines are few. Every line has a level, so
that a user can choose how much is shown.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.tiers import BASELINE, percent_remaining
from rawr.core.speech import one_line
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record

SHOWN_OUTPUT = 6
"""Lines of a command's output that are shown."""


class Line(Struct, frozen=True):
    """Who, and what: one thing that a person would want to see."""

    who: str
    text: str
    style: str = ""
    level: facts.Level = "info"

    @property
    def of_thread(self) -> bool:
        """Said or done in the thread itself, where a user of Codex sees it anyway."""
        return self.who not in ("rawr", "context", "phase", "error", "auto")

    @property
    def prose(self) -> bool:
        """To be read. By all the rest, commands and paths above all, somebody judges what is done."""
        return self.who in ("you", "codex", "plan", "")


def lines_of(taken: Taken, *, marks: Mapping[str, str]) -> list[Line]:
    """The fact, the boundaries that it showed, and what was decided about them; in rawr's own voice one line each."""
    found = (*_fact(taken, marks), *_boundaries(taken), *_decided(taken))
    return [one if one.of_thread else replace(one, text=one_line(one.text)) for one in found]


def _boundaries(taken: Taken) -> list[Line]:
    return [
        Line("rawr", f"boundary: {one.kind.replace('_', ' ')}{f', {one.detail}' if one.detail else ''}", level="status")
        for one in taken.boundaries
        if one.source != "turn" and one.kind not in _SEEN_OTHERWISE
    ]


_SEEN_OTHERWISE = frozenset(
    {"user_directive", "plan_created", "plan_update", "plan_step_completed", "compaction_completed"}
)


def _decided(taken: Taken) -> list[Line]:
    """Why rawr compacts, or does not yet, in one line each."""
    return [line for decision in taken.decisions if (line := _decision(decision.record)) is not None]


def _decision(record: Record) -> Line | None:
    reason = record.reason
    if reason == Reason.REQUEST_JUDGED_SAFE:
        what = str(record.evidence.get("what", "")).removeprefix("approval of").lstrip(": ")
        return Line("rawr", f"approved by rule: {what}", "magenta")
    if reason.startswith(("compact.deferred.", "judgment.deferred.", "judgment.vetoed.")):
        return Line("rawr", f"not now: {reason.meaning}", "yellow", level="status")
    if reason.startswith(("compact.decided.", "compact.suggested.")):
        return Line("rawr", f"now: {reason.meaning}", "yellow")
    return None


def _fact(taken: Taken, marks: Mapping[str, str]) -> list[Line]:
    match taken.recorded.fact:
        case facts.ServerConnected() | facts.ServerLost() if taken.recorded.thread:
            return []  # Each thread is told what was shown once already.
        case facts.ServerConnected(user_agent=agent, transport=transport):
            return [Line("rawr", f"connected to Codex {_version(agent)} over {transport}", "magenta")]
        case facts.ThreadJoined(cwd=cwd):
            return [Line("rawr", f"watching the thread in {cwd}", "magenta")]
        case facts.ItemCompleted(item=item):
            return _item(item)
        case facts.PlanUpdated(steps=steps):
            return [Line("plan", "   ".join(f"{marks[step.status]} {one_line(step.step)}" for step in steps), "cyan")]
        case facts.UsageUpdated(in_context=used, window=window):
            return [Line("context", _context(used, window), "bright_black", level="status")]
        case facts.TurnCompleted(status=status, duration_ms=took, problem=problem):
            why = f": {problem.message}" if problem is not None else ""
            time = f" in {took / 1000:.1f} s" if took is not None else ""
            text = f"turn {status}{time}{why}"
            if problem is not None:
                return [Line("rawr", text, "red", level="warning")]
            return [Line("rawr", text, "magenta", level="status")]
        case facts.ErrorReported(problem=problem, will_retry=will_retry):
            again = " (Codex tries again)" if will_retry else ""
            return [Line("error", problem.message + again, "red", level="warning")]
        case facts.RequestReceived():
            return [
                Line("phase", f"{record.evidence.get('phase')} finished", "green")
                for record in (decision.record for decision in taken.decisions)
                if record.reason == "phase.marked.tool"
            ]
        case facts.ServerLost(problem=problem, by_us=False):
            return [Line("rawr", f"Codex is gone: {problem}", "red", level="warning")]
        case _:
            return []


def _version(user_agent: str) -> str:
    """Codex calls itself by our name: ``rawr/0.163.0 (Debian 12; x86_64) …``."""
    return user_agent.partition(" ")[0].rpartition("/")[2]


def _context(used: int, window: int | None) -> str:
    """The percent is Codex's own, which leaves out what is always there; hence that is named too."""
    if window is None:
        return f"{_number(used)} tokens in use, window unknown"
    percent = percent_remaining(in_context=used, window=window)
    always = f", {_number(BASELINE)} of them always" if used > BASELINE else ""
    return f"{percent} % left ({_number(used)} of {_number(window)} tokens in use{always})"


def _number(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _item(item: items.AnyItem) -> list[Line]:
    match item:
        case items.UserMessage(text=text):
            return [Line("you", text, "bold")]
        case items.AgentMessage(text=text):
            return [Line("codex", text)]
        case items.Command(status="declined"):
            return [Line("declined", f"$ {item.meant}", "yellow")]
        case items.Command(exit_code=code, output_tail=output):
            ended = "" if code == 0 else f"  (exit code {code})" if code is not None else "  (no exit code)"
            shown = [line for line in output.rstrip("\n").split("\n") if line][-SHOWN_OUTPUT:]
            first = Line("run", f"$ {item.meant}{ended}", "blue" if code == 0 else "red")
            return [first, *(Line("", line, "bright_black") for line in shown)]
        case items.FileChange(changes=changes, status=status):
            text = ", ".join(f"{change.kind} {one_line(change.path)}" for change in changes)
            match status:
                case "declined":
                    return [Line("declined", text, "yellow")]
                case "failed":
                    return [Line("files", f"failed: {text}", "red")]
                case _:
                    return [Line("files", text, "blue")]
        case items.Compaction():
            return [Line("rawr", "context compacted", "magenta")]
        case _:
            return []
