"""Simple commands as they are in the tree, and what they run in turn (B6).

Between the structure (``walk``) and the letters (``words``): reads the words of a command, accounts for the bytes,
unwraps wrappers. Knows no control flow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rawr.observe.shell import wrappers
from rawr.observe.shell.context import MAX_NESTING, Context, Gathered
from rawr.observe.shell.coverage import Coverage, next_beginning, quoted
from rawr.observe.shell.heredocs import substituted_code
from rawr.observe.shell.simple_command import Assignment, Redirect, SimpleCommand
from rawr.observe.shell.syntax import Syntax
from rawr.observe.shell.words import Lexed, RawRedirect, Word, read_command

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSIGNMENT = re.compile(rb"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=")
_RESERVED = frozenset(
    {b"then", b"fi", b"do", b"done", b"esac", b"elif", b"else", b"}", b"{", b"if", b"while", b"until", b"case", b"for"}
)
_EXPANDS = (b"$", b"`", b"\\")


class WalkCode(Protocol):
    def __call__(self, code: bytes, context: Context, *, gathered: Gathered, home: bytes | None) -> None: ...


class Leaves:
    def __init__(
        self,
        syntax: Syntax,
        *,
        gathered: Gathered,
        home: bytes | None,
        whole: Callable[[Node, Context], None],
        walk_code: WalkCode,
    ) -> None:
        self.syntax = syntax
        self.source = syntax.source
        self.gathered = gathered
        self.home = home
        self.coverage = Coverage(syntax.source, gathered)
        self._whole = whole
        self._walk_code = walk_code
        self._end: int | None = None

    @contextmanager
    def until(self, end: int) -> Iterator[None]:
        """Inside a substitution, no command extends beyond it."""
        before, self._end = self._end, end
        yield
        self._end = before

    def simple(self, start: int, context: Context) -> None:
        lexed = self._lexed(start)
        if lexed.end == start:
            self.gathered.problem(f"no command at byte {start}: {quoted(self.source[start:])}")
            return
        self._read(lexed, start, context)
        words = list(lexed.words)
        assignments: list[Assignment] = []
        while words and (match := _ASSIGNMENT.match(self.source, words[0].start, words[0].end)):
            value = words.pop(0).value
            text = None if value is None else _text(value[match.end() - match.start() :])
            assignments.append(Assignment(_text(match[1]), text))
        if words and self.source[words[0].start : words[0].end] in _RESERVED:
            self.gathered.problem(f"a keyword out of place at byte {words[0].start}")
        context = context.replaced(redirects=(*self._redirects(lexed), *context.redirects))
        assigns = frozenset(at for at, word in enumerate(words) if _ASSIGNMENT.match(word.beginning))
        self.add(tuple(map(_value, words)), context, assignments=tuple(assignments), assigns=assigns)

    def redirected(self, end: int, context: Context) -> Context:
        """The redirections after a group apply to everything in it."""
        lexed = self._lexed(end)
        if lexed.words or not lexed.redirects:
            return context
        self._read(lexed, end, context)
        return context.replaced(redirects=(*self._redirects(lexed), *context.redirects))

    def leftovers(self, context: Context) -> None:
        """List commands in text that was not understood as possible; the line is incomplete already."""
        left = self.coverage.left()
        at = next_beginning(left, 0)
        while at is not None and not self.gathered.full:
            lexed = read_command(left, at, nested={})
            if lexed.words:
                self.add(tuple(map(_value, lexed.words)), context.maybe())
            at = next_beginning(left, max(lexed.end, at + 1))

    def add(
        self,
        words: wrappers.Words,
        context: Context,
        *,
        assignments: tuple[Assignment, ...] = (),
        assigns: frozenset[int] = frozenset(),
        more_words: bool = False,
    ) -> None:
        self.gathered.add(
            SimpleCommand(
                words=words,
                assignments=assignments,
                redirects=context.redirects,
                certain=context.certain,
                within=context.within,
                function=context.function,
                scope=context.scope,
                moves=context.moves,
                more_words=more_words,
            )
        )
        if context.depth > MAX_NESTING:
            self.gathered.problem(f"nested more than {MAX_NESTING} levels deep")
            return
        for run in wrappers.unwrap(words, redirects=context.redirects, assigns=assigns):
            self._run(run, context.deeper(), outer=words, assigns=assigns)
        self.gathered.after(words, context.scope)

    def _run(self, run: wrappers.Runs, context: Context, *, outer: wrappers.Words, assigns: frozenset[int]) -> None:
        certain = context.certain and run.certain
        if isinstance(run, wrappers.RunsWords):
            scope = None if wrappers.shares_shell(outer) else self.gathered.new_scope()
            inner = context.inside(run.within, scope).replaced(certain=certain, moves=run.moves)
            gone = len(outer) - len(run.words)
            left = frozenset(at - gone for at in assigns) if outer[gone:] == run.words else frozenset[int]()
            self.add(run.words, inner, assignments=run.assignments, assigns=left, more_words=run.more_words)
            return
        inner = context.inside(run.within, self.gathered.new_scope() if run.own_shell else None)
        if run.code is None:
            self.gathered.problem(f"{wrappers.program(outer[0])} runs shell code that is not known")
            return
        if run.errexit:
            self.gathered.stopped.add(inner.scope)
        code = run.code.encode("utf-8", "surrogateescape")
        self._walk_code(code, inner.replaced(certain=certain, redirects=()), gathered=self.gathered, home=self.home)

    def _lexed(self, start: int) -> Lexed:
        return read_command(self.source, start, nested=self.syntax.ends, end=self._end, home=self.home)

    def _read(self, lexed: Lexed, start: int, context: Context) -> None:
        """Account for what was read, and visit what is nested in it."""
        if lexed.problem:
            self.gathered.problem(lexed.problem)
        at = start
        for jump in lexed.jumped:
            self.coverage.read(at, jump)
            self._whole(self.syntax.nested[jump], context)
            at = self.syntax.ends[jump]
        self.coverage.read(at, lexed.end)
        for redirect in lexed.redirects:
            heredoc = self.syntax.heredocs.get(redirect.start + len(redirect.descriptor))
            if heredoc is not None and not heredoc.quoted and (b"$" in heredoc.text or b"`" in heredoc.text):
                self._inside_heredoc(heredoc.text, context)

    def _inside_heredoc(self, text: bytes, context: Context) -> None:
        codes, all_found = substituted_code(text)
        if not all_found:
            self.gathered.problem("a here-document whose substitutions are not understood")
        for code in codes:
            inner = context.deeper().inside("substitution", self.gathered.new_scope()).replaced(redirects=())
            self._walk_code(code, inner, gathered=self.gathered, home=self.home)

    def _redirects(self, lexed: Lexed) -> tuple[Redirect, ...]:
        return tuple(self._redirect(redirect) for redirect in lexed.redirects)

    def _redirect(self, raw: RawRedirect) -> Redirect:
        target = None if raw.target is None else _value(raw.target)
        text = f"{target}\n" if raw.operator == b"<<<" and target is not None else None
        heredoc = self.syntax.heredocs.get(raw.start + len(raw.descriptor))
        if heredoc is not None and (heredoc.quoted or not any(mark in heredoc.text for mark in _EXPANDS)):
            text = _text(heredoc.text)
        return Redirect(_text(raw.operator), target, _text(raw.descriptor), text)


def _value(word: Word) -> str | None:
    return None if word.value is None else _text(word.value)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
