"""One verb of a program: the words that may follow it, and how to tell if a call keeps to them (C10).

The arguments are read by ``programs.arguments``: an option that is not listed, or is abbreviated, is not opened.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.places import Places
from rawr.approvals.programs.arguments import Call, Read, Spec, readings
from rawr.approvals.reading.globs import expand
from rawr.approvals.reading.word import Word
from rawr.approvals.surroundings import Surroundings

Style = Literal["gnu", "ordered", "words", "passed"]
"""``gnu``: options anywhere. ``ordered``: none after the first operand. ``words``: ``-name`` is one, as in Go.
``passed``: all of it goes to another program, as if behind ``--``."""

_AS = {"gnu": 0, "ordered": -1, "words": 0, "passed": 0}
_NOWHERE = Places(workspace=Path("/"), around=Surroundings(home=Path("/")))
"""Reading the words looks at no files."""


class Kind(Struct, frozen=True):
    """What an operand, or the value of an option, has to be."""

    name: str
    """As in "opens … with a NAME"."""
    check: Callable[[str, Call], list[str]]
    files: bool = False
    """A pattern may stand for several of them."""
    free: bool = False
    """It may look like an option."""


class Verb(Struct, frozen=True, kw_only=True):
    words: tuple[str, ...]
    """The program, and the subcommand if it has any."""
    flags: frozenset[str] = frozenset()
    values: Mapping[str, Kind] = {}
    optional: Mapping[str, Kind] = {}
    """Options that may have ``=value``."""
    named: frozenset[str] = frozenset()
    """Options that do more than people expect of the verb, such as ``--force``, or ``-c`` of an interpreter: only for a
    rule that has them."""
    first: tuple[Kind, ...] = ()
    operands: Kind | None = None
    """Of all operands after the first ones; None: there may be no more."""
    tail: Kind | None = None
    """What may follow ``--``, options included, if that goes to another program."""
    style: Style = "gnu"
    project: bool = False
    """It runs the workspace's own files by nature, so its words say little about what happens."""
    narrow: bool = False
    """A rule that has operands opens those and no others: ``make check`` is not ``make deploy``."""
    git: bool = False
    """It runs git here, so the repository counts too."""
    edits: Callable[[Read], bool] | None = None
    """Whether it may open an editor. At a terminal, the agent could type there, outside of its sandbox."""
    further: Callable[[Read, Call], list[str]] | None = None

    @property
    def name(self) -> str:
        return " ".join(self.words)


class Given(Struct, frozen=True):
    """The words behind a verb, read."""

    read: Read
    tail: tuple[Word, ...] = ()


def read_words(verb: Verb, words: tuple[Word, ...]) -> Given:
    """Read the words behind the verb."""
    tail: tuple[Word, ...] = ()
    if verb.style == "passed":
        tail = words[1:] if words and words[0].text == "--" else words
        words = ()
    elif verb.tail is not None:
        at = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
        words, tail = words[:at], words[at + 1 :]
    if verb.style == "words":
        words = tuple(map(_double, words))
    inner = Call(verb.name, words, _NOWHERE, frozenset())
    return Given(readings(inner, _spec(verb))[_AS[verb.style]], tail)


def beyond(verb: Verb, call: Call, own: Given, *, edited: bool = False) -> list[str]:
    """Why a call does more than the verb is opened for. ``own``: the words behind the verb that the rule itself has.
    ``edited``: the line says that the editor is one that does nothing."""
    given = read_words(verb, call.words)
    problems = list(given.read.problems)
    meant = {(option, value.text if value else None) for option, value in own.read.given}
    for option, value in given.read.given:
        text = value.text if value is not None else None
        if (option, text) in meant:
            continue
        if option in verb.named and all(option != one for one, _ in own.read.given):
            problems.append(f"{shown(verb.name)} with {shown(option)} needs a rule that has it.")
        kind = verb.values.get(option) or verb.optional.get(option)
        if value is not None and kind is not None:
            problems += _unfit(value, kind, call, f"The value of {shown(option)}")
    problems += _operands(verb, given, own, call)
    if verb.edits is not None and not edited and verb.edits(given.read):
        problems.append(f"{shown(verb.name)} may open an editor here: give the text in the line.")
    if verb.further is not None:
        problems += verb.further(given.read, call)
    return list(dict.fromkeys(problems))


