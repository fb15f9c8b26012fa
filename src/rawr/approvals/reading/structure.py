"""The strict reader's view of a line (C10): simple commands joined by operators, pipes, groups and subshells.

No keywords: a loop or a branch comes out as commands called ``for`` or ``if``, which are on no list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.reading.lexer import Operator, Redirect, Stopped, Token, Word

MAX_DEPTH = 12

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=", re.ASCII)


class Simple(Struct, frozen=True):
    words: tuple[Word, ...]
    assignments: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Group(Struct, frozen=True):
    body: Sequence
    subshell: bool
    redirects: tuple[Redirect, ...] = ()


class Pipeline(Struct, frozen=True):
    parts: tuple[Simple | Group, ...]
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
    for chain, _ in sequence.items:
        for pipeline in (chain.first, *(later for _, later in chain.rest)):
            for part in pipeline.parts:
                if isinstance(part, Group):
                    yield from simple_commands(part.body, (*part.redirects, *outer))
                else:
                    yield Simple(part.words, part.assignments, (*part.redirects, *outer))


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
        return here is None or self.bare("}") or (isinstance(here, Operator) and here.text == ")")

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

    def _part(self, depth: int) -> Simple | Group:
        if self.operator("("):
            body = self.sequence(depth=depth + 1)
            if not self.operator(")"):
                raise Stopped("A subshell is not closed.")
            return self._group(body, subshell=True)
        if self.bare("{"):
            self.at += 1
            body = self.sequence(depth=depth + 1)
            if not self.bare("}"):
                raise Stopped("A group is not closed.")
            self.at += 1
            return self._group(body, subshell=False)
        return self._simple()

    def _group(self, body: Sequence, *, subshell: bool) -> Group:
        if not body.items:
            raise Stopped("A group is empty.")
        redirects: list[Redirect] = []
        while isinstance(here := self.here, Redirect):
            redirects.append(here)
            self.at += 1
        return Group(body, subshell, tuple(redirects))

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
