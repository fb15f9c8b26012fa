"""``find`` when it only looks (C10): its tests are on a list; actions that run, delete or write are not."""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.programs.costs import costly_expression, costly_format, costly_pattern
from rawr.approvals.reading.globs import expand
from rawr.approvals.reading.wildcards import matches
from rawr.approvals.reading.word import Word

_ALONE_TEXT = (
    "( ) ! , -a -o -and -or -not -print -print0 -prune -quit -empty -true -false -readable -writable -executable "
    "-depth -d -xdev -mount -daystart -ls -nouser -nogroup -noleaf -P"
)
_ALONE = frozenset(_ALONE_TEXT.split())
_WITH_TEXT_TEXT = (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size "
    "-mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -newermt -printf -lname"
)
_WITH_TEXT = frozenset(_WITH_TEXT_TEXT.split())
_BELOW = re.compile(r"-[0-9]+(?:\.[0-9]+)?[A-Za-z]?|-[ugoa]*[+=][rwxst]+(?:,[ugoa]*[+=][rwxst]+)*")
"""Less than an amount; at least these permissions."""
_COSTS = {
    **dict.fromkeys(("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname"), costly_pattern),
    **dict.fromkeys(("-regex", "-iregex"), costly_expression),
    "-printf": costly_format,
}
_ACTS = ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-files0-from")
"""They run or write. A pattern without quotes that a file of such a name matches is one of them."""
_WITH_FILE = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})


def may_act(pattern: str) -> bool:
    """Return True if a file that a pattern matches could be taken for an action. Odd brackets may match anything."""
    return any(letter in pattern for letter in "[]") or any(matches(pattern, action) for action in _ACTS)


def judge_find(call: Call) -> list[str]:
    problems: list[str] = []
    words = list(call.words)
    while words and not _begins_expression(words[0]):
        problems += _start(words.pop(0), call)
    while words:
        word = words.pop(0)
        text = word.text
        if text is None:
            continue
        if word.shape or word.counted:
            problems.append(f"The pattern {shown(word.raw)} may stand for any number of words.")
        elif text in _WITH_TEXT or text in _WITH_FILE:
            problems += _value(text, words, call)
        elif text not in _ALONE:
            problems.append(f"`find` with {shown(text)} is not known to be safe.")
    return problems


def _begins_expression(word: Word) -> bool:
    text = word.text or ""
    return text.startswith("-") or text in ("(", ")", "!", ",")


def _start(word: Word, call: Call) -> list[str]:
    if word.counted:
        return ["A path is not known."]
    if word.shape:
        return expand(word, call.places, call.folders, read=False)[1]
    return [] if word.text is None else call.places.outside(word.text, call.folders)


def _value(option: str, words: list[Word], call: Call) -> list[str]:
    if not words:
        return [f"The option {shown(option)} has no value."]
    value = words.pop(0)
    if (value.text or "").startswith("-") and not _BELOW.fullmatch(value.text or ""):
        return [f"The option {shown(option)} has the value {shown(value.raw)}, which looks like an option."]
    if value.shape:
        return [f"The pattern {shown(value.raw)} may stand for any number of words; put it in quotes."]
    if value.text is None:
        return []
    if option in _WITH_TEXT:
        return _COSTS[option](value.text) if option in _COSTS else []
    return call.places.outside(value.text, call.folders)
