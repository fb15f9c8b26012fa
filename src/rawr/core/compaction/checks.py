"""Which commands are checks: tests, builds, linters. A check that passes after a change says that it is in order (D8).

By the program's name and what it is asked to do, wherever it stands in the line: agents put variables, ``cd … &&`` and
wrappers before it. A name inside a string or after a reading program is none.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.vocabulary.items import Command

_RUNNERS = r"(?:npm|pnpm|yarn|bun|deno|npx|make|just|task|rake|mix|composer|poetry run|uv run|bundle exec|hatch run)"
_JOBS = r"(?:tests?|build|lint|typecheck|type-check|check|verify|format:check|compile)"
_STEMS = (
    *("test", "build", "lint", "check", "spec", "verify", "compile", "assemble", "analyze", "package", "clippy", "vet"),
    *("tsc", "mypy", "ruff", "pyright", "flake8", "tox", "nox", "jest", "mocha", "cypress", "biome", "luac", "rubocop"),
    *("ninja", "bash -n", "php -l", "phpunit"),
)
"""Most lines have none of these, and need not be read."""
_CHECK = re.compile(
    r"(?:^|[\s/\\;&|(])(?:"
    rf"{_RUNNERS}\s+(?:run\s+|exec\s+)?(?:--?[\w-]+(?:[= ]\S+)?\s+)*{_JOBS}(?:[:_-][\w:-]+)?"
    r"|pytest|py\.test|tox|nox|jest|vitest|mocha|phpunit|rspec|ctest|playwright test|cypress run"
    r"|(?:python[\d.]*|py)\s+(?:-\S+\s+)*-m\s+(?:pytest|unittest|mypy|ruff|flake8|pylint|py_compile|compileall|build)"
    r"|(?:manage\.py|artisan)\s+(?:test|check)"
    r"|mypy|pyright|ruff(?:\s+check)?|flake8|pylint|eslint|biome|stylelint|tsc|vue-tsc|shellcheck|golangci-lint"
    r"|staticcheck|clippy|swiftlint|ktlint|luacheck|luac|rubocop"
    r"|(?:cargo|go|dotnet|swift|flutter|dart|zig|bazel|gradle|gradlew|gradlew\.bat|mvn|mvnw|sbt|stack|cabal|lake)"
    r"\s+(?:\S+\s+){0,3}?(?:tests?|build|check|vet|clippy|analyze|verify|package|compile|assemble\w*)"
    r"|xcodebuild|msbuild|cmake\s+--build|ninja|node\s+--check|bash\s+-n|php\s+-l"
    r")(?![\w./\\-])"
)
_READS = re.compile(r"^\s*(?:rg|grep|cat|sed|head|tail|less|find|fd|ls|echo|printf|Get-Content|Select-String)\b")
"""A line that begins with one of these only mentions the names."""
_MAYBE = re.compile(
    r"\b(?:if|unless|while|for|where(?:\.exe)?|which|whereis|Get-Command|hash|type|command\s+-v)\b", re.IGNORECASE
)
"""Before a check: it may not run, or is only looked for."""
_STRINGS = re.compile(r"'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\"")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*", re.DOTALL)
_IGNORED = re.compile(r"\|\|\s*(?:true|:|echo)\b|;\s*(?:true|exit 0|echo)\b|\|\s*(?:head|tail|grep|rg|sed|tee)\b")
"""The exit code is not the check's: it says nothing about whether it passed."""
_SETS_PIPEFAIL = "pipefail"
LONGEST = 2_000
"""Characters of a line that are looked at."""


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of these, by their first letters: at most places in a text a single look rules out all of
    them."""
    after: dict[str, list[str]] = {}
    for word in words:
        if not word:
            return ""
        after.setdefault(word[0], []).append(word[1:])
    found = [re.escape(first) + _any_of(rest) for first, rest in after.items()]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


_STEMS_IN = re.compile(_any_of(_STEMS).encode())


def may_be_in(call: bytes) -> bool:
    """Return True if a call, as it is in a session file, may run a check: quick, and too often."""
    return _STEMS_IN.search(call) is not None


@lru_cache(maxsize=8)
def named(command: str) -> str:
    """The check that a command line runs, in its own words; empty if it runs none, or hides how that went.

    Several ask about the same line in a row."""
    line = command[:LONGEST]
    if not any(map(line.__contains__, _STEMS)) or _CHECK.search(line) is None:  # almost always
        return ""
    line = _STRINGS.sub("''", _HEREDOC.sub("", line))
    found = _CHECK.search(line)
    if found is None or _READS.match(line) or _MAYBE.search(line, 0, found.start() + 1):
        return ""
    if _IGNORED.search(line, found.end()) and _SETS_PIPEFAIL not in line:
        return ""
    return " ".join(found.group().strip(" \t\n/\\;&|(").split())


def command_ended(draft: ThreadDraft, item: Command, _turn: str) -> None:
    """A check that passes after a change says that the change is in order; one that fails, that something is not."""
    turn = draft.state.turn
    if turn is None or item.exit_code is None:
        return
    passed = item.exit_code == 0
    if passed and not (turn.unchecked or turn.failing):
        return
    check = named(item.meant)
    if not check:
        return
    changed = replace(turn, unchecked=False, failing="") if passed else replace(turn, failing=check)
    draft.state = replace(draft.state, turn=changed)
