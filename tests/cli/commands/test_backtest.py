"""``rawr backtest``: what it says, as a table and as JSON, and what it says to bad input (D4)."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from rawr.cli.exit_codes import Exit
from rawr.history import files
from tests.backtest.sessions import Session
from tests.cli.in_process import Rawr
from tests.cli.program import Ended
from tests.history.rollouts import compacted, event, used

NAME = "rollout-2026-01-02T03-04-05-{}.jsonl"
DEADLINE = 60.0
SESSION = {
    "type",
    "file",
    "session",
    "format",
    "version",
    "subagent",
    "turns",
    "window",
    "boundaries",
    "would_compact",
    "native_compactions",
    "still_native",
    "worked",
    "needed",
    "recorded",
    "with_rawr",
    "skipped",
    "lines",
    "bytes",
    "repeats",
    "problem",
}
SUMMARY = {
    "type",
    "policy",
    "sessions",
    "turns",
    "native",
    "native_inside_turn",
    "preceded",
    "foreseeable",
    "preceded_foreseeable",
    "still_native",
    "would_compact",
    "at_boundary",
    "landed",
    "bare_ends",
    "emergencies",
    "sub_agents",
    "hours",
    "per_hour",
    "native_per_hour",
    "needless",
    "sessions_needing",
    "thrash",
    "mean_percent",
    "tokens_carried",
    "tokens_carried_recorded",
    "cost_cached",
    "cost_uncached",
    "cost_unit",
    "by_tier",
    "by_kind",
    "boundaries",
    "skipped",
    "not_understood",
    "lines",
    "bytes",
    "seconds",
    "workers",
    "failed",
    "repeated",
}


def busy() -> Session:
    """rawr would have compacted in turn 1, and Codex did in turn 2."""
    session = Session().turn_of(20_000, 120_000, commit="Read it").begin().work(180_000).work(235_000)
    return session.add(*compacted(), used(9_000, output=9_000)).work(21_000).end()


def written(folder: Path, name: str, session: Session, *more: bytes) -> Path:
    path = folder / NAME.format(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in (*session.lines, *more)))
    return path


@pytest.fixture
def history(own_home: Path) -> Path:
    """A Codex home with two sessions; a line in the second is of a kind that nobody knows. Need is not weighed."""
    (own_home / "rawr").mkdir()
    (own_home / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nneed_turns = 0\n")
    folder = own_home / "codex" / "sessions" / "2026" / "01" / "02"
    written(folder, "a", busy())
    written(folder, "b", Session(session="s2").turn_of(30_000, 40_000, 50_000), event("moon_phase"))
    return own_home / "codex"


# -- what it says -----------------------------------------------------------------------------------------------------


def test_the_table_over_the_users_own_history(rawr: Rawr, history: Path) -> None:
    ended = rawr("backtest")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert re.fullmatch(r"2 sessions, 3 turns, 0 MB in \d+\.\d s", lines[0])
    assert lines[1] == "not understood: 1 of 47 lines (event moon_phase 1)"
    assert {line[:38].strip(): line[38:].strip() for line in lines[3:]} == {
        "cost of all requests": "917.3 k (-2.8 %)",
        "the same without prompt caching": "917.3 k (-2.8 %)",
        "tokens carried by all requests": "891.4 k (-4.2 %)",
        "compactions on record": "1",
        "in the middle of a turn": "1",
        "would have been preceded": "1 of 1 (100 %)",
        "of the foreseeable ones": "1 of 1 (100 %)",
        "Codex would still have compacted": "0",
        "compactions instead": "1",
        "in an hour of work": "6.67 (record: 6.67)",
        "at a place of choice": "1 of 1 (100 %)",
        "at a bare end of a turn": "0",
        "landing a turn that was nearly full": "0",
        "in an emergency": "0",
        "in sessions that never needed it": "0",
        "within three turns of the last one": "0",
        "context left then, on average": "56.0 %",
    }


def test_session_by_session(rawr: Rawr, history: Path) -> None:
    lines = rawr("backtest", "--sessions").out.splitlines()
    assert lines[:3] == [
        f"{NAME.format('a')}  2 turns",
        "  line 14: rawr would compact, turn 1: asap, 56 % left, commit (120 k → about 25 k)",
        "  line 24: Codex compacted in the middle of turn 2, after a command, 9 % left; rawr would have come before",
    ]
    assert not any(NAME.format("b") in line for line in lines), "nothing happened in that one"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_json_has_one_object_per_session_and_a_summary(rawr: Rawr, history: Path, workers: str) -> None:
    first, second, total = rawr("backtest", "--json", "--workers", workers).lines
    assert set(first) == set(second) == SESSION
    assert set(total) == SUMMARY
    assert (first["type"], second["type"], total["type"]) == ("session", "session", "summary")
    assert [str(one["file"])[-7:] for one in (first, second)] == ["a.jsonl", "b.jsonl"]
    assert first["boundaries"] == [{"kind": "commit", "line": 12, "turn": 1}]
    [would] = _list(first["would_compact"])
    assert (
        would.items()
        >= {
            "line": 14,
            "turn": 1,
            "tier": "asap",
            "percent": 56,
            "kinds": ["commit"],
            "reason": "compact.decided.boundary",
        }.items()
    )
    [native] = _list(first["native_compactions"])
    assert native.items() >= {"line": 24, "inside_turn": True, "percent_before": 9, "preceded": True}.items()
    assert (first["format"], first["turns"], first["skipped"]) == ("envelope", 2, {})
    assert second["skipped"] == {"event moon_phase": 1}
    for name, value in {"sessions": 2, "native": 1, "preceded": 1, "would_compact": 1, "at_boundary": 1}.items():
        assert total[name] == value, name
    assert (total["needless"], total["workers"], total["not_understood"]) == (0, int(workers), 1)
    assert total["bytes"] == sum(path.stat().st_size for path in history.rglob("*.jsonl"))


def _list(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return value


def test_two_policies_side_by_side(rawr: Rawr, history: Path, tmp_path: Path) -> None:
    off = tmp_path / "off.toml"
    off.write_text("[features]\nrawr_auto_compaction = false\n")
    lines = rawr("backtest", "--against", str(off)).out.splitlines()
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]
    assert ["policy", "yours", str(off)] in rows
    assert ["compactions instead", "1", "0"] in rows
    assert ["would have been preceded", "1 of 1 (100 %)", "0 of 1 (0 %)"] in rows
    *sessions, against, own = rawr("backtest", "--against", str(off), "--json").lines
    assert [len(_list(one["would_compact"])) for one in sessions] == [1, 0], "sessions are those of the first policy"
    assert (against["policy"], against["would_compact"], own["policy"], own["would_compact"]) == (
        str(off),
        0,
        "yours",
        1,
    )
    [*_, other] = rawr("backtest", "--policy", str(off), "--json").lines
    assert (other["policy"], other["would_compact"]) == (str(off), 0)


def test_against_codexs_own_threshold(rawr: Rawr, history: Path) -> None:
    """One line of config is what rawr has to beat."""
    [_, _, seventy, own] = rawr("backtest", "--against", "native:70", "--json").lines
    assert (seventy["policy"], seventy["would_compact"], seventy["at_boundary"]) == ("native:70", 0, 0)
    assert (own["policy"], own["would_compact"]) == ("yours", 1)
    lines = rawr("backtest", "--against", "native", "--against", "native:40").out.splitlines()
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]
    assert ["policy", "yours", "native:50", "native:60", "native:70", "native:80", "native:40"] in rows
    assert ["compactions instead", "1", "0", "0", "0", "0", "2"] in rows


@pytest.mark.parametrize("named", ["native:", "native:0", "native:101", "native:half", "native:+7"])
def test_a_threshold_is_a_percent(rawr: Rawr, history: Path, named: str) -> None:
    ended = rawr("backtest", "--against", named)
    assert ended.code == Exit.USAGE
    assert "1 to 100" in ended.err


def test_costs_are_in_your_currency_if_prices_are_set(rawr: Rawr, history: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[rawr_full_auto]\nprice_input = 2000000\nprice_cached = 500000\nprice_output = 8000000\n")
    [*_, total] = rawr("backtest", "--json", "--policy", str(prices)).lines
    assert total["cost_unit"] == "currency"
    [*_, total] = rawr("backtest", "--json").lines
    assert total["cost_unit"] == "tokens"


def test_a_resumed_session_is_counted_once(rawr: Rawr, own_home: Path) -> None:
    """Codex copies it to a file of its own and goes on there."""
    folder = own_home / "codex" / "sessions"
    (own_home / "rawr").mkdir()
    (own_home / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nneed_turns = 0\n")
    written(folder, "a", busy())
    written(folder, "b", busy().turn_of(22_000))
    first, second, total = rawr("backtest", "--json").lines
    assert (first["repeats"], second["repeats"], second["turns"]) == (0, 2, 3)
    for name, value in {
        "turns": 3,
        "repeated": 2,
        "native": 1,
        "would_compact": 1,
        "boundaries": {"commit": 1},
    }.items():
        assert total[name] == value, name
    requests = [_carried(one["recorded"])["requests"] for one in (first, second)]
    assert requests == [6, 1], "with the one for Codex's summary"


def _carried(value: object) -> dict[str, int]:
    assert isinstance(value, dict)
    return value


def test_since(rawr: Rawr, own_home: Path) -> None:
    folder = own_home / "codex" / "sessions"
    old = written(folder, "a", busy())
    os.utime(old, (1_700_000_000, 1_700_000_000))
    assert rawr("backtest", "--since", "2026-01-02", "--json").lines[-1]["sessions"] == 1
    ended = rawr("backtest", "--since", "2026-01-03")
    _clear(ended, 1, "There are no Codex sessions since 2026-01-03")
    assert rawr("backtest", "--since", "99999999d", "--json").lines[-1]["sessions"] == 1


@pytest.mark.parametrize("other", ["--json", "--sessions"])
def test_a_page_comes_instead_of_everything_else(rawr: Rawr, history: Path, tmp_path: Path, other: str) -> None:
    ended = rawr("backtest", "--html", str(tmp_path / "page.html"), other)
    assert (ended.code, ended.out) == (64, "")
    assert "--html writes a page instead: omit --json and --sessions." in ended.err
    assert not (tmp_path / "page.html").exists()


def test_a_file_that_is_no_session_is_named(rawr: Rawr, history: Path, tmp_path: Path) -> None:
    """The others count."""
    other = tmp_path / "notes.toml"
    other.write_text("a = 1\nb = 2\n")
    ended = rawr("backtest", str(history), str(other))
    assert (ended.code, ended.err) == (1, "")
    lines = ended.out.splitlines()
    assert lines[0].startswith("3 sessions, 3 turns")
    assert lines[2] == f"not read: {other}: it is no session of Codex"


def test_an_empty_name_is_not_the_current_folder(rawr: Rawr, history: Path) -> None:
    assert rawr("backtest", "").code == 64


def test_packed_and_archived_sessions_count(rawr: Rawr, history: Path) -> None:
    plain = history / "sessions/2026/01/02" / NAME.format("a")
    packed = plain.with_name(plain.name + ".zst")
    packed.write_bytes(zstd.compress(plain.read_bytes()))
    plain.unlink()
    (history / "archived_sessions").mkdir()
    other = history / "sessions/2026/01/02" / NAME.format("b")
    other.rename(history / "archived_sessions" / other.name)
    [*_, total] = rawr("backtest", "--json").lines
    assert (total["sessions"], total["would_compact"], total["turns"]) == (2, 1, 3)


# -- bad input --------------------------------------------------------------------------------------------------------


def _clear(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    assert ended.err.startswith("rawr: ")
    assert len(ended.err.strip().splitlines()) == 1, "more than one sentence"
    for word in words:
        assert word in ended.err


def test_no_history(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    _clear(rawr("backtest"), 1, "There are no Codex sessions in", str(own_home / "codex"))
    _clear(rawr("backtest", str(tmp_path)), 1, "There are no Codex sessions in", str(tmp_path))
    (tmp_path / "x.jsonl").mkdir()
    _clear(rawr("backtest", str(tmp_path / "x.jsonl")), 1, "There are no Codex sessions in")


def test_a_path_that_is_nothing(rawr: Rawr, history: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    _clear(rawr("backtest", str(tmp_path / "none")), 1, "none cannot be read: No such file or directory.")
    _clear(
        rawr("backtest", str(history), str(tmp_path / "pipe.jsonl")), 1, "pipe.jsonl cannot be read: it is not a file."
    )
    assert rawr("backtest", str(history), str(tmp_path)).code == 0, "in a folder it is passed over"


@pytest.mark.parametrize("option", ["--policy", "--against"])
def test_a_policy_file_that_is_none(rawr: Rawr, history: Path, tmp_path: Path, option: str) -> None:
    broken = tmp_path / "broken.toml"
    _clear(rawr("backtest", option, str(broken)), 78, "there is no such file")
    broken.write_text("[rawr_auto_compaction\n")
    _clear(rawr("backtest", option, str(broken)), 78, f"{broken}:1: ")
    broken.write_text("[rawr_auto_compaction]\nmode = 'sometimes'\n")
    _clear(rawr("backtest", option, str(broken)), 78, "mode")


@pytest.mark.parametrize("since", ["yesterday-ish", "99999999999w", "-3d", ""])
def test_a_time_that_is_none(rawr: Rawr, history: Path, since: str) -> None:
    ended = rawr("backtest", "--since", since)
    assert ended.code == (64 if since else 0)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_file_that_cannot_be_read_takes_nothing_from_the_others(rawr: Rawr, history: Path, workers: str) -> None:
    broken = history / "sessions/2026/01/02" / (NAME.format("c") + ".zst")
    broken.write_bytes(zstd.compress(b"{}")[:4] + b"\xff" * 60)
    ended = rawr("backtest", "--json", "--workers", workers)
    first, _, third, total = ended.lines
    assert ended.code == 1
    assert (first["problem"], len(_list(first["would_compact"]))) == ("", 1)
    assert str(third["problem"]).startswith("it cannot be unpacked: ")
    assert (total["failed"], total["sessions"], total["would_compact"]) == (1, 3, 1)
    table = rawr("backtest", "--sessions", "--workers", workers).out
    assert f"not read: {broken}: it cannot be unpacked: " in table
    assert "  it cannot be unpacked: " in table


def test_a_file_that_is_gone_by_then(rawr: Rawr, history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = files.at(history)
    monkeypatch.setattr(files, "at", lambda *_: listed)
    (history / "sessions/2026/01/02" / NAME.format("a")).unlink()
    ended = rawr("backtest", str(history), "--json", "--workers", "1")
    assert ended.code == 1
    assert [one["problem"] for one in ended.lines[:2]] == ["No such file or directory", ""]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_of_somebody_else(rawr: Rawr, history: Path) -> None:
    (history / "sessions/2026/01/02" / NAME.format("a")).chmod(0)
    ended = rawr("backtest", "--json")
    assert (ended.code, ended.lines[0]["problem"], ended.lines[-1]["failed"]) == (1, "Permission denied", 1)


def test_a_file_that_is_no_session(rawr: Rawr, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk.\nCall Ada.\n")
    [one, total] = rawr("backtest", str(path), "--json").lines
    assert (one["skipped"], one["lines"], total["not_understood"]) == ({"unreadable": 2}, 2, 2)


# -- processes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def long_history(history: Path) -> Path:
    """Enough that it is still read when something happens."""
    folder = history / "sessions/2026/01/02"
    first = folder / NAME.format("long-0")
    first.write_bytes((folder / NAME.format("a")).read_bytes() * 500)
    for n in range(1, 40):
        os.link(first, folder / NAME.format(f"long-{n}"))
    return history


class Running:
    """``rawr backtest`` with two processes of its own, both at work."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "rawr", "backtest", "--json", "--workers", "2"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        assert self.process.stdout is not None
        self.process.stdout.readline()
        self.children = _children(self.process.pid)
        self.workers = [pid for pid in self.children if "spawn_main" in _command(pid)]

    def ended(self) -> tuple[int, str]:
        _, err = self.process.communicate(timeout=DEADLINE)
        _until(lambda: not any(map(_alive, self.children)))
        return self.process.returncode, err.decode()


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not done():
        assert time.monotonic() < end, "a process is left"
        time.sleep(0.02)


