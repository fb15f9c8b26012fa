"""The strict reader's view of a line (C10): simple commands joined by operators, pipes, groups and subshells.

Of the keywords it knows ``if`` and ``for … in``. Any other comes out as a command of that name, which is on no list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.reading.lexer import Stopped
from rawr.approvals.reading.word import Operator, Redirect, Token, Word

MAX_DEPTH = 12

_CLOSING = frozenset({"}", "then", "elif", "else", "fi", "do", "done"})
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=", re.ASCII)


class Simple(Struct, frozen=True):
    words: tuple[Word, ...]
    assignments: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Group(Struct, frozen=True):
    body: Sequence
    subshell: bool
    redirects: tuple[Redirect, ...] = ()


class Branch(Struct, frozen=True):
    """``if``: conditions, each with what follows if it holds, and what follows if none does."""

    cases: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None = None
    redirects: tuple[Redirect, ...] = ()

    @property
    def bodies(self) -> tuple[Sequence, ...]:
        """In the order of the text."""
        cases = tuple(sequence for case in self.cases for sequence in case)
        return cases if self.otherwise is None else (*cases, self.otherwise)


class Loop(Struct, frozen=True):
    """``for``, over words that the line names."""

    name: str
    items: tuple[Word, ...]
    body: Sequence
    redirects: tuple[Redirect, ...] = ()


Part = Simple | Group | Branch | Loop


class Pipeline(Struct, frozen=True):
    parts: tuple[Part, ...]
    negated: bool = False


class Chain(Struct, frozen=True):
    """Pipelines joined by ``&&`` and ``||``."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()


class Sequence(Struct, frozen=True):
    items: tuple[tuple[Chain, bool], ...]
    """Each with True if it runs in the background."""


def structure(tokens: tuple[Token, ...]) -> Sequence:
    """Raise ``Stopped`` if the tokens make no line that is understood."""
    reader = _Reader(tokens)
    sequence = reader.sequence(depth=0)
    if reader.here is not None:
        raise Stopped(f"{shown(_text(reader.here))} is out of place.")
    return sequence


def simple_commands(sequence: Sequence, outer: tuple[Redirect, ...] = ()) -> Iterator[Simple]:
    """In the order of the text, each with its own redirections and then those of the groups around it."""
    for part in _parts(sequence):
        around = (*part.redirects, *outer)
        if isinstance(part, Simple):
            yield Simple(part.words, part.assignments, around)
        for body in bodies(part):
            yield from simple_commands(body, around)


def loops(sequence: Sequence) -> Iterator[Loop]:
    """All of them, wherever they are."""
    for part in _parts(sequence):
        if isinstance(part, Loop):
            yield part
        for body in bodies(part):
            yield from loops(body)


def bodies(part: Part) -> tuple[Sequence, ...]:
    """What is inside of a part."""
    match part:
        case Simple():
            return ()
        case Branch():
            return part.bodies
        case Group() | Loop():
            return (part.body,)


def _parts(sequence: Sequence) -> Iterator[Part]:
    for chain, _ in sequence.items:
        for pipeline in (chain.first, *(later for _, later in chain.rest)):
            yield from pipeline.parts


def is_assignment(word: Word) -> bool:
    return _ASSIGNMENT.match(word.raw) is not None


