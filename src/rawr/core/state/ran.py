"""Which commands a thread ran and how they ended, as far as a packet may make claims about them (D2).

The newest are kept with their exit codes. Of older ones only the names of test programs, linters and builds stay:
whether one of them ever ran must still be known when the command itself is forgotten. Commands are many, and packets
are few, so a command is read for names when it is forgotten, or by whoever checks a packet.
"""

import re

from msgspec import Struct

from rawr.core.text import head

MAX_RAN = 40
MAX_CODES = 4
MAX_PROGRAMS = 40
MAX_COMMAND = 300
OUTPUT_END = 400
"""Characters of an output in which a test program says how it went."""

_JOB = r"(?:run\s+)?[a-z][\w:-]*"
_PROGRAM = re.compile(
    r"(?<![\w-])(?:py\.?test|unittest|tox|nox|jest|vitest|mocha|rspec|ctest|phpunit|cypress|playwright|mypy|pyright|"
    r"ruff|flake8|pylint|eslint|tsc|shellcheck|clippy|golangci-lint|rubocop|stylelint|biome|"
    rf"(?:npm|pnpm|yarn|bun|make|just|mvn|gradle|dotnet|swift|mix|bazel|cargo|go)\s+{_JOB})(?![\w-])",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"(?<![\w.-])(?:make|just|task|rake|npm|npx|pnpm|yarn|bun|mvnw?|gradlew?|ninja|mix|composer|hatch|pdm|poetry|uv|sh|bash|"
    r"zsh|python[\d.]*|node|ruby|perl|pwsh)(?![\w-])|(?:^|[\s;&|])\.{0,2}/[\w./-]+",
    re.IGNORECASE,
)
_TESTS = re.compile(r"test|spec|check|verif|valid|(?<![a-z])ci(?![a-z])|(?<![a-z])all(?![a-z])", re.IGNORECASE)
_HIDES = re.compile(
    r"(?<![\w.-])(?:tox|nox|docker|podman|nix|pre-commit|act|bazel|(?:mvnw?|gradlew?)\s+\w+|(?:make|just|rake)\s*(?:$|[;&|]))",
    re.IGNORECASE,
)
"""A line that runs what may run anything: nobody can say that a test did not run in it."""
_QUICK = re.compile(r"test|spec|check|lint|build|tox|nox|jest|mocha|cypress|play|mypy|ruff|tsc|make|npm|cargo|go ")


class Ended(Struct, frozen=True, gc=False):
    """One run of a command."""

    command: str
    code: int | None = None
    tested: bool = False
    """Its output ended as that of a test program does."""


class Ran(Struct, frozen=True, gc=False, omit_defaults=True):
    command: str
    codes: tuple[int, ...] = ()
    """The exit codes it has had, each once, the newest last."""


class Runs(Struct, frozen=True, gc=False, omit_defaults=True):
    newest: tuple[Ran, ...] = ()
    dropped: bool = False
    forgotten: tuple[str, ...] = ()
    """The programs that older commands named: each by its name, once; of ``npm``, ``make`` and the like with what it
    was to do."""
    tested: bool = False
    """A command that may run any other ran, or one that printed how tests went."""

    @property
    def programs(self) -> frozenset[str]:
        return frozenset((*self.forgotten, *(name for one in self.newest for name in programs_in(one.command))))

    @property
    def scripts(self) -> bool:
        """Return True if tests may have run under another name."""
        return self.tested or any(_may_test(one.command) for one in self.newest)


def ended(command: str, *, exit_code: int | None, output: str) -> Ended:
    tail = output[-OUTPUT_END:]
    tested = " pass" in tail or "PASS" in tail or "OK" in tail
    return Ended(head(command, MAX_COMMAND), exit_code, tested)


def add(runs: Runs, done: tuple[Ended, ...]) -> Runs:
    """Commands have ended, the oldest first."""
    kept = {one.command: one.codes for one in runs.newest}
    for one in done:
        codes = kept.pop(one.command, ())
        if one.code is not None:
            codes = (*(code for code in codes if code != one.code), one.code)[-MAX_CODES:]
        kept[one.command] = codes
    newest = tuple(Ran(command, codes) for command, codes in kept.items())
    old, newest = newest[:-MAX_RAN], newest[-MAX_RAN:]
    named = dict.fromkeys((*runs.forgotten, *(name for one in old for name in programs_in(one.command))))
    tested = runs.tested or any(one.tested for one in done) or any(_may_test(one.command) for one in old)
    return Runs(newest, runs.dropped or bool(old), tuple(named)[-MAX_PROGRAMS:], tested)


def _may_test(command: str) -> bool:
    if _HIDES.search(command):
        return True
    return bool(_TESTS.search(command) and _SCRIPT.search(command)) and not programs_in(command)


def programs_in(text: str) -> tuple[str, ...]:
    """The test programs, linters and builds that a text names."""
    if _QUICK.search(text.lower()) is None:  # most texts
        return ()
    found = (" ".join(one.group().lower().replace("py.test", "pytest").split()) for one in _PROGRAM.finditer(text))
    return tuple(dict.fromkeys(one.replace(" run ", " ") for one in found))
