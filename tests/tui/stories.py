"""Threads in the states that the screens are looked at in."""

from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.requests import CommandApproval, Option, UserInput, UserQuestion
from tests.core.samples import PACKET, WORDS
from tests.tui.told_rawr import ToldRawr

PLAN = (
    facts.PlanStep("Read the parser and its tests", "completed"),
    facts.PlanStep("Write a failing test", "in_progress"),
    facts.PlanStep("Fix the parser", "pending"),
)
REPORT = """\
The parser **drops the last token** of a line that ends without a quote.

1. `read_row` stops one character early.
2. Nothing else reads that field.

```python
def read_row(line: str) -> list[str]:
    return line.split(",")
```

| file | lines |
|---|---|
| parser.py | 14 |

I will write a failing test first.
"""


def working(rawr: ToldRawr, thread: str = "thread-one") -> None:
    """A turn is under way: it has looked around, changed a file, and a command runs."""
    rawr.take(thread, facts.UserSubmitted(text="Fix the CSV parser. Never push."))
    rawr.begins(thread, "T1")
    rawr.take(thread, facts.PlanUpdated(turn="T1", steps=PLAN))
    rawr.runs(thread, "T1", "ls -la && git log --oneline | head", output="parser.py\ntests\n")
    rawr.says(thread, "T1", REPORT)
    change = (items.Change("tests/test_rows.py", "update"), items.Change("parser.py", "update"))
    rawr.item(thread, "T1", items.FileChange(id="f1", changes=change, status="completed"))
    rawr.runs(thread, "T1", "pytest -q", code=1, output="1 failed, 12 passed\n")
    rawr.uses(thread, "T1", 96_000)
    begun = items.Command(id="c9", command="make test", cwd="/project", status="running")
    rawr.item(thread, "T1", begun, began=True)


def full_auto(rawr: ToldRawr, thread: str = "thread-two") -> None:
    """A run in its second turn, with a check and budgets."""
    order = Order(goal="Make the tests pass.", done="make test", budgets=Budgets(turns=50, minutes=240))
    rawr.take(thread, facts.RunSubmitted(order=order))
    rawr.begins(thread, "R1")
    rawr.uses(thread, "R1", 60_000)
    rawr.says(thread, "R1", "Two tests fail for the same reason. I go on with the reader.")


def compacting(rawr: ToldRawr, thread: str = "thread-three") -> None:
    """The golden path has begun: the heads-up is with the agent, and a message waits."""
    rawr.take(thread, facts.UserSubmitted(text="Research the format."))
    rawr.begins(thread, "S1")
    rawr.take(thread, facts.PhaseSubmitted(phase="research"))
    rawr.uses(thread, "S1", 200_000)
    rawr.says(thread, "S1", WORDS)
    rawr.ends(thread, "S1")
    rawr.take(thread, facts.CompactionSubmitted()) if rawr.state(thread).sequence is None else None
    rawr.begins(thread, "S2")


def compacted(rawr: ToldRawr, thread: str = "thread-three") -> None:
    """The whole golden path, to the turn of the handoff."""
    compacting(rawr, thread)
    rawr.says(thread, "S2", PACKET)
    rawr.ends(thread, "S2")
    rawr.compacts(thread)
    rawr.begins(thread, "S3")
    rawr.says(thread, "S3", "I go on with the draft.")
    rawr.ends(thread, "S3")


def asking(rawr: ToldRawr, thread: str = "thread-four") -> None:
    """A run whose agent wants to run something that is not provably safe, and asks a question."""
    order = Order(goal="Ship the release.", approvals="ask")
    rawr.take(thread, facts.RunSubmitted(order=order))
    rawr.begins(thread, "A1")
    command = CommandApproval(
        command="bash -lc 'git push --force origin main && rm -rf build'", cwd="/project", reason="I need to publish."
    )
    rawr.take(thread, facts.RequestReceived(request="1/7", question=command, turn="A1"))
    options = (Option("main", "the default"), Option("next"))
    asked = UserQuestion("q", "Branch", "Which branch should it go to?", options)
    rawr.take(thread, facts.RequestReceived(request="1/8", question=UserInput(questions=(asked,)), turn="A1"))


def paused(rawr: ToldRawr, thread: str = "thread-five") -> None:
    order = Order(goal="Tidy the docs.", budgets=Budgets(turns=1))
    rawr.take(thread, facts.RunSubmitted(order=order))
    rawr.begins(thread, "P1")
    rawr.says(thread, "P1", "The first page is tidy.")
    rawr.take(thread, facts.RunPauseSubmitted())
    rawr.ends(thread, "P1")


def everything(rawr: ToldRawr) -> None:
    paused(rawr)
    compacted(rawr)
    full_auto(rawr)
    asking(rawr)
    working(rawr)
    limit = facts.RateLimitsUpdated(limit="primary", used_percent=91, resets_at=rawr.at // 1000 + 2_712)
    rawr.take("", limit)