def _operands(verb: Verb, given: Given, own: Given, call: Call) -> list[str]:
    problems: list[str] = []
    for at, operand in enumerate(given.read.operands):
        if at < len(own.read.operands) and own.read.operands[at].text == operand.text:
            continue
        kind = verb.first[at] if at < len(verb.first) else verb.operands
        kind = None if verb.narrow and own.read.operands else kind
        if kind is None:
            problems.append(f"{shown(verb.name)} with {shown(operand.raw)} is more than the rule opens.")
        else:
            problems += _unfit(operand, kind, call, shown(operand.raw))
    for at, word in enumerate(given.tail):
        if verb.tail is not None and not (at < len(own.tail) and own.tail[at].text == word.text):
            problems += _unfit(word, verb.tail, call, shown(word.raw))
    return problems


def _unfit(word: Word, kind: Kind, call: Call, what: str) -> list[str]:
    text = word.text
    if text is None:
        return []  # another problem already says why it is unknown
    if word.counted:
        return [f"It is not known what {shown(word.raw)} is."]
    if not word.shape:
        return kind.check(text, call)
    if not kind.files:
        return [f"{what} is a pattern, which may stand for any number of words."]
    paths, problems = expand(word, call.places, call.folders)
    return problems + [problem for path in paths for problem in kind.check(path, call)]


def _spec(verb: Verb) -> Spec:
    options = {**verb.values}
    return Spec(
        flags=verb.flags | (verb.named - options.keys()),
        values=dict.fromkeys(options, "text"),
        optional=frozenset(verb.optional),
        lettered=frozenset(one for one in (*options, *verb.optional) if not one.startswith("--")),
        dashed=frozenset(one for one, kind in options.items() if kind.free),
        operands="text",
    )


def _double(word: Word) -> Word:
    text = word.text
    if text is None or not text.startswith("-") or text.startswith("--") or len(text) < 3:
        return word
    return Word(f"-{text}", word.at, word.raw, quoted=word.quoted, shape=word.shape and f"-{word.shape}",
                counted=word.counted)  # fmt: skip


# -- tables ------------------------------------------------------------------------------------------------------------


def verb(
    words: str,
    flags: str = "",
    *,
    values: Mapping[Kind, str] | None = None,
    optional: Mapping[Kind, str] | None = None,
    named: str = "",
    first: tuple[Kind, ...] = (),
    operands: Kind | None = None,
    tail: Kind | None = None,
    style: Style = "gnu",
    project: bool = False,
    narrow: bool = False,
    git: bool = False,
    edits: Callable[[Read], bool] | None = None,
    further: Callable[[Read, Call], list[str]] | None = None,
) -> Verb:
    """A verb in short form: options as words, ``-abc`` for three of one letter, and values by their kind."""
    return Verb(
        words=tuple(words.split()),
        flags=_options(flags),
        values={one: kind for kind, given in (values or {}).items() for one in _options(given)},
        optional={one: kind for kind, given in (optional or {}).items() for one in _options(given)},
        named=_options(named),
        first=first,
        operands=operands,
        tail=tail,
        style=style,
        project=project,
        narrow=narrow,
        git=git,
        edits=edits,
        further=further,
    )


def _options(text: str) -> frozenset[str]:
    singles = (
        [word] if word.startswith("--") else [f"-{letter}" for letter in word.removeprefix("-")]
        for word in text.split()
    )
    return frozenset(one for many in singles for one in many)


def unless(*options: str) -> Callable[[Read], bool]:
    """Return True for a call with none of these options."""
    return lambda read: not read.has(*options)


def with_words(words: str, like: Verb, **changes: object) -> Verb:
    """Another name for the same verb."""
    fields = {name: getattr(like, name) for name in like.__struct_fields__}
    return Verb(**{**fields, **changes, "words": tuple(words.split())})
