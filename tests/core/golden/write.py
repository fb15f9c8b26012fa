"""Writes the golden journals anew: ``.venv/bin/python -m tests.core.golden.write``. See README.md."""

from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.facts import PlanStep, Problem
from rawr.core.vocabulary.requests import CommandApproval, TimeQuestion, ToolInvocation, Verdict
from tests.core.golden.lines import FORGED, TOLD, Line, Named, line_of, write
from tests.core.samples import QUIET

BEGIN = 1_767_225_600_000
FIRST, SECOND = "0199-first", "0199-second"


class Day:
    """One day with two threads. Effects are named by the fact that led to them, as the kernel names them."""

    def __init__(self) -> None:
        self.kernel = Kernel(QUIET)
        self.lines: list[Line] = []
        self.at = BEGIN

    def tell(self, *story: facts.AnyFact, thread: str = FIRST, wait: int = 1_000) -> None:
        for fact in story:
            self.at += wait
            self._take(thread, fact)
            if not thread:
                for one in self.kernel.concerns(fact):
                    self._take(one, fact)

    def _take(self, thread: str, fact: facts.AnyFact) -> None:
        self.lines.append(line_of(self.kernel.take(thread, fact, at=self.at)))

    def asked(self, kind: str, thread: str = FIRST) -> str:
        """The newest effect of a kind."""
        for line in reversed(self.lines):
            for one in line.do:
                if line.thread == thread and type(one.effect).__name__ == kind:
                    return one.id
        raise LookupError(kind)

    def succeeded(self, kind: str, result: str = "", *, thread: str = FIRST) -> facts.EffectSucceeded:
        return facts.EffectSucceeded(effect=self.asked(kind, thread), result=result)

    def failed(self, kind: str, code: facts.FailureCode, problem: str) -> facts.EffectFailed:
        return facts.EffectFailed(effect=self.asked(kind), problem=problem, code=code)

    def said(self, turn: str, text: str, *, kind: str = "StartTurn") -> facts.ItemCompleted:
        return done(turn, items.UserMessage(id="u", text=text, client_id=self.asked(kind)))

    # -- the day ------------------------------------------------------------------------------------------------

    def morning(self) -> None:
        """Two threads, a plan, a command, a phase, an approval, a steer."""
        self.tell(facts.RuntimeStarted(version="0.1.0", policy=self.kernel.policy_hash), thread="")
        self.tell(facts.ThreadRequested(ticket="k1", cwd="/project"), connected(1), thread="")
        self.tell(facts.ThreadOpened(cwd="/project", model="scripted", ours=True))
        self.tell(self.succeeded("StartThread", FIRST, thread=""), thread="")
        self.tell(facts.UserSubmitted(text="Research, then draft."))
        self.tell(self.succeeded("StartTurn", "turn-1"), facts.TurnStarted(turn="turn-1"))
        self.tell(self.said("turn-1", "Research, then draft."), plan("turn-1", "research", "draft", done=0))
        self.tell(
            facts.ItemStarted(turn="turn-1", item=command("running")), done("turn-1", command("completed", exit_code=3))
        )
        self.tell(asked("1/0", COMMAND, "turn-1"), wait=30_000)
        self.tell(facts.AnswerSubmitted(request="1/0", answer=Verdict(verdict="accept")))
        self.tell(facts.RequestResolved(request="1/0"), asked("1/1", PHASE, "turn-1"), self.succeeded("AnswerRequest"))
        self.tell(asked("1/2", TimeQuestion(), "turn-1"), facts.SteerSubmitted(text="Mind the footnotes."))
        self.tell(self.said("turn-1", "Mind the footnotes.", kind="SteerTurn"), self.succeeded("SteerTurn", "turn-1"))
        self.tell(plan("turn-1", "research", "draft", done=1), usage("turn-1", 90_000))
        self.tell(done("turn-1", items.AgentMessage(id="a", text="Half way.")), facts.UserSubmitted(text="Go on."))
        self.tell(facts.CompactionSubmitted(bare=True), ended("turn-1"))

    def noon(self) -> None:
        """A failing turn, an interrupt, a compaction whose item comes late, one that fails, one of Codex's own."""
        self.tell(
            facts.TurnStarted(turn="turn-2"), self.said("turn-2", "Go on."), self.succeeded("StartTurn", "turn-2")
        )
        problem = Problem("model down", "internalServerError", 500)
        self.tell(facts.ErrorReported(turn="turn-2", problem=problem, will_retry=True), ended("turn-2", problem))
        self.tell(facts.InterruptSubmitted(), facts.CompactionSubmitted(bare=True))
        self.tell(facts.SteerSubmitted(text="And then?"))
        self.tell(self.succeeded("StartCompaction"), facts.TurnStarted(turn="turn-3"), ended("turn-3"))
        self.tell(usage("turn-3", 9_000), done("turn-3", items.Compaction(id="c")), ended("turn-3"))
        self.tell(facts.TurnStarted(turn="turn-4"), self.said("turn-4", "And then?"))
        self.tell(facts.ItemStarted(turn="turn-4", item=items.Compaction(id="n")))
        self.tell(
            done("turn-4", items.Compaction(id="n")), facts.InterruptSubmitted(), ended("turn-4", interrupted=True)
        )
        self.tell(facts.CompactionSubmitted(bare=True))
        self.tell(self.failed("StartCompaction", "refused", "not now"))

    def afternoon(self) -> None:
        """The server dies under a message; rawr is started again; another thread cannot be joined."""
        self.tell(facts.ThreadOpened(cwd="/other", ours=True), facts.UserSubmitted(text="Precious."), thread=SECOND)
        self.tell(facts.UserSubmitted(text="First."), facts.UserSubmitted(text="Second."))
        self.tell(facts.ServerLost(epoch=1, problem="it was killed", exit_code=-9), thread="")
        self.tell(self.failed("StartTurn", "lost", "the connection was lost"))
        self.tell(connected(2), thread="")
        self.tell(JOINED, self.succeeded("ResumeThread", FIRST))
        self.tell(self.succeeded("FindMessage"))
        self.tell(self.succeeded("StartTurn", "turn-5"), facts.TurnStarted(turn="turn-5"))
        self.tell(facts.EffectFailed(effect="0199-none:1.0", problem="?", code="lost"))
        self.tell(
            facts.EffectFailed(effect=self.asked("ResumeThread", SECOND), problem="no rollout found", code="refused"),
            facts.UserSubmitted(text="Anyone?"),
            thread=SECOND,
        )
        self.tell(facts.RuntimeStarted(version="0.1.0", policy=self.kernel.policy_hash), thread="")
        self.tell(connected(3), thread="")
        running = facts.ThreadJoined(cwd="/project", idle=False, last_turn="turn-5", last_status="inProgress")
        self.tell(running, self.succeeded("ResumeThread", FIRST), asked("3/0", COMMAND, "turn-5"))
        self.tell(facts.DeadlinePassed(name="request:3/0"), wait=900_000)
        self.tell(ended("turn-5"))
        self.tell(self.succeeded("FindMessage", "turn-5"), facts.DeadlinePassed(name="compaction"))
        self.tell(facts.TurnStarted(turn="turn-6"), self.said("turn-6", "Second."), ended("turn-6"))
        self.tell(facts.FaultRecorded(where="wire", problem="not JSON", sample="{", size=1), thread="")
        self.tell(facts.RuntimeStopped(reason="closed"), thread="")


