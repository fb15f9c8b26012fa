"""Each rule is broken once, and found out."""

import pytest
from msgspec.structs import replace

from rawr.core.vocabulary import effects
from rawr.journal.rows import StoredEffect
from rawr.testing import ModelRequest
from tests.crash.case import Case
from tests.crash.evidence import Event, Evidence
from tests.crash.invariants import check
from tests.crash.jobs import ASIDE, GOAL

HANDOFF = "[rawr c7] Handoff: the context was compacted. You are in the same thread."
CASE = Case(job="run", transport="stdio", kill="rawr", point="sent:StartTurn#1")


def user(text: str, client: str = "") -> Event:
    return Event("user", text, client)


def asked(*texts: str, tools: tuple[str, ...] = ("update_plan",)) -> ModelRequest:
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in texts]
    body = {"input": said, "tools": [{"name": name} for name in tools]}
    return ModelRequest(number=1, conversation="t", at_ms=0, headers={}, body=body)


COMPACTING = StoredEffect(
    id="t:1.0", seq=1, thread="t", effect=effects.StartCompaction(), state="done", outcome_seq=2, detail=""
)
GOOD = Evidence(
    code=0,
    summary={"done": "checked", "stop": {"reason": "run.done.checked"}},
    errors="",
    state=None,
    history=(
        user(GOAL, "t:1"),
        user("[rawr c7] Heads-up: we", "t:2"),
        Event("compaction"),
        user(HANDOFF, "t:3"),
        Event("agent", "On I go."),
    ),
    sandboxes=("read-only", "read-only"),
    approvals=("on-request", "on-request"),
    requests=(asked(GOAL), asked(GOAL, HANDOFF)),
    effects=(COMPACTING,),
    divergences=(),
    spoken=(GOAL,),
    checks=1,
)


def test_where_all_is_well_nothing_is_found() -> None:
    assert check(CASE, GOOD) == []


