"""What is known about a case when it is over: Codex's own history, the model's requests, rawr's journal."""

import json
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.facts import ItemCompleted, Recorded
from rawr.core.vocabulary.items import ToolCall
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect
from rawr.runtime.replaying import replay_journal
from rawr.testing import ModelRequest
from rawr.testing.model_request import CONTEXT_OPENINGS
from tests.crash.jobs import UNREPORTED
from tests.crash.scene import Scene

Line = dict[str, Any]


class Event(Struct, frozen=True):
    """Something that Codex wrote down in a thread's history, in order."""

    kind: Literal["turn", "user", "agent", "compaction"]
    """``turn`` is a turn's start."""
    text: str = ""
    client: str = ""
    """The name that whoever sent a message gave it."""


class Evidence(Struct, frozen=True):
    code: int
    """The exit code of the last life."""
    summary: Line
    """The last word of the last life, where it is a run's."""
    errors: str
    """What all lives printed about themselves, the last one last."""
    state: ThreadState | None
    """Of the thread that the case is about."""
    history: tuple[Event, ...]
    """By Codex's own session file."""
    sandboxes: tuple[str, ...]
    """In force, turn by turn, by the same file."""
    approvals: tuple[str, ...]
    requests: tuple[ModelRequest, ...]
    effects: tuple[StoredEffect, ...]
    divergences: tuple[str, ...]
    """Where a replay of the journal comes to something else."""
    spoken: tuple[str, ...]
    """What the user said there themselves, and Codex took to its end."""
    checks: int
    """How often the done check was run."""
    unreported: tuple[str, ...] = ()
    """The calls that Codex wrote down, with their outputs, and does not report."""
    found: tuple[str, ...] = ()
    """Those that the journal has from there."""
    abandoned: tuple[tuple[int, str], ...] = ()
    """How clients exited whose host was killed, and what they said about it."""
    theirs: bool = False
    """A Codex that was started anew had the thread from the user's own program first, with that one's configuration."""


def gather(it: Scene, *, code: int, spoken: list[str], thread: str = "") -> Evidence:
    states = it.states()
    state = next((one for one in states if one.id == thread or (not thread and one.run is not None)), None)
    found = state.id if state is not None else thread
    effects, divergences = _journal(it.home, found)
    checks = it.folder / "checks"
    lines = rollout(it.codex.home.path, found)
    # In a Codex that the user's own program had the thread from first, their own turns are under their configuration.
    turns = _turns(lines, but=set(spoken[1:]) if it.theirs else set())
    return Evidence(
        code,
        summary_in(it.said(it.lives)),
        it.errors()[-20_000:],
        state,
        tuple(_events(lines)),
        tuple(str(_object(one["sandbox_policy"])["type"]) for one in turns),
        tuple(str(one["approval_policy"]) for one in turns),
        tuple(one for one in it.codex.model.requests if one.conversation == found),
        effects,
        divergences,
        tuple(spoken),
        len(checks.read_text().splitlines()) if checks.exists() else 0,
        tuple(_unreported(lines)),
        tuple(_found(it.home, found)),
        tuple(it.abandoned.values()),
        it.theirs,
    )


def rollout(codex_home: Path, thread: str) -> list[Line]:
    """The session file of a thread. A last line that was cut off is left out."""
    lines: list[Line] = []
    for file in sorted((codex_home / "sessions").rglob(f"rollout-*{thread}.jsonl")) if thread else ():
        for text in file.read_text(errors="replace").splitlines():
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                continue
    return lines


def _events(lines: list[Line]) -> list[Event]:
    """Who said what, in order.

    Codex writes a message down twice, for the model and as an item of its thread. One that died between the two has
    only the first; what is in front of the model counts. The item brings its sender's name for it.
    """
    found: list[Event] = []
    for line in lines:
        payload = _object(line["payload"])
        match line["type"], payload.get("type"), payload.get("role"):
            case "event_msg", "task_started", _:
                found.append(Event("turn"))
            case "compacted", _, _:
                found.append(Event("compaction"))
            case "response_item", "message", ("user" | "assistant") as role:
                text = _text(payload["content"])
                if not text.startswith(CONTEXT_OPENINGS):
                    found.append(Event("user" if role == "user" else "agent", text))
            case "event_msg", "item_completed", _ if _object(payload["item"])["type"] == "UserMessage":
                item = _object(payload["item"])
                named = Event("user", _text(item["content"]), str(item.get("client_id") or ""))
                place = _unnamed(found, named.text)
                found[place:] = [named, *found[place + 1 :]]
            case _:
                pass
    return found


def _turns(lines: list[Line], *, but: set[str]) -> list[Line]:
    """The settings of each turn, except of those that began with one of these messages."""
    found: list[tuple[Line, str]] = []
    for line in lines:
        payload = _object(line["payload"])
        if line["type"] == "turn_context":
            found.append((payload, ""))
        elif found and not found[-1][1] and (payload.get("type"), payload.get("role")) == ("message", "user"):
            text = _text(payload["content"])
            if not text.startswith(CONTEXT_OPENINGS):
                found[-1] = (found[-1][0], text)
    return [settings for settings, text in found if text not in but]


def _unreported(lines: list[Line]) -> list[str]:
    payloads = [_object(line["payload"]) for line in lines if line["type"] == "response_item"]
    returned = {one.get("call_id") for one in payloads if one.get("type") == "function_call_output"}
    return [str(one["call_id"]) for one in payloads if one.get("name") == UNREPORTED and one["call_id"] in returned]


def _found(home: Path, thread: str) -> list[str]:
    with JournalReader.open(home) as reader:
        recorded = [one.fact for one in reader.facts(thread) if isinstance(one, Recorded)] if thread else []
    completed = [one for one in recorded if isinstance(one, ItemCompleted) and one.found is not None]
    return [one.item.id for one in completed if isinstance(one.item, ToolCall) and one.item.tool == UNREPORTED]


def _unnamed(found: list[Event], text: str) -> int:
    """Where the message stands whose item this is; at the end, if it stands nowhere."""
    places = [place for place, one in enumerate(found) if one == Event("user", text)]
    return places[-1] if places else len(found)


def _text(content: Any) -> str:
    return "\n".join(str(_object(part).get("text", "")) for part in content)


def _object(value: object) -> Line:
    assert isinstance(value, dict), value
    return value


def summary_in(out: str) -> Line:
    """The last word of a run, if it was said."""
    last = out.splitlines()[-1:] or [""]
    try:
        found = json.loads(last[0])
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) and found.get("type") == "summary" else {}


def _journal(home: Path, thread: str) -> tuple[tuple[StoredEffect, ...], tuple[str, ...]]:
    with JournalReader.open(home) as reader:
        effects = tuple(one for one in reader.effects(thread) if isinstance(one, StoredEffect))
        replayed = replay_journal(reader, policy=Policy())
    return effects, tuple(
        f"{one.seq} {one.what}: {one.recorded} ≠ {one.replayed}"[:400] for one in replayed.divergences
    )
