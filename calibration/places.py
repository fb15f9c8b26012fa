"""Places of choice out of real sessions, for strict readers: ``python -m calibration.places HISTORY OUT --count 60``.

Each gets a text file in OUT: the forty lines before, and the user's next message. What rawr saw there is not in it; a
table beside OUT (``OUT.key.tsv``) has that, for when the readers are done. Secrets are left out of the texts, and OUT
has to lie outside of the checkout: the sessions are other people's.

A line is what somebody said, a command with its result, changed files or a plan. The rules are those that are shipped.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from calibration.ends import file_hash
from rawr.backtest import pool
from rawr.backtest.result import WouldCompact
from rawr.config.load import load_policy
from rawr.core.text import head, tail
from rawr.core.vocabulary import facts, items
from rawr.history.compressed import CannotUnpack
from rawr.history.files import Cut, SessionFile, at, lines_of
from rawr.history.lines import entry_of
from rawr.history.telling import Telling
from rawr.journal.redact import Redactor

LINES = 40
OF_A_SESSION = 2
"""Places, at most."""
_SAID, _COMMAND, _OUTPUT, _PATHS = 3_000, 400, 500, 12
"""How much of a message, a command line, an output and a patch is shown: characters, but for the paths."""
_ROOT = Path(__file__).resolve().parents[1]
_NO_HOME = Path("/nonexistent")
_OWN = ("[rawr c", "[rawr u")


class Place(Struct, frozen=True):
    path: Path
    would: WouldCompact

    @property
    def repository(self) -> str:
        return self.path.parent.name


class Shown(Struct, frozen=True):
    before: tuple[str, ...]
    next: str
    """Empty if the user said nothing any more."""


def places(files: Sequence[SessionFile], *, workers: int = 0) -> list[Place]:
    """All places of choice, each session's own."""
    policy = load_policy(_NO_HOME).policy
    found: list[Place] = []
    for (one,) in pool.over(files, [policy], workers=workers):
        if not one.subagent:
            own = [each for each in one.would_compact if each.place == "choice" and each.turn > one.repeats]
            found += [Place(Path(one.file), each) for each in own]
    return found


def choose(found: Iterable[Place], *, count: int, seed: int) -> list[Place]:
    """So many by chance, with few of a session and of a repository."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    by_repository: dict[str, list[Place]] = defaultdict(list)
    for one in found:
        by_repository[one.repository].append(one)
    for ones in by_repository.values():
        chance.shuffle(ones)
    of: Counter[Path] = Counter()
    chosen: list[Place] = []
    while len(chosen) < count and by_repository:
        names = list(by_repository)
        chance.shuffle(names)
        for name in names:
            ones = by_repository[name]
            while ones and of[ones[-1].path] >= OF_A_SESSION:
                ones.pop()
            if not ones:
                del by_repository[name]
            elif len(chosen) < count:
                of[ones[-1].path] += 1
                chosen.append(ones.pop())
    chance.shuffle(chosen)
    return chosen


def shown(place: Place, *, lines: int = LINES) -> Shown:
    """What stood before the place, and what the user said next."""
    before: list[str] = []
    turn, began = 0, False
    for fact in _facts(place.path):
        match fact:
            case facts.TurnStarted():
                began = False
            case facts.ItemCompleted(item=items.Compaction()):
                before.append("(the context was compacted)")
            case facts.ItemCompleted(item=items.UserMessage(text=text)) if text.startswith(_OWN):
                pass
            case facts.ItemCompleted() | facts.PlanUpdated():
                if not began:
                    began, turn = True, turn + 1
                if turn > place.would.turn:
                    if isinstance(fact, facts.ItemCompleted) and isinstance(fact.item, items.UserMessage):
                        return Shown(tuple(before[-lines:]), _cut(fact.item.text))
                    continue
                before += _line(fact)
            case _:
                pass
    return Shown(tuple(before[-lines:]), "")


def _facts(path: Path) -> Iterator[facts.AnyFact]:
    telling = Telling()
    try:
        for line in lines_of(str(path)):
            if not isinstance(line, Cut):
                yield from (fact for _, fact in telling.take(entry_of(line)))
    except (OSError, CannotUnpack):
        pass
    yield from (fact for _, fact in telling.over())


def _line(fact: facts.ItemCompleted | facts.PlanUpdated) -> Iterator[str]:
    if isinstance(fact, facts.PlanUpdated):
        yield "PLAN  " + "; ".join(f"[{step.status}] {step.step}" for step in fact.steps)
        return
    match fact.item:
        case items.UserMessage(text=text):
            yield f"USER  {_cut(text)}"
        case items.AgentMessage(text=text):
            yield f"AGENT {_cut(text)}"
        case items.Command() as ran:
            code = "it did not end" if ran.exit_code is None else f"exit code {ran.exit_code}"
            yield f"RAN   {head(ran.meant or ran.command, _COMMAND)}\n      {code}; {tail(ran.output_tail, _OUTPUT)}"
        case items.FileChange(changes=changes, status=status):
            paths = ", ".join(f"{one.kind} {one.path}" for one in changes[:_PATHS])
            yield f"PATCH {status}: {paths}" + (" …" if len(changes) > _PATHS else "")
        case items.ToolCall(tool=tool, status=status):
            yield f"TOOL  {tool}: {status}"
        case items.WebSearch(query=query):
            yield f"WEB   {head(query, _COMMAND)}"
        case _:
            pass


def _cut(text: str) -> str:
    half = _SAID // 2
    return text if len(text) <= _SAID else f"{head(text, half)}\n[…]\n{tail(text, half)}"


def write(chosen: Sequence[Place], out: Path, *, lines: int = LINES) -> Path:
    """A file for each, and the key beside the folder. Returns the key."""
    out.mkdir(parents=True, exist_ok=True)
    redactor = Redactor()
    key = ["place\tfile\tline\tturn\ttier\tpercent\tkinds"]
    for n, one in enumerate(chosen, 1):
        found = shown(one, lines=lines)
        text = "\n".join((*found.before, "", "=== the user's next message ===", found.next or "(there is none)", ""))
        (out / f"place-{n:03}.txt").write_text(redactor.text(text), encoding="utf-8")
        saw = one.would
        key.append(
            f"{n:03}\t{file_hash(one.path)}\t{saw.line}\t{saw.turn}\t{saw.tier}\t{saw.percent}\t{','.join(saw.kinds)}"
        )
    beside = out.with_name(f"{out.name}.key.tsv")
    beside.write_text("\n".join(key) + "\n", encoding="utf-8")
    return beside


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history", type=Path, metavar="HISTORY")
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder outside of the checkout")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="the same seed and rules give the same places")
    parser.add_argument("--lines", type=int, default=LINES, help="shown before each place")
    given = parser.parse_args()
    out = given.out.resolve()
    if out.is_relative_to(_ROOT):
        parser.error(f"{given.out} is in the checkout; other people's words do not belong there")
    if out.exists() and any(out.iterdir()):
        parser.error(f"{given.out} is not empty")
    try:
        found = places(at(given.history))
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 2
    chosen = choose(found, count=given.count, seed=given.seed)
    key = write(chosen, out, lines=given.lines)
    print(f"{len(chosen)} of {len(found)} places of choice in {out}; what rawr saw there is in {key}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
