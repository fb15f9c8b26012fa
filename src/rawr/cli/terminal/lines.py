"""What happens, as lines for a person: who, what, and at which level (A21).

Status lines are live: they show the current state and are not recorded. Info lines are few. Every line has a level, so
that a user can choose how much to see.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.terminal.numbers import short
from rawr.core.policy.tiers import BASELINE
from rawr.core.speech import one_line
from rawr.core.vocabulary.facts import Level
from rawr.views import events as e

SHOWN_OUTPUT = 6
"""How many lines of a command's output are shown."""
SEEN_OTHERWISE = frozenset(
    {"user_directive", "plan_created", "plan_update", "plan_step_completed", "compaction_completed"}
)
"""Boundaries that have their own line."""


STEPS: Mapping[str, str] = {
    "heads_up": "telling the agent that a compaction is coming",
    "scratch": "auto-compaction: requesting scratch write",
    "packet": "asking the agent for the packet",
    "correction": "sending the packet back",
    "handoff": "handing over",
    "recovery": "handing over the record",
}
"""What rawr's own turns are for."""


class Line(Struct, frozen=True):
    """Who, and what: one thing that a person would want to see."""

    who: str
    text: str
    style: str = ""
    level: Level = "info"

    @property
    def of_thread(self) -> bool:
        """Said or done in the thread itself, where a user of Codex sees it anyway."""
        return self.who not in ("rawr", "context", "phase", "error", "auto")

    @property
    def prose(self) -> bool:
        """Text for reading. Everything else, commands and paths above all, is for judging what is done."""
        return self.who in ("you", "codex", "plan", "")


def lines_of(event: e.AnyEvent, *, marks: Mapping[str, str]) -> list[Line]:
    """What a person sees of it; rawr's own voice gets one line each."""
    found = _of_thread(event, marks) or _of_rawr(event)
    return [one if one.of_thread else replace(one, text=one_line(one.text)) for one in found]


def _of_thread(event: e.AnyEvent, marks: Mapping[str, str]) -> list[Line]:
    """What happens in a turn."""
    match event:
        case e.UserSaid(text=text, purpose=""):
            return [Line("you", text, "bold")]
        case e.AgentSaid(text=text):
            return [Line("codex", text)]
        case e.CommandRan():
            return _command(event)
        case e.FilesChanged():
            return [_files(event)]
        case e.PlanChanged(steps=steps):
            return [Line("plan", "   ".join(f"{marks[step.status]} {one_line(step.step)}" for step in steps), "cyan")]
        case _:
            return []


def _command(event: e.CommandRan) -> list[Line]:
    code = event.exit_code
    if event.status == "declined":
        return [Line("declined", f"$ {event.command}", "yellow")]
    how = [] if code == 0 else [f"exit code {code}" if code is not None else "no exit code"]
    how += ["denied by Codex"] if event.denied else ["not reported by Codex"] if event.unreported else []
    ended = f"  ({', '.join(how)})" if how else ""
    shown = [line for line in event.output.rstrip("\n").split("\n") if line][-SHOWN_OUTPUT:]
    first = Line("run", f"$ {event.command}{ended}", "blue" if code == 0 else "red")
    return [first, *(Line("", line, "bright_black") for line in shown)]


def _files(event: e.FilesChanged) -> Line:
    text = ", ".join(f"{change.kind} {one_line(change.path)}" for change in event.changes)
    match event.status:
        case "declined":
            return Line("declined", text, "yellow")
        case "failed":
            return Line("files", f"failed: {text}", "red")
        case _:
            return Line("files", text, "blue")