class _Reader:
    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def here(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def operator(self, *texts: str) -> str | None:
        """Consume and return the operator at this place if it is one of these."""
        here = self.here
        if isinstance(here, Operator) and here.text in texts:
            self.at += 1
            return here.text
        return None

    def bare(self, text: str) -> bool:
        here = self.here
        return isinstance(here, Word) and here.bare == text

    def sequence(self, *, depth: int) -> Sequence:
        if depth > MAX_DEPTH:
            raise Stopped(f"It is nested more than {MAX_DEPTH} levels deep.")
        items: list[tuple[Chain, bool]] = []
        self._newlines()
        while not self._ended():
            chain = self._chain(depth)
            ended = self.operator(";", "&", "\n")
            items.append((chain, ended == "&"))
            if ended is None and not self._ended():
                raise Stopped(f"{shown(self._shown())} is out of place.")
            self._newlines()
        return Sequence(tuple(items))

    def _newlines(self) -> None:
        while self.operator("\n"):
            pass

    def _ended(self) -> bool:
        here = self.here
        if isinstance(here, Word):
            return here.bare in _CLOSING
        return here is None or (isinstance(here, Operator) and here.text == ")")

    def _shown(self) -> str:
        return "" if self.here is None else _text(self.here)

    def _chain(self, depth: int) -> Chain:
        first = self._pipeline(depth)
        rest: list[tuple[str, Pipeline]] = []
        while joined := self.operator("&&", "||"):
            self._newlines()
            rest.append((joined, self._pipeline(depth)))
        return Chain(first, tuple(rest))

    def _pipeline(self, depth: int) -> Pipeline:
        negated = self.bare("!")
        self.at += negated
        parts = [self._part(depth)]
        while self.operator("|", "|&"):
            self._newlines()
            parts.append(self._part(depth))
        return Pipeline(tuple(parts), negated)

    def _part(self, depth: int) -> Part:
        if self._keyword("if"):
            return self._branch(depth)
        if self._keyword("for"):
            return self._loop(depth)
        if self.bare("while") or self.bare("until"):
            raise Stopped(f"A {shown(self._shown())} loop may never end.")
        if self.operator("("):
            body = self.sequence(depth=depth + 1)
            if not self.operator(")"):
                raise Stopped("A subshell is not closed.")
            return self._group(body, subshell=True)
        if self._keyword("{"):
            body = self.sequence(depth=depth + 1)
            if not self._keyword("}"):
                raise Stopped("A group is not closed.")
            return self._group(body, subshell=False)
        return self._simple()

    def _keyword(self, text: str) -> bool:
        """Consume the keyword at this place if it is this one."""
        found = self.bare(text)
        self.at += found
        return found

    def _body(self, depth: int, *ends: str) -> Sequence:
        """What is between two keywords; the second is consumed."""
        body = self.sequence(depth=depth + 1)
        if not body.items:
            raise Stopped("A part of an `if` or a `for` is empty.")
        if not any(self._keyword(end) for end in ends):
            raise Stopped(f"{shown(ends[0])} is missing.")
        return body

    def _branch(self, depth: int) -> Branch:
        cases: list[tuple[Sequence, Sequence]] = []
        otherwise: Sequence | None = None
        while otherwise is None:
            condition = self._body(depth, "then")
            cases.append((condition, self._body(depth, "fi", "else", "elif")))
            ended = self._before()
            if ended == "else":
                otherwise = self._body(depth, "fi")
            elif ended == "fi":
                break
        return Branch(tuple(cases), otherwise, self._redirects())

    def _loop(self, depth: int) -> Loop:
        name = self.here
        if not isinstance(name, Word) or not _NAME.fullmatch(name.bare):
            raise Stopped("A `for` has no plain variable.")
        self.at += 1
        if not self._keyword("in"):
            raise Stopped("A `for` names nothing that it goes through.")
        items: list[Word] = []
        while isinstance(here := self.here, Word):
            items.append(here)
            self.at += 1
        if not items or not self.operator(";", "\n"):
            raise Stopped("A `for` names nothing that it goes through.")
        self._newlines()
        if not self._keyword("do"):
            raise Stopped("`do` is missing.")
        return Loop(name.bare, tuple(items), self._body(depth, "done"), self._redirects())

    def _before(self) -> str:
        token = self.tokens[self.at - 1]
        return token.bare if isinstance(token, Word) else ""

    def _group(self, body: Sequence, *, subshell: bool) -> Group:
        if not body.items:
            raise Stopped("A group is empty.")
        return Group(body, subshell, self._redirects())

    def _redirects(self) -> tuple[Redirect, ...]:
        redirects: list[Redirect] = []
        while isinstance(here := self.here, Redirect):
            redirects.append(here)
            self.at += 1
        return tuple(redirects)

    def _simple(self) -> Simple:
        words: list[Word] = []
        assignments: list[Word] = []
        redirects: list[Redirect] = []
        while isinstance(here := self.here, Word | Redirect):
            if isinstance(here, Redirect):
                redirects.append(here)
            elif not words and is_assignment(here):
                assignments.append(here)
            else:
                words.append(here)
            self.at += 1
        if not (words or assignments or redirects):
            raise Stopped(
                "A command is missing." if self.here is None else f"{shown(_text(self.here))} is out of place."
            )
        return Simple(tuple(words), tuple(assignments), tuple(redirects))


def _text(token: Token) -> str:
    match token:
        case Operator():
            return token.text
        case Redirect():
            return token.operator
        case Word():
            return token.raw
