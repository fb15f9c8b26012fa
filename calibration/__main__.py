"""``make calibrate HISTORY=DIR``: precision and recall of the signals on the labels. It prints counts and nothing else.

DIR holds the session files that were labelled, at any depth; they are found by their hash, whatever their names are.
What is tuned may look at ``tune`` only: ``held_out`` says whether it holds elsewhere, so ``--wrong`` never lists it.
"""

import argparse
import sys
from pathlib import Path

from calibration import labels
from calibration.labels import BadLabel
from calibration.measuring import ALL, ENGLISH, OTHERS, SIGNALS, Measured, Score, measure, truth
from rawr.config.load import load_policy
from rawr.history.files import at

_NO_HOME = Path("/nonexistent")
"""The rules as shipped, whatever this machine's user has set."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history", type=Path, metavar="DIR")
    parser.add_argument("--labels", type=Path, default=labels.FILE, help="the label file (default: the shipped one)")
    parser.add_argument(
        "--wrong", choices=SIGNALS, help="also list the labels of the tuned half that this signal gets wrong"
    )
    given = parser.parse_args()
    try:
        found = labels.read(given.labels)
        files = [Path(one.path) for one in at(given.history)]
    except (BadLabel, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    measured = measure(found.values(), files, load_policy(_NO_HOME).policy)
    print("\n".join(table(measured)))
    for one in measured.wrong.get(given.wrong, []):
        print(f"{'missed' if truth(one, given.wrong) else 'seen'}\t{one.id}\t{one.kind}\t{one.language}")
    return 0


def table(measured: Measured) -> list[str]:
    lines = []
    if measured.missing_files:
        lines.append(f"{measured.missing_files} files with {measured.missing_labels} labels are not in this history.")
    if measured.lost:
        lines.append(f"{measured.lost} labels are at lines where no turn ends; the reader may have changed.")
    for half in ("tune", "held_out"):
        lines += ["", f"{half:12} {'language':9}{'labels':>7}{'true':>6}{'seen':>6}{'right':>6}  precision  recall"]
        for signal in SIGNALS:
            lines += [_row(signal, group, score) for group, score in _groups(measured, half, signal)]
    return lines


def _groups(measured: Measured, half: str, signal: str) -> list[tuple[str, Score]]:
    found = {group: score for (of, name, group), score in measured.scores.items() if (of, name) == (half, signal)}
    last = {ENGLISH: -2, OTHERS: 1, ALL: 2}
    return sorted(found.items(), key=lambda one: (last.get(one[0], 0), -one[1].labels))


def _row(signal: str, group: str, score: Score) -> str:
    counts = f"{score.labels:>7}{score.true:>6}{score.seen:>6}{score.right:>6}"
    return f"{signal:12} {group:9}{counts}{_share(score.right, score.seen):>11}{_share(score.right, score.true):>8}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
