"""What a model is told when it is asked whether to compact now: everything, bounded, and as data (A18)."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.compaction.assessment import Assessment, assess
from rawr.core.compaction.judgment_context import placeholders, write
from rawr.core.policy.prompts import PLACEHOLDERS
from rawr.core.speech import template
from rawr.core.state.ledger import Commit, Directive, Ledger
from rawr.core.state.since import Since, Spoken
from rawr.core.state.thread import Plan, StepDone, ThreadState, Usage
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.fences import unfenced
from tests.core.judged import JUDGED
from tests.core.samples import AT, IDLE

STATE = replace(
    IDLE,
    last_turn=TurnOutcome("T9", "completed", AT, agent_text="The draft is\nfinished."),
    usage=Usage(100_000, 700_000, 258_400),
    plan=Plan(
        (PlanStep("research", "completed"), PlanStep("draft", "in_progress"), PlanStep("ship it", "pending")),
        trail=(StepDone("research", AT, "T3"),),
    ),
    ledger=Ledger(
        goal="Ship the thing.",
        directives=(
            Directive("Never push.", AT + 1, standing=True),
            Directive("Be brief.", AT + 2, standing=True, pinned=True),
            Directive("Now the draft.", AT + 4, standing=False),
        ),
        commits=(Commit("a" * 40, "Read it all"), Commit("b" * 40, "First\nlines")),
    ),
    since=Since(files=("notes.md", "draft.md"), said=(Spoken(AT + 3, "All is read."), Spoken(AT + 5, "Finished."))),
    signals=(
        BoundaryEvent("t:1~0", AT, "t", "T9", "commit", "repository", "bbbb First lines"),
        BoundaryEvent("t:2~0", AT, "t", "T9", "turn_complete", "turn"),
    ),
)
YES = Assessment(True, Reason.COMPACT_DECIDED_BOUNDARY, "asap", 64, STATE.signals, ("commit",))


def test_every_placeholder_is_filled() -> None:
    """A18: those of seed 2, and the plan, the user's requests, the commits and what changed since."""
    assert placeholders(replace(STATE, since=replace(STATE.since, before=("a" * 40,))), YES) == {
        "tier": "asap",
        "percentRemaining": "64",
        "boundariesJson": '[{"kind":"commit","source":"repository","detail":"bbbb First lines"},'
        '{"kind":"turn_complete","source":"turn","detail":""}]',
        "mode": "none",
        "threadId": "t",
        "turnId": "T9",
        "totalUsageTokens": "100000",
        "modelContextWindow": "258400",
        "lastAgentMessage": "```\nThe draft is\nfinished.\n```",
        "transcriptExcerpt": "user: “Ship the thing.”\nuser: “Never push.”\nagent: “All is read.”\n"
        "user: “Now the draft.”\nagent: “Finished.”",
        "planTrail": "done: “research”\ndoing: “draft”\nto do: “ship it”",
        "userRequests": "- “Ship the thing.”\n- “Never push.”\n- “Be brief.”\n- “Now the draft.”",
        "commits": "commit aaaaaaaaaa “Read it all”\ncommit bbbbbbbbbb “First ⏎ lines”",
        "changesSinceCompaction": "commit bbbbbbbbbb “First ⏎ lines”\nfile “notes.md”\nfile “draft.md”",
    }


def test_where_there_is_nothing_that_is_said() -> None:
    told = placeholders(IDLE, YES)
    assert {name for name, text in told.items() if text == "none"} == {
        "turnId",
        "lastAgentMessage",
        "transcriptExcerpt",
        "mode",
        "planTrail",
        "userRequests",
        "commits",
        "changesSinceCompaction",
    }


def test_the_names_are_those_that_a_template_may_use() -> None:
    assert tuple(placeholders(STATE, YES)) == PLACEHOLDERS["judgment_context"]


def crowded(word: str = "x") -> ThreadState:
    """A thread with as much of everything as can be."""
    long = f"{word} " * 20_000
    return replace(
        STATE,
        last_turn=TurnOutcome("T9", "completed", AT, agent_text=long),
        plan=Plan(
            tuple(PlanStep(f"{n} {long}", "pending") for n in range(200)),
            trail=tuple(StepDone(f"{n} {long}", AT, "T") for n in range(32)),
        ),
        ledger=Ledger(
            goal=long,
            directives=tuple(Directive(f"{n} {long}", AT + n, standing=True) for n in range(60)),
            commits=tuple(Commit(f"{n:040}", long) for n in range(60)),
        ),
        since=Since(files=tuple(f"{n}{long}" for n in range(100)), said=(Spoken(AT, "y" * 1_500),) * 6),
        signals=tuple(BoundaryEvent(f"t:{n}~0", AT, "t", "T", "commit", "repository", long) for n in range(64)),
    )


def test_each_is_bounded_and_the_newest_is_kept() -> None:
    told = placeholders(crowded(), replace(YES, boundaries=crowded().signals))
    sizes = {name: len(text) for name, text in told.items()}
    assert max(sizes.values()) < 10_000
    assert sum(sizes.values()) < 36_000
    assert len(json.loads(told["boundariesJson"])) == 24
    for name in ("planTrail", "commits", "changesSinceCompaction"):
        assert re.match(r"\(\d+ earlier ones are left out\)\n", told[name])
    assert "\n- “59 x" in told["userRequests"]
    assert told["userRequests"].startswith("- “x x")
    assert "user: “59 x" in told["transcriptExcerpt"]


def test_nothing_in_it_pulls_in_another_placeholder() -> None:
    """A22: what an agent or a user wrote is data."""
    state = replace(STATE, last_turn=TurnOutcome("T9", "completed", AT, agent_text="{threadId} {planTrail}"))
    assert "{threadId} {planTrail}" in write(JUDGED.prompts.judgment_context, state, YES)


@given(st.text(max_size=200))
def test_nothing_in_it_gets_out_of_its_block(words: str) -> None:
    state = replace(STATE, last_turn=TurnOutcome("T9", "completed", AT, agent_text=f"a{words}z"))
    said = placeholders(state, YES)["lastAgentMessage"]
    assert unfenced(said) == f"a{words}z\n"


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_listed_stays_on_its_line(subject: str, step: str) -> None:
    state = replace(
        STATE,
        ledger=Ledger(commits=(Commit("c" * 40, subject),)),
        plan=Plan((PlanStep(step, "pending"),)),
        since=Since(files=(subject,)),
    )
    told = placeholders(state, YES)
    assert [len(told[name].split("\n")) for name in ("commits", "planTrail", "changesSinceCompaction")] == [1, 1, 2]


def test_a_template_that_leaves_something_out_is_heeded() -> None:
    assert write(template("Tier {tier}, {nonsense}."), STATE, YES) == "Tier asap, {nonsense}."


def test_the_assessment_that_it_is_told_of_is_the_one_that_said_yes() -> None:
    answer = assess(STATE, JUDGED.compaction, now=AT)
    assert (answer.compact, placeholders(STATE, answer)) == (True, placeholders(STATE, YES))
