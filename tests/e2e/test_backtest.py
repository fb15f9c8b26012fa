"""A session that rawr supervised, and the same one from Codex's own file: the same boundaries and decisions (D4)."""

import asyncio
import subprocess
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from rawr.backtest.decided import MOMENTS
from rawr.backtest.pool import backtest_file
from rawr.backtest.result import SessionResult
from rawr.backtest.session import SHOWN
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import tier_of
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.boundaries import GATING
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.testing import ScriptedCodex, scripted_codex
from tests.e2e.beside import COMMITTED, MORNING, person, rawr_watch, served
from tests.e2e.beside import WORK as WORK_BESIDE
from tests.e2e.golden import CONTINUE, GOES_ON, JOB, PACKET, SUMMARY, answers, golden, policy, until_it_says
from tests.e2e.rig import DEADLINE
from tests.e2e.test_landing import FILLS, OR_AGAIN, steered

DONE = "That is all of it for now, and the tree is clean: the newest commit says what was changed and why."
INIT = "git init -q . && git commit -q --allow-empty -m 'Begin'"


class Moment(Struct, frozen=True):
    """What the arbiter decided to do, and on what."""

    turn: int
    reason: str
    tier: str
    percent: int
    kinds: tuple[str, ...]


class Course(Struct, frozen=True):
    boundaries: tuple[tuple[str, int], ...]
    moments: tuple[Moment, ...]


def live(home: Path, thread: str, *, turns_in_all: int) -> Course:
    """From rawr's own journal. What happens in a turn of rawr's belongs to the user's turn before it.

    The journal of a rawr that joined late lacks the first of them.
    """
    with JournalReader.open(home) as reader:
        told = [one for one in reader.facts(thread=thread) if isinstance(one, facts.Recorded)]
        seen = list(reader.boundaries(thread=thread))
        decided = [one for one in reader.decisions(thread=thread) if isinstance(one, Decision)]
    numbers = _numbers(told)
    missed = turns_in_all - max(numbers.values())
    numbers = {turn: number + missed for turn, number in numbers.items()}
    turns = _turns_by_seq(told, numbers)
    return Course(
        _in_turns((one.kind, numbers[one.turn]) for one in seen if one.kind in SHOWN),
        tuple(_moment(one, turns[one.seq]) for one in decided if one.record.reason in MOMENTS),
    )


def _numbers(told: list[facts.Recorded]) -> dict[str, int]:
    """The number of the user's turn that each turn belongs to."""
    found: dict[str, int] = {}
    number = 0
    for one in told:
        match one.fact:
            case facts.ItemCompleted(turn=turn, item=items.UserMessage(text=text)) if turn not in found:
                number += not text.startswith(("[rawr c", "[rawr u"))
                found[turn] = number
            case _:
                pass
    return found


def _turns_by_seq(told: list[facts.Recorded], numbers: dict[str, int]) -> dict[int, int]:
    number, found = 0, {}
    for one in told:
        number = max(number, numbers.get(getattr(one.fact, "turn", ""), 0))
        found[one.seq] = number
    return found


def _moment(one: Decision, turn: int) -> Moment:
    evidence = one.record.evidence
    satisfied = evidence.get("satisfied")
    kinds = {str(kind) for kind in satisfied} if isinstance(satisfied, list) else set()
    boundaries = evidence.get("boundaries")
    if "emergency" in kinds and isinstance(boundaries, list):
        kinds = {str(each).partition(":")[0] for each in boundaries} & GATING
    percent = evidence["percent"]
    assert isinstance(percent, int)
    # A landing is decided by the room that is left, and its record names no tier.
    tier = evidence.get("tier") or tier_of(percent, policy().compaction.thresholds)
    return Moment(turn, one.record.reason.value, str(tier), percent, tuple(sorted(kinds)))


def from_file(codex: ScriptedCodex, rules: Policy, thread: str) -> SessionResult:
    [path] = (codex.home.path / "sessions").rglob(f"rollout-*{thread}.jsonl")
    [(result, _)] = backtest_file(str(path), [rules])
    return result


def course(found: SessionResult) -> Course:
    return Course(
        _in_turns((one.kind, one.turn) for one in found.boundaries),
        tuple(
            Moment(one.turn, one.reason, one.tier, one.percent, tuple(sorted(one.kinds))) for one in found.would_compact
        ),
    )


