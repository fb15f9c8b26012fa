"""Read a program's arguments by a list of what it may have (C10).

Everything is named: an option that is not on a program's list is not safe, nor is an abbreviated one. So it never
matters what else a program can be made to do.

Programs read the same words in different ways. GNU's accept options after operands, others do not; some join letters,
some do not; ``-w 80`` is an option with a value here and a flag with a file there. So words are read in every possible
way, and must be safe in each.
"""

import re
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.costs import costly_expression, costly_pattern, costly_width
from rawr.approvals.reading.globs import expand
from rawr.approvals.reading.word import Word

Kind = Literal["text", "word", "read", "named", "number", "width", "regex", "glob"]
"""What an argument is: text for the program itself, text that another version of the program may take for a file to
read, a file that it reads, a file of which it only shows the name and the like, a number, a number of columns, a
regular expression, a pattern for names."""

Joins = Literal["getopt", "flags", "none"]
"""Which letters may share a dash. ``getopt``: ``-abn5``, as in nearly all programs. ``flags``: ``-abn 5``, with nothing
after the letter that takes a value, for programs that always take values from the following words. ``none``: one
letter, with an optional value after it, for programs that look at the first letter only."""

_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|\d+(?:\.\d+)?[A-Za-z%]{0,3})", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)


class Call(Struct, frozen=True):
    """One program with its arguments, in the places where it would run."""

    name: str
    words: tuple[Word, ...]
    """The arguments, without the name."""
    places: Places
    folders: Folders

    def texts(self) -> tuple[str, ...]:
        return tuple(word.text or "" for word in self.words)


Check = Callable[[Call], list[str]]
"""Returns why a call is not safe; an empty list if it is."""


class Spec(Struct, frozen=True, kw_only=True):
    flags: frozenset[str] = frozenset()
    values: dict[str, Kind] = {}
    optional: frozenset[str] = frozenset()
    """Long options that may have ``=text``, short ones that may have text right after the letter."""
    lettered: frozenset[str] = frozenset()
    """Short options whose value may begin with a letter right after them. For all others, one program may read ``-Xab``
    as three flags and another as one option."""
    first: tuple[Kind, ...] = ()
    """The kinds of the first operands, if they differ from the rest."""
    operands: Kind = "read"
    most: int | None = None
    """The largest number of operands; a program may write to an extra one."""
    numeric: bool = False
    """``-20`` is an option."""
    joins: Joins = "getopt"
    replaces_first: frozenset[str] = frozenset()
    """Options that replace the first operand, as ``-e`` replaces a pattern."""
    checks: Mapping[str, Callable[[str], list[str]]] = {}
    """Checks of the values of options; each returns what is wrong."""
    dashed: frozenset[str] = frozenset()
    """Options of which it is certain that the program takes the next word for their value, even one with a dash."""


def spec(
    flags: str = "",
    *,
    text: str = "",
    word: str = "",
    read: str = "",
    number: str = "",
    width: str = "",
    regex: str = "",
    glob: str = "",
    optional: str = "",
    lettered: str = "",
    first: tuple[Kind, ...] = (),
    operands: Kind = "read",
    most: int | None = None,
    numeric: bool = False,
    joins: Joins = "getopt",
    replaces_first: str = "",
    checks: Mapping[str, Callable[[str], list[str]]] | None = None,
) -> Spec:
    """A list in short form: options as words, and ``-abc`` for three flags of one letter."""
    kinds: tuple[tuple[Kind, str], ...] = (
        ("text", text),
        ("word", word),
        ("read", read),
        ("number", number),
        ("width", width),
        ("regex", regex),
        ("glob", glob),
    )
    return Spec(
        flags=frozenset(single for one in flags.split() for single in _singles(one)),
        values={option: kind for kind, words in kinds for one in words.split() for option in _singles(one)},
        optional=frozenset(single for one in optional.split() for single in _singles(one)),
        lettered=frozenset(single for one in lettered.split() for single in _singles(one)),
        first=first,
        operands=operands,
        most=most,
        numeric=numeric,
        joins=joins,
        replaces_first=frozenset(replaces_first.split()),
        checks=checks or {},
    )


def _singles(word: str) -> list[str]:
    return [word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]]


class Read(Struct, frozen=True):
    given: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]
    problems: tuple[str, ...]

    def has(self, *options: str) -> bool:
        return any(option in options for option, _ in self.given)


def judge(call: Call, allowed: Spec) -> list[str]:
    """Why a call goes beyond its list."""
    problems = [problem for read in readings(call, allowed) for problem in _beyond(read, call, allowed)]
    return list(dict.fromkeys(problems))


def readings(call: Call, allowed: Spec) -> tuple[Read, ...]:
    """The ways to read the words: with options in any order, and with all of them before the first operand."""
    mixed, ordered = _read(call, allowed, ordered=False), _read(call, allowed, ordered=True)
    return (mixed,) if mixed == ordered else (mixed, ordered)


def _read(call: Call, allowed: Spec, *, ordered: bool) -> Read:
    reader = _Reader(call, allowed, ordered=ordered)
    reader.run()
    return Read(tuple(reader.given), tuple(reader.operands), tuple(reader.problems))


