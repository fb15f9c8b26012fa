"""Ingest: from the line on the wire to the state of the thread, against the official SDK, which only decodes.

Measured: a session of the real Codex, recorded anew in every run, is read line by line. Ours is what the client does
with a line: ``Peer.receive``, a look whether it is a streaming delta, ``facts_of``, ``Kernel.take``, with the state
kept. Theirs is what the SDK's reader does with it: ``json.loads``, a look whether it is a notification, the model of
its method, ``model_validate``, and a ``Notification`` around it; no queue, no thread, no lock. Answers to calls are
left out on both sides.

Unfair would be: lines that one side does not know (checked: no fault here, nothing unknown there); bytes that the SDK
has to decode first (it gets text); its imports; a log with more streaming than life has. Streaming deltas are most of
every log and cost rawr the least, because it does not keep them, so the figure without them is given as well. And rules
that nobody runs: the shipped ones look at the end of each turn, and at each message of the user.

Each round reads the same log again. ``core.compaction.phrases`` remembers the last four messages, and a pass holds more
than that; ``core.speech`` remembers the newest quotations, so that those in records are made once, in our favour.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from openai_codex.generated.notification_registry import NOTIFICATION_MODELS
from openai_codex.models import Notification, UnknownNotification

from bench.measuring import alternate, processor_time, ratio_of
from bench.recording import record
from bench.report import Goal, Result, Row, Size, number, rate
from rawr.codex import rpc, translate
from rawr.codex.wire.notifications import DELTAS
from rawr.config.load import load_policy
from rawr.core.kernel import Kernel

WHOLE = Goal(at_least=5)


def run(size: Size) -> Result:
    turns = size.of(6, quick=2)
    frames = record(size.folder, turns=turns)
    methods = {frame: method for frame in frames if (method := _method(frame))}
    lines = [frame for frame in frames if frame in methods]
    told = [line for line in lines if methods[line] not in DELTAS]
    _check(lines, turns)
    rounds = size.of(25, quick=9)
    return Result(
        rows=(
            _row("the whole log", lines, passes=4, rounds=rounds, goal=WHOLE),
            _row("its lines that become facts", told, passes=40, rounds=rounds),
        ),
        notes=(_composition(lines, methods, turns),),
    )


def ours(lines: Sequence[bytes], kernel: Kernel) -> Kernel:
    receive, facts_of, take = rpc.Peer().receive, translate.facts_of, kernel.take
    notification = rpc.Notification
    for line in lines:
        inbound = receive(line)
        if isinstance(inbound, notification) and inbound.method not in DELTAS:
            for thread, fact in facts_of(inbound, epoch=1):
                take(thread, fact, at=0)
    return kernel


def theirs(lines: Sequence[str]) -> int:
    """How many lines the SDK did not understand."""
    unknown = 0
    for line in lines:
        message = json.loads(line)
        if "method" not in message or "id" in message:
            continue
        method, params = message["method"], message.get("params")
        model = NOTIFICATION_MODELS.get(method)
        try:
            payload = model.model_validate(params) if model is not None else None
        except ValueError:
            payload = None
        if payload is None:
            unknown += 1
            Notification(method=method, payload=UnknownNotification(params=params))
        else:
            Notification(method=method, payload=payload)
    return unknown


def _row(figure: str, lines: Sequence[bytes], *, passes: int, rounds: int, goal: Goal | None = None) -> Row:
    texts = [line.decode() for line in lines]
    shipped = load_policy(Path("/nonexistent")).policy

    def our_passes() -> float:
        kernels = [Kernel(shipped) for _ in range(passes)]
        return processor_time(lambda: [ours(lines, kernel) for kernel in kernels])

    def their_passes() -> float:
        return processor_time(lambda: [theirs(texts) for _ in range(passes)])

    our_time, their_time = alternate(our_passes, their_passes, rounds=rounds)
    size = sum(map(len, lines))

    def speed(taken: Sequence[float]) -> str:
        each = median(taken) / passes
        return f"{rate(len(lines) / each, 'lines')}, {number(size / each / 1e6)} MB/s"

    return Row(
        figure=figure,
        measured=ratio_of(their_time, our_time),
        ours=speed(our_time),
        against=speed(their_time) + " (SDK)",
        goal=goal,
    )


def _method(frame: bytes) -> str:
    """The method of a notification; nothing for what is none."""
    inbound = rpc.Peer().receive(frame)
    return inbound.method if isinstance(inbound, rpc.Notification) else ""


def _check(lines: Sequence[bytes], turns: int) -> None:
    """Both sides must have understood everything, or they did not do the same work."""
    kernel = ours(lines, Kernel())
    assert kernel.host.faults == 0, "a line of the log was a fault"
    assert [state.turns for state in kernel.threads.values()] == [turns], "the state does not hold every turn"
    assert theirs([line.decode() for line in lines]) == 0, "the SDK did not know a line of the log"


def _composition(lines: Sequence[bytes], methods: dict[bytes, str], turns: int) -> str:
    counts = Counter(methods[line] for line in lines)
    deltas = sum(count for method, count in counts.items() if method in DELTAS)
    parts = ", ".join(f"{count} {method}" for method, count in counts.most_common(12))
    return (
        f"{len(lines)} lines of {turns} turns, {number(sum(map(len, lines)) / 1e6)} MB,"
        f" {number(100 * deltas / len(lines))} % of them deltas: {parts}"
    )
