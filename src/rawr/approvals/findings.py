"""What is found about one line while it is walked (C10): reasons against it and for it, and how much there is of it."""

from collections.abc import Sequence as Words

from msgspec import Struct, field

from rawr.approvals.git.following import is_plain_commit, looks, stages
from rawr.approvals.judgment import shown
from rawr.approvals.looking import Exhausted
from rawr.approvals.programs.costs import LONGEST_SLEEP
from rawr.approvals.reading.structure import Sequence, loops, simple_commands

MAX_COMMANDS = 50
MAX_WORDS = 1_000
MAX_PATTERNS = 8
MAX_RUNS = 500
"""Commands that run one after the other, those in a loop as often as it goes round."""


class Findings(Struct):
    """About one line, including every line nested in it."""

    problems: list[str] = field(default_factory=list)
    grounds: list[str] = field(default_factory=list)
    commands: int = 0
    words: int = 0
    written: int = 0
    """Patterns that are in the line."""
    runs: int = 0
    sleeps: float = 0.0
    commits: bool = False
    """git runs by a rule of the user's, and may write."""
    staged: bool = False
    """It may have brought a repository of the agent's into the index."""
    committed: int = 0
    """Commits of what was staged. A second one finds nothing to commit, and looks."""
    gits: int = 0
    gits_by_rule: int = 0
    background: bool = False
    """A part of it runs beside what follows."""

    def problem(self, *texts: str) -> None:
        self.problems += texts

    def take(self, other: "Findings") -> None:
        """Everything that another one, which began as a copy, has found since."""
        for name in self.__struct_fields__:
            if name != "problems":
                setattr(self, name, getattr(other, name))

    def ran(self) -> None:
        """Count one more command that runs."""
        self.runs += 1
        if self.runs > MAX_RUNS:
            raise Exhausted(f"Its loops run more than {MAX_RUNS} commands.")

    def bounded(self, sequence: Sequence) -> bool:
        """Return True if there is not too much to judge."""
        for command in simple_commands(sequence):
            words = (*command.words, *command.assignments, *(redirect.target for redirect in command.redirects))
            self.commands += 1
            self.words += len(words)
            self.written += sum(bool(word.shape) for word in words)
        for loop in loops(sequence):
            self.words += len(loop.items)
            self.written += sum(bool(word.shape) for word in loop.items)
        for count, most, what in (
            (self.commands, MAX_COMMANDS, "commands"),
            (self.words, MAX_WORDS, "words"),
            (self.written, MAX_PATTERNS, "patterns"),
        ):
            if count > most:
                self.problem(f"It has more than {most} {what}.")
                return False
        return True

    def git(self, words: Words[str], *, by_rule: bool) -> None:
        """One more git command, from its subcommand on."""
        plain = is_plain_commit(words)
        self.gits += 1
        self.gits_by_rule += by_rule
        if self.staged and (looks(words) or (plain and self.committed)):
            name = shown(" ".join(("git", *words[:1])))
            self.problem(f"{name} follows a git command that may have staged a repository of the agent's.")
        self.committed += plain and self.staged
        self.staged = self.staged or (by_rule and stages(words))

    def finish(self) -> None:
        """What makes the line unsafe as a whole."""
        if self.commits and self.background:
            self.problem("It runs something in the background of a line with git; what git finds may change meanwhile.")
        if self.commits and self.sleeps:
            self.problem("It sleeps in a line with git; what git finds may change meanwhile.")
        if self.sleeps > LONGEST_SLEEP:
            self.problem(f"It sleeps longer than {LONGEST_SLEEP:.0f} seconds.")
