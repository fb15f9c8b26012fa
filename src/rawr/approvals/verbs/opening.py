"""From a rule's words to what it opens (C10).

A verb is known by a program's own name, by the places that systems and environments put it in, and behind a few
programs that only start others (``npx jest``, ``uv run pytest``): there, only programs that are listed here are opened.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from rawr.approvals.git.writing import ACCEPTED, writes_files
from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.reading.word import Word
from rawr.approvals.verbs.building import BUILDING
from rawr.approvals.verbs.containers import CONTAINERS
from rawr.approvals.verbs.git import GIT
from rawr.approvals.verbs.hosting import GH
from rawr.approvals.verbs.network import NETWORK
from rawr.approvals.verbs.packages import PACKAGES
from rawr.approvals.verbs.tools import TOOLS
from rawr.approvals.verbs.verb import Given, Verb, beyond, read_words

Words = tuple[str, ...]
HOOKS = ("git", "hooks")
"""The rule that accepts what git runs by itself. git has no such command."""
VERBS: dict[Words, Verb] = {one.words: one for one in (*GIT, *GH, *BUILDING, *PACKAGES, *TOOLS, *CONTAINERS, *NETWORK)}
_LONGEST = max(map(len, VERBS))
_STARTABLE = frozenset(one.words[0] for one in TOOLS) | {"pip", "python"}
_PROGRAMS = frozenset(words[0] for words in VERBS)

_STARTERS_TEXT = """
    npx; npx --no-install; npx --no; bunx; pnpm exec; pnpm; yarn; yarn exec; npm exec; uv run; uvx; poetry run; pdm run;
    pipenv run; hatch run; python -m; uv run python -m; poetry run python -m; bundle exec; rye run
    """
STARTERS = frozenset(tuple(one.split()) for one in _STARTERS_TEXT.split(";"))
"""They run what comes next."""
_SAME_TEXT = "python3 python; pip3 pip; docker-compose docker compose; nodejs node; gmake make"
_SAME: dict[str, Words] = {one.split()[0]: tuple(one.split()[1:]) for one in _SAME_TEXT.split(";")}
_OF_THE_SYSTEM = frozenset({"/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"})
_OF_THE_PROJECT = re.compile(r"(?:\./)?(?:(?:\.venv|venv)/bin|node_modules/\.bin|vendor/bin)|bin")
_WRAPPED = {"./gradlew": "gradle", "./mvnw": "mvn"}
_VERSIONED = re.compile(r"(python|pip)3(?:\.\d+)?")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


class Known(Struct, frozen=True):
    verb: Verb
    used: int
    """How many words of the command the verb takes."""


def known(words: Words) -> Known | None:
    """The verb that a command begins with."""
    if not words:
        return None
    names = _names(words[0])
    for count in range(min(4, len(words)), 0, -1):
        starter = (*names, *words[1:count])
        if starter in STARTERS:
            started = _verb((*words[count:],))
            if started is not None and started[0].words[0] in _STARTABLE:
                return Known(started[0], count + started[1])
    found = _verb(words)
    return Known(*found) if found is not None else None


def _verb(words: Words) -> tuple[Verb, int] | None:
    if not words:
        return None
    names = _names(words[0])
    given = (*names, *words[1:])
    for count in range(min(_LONGEST, len(given)), 0, -1):
        if given[:count] in VERBS:
            return VERBS[given[:count]], count - len(names) + 1
    return None


def _names(program: str) -> Words:
    """A program's plain name, if it is called by a path that means the same."""
    path = PurePosixPath(program)
    if program in _WRAPPED:
        return (_WRAPPED[program],)
    name = path.name
    if "/" in program:
        folder = str(path.parent)
        of_project = _OF_THE_PROJECT.fullmatch(program.rpartition("/")[0]) is not None
        if folder not in _OF_THE_SYSTEM and not (of_project and _plain(name)[0] in (*_STARTABLE, "python")):
            return (program,)
    return _plain(name)


def _plain(name: str) -> Words:
    versioned = _VERSIONED.fullmatch(name)
    return (versioned[1],) if versioned is not None else _SAME.get(name, (name,))


