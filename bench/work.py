"""One thread at work: the facts of as many turns as one asks for, always of the same kind and size, never the same.

Ids and texts are new in every turn, as they are in life, so that nothing that is kept by mistake can hide.
"""

from collections.abc import Iterator

import msgspec

from rawr.core import facts, items, requests
from rawr.core.compaction_policy import AutoCompaction
from rawr.core.effects import StartTurn
from rawr.core.kernel import Kernel
from rawr.core.policy import Policy

ALONE = Policy(compaction=AutoCompaction(enabled=False), watch_repositories=False)
"""Nobody is at the other end, so nothing is begun that waits for an answer."""
THREAD = "0198c0de-0000-7000-8000-000000000001"
STEPS = ("Read the parser", "Write a failing test", "Fix the parser", "Run everything", "Report")
COMMANDS = 3
NOON = 1_790_000_000_000
"""When it all begins, in ms since the epoch. Times have the same number of digits from beginning to end."""
OPENED = facts.ThreadOpened(cwd="/project", model="scripted", ours=True)


def turn_id(turn: int) -> str:
    return f"0198c0de-0000-7000-8000-{turn:012x}"


def turn(number: int) -> Iterator[facts.AnyFact]:
    """What Codex tells of one turn, from its start to its end."""
    name = turn_id(number)
    yield facts.ThreadStatusChanged(status="active")
    yield facts.TurnStarted(turn=name)
    yield from _item(name, items.UserMessage(id=f"{name}-u", text=f"Go on with part {number:012}, please."))
    yield _plan(name, done=1 + number % 4)
    for command in range(COMMANDS):
        yield from _item(name, items.Reasoning(id=f"{name}-r{command}"))
        yield from _command(name, command, failed=number % 3 == command)
        yield _usage(name, number, command)
    yield from _item(name, _change(name))
    yield facts.DiffUpdated(turn=name, digest=name[-16:], files=(facts.FileDelta("src/parser.py", 12, 4),))
    yield from _now_and_then(name, number)
    yield from _item(name, items.AgentMessage(id=f"{name}-a", text=f"Part {number:012} is done. " * 12))
    yield _plan(name, done=5)
    yield _usage(name, number, COMMANDS)
    yield facts.ThreadStatusChanged(status="idle")
    yield facts.TurnCompleted(turn=name, status="completed", duration_ms=1_234)


def _item(name: str, item: items.AnyItem) -> Iterator[facts.AnyFact]:
    yield facts.ItemStarted(turn=name, item=item)
    yield facts.ItemCompleted(turn=name, item=item)


def _command(name: str, number: int, *, failed: bool) -> Iterator[facts.AnyFact]:
    begun = items.Command(id=f"{name}-c{number}", command="/bin/bash -lc 'make test'", cwd="/project", status="running")
    yield facts.ItemStarted(turn=name, item=begun)
    ended = msgspec.structs.replace(
        begun,
        status="failed" if failed else "completed",
        exit_code=int(failed),
        output_tail=f"{name}: 40 tests passed\n" * 10,
        duration_ms=87,
    )
    yield facts.ItemCompleted(turn=name, item=ended)


def _change(name: str) -> items.FileChange:
    changes = (items.Change("src/parser.py", "update"), items.Change(f"notes/{name}.md", "add"))
    return items.FileChange(id=f"{name}-f", changes=changes, status="completed")


def _plan(name: str, *, done: int) -> facts.PlanUpdated:
    steps = tuple(
        facts.PlanStep(f"{step} ({name})", "completed" if n < done else "pending") for n, step in enumerate(STEPS)
    )
    return facts.PlanUpdated(turn=name, steps=steps)


def _usage(name: str, number: int, call: int) -> facts.UsageUpdated:
    return facts.UsageUpdated(
        turn=name,
        in_context=100_000 + 1_000 * (number % 100) + call,
        spent=10_000_000_000 + 1_000 * number + call,
        window=258_400,
        cached_input=90_000,
        output=400,
    )


def _now_and_then(name: str, number: int) -> Iterator[facts.AnyFact]:
    if number % 5 == 0:
        problem = facts.Problem(f"The stream of {name} was cut.", code="responseStreamDisconnected")
        yield facts.ErrorReported(turn=name, problem=problem, will_retry=True)
    if number % 7 == 0:
        yield from _item(name, items.Compaction(id=f"{name}-k"))
    if number % 10 == 0:
        marked = f'{{"phase":"part {name}","summary":"It is done and saved.","next_phase":"the next part"}}'
        question = requests.ToolInvocation(tool="phase_complete", call=f"{name}-p", arguments=marked)
        yield facts.RequestReceived(request=f"1/{number}", question=question, turn=name)
        yield facts.RequestResolved(request=f"1/{number}")
    if number % 11 == 0:
        yield facts.NotificationPassed(method="thread/readState/changed", size=200)


# -- through the kernel alone -----------------------------------------------------------------------------------


def drive(kernel: Kernel, events: int) -> None:
    """At least so many facts through the kernel, up to the end of a turn. Every effect succeeds at once."""

    def take(fact: facts.AnyFact, number: int) -> None:
        taken = kernel.take(THREAD, fact, at=NOON + kernel.seq)
        for intended in taken.effects:
            result = turn_id(number) if isinstance(intended.effect, StartTurn) else ""
            take(facts.EffectSucceeded(effect=intended.id, result=result), number)

    take(OPENED, 0)
    number = 0
    while kernel.seq < events:
        number += 1
        take(facts.UserSubmitted(text=f"Go on with part {number:012}, please."), number)
        for fact in turn(number):
            take(fact, number)