NATIVE = (Event("compaction"), user(HANDOFF.replace("c7", "u9")), Event("agent", "On I go."))
ASKED_LAST = (asked(GOAL, HANDOFF, HANDOFF.replace("c7", "u9")),)
BROKEN = {
    "no handoff": (replace(GOOD, history=GOOD.history[:3]), "handoff", "none after compaction 1 of 1"),
    "two handoffs": (
        replace(GOOD, history=(*GOOD.history, NATIVE[1]), requests=ASKED_LAST),
        "handoff",
        "2 after compaction 1",
    ),
    "without a compaction": (replace(GOOD, history=(user(GOAL), user(HANDOFF))), "handoff", "1 before any compaction"),
    "not read": (replace(GOOD, requests=(asked(GOAL),)), "handoff", "went on without reading the newest"),
    "lost": (replace(GOOD, history=GOOD.history[1:]), "messages", f"lost: {GOAL}"),
    "lost aside": (replace(GOOD, spoken=(GOAL, f"{ASIDE} 5")), "messages", f"lost: {ASIDE} 5"),
    "said twice": (replace(GOOD, history=(user(GOAL), *GOOD.history)), "messages", f"2 times: {GOAL}"),
    "one name": (replace(GOOD, history=(*GOOD.history, user("go on", "t:1"))), "messages", "2 times under one name"),
    "a heads-up again": (
        replace(GOOD, history=(user("[rawr c7] Heads-up: we", "t:0"), *GOOD.history)),
        "messages",
        "2 times: [rawr c7] Heads-up:",
    ),
    "shown twice": (replace(GOOD, requests=(asked(GOAL, GOAL, HANDOFF),)), "messages", "shown it twice"),
    "sandbox": (
        replace(GOOD, sandboxes=("read-only", "danger-full-access")),
        "limits",
        "sandbox danger-full-access instead of read-only, in 1 of 2 turns",
    ),
    "approvals": (replace(GOOD, approvals=("never", "on-request")), "limits", "approval never"),
    "plan tool": (
        replace(GOOD, requests=(asked(GOAL, HANDOFF, tools=("exec",)),)),
        "limits",
        "no plan tool in 1 of 1 requests",
    ),
    "native": (
        replace(GOOD, history=(*GOOD.history, *NATIVE), requests=ASKED_LAST),
        "limits",
        "2 compactions, of which rawr ordered 1",
    ),
    "exit code": (replace(GOOD, code=3, summary={"done": "no", "stop": {"reason": "x"}}), "end", "exit code 3"),
    "not checked": (replace(GOOD, checks=0), "end", "the check was not run"),
    "traceback": (replace(GOOD, errors="Traceback (most recent call last)\nBoom"), "end", "a traceback: Boom"),
    "a client that does not say what happened": (replace(GOOD, abandoned=((1, "Oh."),)), "end", "host was killed"),
    "a client that exits somehow": (replace(GOOD, abandoned=((70, "The host is gone."),)), "end", "exit code 70"),
    "replay": (replace(GOOD, divergences=("9 effects: a ≠ b",)), "replay", "9 effects"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_that_is_broken(name: str) -> None:
    seen, rule, words = BROKEN[name]
    [found] = check(CASE, seen)
    assert found.rule == rule
    assert words in found.what


def test_a_handoff_that_came_when_the_turn_was_over_is_read_in_the_next() -> None:
    """It is in the history, and nothing was asked of the model since then."""
    assert check(CASE, replace(GOOD, history=GOOD.history[:-1], requests=(asked(GOAL),))) == []


ANSWER, SUMMARY, COMPACTED = Event("agent", "Done."), Event("agent", "A summary."), Event("compaction")


@pytest.mark.parametrize(
    "between",
    [(ANSWER,), (user("Heads-up"), ANSWER), (ANSWER, Event("turn")), (user("Heads-up"), ANSWER, Event("turn"))],
)
def test_a_handoff_that_was_overtaken_by_a_compaction_is_that_of_both(between: tuple[Event, ...]) -> None:
    """Codex takes nothing up while the agent answers, and compacts at a turn's start before it takes up a message."""
    history = (*GOOD.history[:3], *between, SUMMARY, COMPACTED, user(HANDOFF, "t:3"))
    assert check(CASE, replace(GOOD, history=history, effects=(COMPACTING, COMPACTING))) == []


@pytest.mark.parametrize(
    "between",
    [
        (),
        (user("Go on."),),
        (ANSWER, ANSWER),
        (ANSWER, user("Go on."), ANSWER),
        (ANSWER, Event("turn"), user("Go on.")),
        (ANSWER, Event("turn"), ANSWER),
        (ANSWER, Event("turn"), Event("turn")),
    ],
)
def test_a_handoff_that_could_have_come_sooner_is_missed(between: tuple[Event, ...]) -> None:
    history = (*GOOD.history[:3], *between, SUMMARY, COMPACTED, user(HANDOFF, "t:3"))
    [found] = check(CASE, replace(GOOD, history=history, effects=(COMPACTING, COMPACTING)))
    assert (found.rule, found.what) == ("handoff", "none after compaction 1 of 2")


def test_a_watch_that_a_person_ends_has_no_summary() -> None:
    case = Case(job="watch", transport="socket", kill="rawr", point="sent:StartTurn#1")
    assert check(case, replace(GOOD, code=130, summary={}, checks=0)) == []
    [found] = check(case, replace(GOOD, code=70, summary={}, checks=0))
    assert (found.rule, found.what[:12]) == ("end", "exit code 70")


def test_a_rehearsal_has_to_show_a_compaction() -> None:
    case = Case(job="run", transport="stdio", kill="rawr", point="")
    [found] = check(case, replace(GOOD, history=(user(GOAL),)))
    assert found.rule == "rehearsal"


def test_what_codex_keeps_of_the_users_own_program_is_not_held_against_rawr() -> None:
    theirs = replace(GOOD, requests=(asked(GOAL, HANDOFF, tools=("exec",)),), theirs=True)
    assert check(CASE, theirs) == []
    [found] = check(CASE, replace(theirs, sandboxes=("read-only", "danger-full-access")))
    assert found.rule == "limits"
