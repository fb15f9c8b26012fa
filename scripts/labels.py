"""Label the turn ends of real sessions. Nothing of a session is written anywhere but to your terminal.

    python scripts/labels.py sample HISTORY --count 25 --seed 1 [--language de]
    python scripts/labels.py show HISTORY ID [ID ...]
    python scripts/labels.py add ID done --shift no --concluding no
    python scripts/labels.py stats

HISTORY is a folder with session files of Codex, at any depth. An id is the first 12 hex digits of the SHA-256 of the
file's bytes, and the line of the agent's last message in the turn. Read what the agent said and, to see whether the
work was really finished, what the user said next. Leave out what you cannot decide.

A turn is labelled by what it says of itself: where a user finds later that it does not work, it is done all the same.

labels:
  done        the request of the turn is finished; nothing is announced as next, nothing is asked.
              A polite offer at the end ("If you want, I can also ...") does not change that.
              Neither do suggestions of what the user may do next.
  partly      a part is finished, and more is announced or listed as remaining
  question    it ends with a question, even with an offer that is put as one, or waits for a choice or a go-ahead
  not_done    it stopped in the middle, failed, or could not
  unknown     not looked at: only the user's next message is labelled
--shift       does the user's next message open a new topic? unknown if there is none
--concluding  does the agent's message sum up and conclude a larger piece of work?
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from calibration import labels
from calibration.choosing import Candidate, candidates, choose
from calibration.ends import turn_ends
from calibration.labels import BadLabel, Label

from rawr.history.files import at

_SHOWN_COMMANDS, _SHOWN_PATHS = 5, 5


def main() -> int:
    given = _parser().parse_args()
    try:
        if given.do == "sample":
            _sample(given)
        elif given.do == "show":
            _show(given)
        elif given.do == "add":
            _add(given)
        else:
            _stats(labels.read(given.labels))
    except (BadLabel, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, default=labels.FILE, help="the label file (default: the shipped one)")
    does = parser.add_subparsers(dest="do", required=True)
    sample = does.add_parser("sample", help="print the next turn ends to label")
    sample.add_argument("history", type=Path)
    sample.add_argument("--count", type=int, default=25)
    sample.add_argument("--seed", type=int, default=1, help="the same seed and labels give the same sample")
    sample.add_argument("--language", default="", help="only this one, as guessed: en, de, zh, ...")
    sample.add_argument("--chars", type=int, default=1_200, help="shown of the agent's message: its head and its tail")
    show = does.add_parser("show", help="print some turn ends again")
    show.add_argument("history", type=Path)
    show.add_argument("ids", nargs="+", metavar="ID")
    show.add_argument("--chars", type=int, default=4_000)
    add = does.add_parser("add", help="label one turn end; a second label replaces the first")
    add.add_argument("id")
    add.add_argument("label", choices=labels.KINDS)
    add.add_argument("--shift", choices=labels.ANSWERS, default="unknown")
    add.add_argument("--concluding", choices=labels.ANSWERS, default="unknown")
    add.add_argument("--language", default="en", help="as you read it, whatever `sample` guessed")
    does.add_parser("stats", help="count the labels by language and kind")
    return parser


def _found(history: Path) -> list[Candidate]:
    return candidates(turn_ends([Path(one.path) for one in at(history)]))


def _show(given: argparse.Namespace) -> None:
    for one in _found(given.history):
        if one.id in given.ids:
            print(_shown(one, given.chars), end="\n\n")


def _sample(given: argparse.Namespace) -> None:
    chosen = choose(
        _found(given.history),
        labels.read(given.labels),
        count=given.count,
        seed=given.seed,
        language=given.language,
    )
    for one in chosen:
        print(_shown(one, given.chars), end="\n\n")


def _shown(one: Candidate, chars: int) -> str:
    end = one.end
    ran = [f"{_bounded(command, 90)} -> {code}" for command, code in end.commands[-_SHOWN_COMMANDS:]]
    plan = f", plan {end.plan[0]} of {end.plan[1]}" if end.plan else ""
    return "\n".join(
        (
            f"=== {one.id} {one.language} {end.version} {end.phase}",
            f"ASKED: {_bounded(end.asked, 250)}",
            f"DID: {len(end.commands)} commands, {len(end.changed)} changes, {end.tools} tools{plan}",
            *(f"  $ {command}" for command in ran),
            *(
                [f"  changed {', '.join(_bounded(path, 60) for path in end.changed[-_SHOWN_PATHS:])}"]
                * bool(end.changed)
            ),
            f"SAID: {_bounded(end.said, chars, lines=True)}",
            f"NEXT: {_bounded(end.next, 300) or '(nothing)'}",
        )
    )


def _bounded(text: str, most: int, *, lines: bool = False) -> str:
    text = text.strip() if lines else " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]} [...] {text[-most // 2 :]}"


def _add(given: argparse.Namespace) -> None:
    found = labels.read(given.labels)
    one = labels.label(given.id, given.label, shift=given.shift, concluding=given.concluding, language=given.language)
    found[one.id] = one
    labels.write(found, given.labels)


def _stats(found: dict[str, Label]) -> None:
    languages = Counter(one.language for one in found.values())
    kinds = Counter((one.language, one.kind) for one in found.values())
    print(f"{'language':10}{'all':>6}" + "".join(f"{kind:>10}" for kind in labels.KINDS))
    for language, count in [*languages.most_common(), ("all", len(found))]:
        row = [
            sum(number for (name, one), number in kinds.items() if one == kind and language in (name, "all"))
            for kind in labels.KINDS
        ]
        print(f"{language:10}{count:>6}" + "".join(f"{number:>10}" for number in row))
    for name in ("shift", "concluding", "half"):
        counted = Counter(str(getattr(one, name)) for one in found.values())
        print(f"{name}: " + ", ".join(f"{answer} {count}" for answer, count in sorted(counted.items())))


if __name__ == "__main__":
    sys.exit(main())
