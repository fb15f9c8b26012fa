"""One thread at work: the facts of as many turns as one asks for, always of the same kind and size, never the same.

Ids and texts are new in every turn, as they are in life, so that nothing that is kept by mistake can hide. Nothing here
knows what rawr makes of it; what Codex says to effects of rawr is in ``peer.py``.
"""

from collections.abc import Iterator

import msgspec

from rawr.core.vocabulary import facts, items, requests

THREAD = "0198c0de-0000-7000-8000-000000000001"
STEPS = ("Read the parser", "Write a failing test", "Fix the parser", "Run everything", "Report")
COMMANDS = 3
WINDOW = 258_400
NOON = 1_790_000_000_000
"""When it all begins, in ms since the epoch. Times have the same number of digits from beginning to end."""
OPENED = facts.ThreadOpened(cwd="/project", model="scripted", ours=True)


def turn_id(turn: int) -> str:
    return f"0198c0de-0000-7000-8000-{turn:012x}"


def message(number: int) -> str:
    """What the user says in a turn; now and then it is a rule to keep."""
    rule = f"Never touch generated file {number:012}. " if number % 4 == 0 else ""
    return f"{rule}Go on with part {number:012}, please."


def turn(
    number: int,
    *,
    text: str = "",
    client_id: str = "",
    in_context: int = 100_000,
    commands: int = COMMANDS,
    compacted: bool = False,
    left: int = 0,
) -> Iterator[facts.AnyFact]:
    """What Codex tells of one turn, from its start to its end. ``compacted``: by Codex itself, in the middle of it.
    ``left``: steps of the plan that are open at the end; with none a run in Full Auto takes the job for done."""
    name = turn_id(number)
    yield facts.ThreadStatusChanged(status="active")
    yield facts.TurnStarted(turn=name)
    said = text or message(number)
    yield from item(name, items.UserMessage(id=f"{name}-u", text=said, client_id=client_id))
    yield _plan(name, done=1 + number % 4)
    yield from item(name, _change(name))
    for command in range(commands):
        yield from item(name, items.Reasoning(id=f"{name}-r{command}"))
        # What fails is mended before the end: nothing is left open there.
        yield from _command(name, command, failed=number % 3 == 0 and 0 < command < commands - 1)
        yield usage(name, in_context + command)
    yield facts.DiffUpdated(turn=name, digest=name[-16:], files=(facts.FileDelta("src/parser.py", 12, 4),))
    yield from _now_and_then(name, number)
    if compacted:
        yield from item(name, items.Compaction(id=f"{name}-k"))
    yield from item(name, items.AgentMessage(id=f"{name}-a", text=f"Part {number:012} stands. " * 12))
    yield _plan(name, done=len(STEPS) - left)
    yield usage(name, in_context + commands)
    yield facts.ThreadStatusChanged(status="idle")
    yield facts.TurnCompleted(turn=name, status="completed", duration_ms=1_234)


def item(name: str, one: items.AnyItem) -> Iterator[facts.AnyFact]:
    yield facts.ItemStarted(turn=name, item=one)
    yield facts.ItemCompleted(turn=name, item=one)


def _command(name: str, number: int, *, failed: bool) -> Iterator[facts.AnyFact]:
    line = f"/bin/bash -lc 'make test PART={name}-{number}'"
    begun = items.Command(id=f"{name}-c{number}", command=line, cwd="/project", status="running")
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


def usage(name: str, in_context: int) -> facts.UsageUpdated:
    return facts.UsageUpdated(
        turn=name, in_context=in_context, spent=10_000_000_000, window=WINDOW, cached_input=90_000, output=400
    )


def _now_and_then(name: str, number: int) -> Iterator[facts.AnyFact]:
    if number % 5 == 0:
        problem = facts.Problem(f"The stream of {name} was cut.", code="responseStreamDisconnected")
        yield facts.ErrorReported(turn=name, problem=problem, will_retry=True)
    if number % 5 == 1:
        marked = f'{{"phase":"part {name}","summary":"It is done and saved.","next_phase":"the next part"}}'
        question = requests.ToolInvocation(tool="phase_complete", call=f"{name}-p", arguments=marked)
        yield facts.RequestReceived(request=f"1/{number}", question=question, turn=name)
        yield facts.RequestResolved(request=f"1/{number}")
    if number % 5 == 2:
        asked = requests.UserInput(questions=(requests.UserQuestion("way", "Way", f"Which way for {name}?"),))
        yield facts.RequestReceived(request=f"1/{number}", question=asked, turn=name)
        answer = requests.Replies(replies={"way": (f"The short one, for {name}.",)})
        yield facts.AnswerSubmitted(request=f"1/{number}", answer=answer)
        yield facts.RequestResolved(request=f"1/{number}")
    if number % 11 == 0:
        yield facts.NotificationPassed(method="thread/readState/changed", size=200)
