"""A night's run in a journal: approvals, a question, commits, a compaction, checks. The real core decides."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import RunCheck
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval, Replies, UserInput, UserQuestion, Verdict
from tests.core.runs import RULES
from tests.views.labelled_journal import Told

THREAD = "0199-3f2a"
GOAL = "Build the thing.\nNever push."
WINDOW = 272_000


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def repository(folder: Path, *subjects: str) -> list[str]:
    """A repository with a commit for each subject, and one changed and one new file beside them; their hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "--template=")
    made = []
    for number, subject in enumerate(subjects):
        (folder / "kept.txt").write_text("a line\n" * (number + 1))
        (folder / f"{number}.txt").write_text("x\ny\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", subject)
        made.append(git(folder, "rev-parse", "HEAD"))
    (folder / "kept.txt").write_text("another line\n")
    (folder / "new.txt").write_text("z\n")
    return made


class Night(Told):
    def ordered(self, cwd: Path, goal: str = GOAL, **order: object) -> "Night":
        wanted = Order(goal=goal, done="make check", check="every-turn", allow=("git commit",), **order)  # type: ignore[arg-type]
        opened = facts.ThreadOpened(cwd=str(cwd), ours=True)
        self.tell("", facts.PolicyAdopted(policy=self.kernel.policy))
        self.tell(THREAD, opened, facts.ThreadJoined(cwd=str(cwd)), facts.RunSubmitted(order=wanted))
        return self

    def asks(self, request: str, command: str) -> "Night":
        question = CommandApproval(command=command, cwd="/")
        self.tell(THREAD, facts.RequestReceived(request=request, question=question, turn="T1", item="i"))
        return self

    def judged(self, request: str, *, safe: bool) -> "Night":
        self.tell(THREAD, facts.ApprovalJudged(request=request, safe=safe, reasons=("it only reads",)))
        return self

    def committed(self, cwd: Path, *made: tuple[str, str], amends: str = "") -> "Night":
        seen = tuple(facts.CommitSeen(sha, subject, amends) for sha, subject in made)
        self.tell(THREAD, facts.CommandObserved(turn="T1", item="i", root=str(cwd), commits=seen))
        return self

    def used(self, turn: str, tokens: int) -> "Night":
        self.tell(THREAD, facts.UsageUpdated(turn=turn, in_context=tokens, spent=tokens, window=WINDOW))
        return self

    def compacted(self, turn: str) -> "Night":
        item = items.Compaction(id="c")
        self.used(turn, 250_000)
        self.tell(THREAD, facts.ItemStarted(turn=turn, item=item), facts.ItemCompleted(turn=turn, item=item))
        return self.used(turn, 8_400)

    def ends(self, turn: str, said: str) -> "Night":
        message = items.AgentMessage(id=f"{turn}-a", text=said)
        self.tell(THREAD, facts.ItemCompleted(turn=turn, item=message))
        self.tell(THREAD, facts.TurnCompleted(turn=turn, status="completed"))
        return self

    def checked(self, exit_code: int, output: str = "") -> "Night":
        effects = [one for taken in self.taken for one in taken.effects if isinstance(one.effect, RunCheck)]
        done = facts.DoneChecked(effect=effects[-1].id, exit_code=exit_code, output=output)
        self.tell(THREAD, done, facts.EffectSucceeded(effect=effects[-1].id))
        return self

    @property
    def run(self) -> str:
        run = self.kernel.threads[THREAD].run
        assert run is not None
        return run.id


def a_night(home: Path, cwd: Path, made: "Iterator[tuple[str, str]] | list[tuple[str, str]]", goal: str = GOAL) -> str:
    """The whole of it. The id of the run, which is done."""
    with Night(home, RULES) as night:
        night.ordered(cwd, goal)
        night.begin(THREAD, "T1")
        night.asks("1/0", "ls").judged("1/0", safe=True)
        night.asks("2/0", "git push").judged("2/0", safe=False)
        night.tell(THREAD, facts.AnswerSubmitted(request="2/0", answer=Verdict(verdict="decline")))
        colour = UserInput(questions=(UserQuestion("q", "Colour", "Which colour?"),))
        night.tell(THREAD, facts.RequestReceived(request="3/0", question=colour, turn="T1", item="i"))
        night.tell(THREAD, facts.AnswerSubmitted(request="3/0", answer=Replies(replies={"q": ("Blue",)})))
        night.committed(cwd, *made)
        night.used("T1", 30_000)
        item = items.Command(id="cmd", command="make", cwd="/", status="completed", exit_code=0)
        night.tell(THREAD, facts.ItemCompleted(turn="T1", item=item))
        night.ends("T1", "On I go.").checked(2, "compiling\n1 test failed\n")
        night.begin(THREAD, "T2").tell(THREAD, facts.ItemCompleted(turn="T2", item=item))
        night.compacted("T2")
        night.ends("T2", "Nothing is left to do: all tests pass.").checked(0, "ok\n")
        return night.run
