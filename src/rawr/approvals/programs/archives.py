"""``tar`` and ``unzip`` when they only list an archive (C10).

Both parse their arguments in unusual ways: tar's first word may be letters without a dash, whose values are the words
that follow; unzip's options count only before the archive. So the allowed forms are spelled out.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.reading.word import Word

_LIST_FIRST = re.compile(r"[tvzjJ]*f")
"""Letters without a dash, of which one takes a value, so their order does not matter."""
_LIST = re.compile(r"-[tvzjJ]+|--list|--verbose")
_LIST_OF = re.compile(r"-[tvzjJ]*f|--file")
_ENTRIES = re.compile(r"-q*l[lqv]*|-v")
_ENTRIES_INFO = re.compile(r"-Z[1smlh]?")
_EXPANDED = frozenset("*?[]\\")


def judge_tar(call: Call) -> list[str]:
    """``tar tf x`` and ``tar -tvf x``, optionally followed by names in the archive."""
    words = list(call.words)
    letters: list[str] = []
    if words and _LIST_FIRST.fullmatch(_text(words[0])):
        letters.append(_text(words[0]))
    else:
        while words and _LIST.fullmatch(_text(words[0])):
            letters.append(_text(words.pop(0)))
        if not words or not _LIST_OF.fullmatch(_text(words[0])):
            return ["`tar` is not known to only list an archive here."]
        letters.append(_text(words[0]))
    if not any("t" in one for one in letters):
        return ["`tar` without `-t` writes files."]
    return _archive(words[1:], call)


def judge_unzip(call: Call) -> list[str]:
    words = list(call.words)
    option = _text(words[0]) if words else ""
    if not (_ENTRIES.fullmatch(option) or _ENTRIES_INFO.fullmatch(option)):
        return ["`unzip` without `-l` before the archive writes files."]
    problems = _archive(words[1:], call)
    for ending in (".zip", ".ZIP") if len(words) > 1 else ():
        problems += call.places.unreadable(_text(words[1]) + ending, call.folders)
    return problems


def _archive(words: list[Word], call: Call) -> list[str]:
    """An archive, and names in it."""
    if not words:
        return [f"{shown(call.name)} has no archive to list."]
    problems: list[str] = []
    for word in words:
        if word.shape or word.counted:
            problems.append(f"The pattern {shown(word.raw)} may stand for any number of words.")
        if _text(word).startswith("-"):
            problems.append(f"{shown(call.name)} with {shown(word.raw)} after what it lists is not known to be safe.")
    name = _text(words[0])
    if ":" in name:
        problems.append("A name with a colon may be on another machine.")
    if _EXPANDED.intersection(name):
        problems.append(f"{shown(call.name)} may take {shown(name)} for a pattern.")
    return problems + call.places.unreadable(name, call.folders)


def _text(word: Word) -> str:
    return word.text or ""
