"""``rawr backtest``: a policy over the user's own Codex history, against what Codex did (D4)."""

import contextlib
import os
import time
from collections.abc import Sequence

from rawr.backtest import pool
from rawr.backtest.result import SessionResult
from rawr.backtest.summary import Summary, Tally
from rawr.backtest.threshold import Candidate, thresholds_named
from rawr.cli.commands import since as moments
from rawr.cli.commands.backtest_wanted import Wanted
from rawr.cli.commands.policy_file import Rules
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal import backtest_words as words
from rawr.cli.terminal.output import emit, say
from rawr.cli.terminal.pace import JournalPace
from rawr.core.policy.policy import Policy
from rawr.errors import OutsideError
from rawr.history import files
from rawr.history.files import SessionFile


def run(wanted: Wanted) -> Exit:
    places = Places.find()
    own, policies = _policies(wanted, places)
    unread: list[tuple[str, str]] = []
    found = _files(wanted, places, unread)
    if wanted.suggest is not None:
        from rawr.cli.commands import backtest_suggest

        return backtest_suggest.run(found, own, wanted)
    pace = JournalPace(shown=not wanted.json, doing=f"reading {len(found)} sessions", after="adding up")
    tallies = [Tally(own.full_auto, policy=name) for name, _ in policies]
    workers = wanted.workers or os.cpu_count() or 1
    began = time.monotonic()
    kept: list[SessionResult] = []
    tested = pool.over(found, [policy for _, policy in policies], workers=workers, done=pace)
    try:
        # Closed at once after a Ctrl-C, so that no process is left reading.
        with contextlib.closing(tested):
            for results in tested:
                for tally, one in zip(tallies, results, strict=True):
                    tally.add(one)
                if results[0].problem:
                    unread.append((results[0].file, results[0].problem))
                if wanted.html is not None:
                    kept.append(results[0])
                _show(wanted, results[0], pace)
    finally:
        pace.close()
    seconds = time.monotonic() - began
    totals = [tally.total(seconds=seconds, workers=workers) for tally in tallies]
    if wanted.html is not None:
        from rawr.cli.commands import backtest_page

        backtest_page.put(totals, kept, own, wanted.html)
    else:
        _tell(wanted, totals, unread)
    return Exit.OK if not unread else Exit.PROBLEM


def _show(wanted: Wanted, one: SessionResult, pace: JournalPace) -> None:
    if wanted.json:
        emit(one)
    elif wanted.sessions:
        pace.close()
        for line in words.session(one):
            say(line)


def _tell(wanted: Wanted, totals: Sequence[Summary], unread: Sequence[tuple[str, str]]) -> None:
    if wanted.json:
        # The last line is the one of the policy that was asked about.
        for total in reversed(totals):
            emit(total)
        return
    for line in words.totals(totals, unread):
        say(line)


def _policies(wanted: Wanted, places: Places) -> tuple[Policy, list[tuple[str, Candidate]]]:
    """The policy that is asked about, and all that are tried, with their names; that one first."""
    own = places.loaded.policy
    name, policy = (
        (str(wanted.policy), Rules(wanted.policy, places.home).over(own)) if wanted.policy else ("yours", own)
    )
    tried: list[tuple[str, Candidate]] = [(name, policy)]
    for rival in wanted.against:
        thresholds = thresholds_named(str(rival))
        tried += [(one.name, one) for one in thresholds]
        if not thresholds:
            tried.append((str(rival), Rules(rival, places.home).over(own)))
    return policy, tried


def _files(wanted: Wanted, places: Places, unread: list[tuple[str, str]]) -> list[SessionFile]:
    def lost(folder: str, problem: str) -> None:
        unread.append((folder, problem.lower()))

    found = files.in_codex_home(places.codex_home, lost) if not wanted.paths else []
    for path in wanted.paths:
        try:
            found += files.at(path.expanduser().absolute(), lost)
        except (OSError, RuntimeError) as error:
            problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            way_out = "Give a session file or a folder."
            raise OutsideError(f"{path} cannot be read: {problem}.", way_out=way_out) from error
    if wanted.since:
        found = files.since(found, moments.moment(wanted.since, now=time.time()))
    if not found:
        where = ", ".join(str(one) for one in wanted.paths) or str(places.codex_home)
        later = f" since {wanted.since}" if wanted.since else ""
        raise OutsideError(
            f"There are no Codex sessions{later} in {where}.",
            way_out="Give an earlier time."
            if later
            else "Codex keeps them in $CODEX_HOME/sessions; give another folder or file as an argument.",
        )
    return sorted(dict.fromkeys(found))
