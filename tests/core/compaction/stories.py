"""Stories along the golden path: each function stops at one of its phases."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rawr.config.load import load_policy
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import InjectPacket, LookUpClaims, StartCompaction, StartTurn, SteerTurn
from tests.core.samples import GOLDEN, PACKET, Story, decided

SHIPPED = replace(load_policy(Path("/nonexistent")).policy, watch_repositories=False)
GONE = facts.ServerLost(epoch=1, problem="gone")
BACK = facts.ServerConnected(epoch=2, user_agent="", codex_home="", transport="socket")


def rules(base: Policy = GOLDEN, **changes: Any) -> Policy:
    return replace(base, compaction=replace(base.compaction, **changes))


OWN = rules(packet_turn="own")
WATCHER = rules(packet_author="watcher")
SCRATCH = rules(scratch_write_enabled=True)


def phase(story: Story) -> Phase:
    return story.state.sequence.phase if story.state.sequence is not None else Phase.IDLE


def texts(story: Story) -> list[str]:
    """What the agent was told, oldest first."""
    told = [one.effect for one in story.effects if isinstance(one.effect, StartTurn | SteerTurn)]
    return [one.text for one in told]


def handoffs(story: Story) -> list[str]:
    return [text for text in texts(story) if "Handoff" in text]


def handed(story: Story, turn: str = "G") -> Story:
    """The handoff stands in the thread."""
    return story.begin(turn, story.wanted(StartTurn)[-1].text, ours=True)


def injected(story: Story) -> Story:
    return story.tell(facts.EffectSucceeded(effect=story.name(InjectPacket)))


def looked(story: Story, **found: Any) -> Story:
    """What the packet names was looked up."""
    effect = story.name(LookUpClaims)
    return story.tell(facts.ClaimsLookedUp(effect=effect, **found), facts.EffectSucceeded(effect=effect))


def asked() -> Story:
    """The agent has the heads-up and the request, and writes."""
    story = decided()
    return story.begin("H", story.wanted(StartTurn)[-1].text, ours=True)


def compacting() -> Story:
    return decided().answers("H", PACKET)


def compacted() -> Story:
    return compacting().compacts()


def forestalled(story: Story, turn: str, *, tokens: int = 9_000) -> Story:
    """Codex compacts by itself before the turn ends."""
    item = items.Compaction(id=f"c{turn}")
    story.tell(facts.ItemStarted(turn=turn, item=item)).uses(turn, tokens)
    return story.tell(facts.ItemCompleted(turn=turn, item=item))


def failed() -> Story:
    story = compacting()
    return story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no", code="refused"))


def noted() -> Story:
    """The notes are asked for."""
    return decided(policy=SCRATCH).answers("H", "I wait.")


# -- the ways along it --------------------------------------------------------------------------------------------

WALKS: dict[str, Callable[[], Story]] = {
    "to the end": lambda: handed(compacted()),
    "packet in a turn of its own": lambda: decided(policy=OWN).answers("H", "I wait.").answers("P", PACKET),
    "packet by the watcher": lambda: injected(decided(policy=WATCHER).answers("H", "I wait.")),
    "Codex is faster": lambda: forestalled(asked().says("H", PACKET), "H"),
    "notes first": lambda: noted().answers("S", "Noted.").answers("P", PACKET),
    "sent back once": lambda: decided().answers("H", "No.").answers("P", PACKET),
    "it failed": failed,
    "cancelled at the heads-up": lambda: decided(policy=OWN).answers("H", "…", status="interrupted"),
    "cancelled at the notes": lambda: noted().answers("S", "…", status="interrupted"),
    "cancelled at the packet": lambda: asked().end("H", "interrupted"),
}


PLACES: dict[Phase, Callable[[], Story]] = {
    Phase.IDLE: Story,
    Phase.HEADS_UP_INJECTED: decided,
    Phase.AWAITING_SCRATCH: noted,
    Phase.AWAITING_PACKET: asked,
    Phase.COMPACTING: compacting,
    Phase.HANDOFF_PENDING: compacted,
}
"""A story in each phase."""
