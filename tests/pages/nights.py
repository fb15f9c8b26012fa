"""A night's work as a timeline, written by hand: everything that a page can show is in it."""

from collections.abc import Callable

from rawr.core.policy.tiers import Tier, percent_remaining, tier_of
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.records import Evidence
from rawr.views import timeline as t
from rawr.views.timeline.shapes import By

BEGAN = 1_794_870_000_000
MINUTE = 60_000
WINDOW = 272_000
BANDS: dict[Tier, int] = {"early": 85, "ready": 75, "asap": 65, "emergency": 15}
STEPS = ("Read the code", "Write the parser", "Write the tests", "Fix the printer", "Tidy up", "Report")


def own(words: str) -> str:
    return words


def night(say: Callable[[str], str] = own, *, turns: int = 42) -> t.Timeline:
    """``say`` makes the text of every field that somebody else writes."""
    story = _Night(say)
    for number in range(1, turns + 1):
        story.turn(number)
    return story.timeline()


class _Night:
    def __init__(self, say: Callable[[str], str]) -> None:
        self.say, self.at, self.tokens = say, BEGAN, 24_000
        self.points: list[t.ContextPoint] = []
        self.turns: list[t.TurnSpan] = []
        self.boundaries: list[t.BoundaryPoint] = []
        self.compactions: list[t.CompactionPoint] = []
        self.progress: list[t.PlanPoint] = []
        self.decisions: list[t.DecisionPoint] = []
        self.commits: list[t.CommitPoint] = []
        self.checks: list[t.CheckPoint] = []

    def turn(self, number: int) -> None:
        say, began = self.say, self.at
        for call in range(5):
            self.at += MINUTE // 2 + (number * 7 + call * 13) % 40 * 1_000
            self.tokens = min(self.tokens + 1_500 + (number * 31 + call * 17) % 9 * 900, WINDOW - 2_000)
            self.points.append(self.point(number))
            if number in (11, 24) and call == 3:
                self.compact(number, by="codex" if number == 24 else "person", in_work=number == 24)
        failed = number in (17, 30)
        status = "failed" if failed else "interrupted" if number == 22 else "completed"
        problem = say("stream disconnected before completion") if failed else ""
        self.turns.append(t.TurnSpan(number, f"T{number}", began, self.at, status, "continue", False, 5, problem))
        if number % 4 == 0:
            self.boundaries.append(
                t.BoundaryPoint(self.at - 9_000, number, "commit", "repository", say(f"Add part {number}"), True)
            )
            self.commits.append(t.CommitPoint(self.at, number, f"{number:040x}", say(f"Add part {number}"), "/w"))
        if number % 7 == 0:
            done = min(number // 7, len(STEPS))
            self.progress.append(t.PlanPoint(self.at, number, done, len(STEPS)))
            self.boundaries.append(
                t.BoundaryPoint(self.at, number, "plan_checkpoint", "plan_tool", say(STEPS[done - 1]), True)
            )
            self.checks.append(
                t.CheckPoint(self.at, number, done > 4, 0 if done > 4 else 1, False, say("1 test failed"), 900)
            )
        self.decide(number)
        if number in (8, 16, 20, 33):
            self.compact(number, by="rawr", in_work=False)
        self.at += 4 * 3_600_000 if number == 29 else 8_000

    def point(self, number: int) -> t.ContextPoint:
        left = percent_remaining(in_context=self.tokens, window=WINDOW)
        return t.ContextPoint(self.at, number, self.tokens, WINDOW, left)

    def compact(self, number: int, *, by: By, in_work: bool) -> None:
        before, left = self.tokens, percent_remaining(in_context=self.tokens, window=WINDOW) or 0
        if by == "rawr":
            began, self.at = self.at + 4_000, self.at + 95_000
            self.turns.append(t.TurnSpan(number, "P", began, self.at, "completed", "heads_up", True, 1))
        self.at += 6_000
        self.tokens = 21_000
        made = t.CompactionPoint(
            at=self.at,
            turn=number,
            ok=True,
            by=by,
            tokens_before=before,
            tokens_after=self.tokens,
            percent_left=left,
            tier=tier_of(left, BANDS),
            packet="agent" if by == "rawr" else "",
            duration_ms=6_400,
            in_work=in_work,
            items_before=3 if in_work else 0,
        )
        self.compactions.append(made)
        self.points.append(self.point(number))

    def decide(self, number: int) -> None:
        reason = "compact.decided.boundary" if number in (8, 16, 20, 33) else "compact.skipped.no_boundary"
        evidence: dict[str, Evidence] = {"tier": "ready", "percent": 70, "outcome": self.say("begun")}
        evidence["boundaries"] = [self.say("commit: Add part")]
        self.decisions.append(
            t.DecisionPoint(
                at=self.at,
                turn=number,
                id=f"t:{number}/0",
                area="Compaction",
                reason=reason,
                meaning="A boundary that the tier asks for was reached.",
                evidence=evidence,
                against=("Too few turns since the last compaction.",) if number % 2 else (),
            )
        )

    def timeline(self) -> t.Timeline:
        say = self.say
        plan = (*(PlanStep(say(step), "completed") for step in STEPS[:-1]), PlanStep(say(STEPS[-1]), "in_progress"))
        return t.Timeline(
            thread=say("0199-3f2a"),
            folder=say("/home/ada/work/printer"),
            model=say("gpt-5.5-codex"),
            goal=say("Write the parser and its tests.\nNever push."),
            began=BEGAN,
            ended=self.at,
            work_ms=sum((one.ended or 0) - one.began for one in self.turns),
            tokens=23_400_000,
            cost=12.34,
            bands=BANDS,
            points=tuple(self.points),
            turns=tuple(self.turns),
            boundaries=tuple(self.boundaries),
            compactions=tuple(self.compactions),
            progress=tuple(self.progress),
            plan=plan,
            decisions=tuple(self.decisions),
            reasons={"compact.skipped.no_boundary": 30, "compact.decided.boundary": 4, say("another"): 1},
            packets=(
                t.PacketPoint(self.at, 8, "returned", (say("Commit 1a2b3c4 is not mentioned."), say("A file is not."))),
                t.PacketPoint(self.at, 8, "taken", (say("The changed file “a.py” is not mentioned."),)),
                t.PacketPoint(self.at, 16, "taken", ()),
                t.PacketPoint(self.at, 20, "written", ()),
            ),
            requests=(
                t.RequestPoint(self.at, 3, say("approval of: ls"), "approved", "rule", True, (say("it only reads"),)),
                t.RequestPoint(self.at, 4, say("approval of: git push"), "declined", "person", True),
                t.RequestPoint(self.at, 9, say("a question: Which colour?"), say("Blue"), "person", False),
            ),
            checks=tuple(self.checks),
            commits=tuple(self.commits),
            files=tuple(t.FileTouched(say(f"src/part_{n}.py"), "update") for n in range(9)),
            counts={
                "turns of work": 42,
                "compactions": len(self.compactions),
                "commits": len(self.commits),
                "files": 9,
                "decisions": 42,
            }
            | {"approved by rule": 31, "declined by person": 1},
            left_out={"decisions": 8},
        )


def with_rawr(given: t.Timeline) -> t.Counterfactual:
    """The same night with rawr beside it, which compacts at 100 k."""
    points: list[t.ContextPoint] = []
    would: list[t.WouldCompact] = []
    tokens = before = given.points[0].tokens
    for one in given.points:
        tokens, before = max(tokens + one.tokens - before, 15_000), one.tokens
        if tokens > 100_000:
            would.append(t.WouldCompact(one.at, one.turn, tokens, 66, "ready", "A boundary was reached."))
            tokens = 21_000
        points.append(t.ContextPoint(one.at, one.turn, tokens, one.window, None))
    return t.Counterfactual("with rawr", tuple(points), tuple(would))
