"""What the agent says through rawr's MCP server, taken from the items that Codex reports (D10)."""

import json

import pytest
from msgspec.structs import replace

from rawr.core.requests.tools import MAX_HELD, MAX_UNTIL
from rawr.core.state.sequence import Guard
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import Found
from tests.core.samples import GOLDEN, IDLE, WORDS, Story, why

pytestmark = pytest.mark.mission("D10")

HEARING = replace(GOLDEN, hear_tools=True)


def call(tool: str, *, server: str = "rawr", status: items.Status = "completed", **arguments: object) -> items.ToolCall:
    return items.ToolCall(id=f"c-{tool}", tool=tool, server=server, status=status, arguments=json.dumps(arguments))


def working(*calls: items.ToolCall, found: Found | None = None, hears: bool = True) -> Story:
    """The agent makes these calls in a turn, which goes on."""
    story = Story(IDLE, policy=HEARING if hears else GOLDEN).begin("W", "Do the job.")
    return story.tell(*(facts.ItemCompleted(turn="W", item=one, found=found) for one in calls))


def over(story: Story, turn: str = "W", *, tokens: int = 100_000) -> Story:
    return story.uses(turn, tokens).says(turn, WORDS).end(turn)


MARK = call("phase_complete", phase="research", summary="Read.", next_phase="draft", artifacts=["notes.md"])


@pytest.mark.parametrize("found", [None, Found()], ids=["reported", "in the session file"])
def test_a_mark_is_a_boundary(found: Found | None) -> None:
    """B9: as on threads that rawr started, whoever tells of the call."""
    story = working(MARK, found=found)
    assert why(Reason.PHASE_MARKED_TOOL, phase="research", next_phase="draft") in story.records
    (mark,) = story.state.phases
    assert (mark.phase, mark.summary, mark.artifacts, mark.turn, mark.by) == (
        "research",
        "Read.",
        ("notes.md",),
        "W",
        "agent",
    )
    (boundary,) = [one for one in story.state.signals if one.kind == "phase_boundary"]
    assert (boundary.source, boundary.turn) == ("phase_tool", "W")
    assert over(story).state.sequence is not None


@pytest.mark.parametrize(
    "made",
    [
        replace(MARK, server="impostor"),
        replace(MARK, server=""),
        replace(MARK, server="RAWR"),
        replace(MARK, status="failed"),
        replace(MARK, status="declined"),
        replace(MARK, status="running"),
        replace(MARK, tool="phase_completed"),
    ],
    ids=lambda one: f"{one.server}.{one.tool} {one.status}",
)
def test_another_call_says_nothing(made: items.ToolCall) -> None:
    """Another server's, a client's own tool, and a call that did not run."""
    story = working(made)
    assert (story.state.phases, story.records) == ((), [])


def test_older_rules_do_not_hear_it() -> None:
    """Journals from before replay as they were."""
    assert working(MARK, hears=False).state.phases == ()


def test_nonsense_marks_nothing() -> None:
    story = working(replace(MARK, arguments='{"phase": 7}'), replace(MARK, arguments='{"phase": "cut off'))
    assert story.state.phases == ()
    assert story.reasons() == [Reason.PHASE_REFUSED_ARGUMENTS] * 2


def test_the_same_phase_counts_once_in_a_turn() -> None:
    """On a thread that rawr started, the agent has the tool twice."""
    story = working(MARK, replace(MARK, id="c-again"))
    assert len(story.state.phases) == 1
    assert story.reasons() == [Reason.PHASE_MARKED_TOOL, Reason.IGNORED_KNOWN_PHASE]


def test_in_a_turn_of_rawrs_own_it_gates_nothing() -> None:
    """A5: the agent may call it while it writes the packet, where no work is done."""
    story = over(working(MARK))
    assert story.state.sequence is not None
    marked = len(story.state.phases)
    sent = story.begin("H", "Heads-up", ours=True)
    sent.tell(facts.ItemCompleted(turn="H", item=replace(MARK, id="c-2")))
    assert len(sent.state.phases) == marked + 1
    assert [one for one in sent.state.signals if one.turn == "H" and one.kind == "phase_boundary"] == []


# -- holds ------------------------------------------------------------------------------------------------------------


def test_the_agent_holds_for_the_turns_after_this_one() -> None:
    """B3: not at the end of the turn in which it says so, nor of the next."""
    story = working(MARK, call("hold", until="the tables are copied", turns=1))
    assert why(Reason.HOLD_SET_AGENT, until="the tables are copied", turns=1) in story.records
    assert story.state.guards == (Guard("the tables are copied", 2, by="agent"),)
    told = "The agent holds compactions off, for up to 1 more turns, until “the tables are copied”."
    assert story.wanted(Notify) == [Notify(level="info", text=f"{told} `rawr hold --release` lifts it.")]
    over(story)
    assert story.reasons()[-1] is Reason.COMPACT_DEFERRED_GUARD
    over(story.begin("X", "Go on."), "X")
    assert why(Reason.HOLD_RELEASED_TURNS, until="the tables are copied") in story.records
    assert len(story.state.guards) == 0


def test_an_agent_cannot_hold_for_good() -> None:
    """It has a few turns in all, until the next compaction, however often it asks."""
    story = working(*(call("hold", until=f"later {n}", turns=MAX_HELD - 3) for n in range(4)))
    assert [one.evidence["turns"] for one in story.records if one.reason is Reason.HOLD_SET_AGENT] == [MAX_HELD - 3, 3]
    assert story.reasons()[-2:] == [Reason.HOLD_REFUSED_AGENT] * 2
    assert story.state.guards == (Guard("later 1", 4, by="agent"),)
    renewed = Story(replace(story.state, compaction_count=1), policy=HEARING)
    renewed.tell(facts.ItemCompleted(turn="W", item=call("hold", until="again", turns=1)))
    assert renewed.reasons() == [Reason.HOLD_SET_AGENT]


def test_an_emergency_goes_over_it() -> None:
    """A7."""
    story = over(working(call("hold", until="later", turns=5)), tokens=245_000)
    assert Reason.COMPACT_DECIDED_EMERGENCY in story.reasons()


def test_the_agent_releases_its_own_hold_and_a_person_all() -> None:
    held = working(call("hold", until="later", turns=5)).tell(facts.HoldSubmitted(until="the release is out"))
    agents = Guard("later", 6, by="agent")
    persons = Guard("the release is out")
    assert held.state.guards == (agents, persons)
    lifted = Story(held.state, policy=HEARING).tell(facts.ItemCompleted(turn="W", item=call("release_hold")))
    assert (lifted.state.guards, lifted.records) == ((persons,), [why(Reason.HOLD_RELEASED_AGENT, released=1)])
    assert held.tell(facts.HoldReleased()).state.guards == ()


@pytest.mark.parametrize(
    "arguments", [{}, {"until": ""}, {"until": 7}, {"until": "x", "turns": 0}, {"until": "x", "turns": 11}]
)
def test_a_hold_with_nonsense_holds_nothing(arguments: dict[str, object]) -> None:
    story = working(replace(call("hold"), arguments=json.dumps(arguments)))
    assert (story.state.guards, story.reasons()) == ((), [Reason.HOLD_REFUSED_ARGUMENTS])


def test_what_a_hold_says_is_bounded() -> None:
    (guard,) = working(call("hold", until="x" * 10_000)).state.guards
    assert len(guard.until) <= MAX_UNTIL + 40


def test_reading_the_record_changes_nothing() -> None:
    story = working(call("recorded"))
    assert (story.records, story.newest.effects) == ([], ())