@pytest.mark.usefixtures("long_history")
@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_ends_it_with_everything_it_started(whole_group: bool) -> None:
    """A terminal signals every process of it; somebody else only the one they know."""
    running = Running()
    assert len(running.workers) == 2
    if whole_group:
        os.killpg(running.process.pid, signal.SIGINT)
    else:
        running.process.send_signal(signal.SIGINT)
    assert running.ended() == (130, "")


@pytest.mark.usefixtures("long_history")
def test_a_process_that_is_killed_is_an_error_and_no_wait() -> None:
    running = Running()
    os.kill(running.workers[0], signal.SIGKILL)
    code, err = running.ended()
    _clear(Ended(code, "", err), 1, "A process that read sessions was ended from outside.", "--workers 1")


@pytest.mark.usefixtures("long_history")
def test_killed_itself_it_leaves_nobody_behind() -> None:
    running = Running()
    running.process.kill()
    running.process.communicate(timeout=DEADLINE)
    _until(lambda: not any(map(_alive, running.children)))


@pytest.mark.usefixtures("history")
def test_the_same_under_two_hash_seeds() -> None:
    """Nothing depends on the order of a set."""
    told = [_seeded(seed) for seed in ("1", "2")]
    assert told[0] == told[1]
    assert len(told[0]) > 1_000


def _seeded(seed: str) -> bytes:
    command = [sys.executable, "-m", "rawr", "backtest", "--json", "--workers", "1"]
    env = {**os.environ, "PYTHONHASHSEED": seed}
    out = subprocess.run(command, env=env, capture_output=True, check=True, timeout=DEADLINE).stdout
    return re.sub(rb'"seconds":[0-9.]+', b"", out)
