"""Settings for one user's history, on generated ones where the best answer is known."""

import json
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from rawr.backtest.candidates import anything, axes, usable
from rawr.backtest.pool import Pool, over
from rawr.backtest.scoring import dearer, score
from rawr.backtest.suggesting import Found, Look, Search, is_held_out
from rawr.backtest.summary import Cost, Summary
from rawr.cli.main import app
from rawr.cli.terminal.suggestion_words import toml, traded
from rawr.config.load import load_policy
from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.policy.policy import Policy
from rawr.history.files import SessionFile, at
from tests.backtest.sessions import Session, policy
from tests.history.full import write
from tests.history.rollouts import compacted


def _session(name: str) -> Session:
    session = Session(session=name)
    # Calls have names of their own, or the session would be a copy of another.
    session.calls = crc32(name.encode())
    return session


def calm_session(name: str) -> Session:
    """Commits at half the window, again and again, and never gets full. All that was asked before is cached: whoever
    compacts there pays for nothing."""
    session = _session(name)
    for turn in range(4):
        session.begin()
        for held in (60_000 + 20_000 * turn, 70_000 + 20_000 * turn):
            session.work(held, cached=held - 2_000)
        session.commit(f"Part {turn}").end()
    return session


def full_session(name: str) -> Session:
    """Commits once, and then runs full: Codex compacts in the middle of a turn."""
    session = _session(name)
    session.turn_of(60_000, 100_000, commit="Everything so far")
    session.begin()
    for held in range(120_000, 235_000, 19_000):
        session.work(held)
    session.add(*compacted()).work(40_000)
    return session.end()


def history(folder: Path, sessions: Sequence[Session]) -> list[SessionFile]:
    for n, one in enumerate(sessions):
        write(folder, one.lines, name=f"rollout-2026-01-02T03-04-{n:02}-{n}.jsonl")
    return at(folder)


def search(files: Sequence[SessionFile], rules: Policy) -> Found:
    look = Look(rules)
    for file, results in zip(files, over(files, look.policies, workers=1), strict=True):
        look.add(file, results)
    with Pool(1) as pool:
        return Search(rules, look.seen, pool).run(lambda _done, _all: None)


EAGER = policy(
    early=TierPolicy(95, ("commit",)),
    ready=TierPolicy(90, ("commit",)),
    asap=TierPolicy(80, ("commit",)),
    cooldown_turns=0,
)


@pytest.mark.mission("D4")
def test_calmer_settings_are_suggested_to_whoever_compacts_for_nothing(tmp_path: Path) -> None:
    files = history(tmp_path, [calm_session(f"calm-{n}") for n in range(24)])
    found = search(files, EAGER)
    assert found.current.needless == found.current.would_compact > 0
    assert found.suggested is not None
    assert found.suggested.needless == 0
    assert found.policy is not None
    assert dearer(found.suggested) <= 0 < dearer(found.current)
    # Every session stays above this percent: below it, nothing is needless.
    assert found.policy.compaction.asap.percent_remaining_lt < 50 or not found.suggested.would_compact
    assert (found.sessions, found.searched + found.held_out) == (24, 24)


def test_settings_that_come_before_codex_are_suggested_to_whoever_is_too_late(tmp_path: Path) -> None:
    files = history(tmp_path, [full_session(f"full-{n}") for n in range(24)])
    late = policy(early=TierPolicy(20), ready=TierPolicy(19), asap=TierPolicy(18), soft_landing=False)
    found = search(files, late)
    assert (found.current.preceded, found.current.at_boundary) == (0, 0)
    assert found.suggested is not None
    assert found.suggested.preceded == found.suggested.native == found.held_out
    assert found.suggested.at_boundary == found.suggested.would_compact == found.held_out


def test_what_is_best_already_stays(tmp_path: Path) -> None:
    files = history(tmp_path, [calm_session(f"calm-{n}") for n in range(24)])
    never = policy(early=TierPolicy(20), ready=TierPolicy(19), asap=TierPolicy(18))
    found = search(files, never)
    assert (found.suggested, found.policy, found.score_current) == (None, None, 0.0)


def test_what_is_no_better_on_the_other_half_is_not_suggested(tmp_path: Path) -> None:
    """In one half compacting at commits is for nothing; in the other it is what comes before Codex."""
    names = [f"s{n}" for n in range(40)]
    sessions = [full_session(one) if is_held_out(one) else calm_session(one) for one in names]
    found = search(
        history(tmp_path, sessions), replace(EAGER, compaction=replace(EAGER.compaction, soft_landing=False))
    )
    assert found.suggested is None
    assert found.score_suggested is not None
    assert found.score_suggested < found.score_current


