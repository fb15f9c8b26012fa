"""``python -m calibration.endings FILE``: which endings of a JSON list the arbiter judges otherwise than the list.

Each is ``{"text", "files", "check", "done", "language"}``: the agent's last message, how many files the turn changed
(or their names), how its last check went (``passed``, ``failed``, ``none``), whether the work is done, and a language.
A turn is told to the arbiter as ``rawr backtest`` does it, by the rules as shipped. It counts as done if ``agent_done``
is seen and the turn is settled: that is what opens the golden path.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr.backtest.arbiter import Arbiter, Thread, rules
from rawr.config.load import load_policy
from rawr.core.compaction.finished import contrary, only_answers
from rawr.core.compaction.prose import prose_of
from rawr.core.compaction.settled import is_settled
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts, items

_NO_HOME = Path("/nonexistent")
_SHOWN = 160


class Ending(Struct, frozen=True):
    text: str
    done: bool
    files: int | list[str] = 1
    check: Literal["passed", "failed", "none"] = "none"
    language: str = "en"

    @property
    def changed(self) -> list[str]:
        return [f"src/{number}.py" for number in range(self.files)] if isinstance(self.files, int) else self.files


class Judged(Struct, frozen=True):
    done: bool
    why: str


def judge(ending: Ending) -> Judged:
    state = _told(ending)
    last = state.last_turn
    assert last is not None  # noqa: S101 - the turn ended
    seen = any(one.kind == "agent_done" for one in state.signals)
    settled = is_settled(state)
    why = (
        contrary(prose_of(last.agent_text), only_answers=only_answers(last), checked=ending.check == "passed")
        or ("" if seen else "nothing says so")
        or ("" if settled else "not settled")
    )
    return Judged(seen and settled, why)


def _told(ending: Ending) -> ThreadState:
    policy = load_policy(_NO_HOME).policy
    # What follows from a signal must not change what is seen.
    policy = replace(policy, compaction=replace(policy.compaction, mode="tag", soft_landing=False))
    arbiter = Arbiter(rules(policy), heard=lambda _: None, compacted=lambda: 0)
    turn = "T"
    told: list[items.AnyItem] = [items.UserMessage(id="u", text="Do the next piece of work.")]
    told.append(_ran("ls", code=0))
    if ending.changed:
        changes = tuple(items.Change(path, "update") for path in ending.changed)
        told.append(items.FileChange(id="f", changes=changes, status="completed"))
    if ending.check != "none":
        told.append(_ran("make test", code=0 if ending.check == "passed" else 1))
    told.append(items.AgentMessage(id="a", text=ending.text))
    arbiter.begin(Thread("t", cwd="/project"), at=0)
    arbiter.tell(facts.TurnStarted(turn=turn), at=1_000)
    for number, item in enumerate(told, start=2):
        arbiter.tell(facts.ItemCompleted(turn=turn, item=item), at=1_000 * number)
    arbiter.tell(facts.TurnCompleted(turn=turn, status="completed"), at=60_000)
    return arbiter.state


def _ran(command: str, *, code: int) -> items.Command:
    status: items.Status = "failed" if code else "completed"
    # What reads only calls for no look at the repository, which nobody here would answer.
    return items.Command(id=command, command=command, cwd="/project", status=status, exit_code=code, reads_only=True)


def read(path: Path) -> list[Ending]:
    return msgspec.json.decode(path.read_bytes(), type=list[Ending])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--all", action="store_true", help="also list those that are right")
    given = parser.parse_args()
    try:
        endings = read(given.file)
    except (OSError, msgspec.MsgspecError) as problem:
        print(f"{given.file}: {problem}", file=sys.stderr)
        return 2
    wrong: Counter[str] = Counter()
    for number, ending in enumerate(endings):
        judged = judge(ending)
        right = judged.done == ending.done
        wrong[ending.language] += not right
        if given.all or not right:
            verdict = "right" if right else "missed" if ending.done else "WRONGLY DONE"
            print(f"{number}\t{ending.language}\t{verdict}\t{judged.why}\t{' '.join(ending.text.split())[:_SHOWN]}")
    counts = ", ".join(f"{language} {count}" for language, count in sorted(wrong.items()) if count)
    print(f"{wrong.total()} of {len(endings)} wrong{f': {counts}' if counts else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
