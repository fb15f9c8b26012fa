"""``rawr backtest --suggest``: settings for this user's history, to paste."""

import time
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest import pool
from rawr.backtest.suggesting import FEWEST, Found, Look, Search
from rawr.backtest.summary import Summary, Tally
from rawr.cli.commands.backtest_wanted import Wanted
from rawr.cli.exit_codes import Exit
from rawr.cli.terminal import backtest_words, suggestion_words
from rawr.cli.terminal.output import emit, say
from rawr.cli.terminal.pace import JournalPace
from rawr.core.policy.policy import Policy
from rawr.history.files import SessionFile


class Suggestion(Struct, frozen=True, kw_only=True, tag_field="type", tag="suggestion"):
    toml: str = ""
    """To paste into ``config.toml``; empty if there is nothing to suggest."""
    traded: str = ""
    problem: str = ""
    """Why there is nothing to suggest."""
    current: Summary
    """On the sessions that were not searched on, like ``suggested``."""
    suggested: Summary | None = None
    score_current: float = 0.0
    score_suggested: float | None = None
    sessions: int = 0
    """With token counts."""
    searched: int = 0
    held_out: int = 0
    tried: int = 0
    finished: bool = True
    seconds: float = 0.0


def run(files: Sequence[SessionFile], policy: Policy, wanted: Wanted) -> Exit:
    began = time.monotonic()
    workers = pool.workers_for(files, wanted.workers)
    look, tally = Look(policy), Tally(policy.full_auto, policy="yours")
    pace = JournalPace(shown=not wanted.json, doing=f"reading {len(files)} sessions", after="adding up")
    try:
        for file, results in zip(files, pool.over(files, look.policies, workers=workers, done=pace), strict=True):
            look.add(file, results)
            tally.add(results[0])
            if wanted.json:
                emit(results[0])
    finally:
        pace.close()
    pace = JournalPace(shown=not wanted.json, doing="searching settings", after="measuring")
    try:
        with pool.Pool(workers) as processes:
            found = Search(policy, look.seen, processes, seconds=wanted.suggest or 0).run(pace)
    finally:
        pace.close()
    total = tally.total(seconds=time.monotonic() - began, workers=workers)
    suggestion = _suggestion(found, policy, seconds=total.seconds)
    if wanted.json:
        emit(suggestion)
        emit(total)
    else:
        for line in _words(suggestion):
            say(line)
    return Exit.OK


def _suggestion(found: Found, policy: Policy, *, seconds: float) -> Suggestion:
    given = found.policy is not None and found.suggested is not None
    return Suggestion(
        toml=suggestion_words.toml(policy.compaction, found.policy.compaction) if found.policy is not None else "",
        traded=suggestion_words.traded(found.current, found.suggested) if found.suggested is not None else "",
        problem="" if given else _problem(found),
        current=found.current,
        suggested=replace(found.suggested, policy="suggested") if found.suggested is not None else None,
        score_current=found.score_current,
        score_suggested=found.score_suggested,
        sessions=found.sessions,
        searched=found.searched,
        held_out=found.held_out,
        tried=found.tried,
        finished=found.finished,
        seconds=seconds,
    )


def _problem(found: Found) -> str:
    if found.sessions < FEWEST:
        return f"There is too little history: {found.sessions} sessions with token counts; {FEWEST} are needed."
    if found.score_suggested is None:
        return "No other settings were better than yours on the sessions that were searched."
    return "What was better on the sessions that were searched was not better on the others. Your settings stay."


def _words(one: Suggestion) -> Iterator[str]:
    if one.suggested is None:
        yield one.problem
        return
    stopped = "" if one.finished else "; the time was up, and more may be found with --seconds"
    yield f"{one.tried} policies tried on {one.searched} sessions in {one.seconds:.0f} s{stopped}."
    yield f"On {one.held_out} other sessions:"
    yield ""
    yield from backtest_words.table([one.current, one.suggested])
    yield ""
    yield one.traded
    yield ""
    yield "For config.toml, in place of what is there under the same names:"
    yield ""
    yield from one.toml.splitlines()