def test_too_little_history(tmp_path: Path) -> None:
    found = search(history(tmp_path, [calm_session(f"calm-{n}") for n in range(5)]), EAGER)
    assert (found.suggested, found.sessions, found.tried) == (None, 5, 0)


def test_the_search_ends_when_its_time_is_up(tmp_path: Path) -> None:
    files = history(tmp_path, [calm_session(f"calm-{n}") for n in range(24)])
    look = Look(EAGER)
    for file, results in zip(files, over(files, look.policies, workers=1), strict=True):
        look.add(file, results)
    with Pool(1) as pool:
        found = Search(EAGER, look.seen, pool, seconds=1e-9).run(lambda _done, _all: None)
    assert (found.finished, found.suggested, found.tried) == (False, None, 1)


def test_a_session_is_read_again_only_if_a_policy_may_decide_on_it(tmp_path: Path) -> None:
    small = Session(session="small").turn_of(9_000, 10_000, commit="Small")
    look = Look(EAGER)
    files = history(tmp_path, [small, calm_session("calm")])
    for file, results in zip(files, over(files, look.policies, workers=1), strict=True):
        look.add(file, results)
    assert [one.open for one in look.seen] == [False, True]


# -- parts ------------------------------------------------------------------------------------------------------------


def test_every_candidate_is_one_that_the_settings_accept(tmp_path: Path) -> None:
    """The TOML of each is read back by the loader without a warning, as the same policy."""
    shipped = load_policy(tmp_path).policy.compaction
    tried = {one for vary in axes() for one in vary(shipped) if usable(one)} - {shipped}
    assert len(tried) > 25
    for one in tried:
        (tmp_path / "config.toml").write_text(toml(shipped, one))
        loaded = load_policy(tmp_path)
        assert (loaded.warnings, loaded.policy.compaction) == ((), one)


def test_only_what_differs_is_in_the_toml() -> None:
    before = AutoCompaction()
    after = replace(before, cooldown_turns=5, asap=replace(before.asap, percent_remaining_lt=40))
    assert toml(before, after) == (
        "[rawr_auto_compaction]\ncooldown_turns = 5\n\n[rawr_auto_compaction.policy.asap]\npercent_remaining_lt = 40\n"
    )


def test_what_was_traded_is_said() -> None:
    before = Summary(sessions=50, native=4, preceded=4, would_compact=10, at_boundary=8, cost_cached=Cost(100, 99))
    after = Summary(sessions=50, native=4, preceded=4, would_compact=4, at_boundary=2, cost_cached=Cost(100, 90))
    assert traded(before, after) == (
        "Better: cost of all requests against the record, in percent: -1 → -10. "
        "In exchange: compactions at a place of choice, in percent: 80 → 50."
    )
    assert score(after) > score(before)


def test_the_policy_that_marks_every_moment_acts_on_none() -> None:
    assert anything(AutoCompaction()).mode == "tag"


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_settings_to_paste(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, past = tmp_path / "home", tmp_path / "past"
    home.mkdir()
    eager = toml(AutoCompaction(), EAGER.compaction).replace("cooldown_turns = 0", "cooldown_turns = 0\nneed_turns = 0")
    (home / "config.toml").write_text(eager)
    monkeypatch.setenv("RAWR_HOME", str(home))
    history(past, [calm_session(f"calm-{n}") for n in range(24)])
    words = ["backtest", str(past), "--suggest", "--workers", "1", "--seconds", "0"]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0, said.output
    pasted = said.output.partition("under the same names:\n\n")[2]
    objects = [json.loads(line) for line in CliRunner().invoke(app, [*words, "--json"]).output.splitlines()]
    assert [one["type"] for one in objects[-2:]] == ["suggestion", "summary"]
    assert objects[-2]["toml"].strip() == pasted.strip() != ""
    assert objects[-2]["suggested"]["needless"] == 0 < objects[-2]["current"]["needless"]


def test_the_command_says_that_there_is_too_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAWR_HOME", str(tmp_path / "home"))
    history(tmp_path / "past", [calm_session("calm")])
    said = CliRunner().invoke(app, ["backtest", str(tmp_path / "past"), "--suggest"])
    assert said.output == "There is too little history: 1 sessions with token counts; 20 are needed.\n"


def test_suggest_starts_from_your_own_settings() -> None:
    said = CliRunner().invoke(app, ["backtest", "--suggest", "--policy", "x.toml"])
    assert said.exit_code == 2
