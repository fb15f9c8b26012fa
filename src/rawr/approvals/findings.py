"""What is found about one line while it is walked (C10): reasons against it and for it, and how much there is of it."""

from msgspec import Struct, field

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
    patterns: int = 0
    """Patterns that commands are given, those that a variable makes too."""
    runs: int = 0
    sleeps: float = 0.0
    writes: bool = False
    asks_git: bool = False
    commits: bool = False
    """git runs by a rule of the user's, and may write."""

    def problem(self, *texts: str) -> None:
        self.problems += texts

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

    def finish(self) -> None:
        """What makes the line unsafe as a whole."""
        if self.writes and self.asks_git:
            self.problem("It writes files and runs git in one line; the files may change what git does.")
        if self.commits and self.sleeps:
            self.problem("It sleeps in a line with git; what git finds may change meanwhile.")
        if self.sleeps > LONGEST_SLEEP:
            self.problem(f"It sleeps longer than {LONGEST_SLEEP:.0f} seconds.")
        if self.writes and (self.patterns or self.written):
            self.problem("It writes files and has patterns in one line; a pattern may match a file it writes.")