COMMAND = CommandApproval(command="make publish", cwd="/project", reason="To publish.")
PHASE = ToolInvocation(tool="phase_complete", call="c1", arguments='{"phase":"research","summary":"All read."}')
JOINED = facts.ThreadJoined(cwd="/project", last_turn="turn-4", last_status="interrupted")


def connected(epoch: int) -> facts.ServerConnected:
    return facts.ServerConnected(epoch=epoch, user_agent="codex/0.163.0", codex_home="/codex", transport="stdio")


def done(turn: str, item: items.AnyItem) -> facts.ItemCompleted:
    return facts.ItemCompleted(turn=turn, item=item)


def command(status: items.Status, exit_code: int | None = None) -> items.Command:
    return items.Command(id="x", command="make check", cwd="/project", status=status, exit_code=exit_code)


def plan(turn: str, *steps: str, done: int) -> facts.PlanUpdated:
    marked = [PlanStep(step, "completed" if number < done else "pending") for number, step in enumerate(steps)]
    return facts.PlanUpdated(turn=turn, steps=tuple(marked))


def usage(turn: str, tokens: int) -> facts.UsageUpdated:
    return facts.UsageUpdated(turn=turn, in_context=tokens, spent=tokens * 2, window=258_400)


def asked(request: str, question: CommandApproval | ToolInvocation | TimeQuestion, turn: str) -> facts.RequestReceived:
    return facts.RequestReceived(request=request, question=question, turn=turn)


def ended(turn: str, problem: Problem | None = None, *, interrupted: bool = False) -> facts.TurnCompleted:
    status: facts.TurnStatus = "failed" if problem else "interrupted" if interrupted else "completed"
    return facts.TurnCompleted(turn=turn, status=status, problem=problem)


def a_day() -> list[Line]:
    day = Day()
    day.morning()
    day.noon()
    day.afternoon()
    return day.lines


def forged(lines: list[Line]) -> list[Line]:
    """Another text in an effect, a reason taken out, and a fact that was something else."""
    sent = next(n for n, line in enumerate(lines) if any(isinstance(one.effect, StartTurn) for one in line.do))
    decided = next(n for n, line in enumerate(lines) if line.because and n > sent)
    fact = next(n for n, line in enumerate(lines) if isinstance(line.fact, facts.CompactionSubmitted))
    changed = list(lines)
    changed[sent] = replace(lines[sent], do=(Named(lines[sent].do[0].id, StartTurn(text="Research nothing.")),))
    changed[decided] = replace(lines[decided], because=())
    changed[fact] = replace(lines[fact], fact=facts.InterruptSubmitted())
    return changed


if __name__ == "__main__":
    write(TOLD, a_day())
    write(FORGED, forged(a_day()))
