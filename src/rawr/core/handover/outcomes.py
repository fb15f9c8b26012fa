"""What a packet says about commands: that they ran, and how they ended (D2).

A command is known by its words between backticks, a test program or a linter also by its bare name. Claims about it are
read from the words that follow it, up to the next command.
"""

import re
from collections.abc import Iterator

from rawr.core.handover.clauses import is_stated
from rawr.core.speech import Own, bare, line, say
from rawr.core.state.ran import Ran, Runs, programs_in

_SPAN = re.compile(r"`([^`\n]{2,300})`")
_NUMBER = re.compile(
    r"\b(?:exit(?:s|ed|ing)?|ended|ends|returns?|returned|rc|status)\b(?:\s+(?:with|code|status|is|was|of))*\s*[:=]?\s*"
    r"[`“\"']?(\d{1,3})\b(?!\s*(?:tests?|files?|errors?|warnings?|failures?|times?|%|/))",
    re.IGNORECASE,
)
_PASSES = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|clean(?:ly)?|no (?:errors?|issues?|"
    r"failures?|problems?|warnings?)|0 (?:errors?|failed|failures?)|works?|fine)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(r"\b(?:pass(?:es|ed)?|succeed(?:s|ed)?|successful(?:ly)?)\b", re.IGNORECASE)
_FAILS = re.compile(r"\b(?:fail(?:s|ed|ing|ures?)?|red|broken|breaks?|errors?)\b", re.IGNORECASE)
_NOT_FAILING = re.compile(
    r"\b(?:no|0|zero|without) (?:\w+ )?(?:fail\w*|errors?|issues?|problems?)|\bno longer fails?\b", re.IGNORECASE
)
_THEN = re.compile(
    r"\b(?:first|earlier|before|initially|previously|originally|at (?:the )?start|user|ci|upstream|used to|formerly|"
    r"locally|elsewhere|history|yesterday)\b",
    re.IGNORECASE,
)
"""It says how something was at another time or place."""
_TESTS = re.compile(
    r"\b(?:(?:all|the|every|unit|integration|whole|full|existing|new|both|\d+)\s+)+(?:tests?|test suite|suite|specs?)\b"
    r"[^.;,`]{0,25}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b|\b\d+ (?:tests? )?passed\b"
    r"|\ball checks (?:pass(?:es|ed)?|are green)\b|^\W*test suite (?:pass|is green)"
    r"|^\W*tests? (?:all )?(?:pass(?:es|ed)?|(?:are|is) (?:green|passing))\b",
    re.IGNORECASE,
)
_RAN_TESTS = re.compile(r"\bran (?:all )?(?:the )?(?:\w+ )?(?:tests?|test suite)\b", re.IGNORECASE)
_BUILDS = re.compile(
    r"\b(?:the |a )?build (?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?|is green|works)\b", re.IGNORECASE
)
_BUILDISH = re.compile(r"build|compil|make|bundle|webpack|vite|tsc|package|install|pack", re.IGNORECASE)
_TESTISH = re.compile(
    r"test|spec|check|verif|\bci\b|assert|tox|nox|jest|mocha|cypress|playwright|phpunit", re.IGNORECASE
)
_LEADS = re.compile(r"(?:[:(]|\b(?:with|by|via|using))\s*$", re.IGNORECASE)
_RAN_IT = re.compile(r"\b(?:ran|executed|re-?ran)\s+(?:the\s+)?$", re.IGNORECASE)
_RAN = "ran:"
_LINE_OF_MANY = re.compile(r"[|;&]")


def outcomes(clause: str, runs: Runs) -> Iterator[Own]:
    """What is wrong with the clause."""
    told = False
    for command, said in _claims(clause):
        wrong = _judged(command, said, runs)
        if wrong is not None:
            told = True
            yield wrong
    if told or not is_stated(clause) or _THEN.search(clause):
        return
    if (_TESTS.search(clause) or _RAN_TESTS.search(clause)) and not _may_have(runs, _TESTISH):
        yield say("rawr saw no test run in this thread.")
    elif _BUILDS.search(clause) and not _may_have(runs, _BUILDISH):
        yield say("rawr saw no build run in this thread.")


def _claims(clause: str) -> Iterator[tuple[str, str]]:
    """Commands with what is said about each; those in other words than statements are left out."""
    spans = [(one.start(), one.end(), one[1].strip()) for one in _SPAN.finditer(clause) if _may_be_command(one[1])]
    blanked = _SPAN.sub(lambda one: " " * len(one.group()), clause)
    for name in programs_in(blanked):
        at = blanked.lower().find(name)
        if at >= 0:
            spans.append((at, at + len(name), name))
    spans.sort()
    for place, (start, end, command) in enumerate(spans):
        following = spans[place + 1][0] if place + 1 < len(spans) else len(clause)
        before = clause[spans[place - 1][1] if place else 0 : start]
        said = clause[end:following]
        if is_stated(f"{_last_part(before)} {said}") and not _THEN.search(f"{before} {said}"):
            yield command, _result(before, said)


def _may_be_command(span: str) -> bool:
    """Other words in backticks are names, and come between a command and what is said about it."""
    return " " in span.strip() or bool(programs_in(span))


def _result(before: str, said: str) -> str:
    """What says how it went: “`make` passes”, and “passes: `make`”, “it passes (`make`)”, “ran `make`”."""
    if _NUMBER.search(said) or _PASSES.search(said) or _FAILS.search(said):
        return said
    if _LEADS.search(before) and is_stated(before):
        return before
    return f"{_RAN} {said}" if _RAN_IT.search(before) else said


def _last_part(before: str) -> str:
    return re.split(r"[,:;(]", before)[-1]


def _judged(command: str, said: str, runs: Runs) -> Own | None:
    number = _NUMBER.search(said)
    passes = bool(_PASSES.search(said)) and not _FAILS.search(_NOT_FAILING.sub(" ", said))
    merely_ran = said.startswith(_RAN)
    if number is None and not passes and not merely_ran:
        return None
    ran = _of(command, runs)
    if ran is None:
        strongly = number is not None or merely_ran or _STRONG.search(said) is not None
        never = _never_ran(command, runs, strongly=strongly)
        return say("rawr saw no run of {command}.", command=line(command)) if never else None
    if number is None and not passes:
        return None
    claimed = int(number[1]) if number is not None else 0
    if not ran.codes or claimed in (ran.codes[-1:] if claimed == 0 else ran.codes):
        return None
    if bare(ran.command) != bare(command) and _LINE_OF_MANY.search(ran.command.replace("2>&1", "")):
        return None  # the line ran other things too, and its exit code may be theirs
    return say("{command} ended with exit code {code}.", command=line(ran.command), code=ran.codes[-1])


def _of(command: str, runs: Runs) -> Ran | None:
    words = bare(command)
    exact = next((one for one in reversed(runs.newest) if bare(one.command) == words), None)
    return exact or next((one for one in reversed(runs.newest) if words in bare(one.command)), None)


def _never_ran(command: str, runs: Runs, *, strongly: bool) -> bool:
    """Nothing that ran can have been it, or have run it."""
    programs = programs_in(command)
    if programs:
        return not runs.scripts and not set(programs) & set(runs.programs)
    # A word in backticks is often a name. Several, with an exit code or a plain result behind them, are a command.
    return strongly and " " in command.strip() and _is_command(command) and not runs.dropped and not runs.scripts


def _is_command(command: str) -> bool:
    first, _, rest = command.strip().partition(" ")
    return (
        re.fullmatch(r"[a-z][\w./+-]*", first) is not None and re.search(r"(?:^|\s)--?\w|[/.]|^\w+$", rest) is not None
    )


def _may_have(runs: Runs, what: re.Pattern[str]) -> bool:
    ran = (*runs.programs, *(one.command for one in runs.newest))
    return runs.scripts or runs.dropped or any(map(what.search, ran))