def _of_rawr(event: e.AnyEvent) -> list[Line]:
    """What rawr sees and does."""
    match event:
        case e.CodexConnected(version=version, transport=transport, native=native):
            line = f"connected to Codex {version} over {transport}"
            return [Line("rawr", f"{line}; {native}" if native else line, "magenta")]
        case e.CodexLost(problem=problem):
            return [Line("rawr", f"lost Codex: {problem}", "red", level="warning")]
        case e.ThreadJoined(cwd=cwd, native=native):
            line = f"watching the thread in {cwd}"
            return [Line("rawr", f"{line}; {native}" if native else line, "magenta")]
        case e.TurnEnded():
            return [_turn(event)]
        case e.ErrorSeen(message=message, will_retry=will_retry):
            return [Line("error", message + (" (Codex is retrying)" if will_retry else ""), "red", level="warning")]
        case e.PhaseEnded(phase=phase, by="agent"):
            return [Line("phase", f"{phase} finished", "green")]
        case e.RequestApproved(what=what):
            return [Line("rawr", f"approved by rule: {what}", "magenta")]
        case _:
            return _of_context(event)


def _of_context(event: e.AnyEvent) -> list[Line]:
    match event:
        case e.ContextUsed():
            return [Line("context", _context(event), "bright_black", level="status")]
        case e.ContextCompacted():
            return [Line("rawr", "context compacted", "magenta")]
        case e.CompactionAudited(ok=True):
            return [Line("rawr", _gained(event), "magenta")]
        case e.BoundarySeen(kind=kind, source=source, detail=detail):
            if source == "turn" or kind in SEEN_OTHERWISE:
                return []
            more = f", {detail}" if detail else ""
            return [Line("rawr", f"boundary: {kind.replace('_', ' ')}{more}", level="status")]
        case e.CompactionDeferred(why=why):
            return [Line("rawr", f"not now: {why}", "yellow", level="status")]
        case e.CompactionDecided(why=why):
            return [Line("rawr", f"now: {why}", "yellow")]
        case _:
            return _of_path(event)


def _of_path(event: e.AnyEvent) -> list[Line]:
    """The steps between a decision and the handoff, and moments at which rawr only waits or marks."""
    match event:
        case e.CompactionMarked(percent_left=percent, boundary=boundary):
            at = f" ({boundary})" if boundary else ""
            return [Line("rawr", f"marked: a moment to compact{at}, {percent} % left", "yellow")]
        case e.CompactionHeld(percent_left=percent):
            return [Line("rawr", f"compacting before your next message, {percent} % left", level="status")]
        case e.CompactionBegan():
            return [Line("rawr", "compacting the context", level="status")]
        case e.AgentAsked(purpose="scratch"):
            return [Line("rawr", STEPS["scratch"], "magenta")]
        case e.AgentAsked(purpose=purpose) if purpose in STEPS:
            return [Line("rawr", STEPS[purpose], level="status")]
        case _:
            return []


def _gained(event: e.CompactionAudited) -> str:
    """What a compaction was good for."""
    before, after = event.tokens_before, event.tokens_after
    parts = [f"{short(before)} → {short(after)} tokens"] if before is not None and after is not None else []
    parts += [f"packet by {'the agent' if event.packet == 'agent' else 'rawr'}"] if event.packet else []
    parts += [f"{event.duration_ms / 1000:.0f} s"] if event.duration_ms is not None else []
    return f"compacted: {', '.join(parts)}"


def _turn(event: e.TurnEnded) -> Line:
    why = f": {event.problem}" if event.failed else ""
    time = f" in {event.duration_ms / 1000:.1f} s" if event.duration_ms is not None else ""
    text = f"turn {event.status}{time}{why}"
    return Line("rawr", text, "red", "warning") if event.failed else Line("rawr", text, "magenta", "status")


def _context(event: e.ContextUsed) -> str:
    """The percent is Codex's own, which excludes what is always there; so that is shown too."""
    used = event.tokens
    if event.window is None:
        return f"{short(used)} tokens in use, window unknown"
    always = f", {short(BASELINE)} of them always" if used > BASELINE else ""
    return f"{event.percent_left} % left ({short(used)} of {short(event.window)} tokens in use{always})"
