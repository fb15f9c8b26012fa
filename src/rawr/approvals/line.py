"""Walk a line (C10): every simple command in it, in each folder that it may run in, with each value of its loops.

A line is safe if all of its commands are, wherever ``cd`` may have led by then. All reasons against it are collected,
so that a person sees all of them and not only the first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from msgspec.structs import replace

from rawr.approvals.calls import OPTION, Calls, Ends
from rawr.approvals.findings import MAX_COMMANDS, Findings
from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places, standard
from rawr.approvals.programs.refused import why_not
from rawr.approvals.reading.agreement import disagreements
from rawr.approvals.reading.globs import expand, found_by_zsh, may_begin_so, settled
from rawr.approvals.reading.lexer import Shell, Stopped, lex
from rawr.approvals.reading.structure import (
    Branch,
    Chain,
    Group,
    Loop,
    Part,
    Pipeline,
    Sequence,
    Simple,
    structure,
)
from rawr.approvals.reading.word import HOLE, Redirect, Word, filled
from rawr.approvals.reading.wrapping import SHELLS
from rawr.approvals.rules import Rules
from rawr.approvals.variables import assigned, local, plain
from rawr.observe.shell import parsing as first_reader

MAX_NESTED = 4
"""Shells inside shells."""
MAX_FOLDERS = 8
MAX_GLANCE = 2_000


class Line:
    def __init__(self, places: Places, rules: Rules, *, moved: bool) -> None:
        """``moved``: the folder was entered through a symlink, so the shell's idea of its parent is unknown."""
        self.places = places
        self.found = Findings()
        self.calls = Calls(places, rules, self.found, code=self.code, moved=moved)
        self.values: dict[str, str] = {}
        """The line's own variables, where it is now."""
        self.varying: dict[str, str] = {}
        """Variables of loops over a pattern, with its shape: when the line runs, it may match other files."""

    def code(self, text: str, folders: Folders, *, shell: Shell = "bash", nested: int = 0) -> None:
        """Judge a line as this shell would read it."""
        if nested > MAX_NESTED:
            self.found.problem(f"More than {MAX_NESTED} shells are nested.")
            return
        lexed = lex(text, dialect=shell)
        self.found.problem(*lexed.problems)
        try:
            sequence = None if lexed.stopped else structure(lexed.tokens)
        except Stopped as reason:
            self.found.problem(str(reason))
            sequence = None
        if sequence is None:
            self._glance(text)
            return
        if not sequence.items:
            self.found.problem("There is no command.")
        if not self.found.bounded(sequence):
            return
        outer, self.values = self.values, {}  # a shell inside does not know them
        self._sequence(sequence, folders, nested)
        self.values = outer
        # The first reader also reads what a wrapper runs, however long it is. A line that will not be proved anyway is
        # not worth that time.
        if not lexed.problems and not (self.found.problems and len(text) > MAX_GLANCE):
            self.found.problem(*disagreements(text, sequence))

    def _glance(self, text: str) -> None:
        """The line will not be proved; if it is not too long, the first reader may still find more reasons."""
        if len(text) > MAX_GLANCE:
            return
        parsed = first_reader.parse(text)
        for command in parsed.commands[:MAX_COMMANDS]:
            words = tuple(word or "" for word in command.words)
            if words and words[0] not in SHELLS and (why := why_not(words)):
                self.found.problem(f"{shown(words[0])} {why}.")

    # -- structure ------------------------------------------------------------------------------------------------

    def _sequence(self, sequence: Sequence, folders: Folders, nested: int) -> Ends:
        ends = Ends(folders, folders)
        for chain, background in sequence.items:
            before = ends.either
            self.found.background = self.found.background or background
            if not background and (own := _only_assigns(chain)) is not None:
                self._assign(own)
                continue
            after = self._chain(chain, before, nested)
            ends = Ends(before, before) if background else after
        return ends

    def _chain(self, chain: Chain, folders: Folders, nested: int) -> Ends:
        ends = self._pipeline(chain.first, folders, nested)
        for operator, pipeline in chain.rest:
            if operator == "&&":
                later = self._pipeline(pipeline, ends.ok, nested)
                ends = Ends(later.ok, ends.failed | later.failed)
            else:
                later = self._pipeline(pipeline, ends.failed, nested)
                ends = Ends(ends.ok | later.ok, later.failed)
        return ends

    def _pipeline(self, pipeline: Pipeline, folders: Folders, nested: int) -> Ends:
        gits, ruled = self.found.gits, self.found.gits_by_rule
        ends = [self._part(part, folders, nested) for part in pipeline.parts]
        if len(ends) > 1 and self.found.gits_by_rule > ruled and self.found.gits - gits > 1:
            # The parts run at the same time, or wait for each other.
            self.found.problem("A pipeline has several git commands, and their order is not known.")
        if len(ends) == 1:
            only = ends[0]
            return Ends(only.failed, only.ok) if pipeline.negated else only
        # Each part runs in its own shell, except that some shells run the last one themselves.
        after = folders | ends[-1].either
        return Ends(after, after)

    def _part(self, part: Part, folders: Folders, nested: int) -> Ends:
        if len(folders) > MAX_FOLDERS:
            self.found.problem("It may run in too many folders.")
            folders = frozenset(sorted(folders)[:MAX_FOLDERS])
        for redirect in part.redirects:
            self._redirected(redirect, folders)
        if isinstance(part, Simple):
            return self._simple(part, folders, nested)
        with self._inside():
            match part:
                case Group():
                    ends = self._sequence(part.body, folders, nested)
                    return Ends(folders, folders) if part.subshell else ends
                case Branch():
                    return self._branch(part, folders, nested)
                case Loop():
                    return self._loop(part, folders, nested)
                case _ as never:
                    assert_never(never)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """What is set inside of a part may be so or not behind it: there, its value is not known."""
        before = dict(self.values)
        yield
        self.values = {name: value for name, value in before.items() if self.values.get(name) == value}

    def _branch(self, branch: Branch, folders: Folders, nested: int) -> Ends:
        ok: Folders = frozenset()
        failed: Folders = frozenset()
        for condition, body in branch.cases:
            held = self._sequence(condition, folders, nested)
            folders = held.failed
            with self._inside():
                ends = self._sequence(body, held.ok, nested)
            ok, failed = ok | ends.ok, failed | ends.failed
        if branch.otherwise is None:
            return Ends(ok | folders, failed)
        ends = self._sequence(branch.otherwise, folders, nested)
        return Ends(ok | ends.ok, failed | ends.failed)

    # -- loops and variables --------------------------------------------------------------------------------------

    def _loop(self, loop: Loop, folders: Folders, nested: int) -> Ends:
        """Every round is judged with its own value, so a value that is an option or a path counts as one.

        A round may be left early: the folders before each ``cd`` are always among those after it, and a variable that
        is set in a round is not known in the next.
        """
        if not local(loop.name) or loop.name in self.values:
            self.found.problem(f"The variable {shown(loop.name)} may be known to a shell, or is set already.")
        values = [value for item in loop.items for value in self._values(item, folders)]
        patterns = sorted((item.shape for item in loop.items if item.shape), key=_begins_openly)
        self.varying = self.varying | {loop.name: patterns[-1]} if patterns else self.varying
        for value in values:
            if not plain(value):
                self.found.problem(f"The value {shown(value)} may be evaluated.")
            with self._inside():
                self.values[loop.name] = value
                folders |= self._sequence(loop.body, folders, nested).either
        return Ends(folders, folders)

    def _values(self, item: Word, folders: Folders) -> list[str]:
        word, problems = filled(item, self.values)
        self.found.problem(*problems, *found_by_zsh(word, self.places, folders))
        if word.counted or word.text is None:
            self.found.problem(f"It is not known what {shown(item.raw)} is.")
        elif word.shape:
            paths, problems = expand(word, self.places, folders, read=False)
            self.found.problem(*problems)
            return paths
        return [word.text or ""]

    def _assign(self, command: Simple) -> None:
        self.found.ran()
        for word in command.assignments:
            known, problems = filled(word, self.values)
            found = assigned(known)
            if found is None:
                self.found.problem(*problems, "A variable is set for the commands that follow.")
            else:
                self.values[found[0]] = found[1]

    # -- one command ----------------------------------------------------------------------------------------------

    def _simple(self, command: Simple, folders: Folders, nested: int) -> Ends:
        self.found.ran()
        if not command.words:
            self.found.problem(
                "A variable is set for the commands that follow." if command.assignments else "A command is missing."
            )
            return Ends(folders, folders)
        words = self._known(command.words, folders)
        first, *others = words
        words = (first, *(settled(word, self.places, folders) for word in others))
        return self.calls.judge(words, self._known(command.assignments, folders), folders, nested=nested)

    def _known(self, words: tuple[Word, ...], folders: Folders) -> tuple[Word, ...]:
        """The words with the values of their variables."""
        found = [filled(word, self.values) for word in words]
        for word, problems in found:
            self.found.problem(*problems, *found_by_zsh(word, self.places, folders))
        return tuple(self._marked(word, given) for (word, _), given in zip(found, words, strict=True))

    def _marked(self, word: Word, given: Word) -> Word:
        """The word; if it holds what a loop takes from a pattern, it says so."""
        names = [hole.name for hole in given.holes if hole.name in self.varying]
        if not names:
            return word
        begins = given.template.startswith(HOLE) and given.holes[0].name == names[0]
        return replace(word, varying=self.varying[names[0]] if begins else given.template)

    def _redirected(self, redirect: Redirect, folders: Folders) -> None:
        [target] = self._known((redirect.target,), folders)
        self.found.problem(*self._redirect(Redirect(redirect.operator, target, redirect.descriptor), folders))

    def _redirect(self, redirect: Redirect, folders: Folders) -> list[str]:
        target = redirect.target.text
        if redirect.descriptor not in ("", "0", "1", "2"):
            return [f"A redirection uses the descriptor {shown(redirect.descriptor)}."]
        if target is None or redirect.operator in ("<<", "<<-", "<<<"):
            return []
        if redirect.target.shape or redirect.target.counted:
            return [f"A redirection goes to {shown(redirect.target.raw)}, which is not known."]
        if redirect.operator == ">&" and target in ("1", "2"):
            return []
        if redirect.operator == "<":
            return self.places.unreadable(target, folders)
        if redirect.operator in (">", ">>", ">|", "&>", "&>>", ">&") and standard(target):
            return []
        return [f"A redirection ({redirect.operator}) goes to {shown(target)}."]


def _begins_openly(shape: str) -> bool:
    return may_begin_so(shape, OPTION)


def _only_assigns(chain: Chain) -> Simple | None:
    """A command that does nothing but set variables, and that is certain to run."""
    match chain:
        case Chain(first=Pipeline(parts=(Simple(words=(), redirects=()) as only,), negated=False), rest=()):
            return only if only.assignments else None
        case _:
            return None