def opens(rule: str, call: Call, *, edited: bool = False) -> list[str]:
    """Why a rule that a command begins with does not open all of it; an empty list if it does."""
    given = (call.name, *call.texts())
    wanted = tuple(rule.split())
    exact = given == wanted and not any(word.shape or word.counted for word in call.words)
    found = known(given)
    if found is None:
        return [] if exact else [_exactly(rule, call, given)]
    verb, used = found.verb, found.used
    own = _own(found, wanted)
    if own is None:
        return [] if exact else [_exactly(rule, call, given)]
    inner = Call(verb.name, call.words[used - 1 :], call.places, call.folders)
    problems = beyond(verb, inner, own, edited=edited)
    if not problems:
        return []
    return [*problems, f"The rule {shown(rule)} opens only what `rawr approvals opens '{rule}'` lists."]


def _own(found: Known, wanted: Words) -> Given | None:
    """The words behind the verb that the rule itself has; None if they have an option that is not known."""
    words = tuple(Word(text, 0, text) for text in wanted[found.used :])
    given = read_words(found.verb, words)
    return None if given.read.problems else given


def _exactly(rule: str, call: Call, given: Words) -> str:
    """Which rule to write."""
    text = f"The rule {shown(rule)} opens exactly its own words"
    if given == tuple(rule.split()):
        return f"{text}, without patterns."
    if any(word.shape or word.counted for word in call.words) or not all(map(_PLAIN.fullmatch, given)):
        return f"{text}, and a rule cannot have the others."
    return f"{text}; for this command, write the rule {shown(' '.join(given))}."


# -- for a person ------------------------------------------------------------------------------------------------------


class Opened(Struct, frozen=True):
    """What a rule opens, in words."""

    rule: str
    verb: str = ""
    """Empty: exactly the words of the rule."""
    options: tuple[str, ...] = ()
    values: dict[str, str] = {}
    """Options with a value, each with what it has to be."""
    operands: tuple[str, ...] = ()
    needs_a_rule: tuple[str, ...] = ()
    """Options that only a rule which has them opens."""
    project: bool = False
    """It runs the workspace's own files by nature."""
    beside: str = ""
    """The rule that it needs beside its own where it writes files."""
    hooks: bool = False
    """It is no command: it accepts what git runs by itself."""
    files: bool = False
    """It is no command: it accepts that git writes files of the workspace."""


def opened(rule: str) -> tuple[Opened, ...]:
    """What a rule opens: one verb, or every listed verb of the program that it names."""
    wanted = tuple(rule.split())
    if wanted == HOOKS:
        return (Opened(rule, hooks=True),)
    if rule == ACCEPTED:
        return (Opened(rule, files=True),)
    found = known(wanted)
    names = (*_names(wanted[0]), *wanted[1:])
    deeper = [one for words, one in VERBS.items() if len(words) > len(names) and words[: len(names)] == names]
    if found is None and names in STARTERS:
        deeper += [one for words, one in VERBS.items() if words[0] in _STARTABLE]
    if found is None and deeper:
        return tuple(_told(rule, one) for one in deeper)
    if found is None or _own(found, wanted) is None:
        return (Opened(rule),)
    own = found.used >= len(wanted)
    told = _told(rule, found.verb, narrowed=not own)
    return (told, *(_told(rule, one) for one in deeper if own and found.verb.words != one.words))


def _told(rule: str, one: Verb, *, narrowed: bool = False) -> Opened:
    """``narrowed``: the rule has more words than the verb."""
    operands = [kind.name for kind in one.first]
    operands += [f"{one.operands.name}, any number of them"] if one.operands is not None else []
    operands = ["those of the rule"] if one.narrow and narrowed else operands
    operands += [f"after `--`: {one.tail.name}"] if one.tail is not None else []
    return Opened(
        rule,
        one.name,
        options=tuple(sorted(one.flags)),
        values={option: kind.name for option, kind in sorted((*one.values.items(), *one.optional.items()))},
        operands=tuple(operands),
        needs_a_rule=tuple(sorted(one.named)),
        project=one.project,
        beside=ACCEPTED if one.words[0] == "git" and writes_files(one.words[1:]) else "",
    )


def needs_a_command(rule: Sequence[str]) -> bool:
    """Return True for a rule such as ``git -c``: what precedes git's command changes what every command is."""
    return len(rule) > 1 and _names(rule[0]) == ("git",) and rule[1].startswith("-")