def _beyond(read: Read, call: Call, allowed: Spec) -> list[str]:
    problems = list(read.problems)
    for option, value in read.given:
        if value is not None:
            problems += _unsafe(value, allowed.values.get(option, "text"), call=call)
            if option in allowed.checks and value.text is not None:
                problems += allowed.checks[option](value.text)
    kinds = () if read.has(*allowed.replaces_first) else allowed.first
    for at, operand in enumerate(read.operands):
        kind = kinds[at] if at < len(kinds) else allowed.operands
        problems += _unsafe(operand, kind, call=call)
    if allowed.most is not None:
        if len(read.operands) > allowed.most:
            problems.append(f"{shown(call.name)} has more than {allowed.most} arguments.")
        problems += [
            f"The pattern {shown(operand.raw)} may match more than what {shown(call.name)} only reads."
            for operand in read.operands
            if operand.shape
        ]
    return problems


class _Reader:
    def __init__(self, call: Call, allowed: Spec, *, ordered: bool) -> None:
        self.call = call
        self.allowed = allowed
        self.ordered = ordered
        self.words = list(call.words)
        self.given: list[tuple[str, Word | None]] = []
        self.operands: list[Word] = []
        self.problems: list[str] = []

    def run(self) -> None:
        while self.words:
            word = self.words.pop(0)
            text = word.text
            if text is None or not text.startswith("-") or text == "-":
                self.operands.append(word)
                if self.ordered:
                    self.operands += self.words
                    return
            elif word.shape or word.counted:
                self.problems.append(f"The option {shown(word.raw)} is not known.")
            elif text == "--":
                self._rest()
                return
            elif text in self.allowed.flags or text in self.allowed.optional:
                self.given.append((text, None))
            elif text in self.allowed.values:
                self._value(text)
            elif text.startswith("--"):
                self._long(word, text)
            else:
                self._short(word, text)

    def _rest(self) -> None:
        """What follows ``--``. Not all programs with their own option parsing know it."""
        for word in self.words:
            if self.allowed.joins != "getopt" and (word.text or "").startswith("-") and word.text != "-":
                self.problems.append(f"{shown(word.raw)} looks like an option.")
        self.operands += self.words

    def _value(self, option: str) -> None:
        if not self.words:  # the program fails, or has a default
            self.given.append((option, None))
            return
        value = self.words.pop(0)
        text = value.text or ""
        # If a program does not take it as a value after all, it must not be an option either.
        is_number = self.allowed.values[option] in ("number", "width") and _NUMBER.fullmatch(text)
        known = is_number or option in self.allowed.dashed
        if text.startswith("-") and text != "-" and not known:
            self.problems.append(
                f"The option {shown(option)} has the value {shown(value.raw)}, which looks like an option."
            )
        self.given.append((option, value))

    def _long(self, word: Word, text: str) -> None:
        name, equals, value = text.partition("=")
        if equals and (name in self.allowed.values or name in self.allowed.optional):
            self.given.append((name, Word(value, word.at, word.raw)))
        else:
            self._refuse(name)

    def _short(self, word: Word, text: str) -> None:
        """``-abn5`` is ``-a -b -n 5``."""
        letters = text[1:]
        if self.allowed.numeric and _DIGITS.fullmatch(letters):
            return
        for at, letter in enumerate(letters):
            option, rest = f"-{letter}", letters[at + 1 :]
            takes = option in self.allowed.values or (option in self.allowed.optional and rest != "")
            if not self._may_join(option, rest, at, takes=takes):
                self.problems.append(f"{shown(self.call.name)} may read {shown(text)} in more than one way.")
                return
            if takes and rest:
                self.given.append((option, Word(rest, word.at, word.raw)))
                return
            if takes:
                self._value(option)
                return
            if option not in self.allowed.flags and option not in self.allowed.optional:
                self._refuse(option if len(text) == 2 or letter.isalpha() else text)
                return
            self.given.append((option, None))

    def _may_join(self, option: str, rest: str, at: int, *, takes: bool) -> bool:
        """Return True if every program with these options splits the letters here as we do."""
        if self.allowed.joins == "none" and (at > 0 or (rest and not takes)):
            return False
        if not takes:
            return True
        if self.allowed.joins == "flags":
            return not rest
        return not rest[:1].isalpha() or (at == 0 and option in self.allowed.lettered)

    def _refuse(self, option: str) -> None:
        self.problems.append(f"{shown(self.call.name)} with {shown(option)} is not known to be safe.")


def _unsafe(word: Word, kind: Kind, *, call: Call) -> list[str]:
    text = word.text
    if text is None:
        return []  # another problem already says why it is unknown
    if kind in ("read", "named"):
        if word.counted:
            return [f"{shown(word.raw)} is not a known path."]
        if word.shape:
            return expand(word, call.places, call.folders, read=kind == "read")[1]
        look = call.places.unreadable if kind == "read" else call.places.outside
        return look(text, call.folders)
    if word.shape:
        return [f"The pattern {shown(word.raw)} may stand for any number of words."]
    if kind in ("number", "width") and not _NUMBER.fullmatch(text):
        return [f"{shown(text)} is not a number."]
    problems = _COSTS[kind](text) if kind in _COSTS else []
    # Some versions take these as a file name.
    return problems + (call.places.unreadable(text, call.folders) if kind in ("word", "number", "width") else [])


_COSTS: dict[Kind, Callable[[str], list[str]]] = {
    "width": costly_width,
    "regex": costly_expression,
    "glob": costly_pattern,
}
