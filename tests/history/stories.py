"""A session as a person would tell it: what the facts say, one line each."""

from collections.abc import Iterable, Iterator

from rawr.core.vocabulary import facts, items
from rawr.history.lines import entry_of
from rawr.history.telling import Telling, Told


def told(lines: Iterable[bytes]) -> list[Told]:
    telling = Telling()
    found = [one for line in lines for one in telling.take(entry_of(line))]
    return found + telling.over()


def story(lines: Iterable[bytes]) -> list[str]:
    return [text for _, fact in told(lines) for text in _words(fact)]


def _words(fact: facts.AnyFact) -> Iterator[str]:
    match fact:
        case facts.TurnStarted():
            yield "turn"
        case facts.TurnCompleted(status=status):
            yield status
        case facts.ItemStarted(item=items.Command(command=command)):
            yield f"still runs: {command}"
        case facts.ItemStarted():
            pass
        case facts.ItemCompleted(item=item):
            yield _item(item)
        case facts.PlanUpdated(steps=steps):
            yield "plan: " + ", ".join(f"{one.status} {one.step}" for one in steps)
        case facts.UsageUpdated(in_context=held):
            yield f"context: {held}"
        case _:
            yield type(fact).__name__


def _item(item: items.AnyItem) -> str:
    match item:
        case items.UserMessage(text=text):
            return f"user: {text}"
        case items.AgentMessage(text=text):
            return f"agent: {text}"
        case items.Command(command=command, exit_code=code, status=status):
            return f"ran: {command} ({status}, {code})"
        case items.FileChange(changes=changes, status=status):
            return f"patch: {', '.join(f'{one.kind} {one.path}' for one in changes)} ({status})"
        case items.ToolCall(tool=tool, status=status):
            return f"tool: {tool} ({status})"
        case items.WebSearch():
            return "search"
        case items.Compaction():
            return "compaction"
        case items.ReviewEntered():
            return "review begins"
        case items.ReviewExited():
            return "review ends"
        case _:
            return type(item).__name__
