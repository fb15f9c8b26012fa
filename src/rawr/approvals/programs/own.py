"""The shell's own commands that are safe (C10): they print, test, or change only the shell, which exits anyway.

``cd`` is not here: it changes the meaning of every path after it, so ``line`` follows it.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Check, judge, spec

_FORMAT = re.compile(r"(?:[^%]|%%|%[-+ 0#]*\d{0,3}(?:\.\d{1,3})?[sdiuoxXcbqfeg])*", re.DOTALL | re.ASCII)
_CONVERSION = re.compile(r"%(?:%|[^%A-Za-z]*([A-Za-z]))")
_PLAIN_ESCAPES = re.compile(r"(?:[^\\]|\\(?:[abefnrtv\\\"']|033|x1[bB](?![0-9A-Fa-f])))*", re.DOTALL)
"""Others may spell a conversion: zsh reads ``\\u0025d`` as ``%d``."""
_TEXTUAL = frozenset("scbq")
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_SET = re.compile(r"[-+][eux]+|-[eux]*o", re.ASCII)
_SET_NAMES = frozenset({"pipefail", "errexit", "nounset", "xtrace"})
_ONE_FILE_TEXT = "-e -f -d -r -w -x -s -L -h -p -S -b -c"
_ONE_FILE = frozenset(_ONE_FILE_TEXT.split())
_ONE_TEXT = frozenset({"-n", "-z"})
_TWO_TEXTS = frozenset({"=", "==", "!="})
_TWO_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_TWO_FILES = frozenset({"-nt", "-ot", "-ef"})


def _echo(call: Call) -> list[str]:
    return [f"The pattern {shown(word.raw)} lists files; put it in quotes." for word in call.words if word.shape]


def _printf(call: Call) -> list[str]:
    problems = _echo(call)
    words = call.words[1:] if call.texts()[:1] == ("--",) else call.words
    text = words[0].text if words else ""
    # -v and %n set a variable, PATH for example.
    varies = bool(words) and bool(words[0].varying or words[0].once)
    if varies or (text is not None and (text.startswith("-") or not _FORMAT.fullmatch(text))):
        problems.append(f"The format {shown(words[0].raw)} is not known to only print.")
        return problems
    conversions = [found[1] for found in _CONVERSION.finditer(text or "") if found[1]]
    known = _PLAIN_ESCAPES.fullmatch(text or "") is not None
    for at, word in enumerate(words[1:]):
        textual = known and (not conversions or conversions[at % len(conversions)] in _TEXTUAL)
        if not textual and word.text is not None and (word.varying or not _NUMBER.fullmatch(word.text)):
            problems.append(f"{shown(word.raw)} is printed as a number, and zsh would run code in it.")
    return problems


def _set(call: Call) -> list[str]:
    texts = list(call.texts())
    while texts:
        text = texts.pop(0)
        if not _SET.fullmatch(text) or (text.endswith("o") and (not texts or texts.pop(0) not in _SET_NAMES)):
            return [f"`set` with {shown(text)} changes how the line is read."]
    return [] if call.words else ["`set` prints all variables."]


def _test(call: Call) -> list[str]:
    """Split at ``-a`` and ``-o`` and check each part; any other form of test is not safe.

    ``-v`` is left out on purpose: it evaluates the name that it receives.
    """
    texts = list(call.texts())
    if call.name == "[":
        if texts[-1:] != ["]"]:
            return ["A `[` is not closed."]
        texts.pop()
    if any(word.shape or word.once for word in call.words):
        return ["A test has a pattern among its arguments."]
    if any(word.varying for word in call.words) and not _TWO_NUMBERS.isdisjoint(texts):
        return ["A test compares the name of a file as a number."]
    problems: list[str] = []
    part: list[str] = []
    for text in [*texts, "-a"]:
        if text in ("-a", "-o"):
            problems += _part(part, call)
            part = []
        else:
            part.append(text)
    return problems


def _part(part: list[str], call: Call) -> list[str]:
    while part[:1] == ["!"]:
        part = part[1:]
    match part:
        case [one, operator, other] if operator in _TWO_NUMBERS:
            # Some shells evaluate them as arithmetic, which can run commands.
            fine = _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)
            return [] if fine else [f"The test {shown(' '.join(part))} compares values that are not numbers."]
        case _ if _TWO_NUMBERS.intersection(part):
            return [f"The test {shown(' '.join(part))} is not known to be safe."]
        case [option, file] if option in _ONE_FILE:
            return call.places.outside(file, call.folders)
        case [option, _] if option in _ONE_TEXT:
            return []
        case [_, operator, _] if operator in _TWO_TEXTS:
            return []
        case [one, operator, other] if operator in _TWO_FILES:
            return [*call.places.outside(one, call.folders), *call.places.outside(other, call.folders)]
        case [text] if not text.startswith("-"):
            return []
        case _:
            return [f"The test {shown(' '.join(part))} is not known to be safe."]


def _exit(call: Call) -> list[str]:
    if call.words and not (call.words[0].counted or call.texts()[0].isdecimal()):
        return [f"`exit` has the argument {shown(call.words[0].raw)}."]
    return []


def _leave(call: Call) -> list[str]:
    """``break`` and ``continue``, out of one loop."""
    return [f"{shown(call.name)} has an argument."] if call.words else []


_NAMES = spec("-a", operands="text")


def _lookup(call: Call) -> list[str]:
    return judge(call, _NAMES)


OWN: dict[str, Check] = {
    "echo": _echo,
    "printf": _printf,
    "set": _set,
    "test": _test,
    "[": _test,
    "exit": _exit,
    "true": _echo,
    "false": _echo,
    ":": _echo,
    "pwd": lambda call: judge(call, spec("-LP", most=0)),
    "type": _lookup,
    "break": _leave,
    "continue": _leave,
}
"""By name. No program in PATH can replace these; a shell function can."""