def _in_turns(found: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Live, a look at the repository takes its time: a commit may be seen after the plan that was made after it."""
    return tuple(sorted(found, key=lambda one: (one[1], one[0])))


async def test_a_supervised_session_is_decided_again_as_it_was(tmp_path: Path) -> None:
    """Plans, commits, a marked phase, two compactions on the golden path, and work in between and after."""
    script = f"""
- {{ plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }}
- {{ run: "{INIT}", usage: 80000 }}
- do:
    - call: {{ tool: phase_complete, arguments: {{ phase: research, summary: "All read.", next_phase: draft }} }}
    - plan: ["done: research", "doing: draft", "todo: ship"]
  usage: 90000
- {{ say: "The research is finished. Everything I found is in my notes for the draft.", usage: 100000 }}
{answers("Heads-up", PACKET + "Commit: Begin.")}{SUMMARY}
- {{ when: {{ user: "Handoff" }}, run: "git commit -q --allow-empty -m Draft", usage: 24000 }}
- {{ say: "{GOES_ON} {DONE}", usage: 26000 }}
- {{ when: {{ user: "^review it$" }}, run: "git commit --allow-empty -m Review", usage: 110000 }}
- {{ say: "{DONE}", usage: 112000 }}
- {{ when: {{ user: "^ship it$" }}, plan: ["done: research", "done: draft", "done: ship"], usage: 120000 }}
- {{ run: "git checkout -q -b ship && git commit -q --allow-empty -m Ship", usage: 121000 }}
- {{ say: "{DONE}", usage: 122000 }}
{answers("Heads-up", PACKET + "Commit: Begin, Draft, Review, Ship.", usage=124000)}{SUMMARY}
- {{ when: {{ user: "Handoff" }}, say: "Nothing is left to do. {DONE}", usage: 25000 }}
- {{ when: {{ user: "^thanks$" }}, say: "You are welcome.", usage: 26000 }}
"""
    rules = policy(cooldown_seconds=0)
    async with golden(script, tmp_path, rules=rules) as (it, thread):
        await until_it_says(it, thread)
        await it.heard(thread, "review it")
        await until_it_says(it, thread, prompt="ship it", says="Nothing is left")
        await it.heard(thread, "thanks")
        codex = it.codex
    found = from_file(codex, rules, thread)
    assert course(found) == live(it.home, thread, turns_in_all=found.turns)
    assert [(one.turn, one.kinds) for one in course(found).moments] == [
        (1, ("agent_done", "commit", "phase_boundary", "plan_checkpoint", "plan_update")),
        (3, ("agent_done", "commit", "plan_checkpoint", "plan_update")),
    ]
    assert [(one.by, one.turn) for one in found.native_compactions] == [("rawr", 1), ("rawr", 3)]
    assert (found.turns, found.skipped, found.needed) == (4, {}, False)
    assert found.with_rawr == found.recorded, "the record is what rawr does"


async def test_a_landed_turn_is_landed_again(tmp_path: Path) -> None:
    script = f"""{FILLS}{answers("nearly full", PACKET, usage=252000)}{SUMMARY}
- {{ when: {{ user: "Handoff" }}, run: "{INIT}", usage: 20000 }}
- {{ say: "{GOES_ON}", usage: 21000 }}
- {{ when: {{ user: "^more$" }}, run: "git commit -q --allow-empty -m More", usage: 50000 }}
- {{ say: "{DONE}", usage: 60000 }}
"""
    async with golden(script, tmp_path) as (it, thread):
        landing = steered(it)
        finished = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        await it.rawr.submit(thread, JOB)
        await landing
        await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=DEADLINE)
        it.codex.model.release()
        await finished
        await it.heard(thread, "more")
    found = from_file(it.codex, policy(), thread)
    assert course(found) == live(it.home, thread, turns_in_all=found.turns)
    assert [(one.turn, one.reason) for one in course(found).moments] == [(1, "compact.decided.landing")]
    assert course(found).boundaries == (("commit", 1), ("agent_done", 2), ("commit", 2))
    assert [one.by for one in found.native_compactions] == ["rawr"]


async def test_an_emergency_without_a_heads_up_is_one_again(tmp_path: Path) -> None:
    """Past the limit rawr writes the packet itself, so the record has no word of it before the compaction."""
    script = f"""
- {{ run: "true", usage: 60000 }}
- {{ say: "{DONE}", usage: 262000 }}
{SUMMARY}
- {{ when: {{ user: "Handoff" }}, run: "{INIT}", usage: 20000 }}
- {{ say: "{GOES_ON}", usage: 21000 }}
"""
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
    found = from_file(it.codex, policy(), thread)
    assert course(found) == live(it.home, thread, turns_in_all=found.turns)
    assert [(one.tier, one.reason) for one in course(found).moments] == [("emergency", "compact.decided.emergency")]
    assert course(found).boundaries == (("agent_done", 1), ("commit", 1))
    assert [(one.by, one.inside_turn) for one in found.native_compactions] == [("rawr", False)]


async def test_codexs_own_compaction_is_seen_where_it_was(tmp_path: Path) -> None:
    """In the middle of a turn, faster than rawr; then a boundary, and rawr's own."""
    script = f"""
- {{ run: "{INIT}", usage: 60000 }}
- {{ run: "true", usage: 262000 }}
{SUMMARY}{OR_AGAIN}{CONTINUE}
- {{ when: {{ user: "^one$" }}, say: "{DONE}", usage: 90000 }}
- {{ when: {{ user: "^two$" }}, run: "git commit -q --allow-empty -m Two", usage: 118000 }}
- {{ say: "{DONE}", usage: 120000 }}
{answers("Heads-up", PACKET + "Commit: Begin, Two.", usage=124000)}{SUMMARY}
- {{ when: {{ user: "Handoff" }}, say: "Nothing is left to do.", usage: 25000 }}
"""
    rules = policy(cooldown_seconds=0)
    async with golden(script, tmp_path, rules=rules) as (it, thread):
        sent = it.decided("handoff.sent.recovery", thread=thread)
        said = asyncio.create_task(until_it_says(it, thread))
        await sent
        await it.codex.model.wait_for_async(lambda request: request.number == 4, deadline=DEADLINE)
        it.codex.model.release()
        await said
        await it.heard(thread, "one")
        await until_it_says(it, thread, prompt="two", says="Nothing is left")
    found = from_file(it.codex, rules, thread)
    assert course(found) == live(it.home, thread, turns_in_all=found.turns)
    assert [(one.by, one.inside_turn, one.turn) for one in found.native_compactions] == [
        ("codex", True, 1),
        ("rawr", False, 3),
    ]


async def test_a_session_of_the_users_own_codex_that_rawr_watched(tmp_path: Path) -> None:
    script = MORNING + WORK_BESIDE + answers("Heads-up", COMMITTED) + SUMMARY
    script += f"""
- {{ when: {{ user: "Handoff" }}, run: "git commit -q --allow-empty -m Draft", usage: 20000 }}
- {{ say: "{GOES_ON}", usage: 21000 }}
"""
    home = tmp_path / "rawr"
    async with (
        served(script, tmp_path) as (codex, server),
        rawr_watch(codex, home, server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.say("three phases please")
        await watching.decided("compact.audited.sequence")
        handoff = await ada.until_told("Handoff: ")
        await ada.until_over(handoff.turn)
        await watching.fact("TurnCompleted", thread=ada.thread, turn=handoff.turn)
        await watching.ctrl_c()
    found = from_file(codex, policy(), ada.thread)
    assert course(found) == live(home, ada.thread, turns_in_all=found.turns)
    assert [(one.turn, one.tier, one.kinds) for one in course(found).moments] == [
        (2, "asap", ("agent_done", "commit", "plan_checkpoint", "plan_update"))
    ]
    assert course(found).boundaries.count(("commit", 2)) == 2
    assert [one.by for one in found.native_compactions] == ["rawr"]


FULL = """\
name: a turn that fills the window
window: 100000
replies:
  - run: "echo one"
    usage: 92000
  - when: { compaction: true }
    say: "One was printed."
    usage: 22000
  - say: "It is printed."
    usage: 9000
"""


def test_a_request_for_a_summary_is_not_what_was_held_before_it(tmp_path: Path) -> None:
    """Codex reports it like any other, right before the compaction. What the turn held, the report before that says."""
    story = tmp_path / "full.yaml"
    story.write_text(FULL)
    with scripted_codex(story, tmp_path) as codex:
        command = codex.command("exec", "--skip-git-repo-check", "Print one.")
        workspace = codex.home.workspace
        subprocess.run(command, env=codex.env(), cwd=workspace, stdin=subprocess.DEVNULL, timeout=DEADLINE, check=True)
        [file] = codex.home.path.rglob("rollout-*.jsonl")
        [(found, _)] = backtest_file(str(file), [policy()])
    [native] = found.native_compactions
    assert (native.by, native.inside_turn, native.tokens, native.tokens_after) == ("codex", True, 92_000, 9_000)
    assert found.recorded.requests == 3, "the summary's is one of them"
