"""Whatever is in a session file: no crash, and everything that is skipped is counted."""

import random
import re
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.backtest.pool import backtest_file, feed
from rawr.backtest.result import SessionResult
from rawr.backtest.session import Backtest
from rawr.history import entries
from rawr.history.compressed import MAGIC
from rawr.history.known import EVENTS_PASSED
from rawr.history.lines import PASSED_ITEMS, entry_of
from tests.backtest.sessions import Session, policy
from tests.history.rollouts import (
    PATCH,
    agent,
    began,
    called,
    compacted,
    context,
    custom,
    ended,
    event,
    exited,
    item,
    legacy,
    meta,
    planned,
    returned,
    said,
    used,
    user,
)
from tests.history.test_any_line import lines as any_line

RULES = [policy(), policy(mode="suggest"), policy(cooldown_turns=0, cooldown_seconds=0, soft_landing=False)]
PIECES = [
    item({"type": "reasoning", "summary": ["x"]}),
    meta(),
    meta("s2", source={"subagent": {"thread_spawn": {"parent_thread_id": "a-b"}}}),
    *(one for name in ("T1", "T2", "") for one in (began(name), ended(name), context(name))),
    event("turn_aborted", reason="interrupted"),
    event("thread_rolled_back", num_turns=2),
    event("entered_review_mode"),
    event("exited_review_mode"),
    user("Go on."),
    user("[rawr c1] Heads-up: we pause."),
    user("[rawr c1] Handoff: the context was compacted."),
    user("[rawr u2] Handoff: for the record."),
    said("user", "<environment_context>x</environment_context>"),
    agent("I am done with all of it, and have written down what matters for later."),
    *(used(n, output=out) for n in (0, 20_000, 120_000, 215_000, 240_000, 10**9) for out in (0, n)),
    used(50_000, window=0),
    *compacted(),
    *planned("done: a", "doing: b"),
    *planned("doing: a", "todo: b"),
    called("exec_command", {"cmd": "git commit -m x"}, call="c"),
    returned(exited(0, "[main 1a2b3c4] x\n"), call="c"),
    returned("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n", call="c"),
    called("write_stdin", {"session_id": 7}, call="w"),
    returned(exited(1, ""), call="w"),
    called("phase_complete", {"phase": "a", "summary": "b"}, call="p"),
    returned("ok", call="p"),
    custom("apply_patch", PATCH, call="a"),
    returned("Success.", custom=True, call="a"),
    custom("exec", "await tools.exec_command({cmd: 'ls'}); tools.update_plan({plan:[{step:'a',status:'completed'}]})"),
    returned("Script completed", custom=True),
    *legacy(said("user", "Hi."))[:3],
]
pieces = st.sampled_from(PIECES) | any_line
_PASSED = re.compile(
    rb'.{37}Z","type":"(?:'
    rb'response_item","payload":\{"type":"(?:%b|function_call_output|message",.*"role":"(?:user|developer))"'
    rb'|event_msg","payload":\{"type":"(?:%b|token_count)"'
    rb'|turn_context"|session_meta")' % ("|".join(PASSED_ITEMS).encode(), "|".join(EVENTS_PASSED).encode()),
    re.DOTALL,
)
"""Lines of the kinds of which some decide nothing, as they begin."""


def checked(path: Path, data: bytes) -> list[SessionResult]:
    path.write_bytes(data)
    results = [result for result, _ in backtest_file(str(path), RULES)]
    if data.startswith(MAGIC):
        assert all(one.problem or one.skipped for one in results), "it only begins like a packed file"
        return results
    for one in results:
        assert one.problem == ("it is no session of Codex" if 0 < one.lines == one.skipped.get("unreadable") else "")
        assert one.lines + one.skipped.get("cut off", 0) == _there(data)
        counted = sum(one.skipped.values()) - one.skipped.get("cut off", 0)
        assert _broken(data) <= counted <= _skipped(data), "what decides nothing need not be in the shape we know"
        assert one.bytes - len(data) in (0, 1), "but for a newline at the end"
        assert len(one.would_compact) + one.still_native <= one.lines
        lines = [each.line for each in one.would_compact] + [each.line for each in one.native_compactions]
        assert all(0 < each <= data.count(b"\n") + 1 for each in lines)
    whole = Backtest(RULES[0], whole=True)
    feed(whole, str(path))
    skipped = whole.over().skipped
    assert sum(skipped.values()) - skipped.get("cut off", 0) == _skipped(data)
    return results


def _lines(data: bytes) -> list[bytes]:
    *whole, last = data.split(b"\n")
    read = [*whole, last] if last.rstrip(b"\x00").endswith(b"}") else whole
    return [line for line in read if line.strip(b"\x00 \r\t")]


def _there(data: bytes) -> int:
    """Lines that hold anything; half of one at the end is one, too."""
    *_, last = data.split(b"\n")
    return len(_lines(data)) + (1 if last and not last.rstrip(b"\x00").endswith(b"}") else 0)


def _broken(data: bytes) -> int:
    """Lines that are no JSON at all. Of those that decide nothing, only the ones that were cut off."""
    broken = 0
    for line in _lines(data):
        if _PASSED.match(line) and line.endswith(b"}}"):
            continue
        try:
            msgspec.json.decode(line.strip(b"\x00 \r\t").decode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            broken += 1
    return broken


def _skipped(data: bytes) -> int:
    return sum(isinstance(entry_of(line), entries.Unreadable | entries.Unknown) for line in _lines(data))


@given(st.lists(pieces, max_size=40), st.integers(0, 300))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_in_any_order(tmp_path: Path, found: list[bytes], cut: int) -> None:
    whole = b"".join(line + b"\n" for line in found)
    checked(tmp_path / "a.jsonl", whole)
    checked(tmp_path / "a.jsonl", whole[: max(len(whole) - cut, 0)])


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_session_that_was_damaged(tmp_path: Path, chance: random.Random) -> None:
    session = Session().turn_of(20_000, 120_000, commit="a").turn_of(180_000).begin().work(235_000)
    session.add(*compacted(), used(9_000, output=9_000)).work(21_000).plan("done: a").end().turn_of(150_000, commit="b")
    lines = list(session.lines)
    for _ in range(chance.randrange(1, 8)):
        damage(lines, chance)
    checked(tmp_path / "a.jsonl", b"".join(line + b"\n" for line in lines))


def damage(lines: list[bytes], chance: random.Random) -> None:
    """Bits flip, lines break off, swap, repeat or get lost, and NUL bytes come in."""
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    line = lines[at]
    match chance.randrange(6):
        case 0 if line:
            place = chance.randrange(len(line))
            flipped = bytes([line[place] ^ (1 << chance.randrange(8))])
            lines[at] = (line[:place] + flipped + line[place + 1 :]).replace(b"\n", b" ")
        case 1:
            lines[at] = line[: chance.randrange(len(line) + 1)]
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at:at] = lines[min(at, other) : max(at, other)][:20]
        case 4:
            lines[at] = b"\x00" * chance.randrange(1, 99) + line
        case _:
            del lines[at : at + chance.randrange(1, 4)]
            lines.append(line)
