"""The job that the golden path is shown on: work in phases, the packet after it, and how to follow both.

Replies are pieces of a scenario in YAML; a test puts them together line by line.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rawr.config.load import load_policy
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts, items
from rawr.ports.advisers import Models
from rawr.testing import VirtualClock
from tests.e2e.rig import Rig, Transport, rig

PACKET = """\
## Overall goal and scope
Ship the thing.
## What just completed
Research: all is read.
## Current state
Draft not begun. Plan: research; draft; ship.
## Invariants
None.
## Decisions and findings not to repeat
None.
## Open questions
None.
## The single next step
Write the draft.
"""
NOTED = PACKET.replace("all is read.", "all is read, and notes.md has it.")
"""Where the agent wrote notes."""
ENDED = "The research is finished. Everything I found is in my notes for the draft."
GOES_ON = "I go on with the draft."
JOB = "Do the job in three phases."

WORK = f"""
- {{ plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }}
- do:
    - call: {{ tool: phase_complete, arguments: {{ phase: research, summary: "All read.", next_phase: draft }} }}
    - plan: ["done: research", "doing: draft", "todo: ship"]
  usage: 90000
- {{ say: "{ENDED}", usage: 100000 }}
"""
SUMMARY = '- { when: { compaction: true }, say: "A summary." }\n'
CONTINUE = f'- {{ when: {{ user: "Handoff" }}, say: "{GOES_ON}", usage: 20000 }}\n'

OURS = {
    r"\[rawr c\d+\] Heads-up": "heads_up",
    r"\[rawr c\d+\] Handoff": "handoff",
    r"\[rawr u\d+\] Handoff": "recovery",
    r"\[rawr c\d+\] The packet does not agree": "correction",
    r"\[rawr c\d+\] The context is nearly full": "landing",
    r"\[rawr\] Before the compaction": "scratch",
}
"""rawr's messages by how they begin."""
HAPPY = ["user", "agent", "heads_up", "packet", "compaction", "handoff", "agent"]


def quoted(text: str) -> str:
    """A text as YAML writes it in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def answers(user: str, text: str, *, usage: int = 104000) -> str:
    """The reply to a message of the user that holds a word."""
    return f'- {{ when: {{ user: "{user}" }}, say: {quoted(text)}, usage: {usage} }}\n'


def policy(**changes: Any) -> Policy:
    """The policy as it is shipped, prompts and all, with some of it changed. Need is not weighed, unless that is asked
    for: the jobs are short."""
    shipped = load_policy(Path("/nonexistent")).policy
    return replace(shipped, compaction=replace(shipped.compaction, **changes))


@asynccontextmanager
async def golden(
    script: str,
    folder: Path,
    *,
    transport: Transport = "stdio",
    rules: Policy | None = None,
    clock: VirtualClock | None = None,
    extra_config: Mapping[str, object] | None = None,
    models: Models | None = None,
) -> AsyncIterator[tuple[Rig, str]]:
    """rawr with the shipped policy, or ``rules``, on a real Codex with one thread of its own."""
    async with (
        rig(script, folder, transport=transport, extra_config=extra_config) as it,
        it.running(policy=rules or policy(), clock=clock, models=models),
    ):
        yield it, await it.thread()


async def until_it_says(it: Rig, thread: str, *, prompt: str = JOB, says: str = GOES_ON) -> None:
    """Give the job and wait for these words of the agent, for the end of their turn, and until it has been judged."""
    heard: list[str] = []
    ended: list[str] = []

    def over(taken: Taken) -> bool:
        match taken.recorded.fact:
            case facts.ItemCompleted(turn=turn, item=items.AgentMessage(text=text)) if says in text:
                heard.append(turn)
            case facts.TurnCompleted(turn=turn) if turn in heard:
                ended.append(turn)
            case _:
                pass
        return bool(ended) and not it.state(thread).unweighed

    finished = it.rawr.expect(over, deadline=20, what=f"The agent did not say {says!r}")
    await it.rawr.submit(thread, prompt)
    await finished
    await it.weighed(thread)


def spoken(it: Rig, thread: str) -> list[str]:
    """The conversation by who said what."""
    names: list[str] = []
    for one in it.facts(facts.ItemCompleted, thread=thread):
        match one.item:
            case items.UserMessage(text=text):
                names.append(next((name for opening, name in OURS.items() if re.match(opening, text)), "user"))
            case items.AgentMessage(text=text):
                names.append("packet" if "## Overall goal" in text else "agent")
            case items.Compaction():
                names.append("compaction")
            case _:
                pass
    return names
