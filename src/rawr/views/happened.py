"""The events that a fact alone causes, whatever rawr decided about it: live, or from a journal that is read again.

A fact does not say whose a message to the agent is; ``following`` knows.
"""

import re

from msgspec.structs import replace

from rawr.core.policy.tiers import percent_remaining
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.native import in_words
from rawr.views import events as e

_ITEMS = (facts.ItemStarted, facts.ItemCompleted)
_TELLING: frozenset[type[facts.AnyFact]] = frozenset(
    {
        *_ITEMS,
        facts.ServerConnected,
        facts.ServerLost,
        facts.ThreadJoined,
        facts.ThreadTookOver,
        facts.ThreadClosed,
        facts.RequestReceived,
        facts.PhaseSubmitted,
        facts.TurnStarted,
        facts.TurnCompleted,
        facts.PlanUpdated,
        facts.DiffUpdated,
        facts.UsageUpdated,
        facts.ErrorReported,
    }
)
"""Most facts show nothing, and every fact passes through here."""


def happened(recorded: facts.Recorded) -> tuple[e.AnyEvent, ...]:
    """At most one event, without its place."""
    if type(recorded.fact) not in _TELLING:
        return ()
    event = _of_item(recorded.fact) if isinstance(recorded.fact, _ITEMS) else _of_fact(recorded)
    return (event,) if event is not None else ()


def _of_fact(recorded: facts.Recorded) -> e.AnyEvent | None:
    match recorded.fact:
        case facts.ServerConnected() | facts.ServerLost() if recorded.thread:
            return None  # Each thread receives what was already shown once.
        case facts.ServerConnected(user_agent=agent, transport=transport, native=native):
            return e.CodexConnected(version=_version(agent), transport=transport, native=in_words(native))
        case facts.ServerLost(problem=problem, by_us=False):
            return e.CodexLost(problem=problem)
        case facts.ThreadJoined(cwd=cwd, native=native):
            return e.ThreadJoined(cwd=cwd, native=in_words(native))
        case facts.ThreadTookOver(origin=origin):
            return e.ThreadReplaced(origin=origin)
        case facts.ThreadClosed(how=how):
            return e.ThreadClosed(how=how)
        case facts.RequestReceived(request=request, question=question):
            return e.RequestAsked(request=request, question=question)
        case facts.PhaseSubmitted(phase=phase) if phase:
            return e.PhaseEnded(phase=phase, by="person")
        case _:
            return _of_turn(recorded.fact)


def _of_turn(fact: facts.AnyFact) -> e.AnyEvent | None:
    match fact:
        case facts.TurnStarted(turn=turn):
            return e.TurnBegan(turn=turn)
        case facts.TurnCompleted(turn=turn, status=status, duration_ms=took, problem=problem):
            said = problem.message if problem is not None else ""
            return e.TurnEnded(turn=turn, status=status, duration_ms=took, failed=problem is not None, problem=said)
        case facts.PlanUpdated(steps=steps):
            return e.PlanChanged(steps=steps)
        case facts.DiffUpdated(files=files, files_omitted=omitted):
            added, removed = sum(one.added for one in files), sum(one.removed for one in files)
            return e.DiffChanged(files=len(files) + omitted, added=added, removed=removed)
        case facts.UsageUpdated(in_context=used, window=window):
            percent = percent_remaining(in_context=used, window=window)
            return e.ContextUsed(tokens=used, window=window, percent_left=percent)
        case facts.ErrorReported(problem=problem, will_retry=will_retry):
            return e.ErrorSeen(message=problem.message, will_retry=will_retry)
        case _:
            return None


_DENIED = re.compile(
    r"read-only file system|permission denied|operation not permitted|network is unreachable"
    r"|\bsandbox\b|approval policy",
    re.IGNORECASE,
)
"""How a command fails that may not do what it tries. Codex itself goes by such words, and then does not report it."""


def _of_item(fact: facts.ItemStarted | facts.ItemCompleted) -> e.AnyEvent | None:
    begun = isinstance(fact, facts.ItemStarted)
    unreported = isinstance(fact, facts.ItemCompleted) and fact.found is not None
    match fact.item:
        case items.Command(meant=command) if begun:
            return e.CommandBegan(command=command)
        case items.Compaction():
            return e.CompactionBegan() if begun else e.ContextCompacted()
        case _ if begun:
            return None
        case items.UserMessage(text=text):
            return e.UserSaid(text=text)
        case items.AgentMessage(text=text):
            return e.AgentSaid(text=text)
        case items.Command(meant=command, status=status, exit_code=code, output_tail=output):
            denied = unreported and status == "failed" and _DENIED.search(output) is not None
            ran = e.CommandRan(command=command, status=status, exit_code=code, output=output)
            return replace(ran, unreported=unreported, denied=denied)
        case items.FileChange(changes=changes, status=status):
            return e.FilesChanged(changes=changes, status=status, unreported=unreported)
        case _:
            return None


def _version(user_agent: str) -> str:
    """Codex calls itself by our name: ``rawr/0.163.0 (Debian 12; x86_64) …``."""
    return user_agent.partition(" ")[0].rpartition("/")[2]
