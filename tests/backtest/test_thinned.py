"""What is neither read nor told changes no decision: a session gives the same result whole."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.backtest.pool import backtest_file
from rawr.backtest.result import SessionResult
from rawr.backtest.session import Backtest
from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.history.calls import command_read
from rawr.history.entries import AnyEntry, CommandCalled, Returned, TurnContext, Unreadable
from rawr.history.lines import entry_of
from rawr.history.skimming import Skimmer
from rawr.observe.derived import may_make, may_matter_in
from tests.backtest.sessions import WINDOW, Session, policy
from tests.history.rollouts import (
    AT_MS,
    PATCH,
    agent,
    began,
    called,
    compacted,
    context,
    custom,
    ended,
    envelope,
    event,
    exited,
    item,
    meta,
    ran,
    returned,
    said,
    used,
    user,
)

EAGER = TierPolicy(95, ("turn_complete", "commit", "agent_done", "idle"))
POLICIES = (
    policy(),
    policy(early=EAGER, cooldown_turns=0, cooldown_seconds=0),
    policy(mode="tag", ready=TierPolicy(80, ("turn_complete",))),
    policy(soft_landing=False, cooldown_turns=5),
)


FINISHED = "Done. The lexer and the parser share one table of tokens from here on, and all tests pass. " * 6


def compact(line: bytes) -> bytes:
    """As Codex writes it: without spaces."""
    return json.dumps(json.loads(line), separators=(",", ":")).encode()


def result(lines: list[bytes], rules: Policy, *, whole: bool) -> SessionResult:
    session = Backtest(rules, whole=whole)
    session.feed(lines)
    return session.over()


def same(session: Session, rules: Policy) -> SessionResult:
    lines = [compact(line) for line in session.lines]
    found = result(lines, rules, whole=True)
    assert result(lines, rules, whole=False) == found
    return found


# -- any session ------------------------------------------------------------------------------------------------------


def _patch(session: Session) -> None:
    session.calls += 1
    call = f"patch_{session.calls}"
    session.add(custom("apply_patch", PATCH, call=call), returned("Success.", call=call, custom=True), seconds=5)


def _runs_on(session: Session) -> None:
    session.calls += 1
    running = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    call = f"bg_{session.calls}"
    session.add(called("exec_command", {"cmd": "make serve"}, call=call), returned(running, call=call), seconds=5)


def _runs_out(session: Session) -> None:
    session.calls += 1
    call = f"in_{session.calls}"
    session.add(called("write_stdin", {"session_id": 7}, call=call), returned(exited(0, "bye"), call=call), seconds=5)


def _tool(session: Session) -> None:
    session.calls += 1
    call = f"tool_{session.calls}"
    session.add(called("mcp__web__fetch", {"url": "x"}, call=call), returned("page", call=call), seconds=5)


def _phase(session: Session) -> None:
    session.calls += 1
    call = f"phase_{session.calls}"
    session.add(called("rawr_phase_complete", {"phase": "Lexer"}, call=call), returned("Noted.", call=call), seconds=5)


def _many(session: Session) -> None:
    for _ in range(5):
        session.calls += 1
        session.add(*ran("make", call=f"many_{session.calls}"), seconds=1)


def _script(session: Session) -> None:
    session.calls += 1
    call = f"script_{session.calls}"
    ran = "const a = await tools.exec_command({cmd: 'make test'}); await tools.exec_command({cmd: 'ls'});"
    session.add(custom("exec", ran, call=call), returned("Script completed", call=call, custom=True), seconds=5)


STEPS: dict[str, Callable[[Session], object]] = {
    "begin": lambda one: one.begin("Please go on with the next part of it, and tell me when it is done."),
    "end": lambda one: one.end(),
    "done": lambda one: one.end("The work is complete. " + FINISHED),
    "order": lambda one: one.begin("Please do all of this. " * 100),
    "steer at length": lambda one: one.add(user("And then do this. " * 60), seconds=1),
    "final": lambda one: one.add(said("assistant", FINISHED, phase="final_answer"), ended(f"T{one.turn}")),
    "many": _many,
    "interrupt": lambda one: one.add(event("turn_aborted", turn_id=f"T{one.turn}", reason="interrupted")),
    "steer": lambda one: one.add(user("Also look at the other file."), seconds=1),
    "commit": lambda one: one.commit("Parser"),
    "look": lambda one: one.add(*ran("git status && git log -3", call=f"look_{one.line}"), seconds=2),
    "check": lambda one: one.run("cd lexer && make test"),
    "failed check": lambda one: one.run("pytest -q", code=1),
    "script": _script,
    "list": lambda one: one.add(*ran("ls", code=1, call=f"ls_{one.line}"), seconds=2),
    "never returned": lambda one: one.add(called("exec_command", {"cmd": "sleep 9"}, call=f"s_{one.line}"), seconds=2),
    "patch": _patch,
    "runs on": _runs_on,
    "runs out": _runs_out,
    "tool": _tool,
    "phase": _phase,
    "plan": lambda one: one.plan("done: a", "doing: b", f"todo: {one.line}"),
    "planned": lambda one: one.plan("done: a", "done: b", f"done: {one.line}"),
    "words": lambda one: one.add(agent("Now on to the next file."), seconds=3),
    "reasoning": lambda one: one.add(item({"type": "reasoning", "summary": []}), seconds=30),
    "told": lambda one: one.add(said("developer", "Be brief."), said("user", "<env_context>x</env_context>")),
    "native": lambda one: one.add(*compacted("Summary.")),
    "review": lambda one: one.add(event("entered_review_mode"), event("exited_review_mode")),
    "away": lambda one: one.add(event("agent_reasoning", text="…"), seconds=4_000),
    "search": lambda one: one.add(item({"type": "web_search_call", "status": "completed"})),
    "own": lambda one: one.add(began(f"R{one.line}"), user("[rawr c1] Heads-up."), agent("Ok."), ended("R")),
    "settings": lambda one: one.add(context(f"T{one.turn}", "/elsewhere")),
    "again": lambda one: one.add(meta("s0")),
}
steps = st.one_of(
    st.sampled_from(("begin", "end", "begin", "end", "done", "commit", "list", "look", "words", "patch", "check")),
    st.sampled_from(sorted(STEPS)),
    st.integers(min_value=-60_000, max_value=45_000),
    st.integers(min_value=0, max_value=15_000),
    st.lists(st.integers(min_value=-1_000, max_value=40_000), min_size=3, max_size=12),
)
"""A number is what a model call adds to the context; a list of them is a turn that goes on."""


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=5, max_size=100), st.sampled_from(POLICIES))
def test_any_session_gives_the_same_result_whole(script: list[str | int | list[int]], rules: Policy) -> None:
    session, held, spent = Session(), 20_000, 0
    for one in script:
        if isinstance(one, str):
            STEPS[one](session)
            continue
        for added in one if isinstance(one, list) else [one]:
            held = min(max(held + added, 13_000), WINDOW)
            spent += held
            counted = used(held, spent=spent)
            session.add(counted, counted, seconds=7)
    same(session, rules)


def test_a_session_that_gets_full_is_landed_at_the_same_line() -> None:
    session = Session().begin()
    for held in range(20_000, 240_000, 9_000):
        session.work(held)
    found = same(session.end(), policy())
    assert [one.reason for one in found.would_compact] == ["compact.decided.landing"]


def test_payloads_written_in_another_order_say_the_same() -> None:
    session = Session().begin()
    for held in range(20_000, 240_000, 9_000):
        session.work(held)
    session.end()
    turned = [json.loads(line) for line in session.lines]
    lines = [
        json.dumps(one | {"payload": dict(reversed(one["payload"].items()))}, separators=(",", ":")) for one in turned
    ]
    found = result([line.encode() for line in lines], policy(), whole=False)
    assert found.would_compact == same(session, policy()).would_compact
    assert (found.still_native, found.skipped) == (0, {})


def test_what_the_newest_calls_added_decides_where_a_turn_is_landed() -> None:
    """The call that is under way adds as much as the largest of them, a twenty-fifth of the window at most; or as the
    newest two, if both were larger."""
    for step, landed in ((9_000, 237_000), (2_000, 238_000), (30_000, 210_000)):
        session = Session().begin()
        for held in range(30_000, 244_000, step):
            session.work(held)
        found = same(session.end(), policy())
        assert [(one.tokens, one.reason.rpartition(".")[2]) for one in found.would_compact] == [(landed, "landing")]


def test_reasoning_that_no_count_has_brings_the_limit_nearer() -> None:
    """Of turns before: what the model thinks in the running one does not count yet."""
    for thought, landed in ((0, [238_000]), (300_000, [182_000])):
        session = Session().begin().work(20_000).reason(thought).end()
        session.begin().reason(100_000)
        for held in range(30_000, 244_000, 2_000):
            session.work(held)
        found = same(session.end(), policy())
        assert [one.tokens for one in found.would_compact] == landed


def test_a_turn_that_pauses_is_landed_by_what_the_context_holds_then() -> None:
    """The limit comes into sight, and goes out of it again by one token."""
    session = Session().begin()
    for held in (23_872, 63_872, 103_872, 143_872, 143_871):
        session.work(held)
    found = same(session.commit("Parser").end(), policy())
    assert [one.reason for one in found.would_compact] == ["compact.decided.boundary"]


def test_a_long_turn_of_many_calls_and_a_commit() -> None:
    session = Session().begin()
    for held in range(20_000, 120_000, 300):
        session.work(held)
    found = same(session.commit("Parser").end(), policy())
    assert [one.kinds for one in found.would_compact] == [("commit",)]


def kinds(found: SessionResult) -> list[str]:
    return [one.kind for one in found.boundaries]


def test_a_large_piece_of_work_is_seen_by_what_was_asked_and_how_much_was_done() -> None:
    session = Session()
    STEPS["order"](session)
    for _ in range(2):
        STEPS["many"](session)
    STEPS["final"](session)
    assert kinds(same(session, policy())) == ["agent_done", "concluding"]


def test_one_changed_file_says_that_a_turn_did_something() -> None:
    session = Session()
    for _ in range(2):
        session.begin().work(20_000)
        for _ in range(3):
            STEPS["patch"](session)
        session.end("The lexer and the parser share one table of tokens from here on.")
    assert kinds(same(session, policy())) == ["agent_done", "agent_done"]


# -- lines ------------------------------------------------------------------------------------------------------------


def skimmed(*lines: bytes) -> list[AnyEntry | None]:
    return Skimmer(may_matter_in).read([compact(line) + b"\n" for line in lines])


def test_lines_that_decide_nothing_are_passed_over() -> None:
    lines = (
        item({"type": "reasoning", "summary": []}),
        event("agent_message", message="Hello."),
        envelope("world_state", {"full": True}),
        said("developer", "Be brief."),
    )
    assert skimmed(*lines) == [None] * 4


def test_what_repeats_is_read_once() -> None:
    lines = (meta(), context("T1"), context("T2"), context("T3", "/elsewhere"), meta("s0"))
    found = skimmed(*lines)
    assert found == [entry_of(lines[0]), entry_of(lines[1]), None, entry_of(lines[3]), None]


def test_the_output_of_a_command_counts_only_if_it_matters() -> None:
    quiet, loud = ran("ls", output="a"), ran("git commit -m x", output="[main 1a2b3c4] x")
    found = skimmed(*quiet, *loud)
    assert found[2:] == [entry_of(line) for line in loud]
    call, output = found[:2]
    assert isinstance(call, CommandCalled)
    assert call.command == ""
    assert command_read(call) == entry_of(quiet[0])
    assert output == Returned(call="call_1", output="", line=compact(quiet[1]) + b"\n", at=AT_MS)


def test_a_command_that_only_looks_at_a_repository_does_not_matter() -> None:
    lines = [line + b"\n" for line in (*ran("git add x", output="a"), *ran("git add x && git commit -m y"))]
    looked, _, made, output = Skimmer(may_matter_in, may_make).read(lines)
    assert isinstance(looked, CommandCalled)
    assert looked.command == ""
    assert [made, output] == [entry_of(line) for line in lines[2:]]


HEADER = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess "
RUNS_ON, IS_OVER = f"{HEADER}running with session ID 7\nOutput:\n", f"{HEADER}exited with code 0\nOutput:\n"


@pytest.mark.parametrize(
    "text",
    [
        RUNS_ON,
        "Exit code: 0\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n",
        "Command: x\nChunk ID: 1\nProcess running with session ID 7\nOutput:\n",
        f"Command: x\n{RUNS_ON}{IS_OVER}",
        "Wall time: 3.1 seconds\naborted by user",
        "aborted by user after 3.1s",
    ],
)
def test_a_command_that_runs_on_or_was_cut_off_is_read(text: str) -> None:
    quiet = called("exec_command", {"cmd": "ls"}), returned(text)
    found = skimmed(*quiet)
    assert found[1] == entry_of(quiet[1])


@pytest.mark.parametrize(
    "text",
    [
        "Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 1\nOriginal token count: 3\nOutput:\na",
        "Exit code: 0\nWall time: 1 seconds\nTotal output lines: 9\nOutput:\nProcess running with session ID 7\n",
        'Command: rg "\\nC" x\nChunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\na',
        '{"output": "aborted by user"}',
        "src/lexer.py",
        "",
    ],
)
def test_a_command_that_plainly_ended_is_not_read(text: str) -> None:
    (_, output) = skimmed(called("exec_command", {"cmd": "ls"}), returned(text))
    assert isinstance(output, Returned)
    assert output.line


def test_what_decides_nothing_is_read_only_if_it_was_cut_off() -> None:
    """Damage in the middle of it goes unnoticed, in what may decide it does not."""
    thought = item({"type": "reasoning", "summary": ["x"]})
    damaged, cut = thought.replace(b'["x"]', b'["x]'), thought[:-5]
    words = said("assistant", "Hello.").replace(b'"Hello."', b'"Hello.')
    found = Skimmer(may_matter_in).read([line + b"\n" for line in (thought, damaged, cut, words)])
    assert found[:2] == [None, None]
    assert [type(one) for one in found[2:]] == [Unreadable, Unreadable]


def test_the_time_of_what_is_not_read_counts() -> None:
    late = "2026-01-02T03:04:06.000Z"
    skimmer = Skimmer(may_matter_in)
    skimmer.read([envelope("response_item", {"type": "reasoning"}, at=late) + b"\n", agent("Hello.") + b"\n"])
    assert skimmer.now() == AT_MS + 322


@pytest.mark.parametrize("time", ["2026-99-02T03:04:05.678Z", "\u00e9" * 11 + "xZ"])
def test_a_time_that_is_none_holds_nothing_up(time: str) -> None:
    skimmer = Skimmer(may_matter_in)
    thought = envelope("response_item", {"type": "reasoning"}, at=time) + b"\n"
    found = skimmer.read([thought, agent("Hello.") + b"\n", thought])
    assert found[1] == entry_of(agent("Hello."))
    assert skimmer.now() == AT_MS


def test_settings_of_another_turn_are_the_same_settings() -> None:
    def settings(turn: str, model: str) -> bytes:
        return envelope("turn_context", {"turn_id": turn, "cwd": "/a", "model": model})

    one, two = "0" * 36, "1" * 36
    found = skimmed(settings(one, "m"), settings(two, "m"), settings(one, "n"), settings(one, "m"))
    assert [entry.model if isinstance(entry, TurnContext) else entry for entry in found] == ["m", None, "n", "m"]


BEGIN = b'{"timestamp":"2026-01-02T03:04:05.678Z","type":'


@pytest.mark.parametrize(
    "line",
    [
        BEGIN + b'"response_item","payload":{"type":"reasoning"',
        BEGIN + b'"response_item","payload":{"type":"message","role":"a"}',
        BEGIN + b'"event_msg","payload":{"type":"token_count","info":{]},"rate_limits":{}}}',
        b'{"timestamp":"yesterday at the latest!","type":"response_item","payload":{"type":"message","role":"user"}}',
        BEGIN + b'"moon","payload":{}}',
        BEGIN + b'"}',
    ],
)
def test_what_is_not_as_it_seems_is_read_whole(line: bytes) -> None:
    (entry,) = Skimmer(may_matter_in).read([line + b"\n"])
    assert entry == replace(entry_of(line), at=entry.at if entry is not None else 0)


# -- patches ----------------------------------------------------------------------------------------------------------


def patched(*outputs: str) -> Session:
    session = Session().begin().work(20_000)
    for n, output in enumerate(outputs):
        call = f"patch_{n}"
        session.add(custom("apply_patch", PATCH, call=call), returned(output, call=call, custom=True), seconds=5)
    return session.end("The lexer and the parser share one table of tokens from here on.")


def test_patches_are_read_until_one_was_applied() -> None:
    failed, applied = "apply_patch verification failed: no such file", "Success."
    assert kinds(same(patched(failed, applied, failed), policy())) == ["agent_done"]
    assert kinds(same(patched(failed, failed), policy())) == []


def test_a_patch_that_is_not_utf8_is_read_like_any_other() -> None:
    lines = [compact(line) for line in patched("Success.").lines]
    broken = [line.replace(b"*** End Patch", b"\xff*** End Patch") for line in lines]
    assert broken != lines
    assert result(broken, policy(), whole=False) == replace(
        result(broken, policy(), whole=True), bytes=sum(len(line) + 1 for line in broken)
    )
    assert kinds(result(broken, policy(), whole=False)) == ["agent_done"]


def test_lines_are_counted_in_a_file_as_one_by_one(tmp_path: Path) -> None:
    """Blank and damaged ones among them, and where a block of the file ends."""
    session = Session()
    for _ in range(3):
        STEPS["order"](session)
        STEPS["many"](session)
        STEPS["final"](session)
    lines = [compact(line) for line in session.lines]
    lines[3:3] = [b"", b"\x00", b'{"half', b'{"timestamp":"2026-01-02T03:04:05.678Z","type":"moon","payload":{}}']
    lines.insert(9, compact(item({"type": "reasoning", "encrypted_content": "x" * 600_000})))
    lines.insert(10, compact(item({"type": "reasoning", "summary": []}))[:-1])
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    (((found, _marks),),) = [backtest_file(str(path), [policy()])]
    assert found == replace(result(lines, policy(), whole=True), file=str(path))
    assert found.skipped == {"moon": 1, "unreadable": 2}
