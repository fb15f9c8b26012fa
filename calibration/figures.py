"""The figures by which the rules are judged, over a folder of sessions: ``python -m calibration.figures HISTORY``.

The rules are those that are shipped, against Codex alone and against its own threshold at 50, 60, 70 and 80 percent.
``--home DIR`` tries the settings of a rawr home; ``--json`` is for programs.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.backtest import pool
from rawr.backtest.summary import Cost, Summary, Tally
from rawr.backtest.threshold import USUAL, Candidate, NativeThreshold
from rawr.config.load import load_policy
from rawr.history.files import SessionFile, at

_HOME = Path("/nonexistent")


class Figures(Struct, frozen=True):
    """Shares in percent; costs are with rawr, as a multiple of the other."""

    sessions: int
    turns: int
    hours: float
    foreseeable: int
    preceded: int
    preceded_share: float | None
    compactions: int
    per_hour: float | None
    choice: int
    choice_share: float | None
    bare_ends: int
    bare_ends_share: float | None
    landings: int
    emergencies: int
    still_native: int
    by_kind: dict[str, int]
    cost_against: dict[str, float]
    """By what it is compared with: ``codex`` alone, ``native:50``, …"""


def figures(files: Sequence[SessionFile], tried: Candidate, *, workers: int = 0) -> Figures:
    rivals = [NativeThreshold(percent) for percent in USUAL]
    prices = load_policy(_HOME).policy.full_auto
    tallies = [Tally(prices) for _ in range(1 + len(rivals))]
    for results in pool.over(files, [tried, *rivals], workers=workers):
        for tally, one in zip(tallies, results, strict=True):
            tally.add(one)
    ours, *theirs = (tally.total() for tally in tallies)
    cost = _cost(ours)
    against = {"codex": cost.recorded} | {
        rival.name: _cost(total).with_rawr for rival, total in zip(rivals, theirs, strict=True)
    }
    return Figures(
        sessions=ours.sessions,
        turns=ours.turns,
        hours=ours.hours,
        foreseeable=ours.foreseeable,
        preceded=ours.preceded_foreseeable,
        preceded_share=_share(ours.preceded_foreseeable, ours.foreseeable),
        compactions=ours.would_compact,
        per_hour=ours.per_hour,
        choice=ours.at_boundary,
        choice_share=_share(ours.at_boundary, ours.would_compact),
        bare_ends=ours.bare_ends,
        bare_ends_share=_share(ours.bare_ends, ours.would_compact),
        landings=ours.landed,
        emergencies=ours.emergencies,
        still_native=ours.still_native,
        by_kind=ours.by_kind,
        cost_against={name: round(cost.with_rawr / other, 4) for name, other in against.items() if other},
    )


def _cost(total: Summary) -> Cost:
    return total.cost_cached or Cost(0, 0)


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def words(one: Figures) -> list[str]:
    def of(part: int, whole: int, share: float | None) -> str:
        return f"{part} of {whole}" + (f" ({share} %)" if share is not None else "")

    rows = [
        ("sessions, turns, hours of work", f"{one.sessions}, {one.turns}, {one.hours}"),
        ("foreseeable compactions preceded", of(one.preceded, one.foreseeable, one.preceded_share)),
        ("Codex would still have compacted", str(one.still_native)),
        ("compactions; in an hour of work", f"{one.compactions}; {one.per_hour}"),
        ("  at a place of choice", of(one.choice, one.compactions, one.choice_share)),
        ("  at a bare end of a turn", of(one.bare_ends, one.compactions, one.bare_ends_share)),
        ("  landings; emergencies", f"{one.landings}; {one.emergencies}"),
        ("  by boundary", ", ".join(f"{kind} {count}" for kind, count in one.by_kind.items())),
        *(
            (f"cost against {'Codex alone' if name == 'codex' else name}", f"{100 * (ratio - 1):+.1f} %")
            for name, ratio in one.cost_against.items()
        ),
    ]
    wide = max(len(label) for label, _ in rows)
    return [f"{label.ljust(wide)}  {value}" for label, value in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history", type=Path, metavar="HISTORY")
    parser.add_argument("--home", type=Path, metavar="DIR", default=_HOME, help="with a config.toml")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    loaded = load_policy(given.home)
    for one in loaded.warnings:
        print(one, file=sys.stderr)
    try:
        found = figures(at(given.history), loaded.policy)
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(msgspec.json.encode(found).decode() if given.json else "\n".join(words(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
