"""Walk a line (C10): every simple command in it, in each folder that it may run in.

A line is safe if all of its commands are, wherever ``cd`` may have led by then. All reasons against it are collected,
so that a person sees all of them and not only the first.
"""

import os
from pathlib import Path, PurePosixPath

from msgspec import Struct

from rawr.approvals.git.allowed import ACCEPTED, unsafe_when_allowed
from rawr.approvals.git.asking import judge_git, subcommand
from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places, standard
from rawr.approvals.programs.arguments import Call
from rawr.approvals.programs.costs import LONGEST_SLEEP, seconds
from rawr.approvals.programs.listed import judge_program, only_version
from rawr.approvals.programs.own import OWN
from rawr.approvals.programs.refused import WHY
from rawr.approvals.programs.writing import WRITERS
from rawr.approvals.reading.agreement import disagreements
from rawr.approvals.reading.globs import expand, found_by_zsh
from rawr.approvals.reading.lexer import Redirect, Shell, Stopped, Word, lex
from rawr.approvals.reading.structure import Chain, Group, Pipeline, Sequence, Simple, simple_commands, structure
from rawr.approvals.reading.wrapping import SHELLS, unsafe_assignment, unwrap
from rawr.approvals.rules import Rules
from rawr.approvals.shadows import shadowed
from rawr.observe.shell import parsing as first_reader

MAX_COMMANDS = 50
MAX_WORDS = 1_000
MAX_PATTERNS = 8
MAX_NESTED = 4
"""Shells inside shells."""
MAX_FOLDERS = 8
MAX_WRAPPERS = 6
MAX_GLANCE = 2_000

_ONLY_IN_A_SHELL = frozenset({"cd", "set", "exit", "type", ":"})


class Ends(Struct, frozen=True):
    """The folders that a shell may be in after a command, if it succeeded and if it failed."""

    ok: Folders
    failed: Folders

    @property
    def either(self) -> Folders:
        return self.ok | self.failed


class Line:
    """The findings about one line, including every line nested in it."""

    def __init__(self, places: Places, rules: Rules, *, moved: bool) -> None:
        self.places = places
        self.rules = rules
        self.moved = moved
        """The folder was entered through a symlink, so the shell's idea of its parent is unknown."""
        self.problems: list[str] = []
        self.grounds: list[str] = []
        self.commands = self.words = self.patterns = 0
        self.sleeps = 0.0
        self.writes = self.asks_git = self.commits = False
        """``commits``: git runs by a rule of the user's, and may write."""

    def problem(self, *texts: str) -> None:
        self.problems += texts

    def code(self, text: str, folders: Folders, *, shell: Shell = "bash", nested: int = 0) -> None:
        """Judge a line as this shell would read it."""
        if nested > MAX_NESTED:
            self.problem(f"More than {MAX_NESTED} shells are nested.")
            return
        lexed = lex(text, dialect=shell)
        self.problem(*lexed.problems)
        if lexed.stopped:
            self._glance(text)
            return
        try:
            sequence = structure(lexed.tokens)
        except Stopped as reason:
            self.problem(str(reason))
            self._glance(text)
            return
        if not sequence.items:
            self.problem("There is no command.")
        if not self._bounded(sequence):
            return
        self._sequence(sequence, folders, nested)
        # The first reader also reads what a wrapper runs, however long it is. A line that will not be proved anyway is
        # not worth that time.
        if not lexed.problems and not (self.problems and len(text) > MAX_GLANCE):
            self.problem(*disagreements(text, sequence))

    def finish(self) -> None:
        if self.writes and self.asks_git:
            self.problem("It writes files and runs git in one line; the files may change what git does.")
        if self.commits and self.sleeps:
            self.problem("It sleeps in a line with git; what git finds may change meanwhile.")
        if self.sleeps > LONGEST_SLEEP:
            self.problem(f"It sleeps longer than {LONGEST_SLEEP:.0f} seconds.")
        if self.writes and self.patterns:
            self.problem("It writes files and has patterns in one line; a pattern may match a file it writes.")

    def _bounded(self, sequence: Sequence) -> bool:
        for command in simple_commands(sequence):
            words = (*command.words, *command.assignments, *(redirect.target for redirect in command.redirects))
            self.commands += 1
            self.words += len(words)
            self.patterns += sum(bool(word.shape) for word in words)
        for count, most, what in (
            (self.commands, MAX_COMMANDS, "commands"),
            (self.words, MAX_WORDS, "words"),
            (self.patterns, MAX_PATTERNS, "patterns"),
        ):
            if count > most:
                self.problem(f"It has more than {most} {what}.")
                return False
        return True

    def _glance(self, text: str) -> None:
        """The line will not be proved; if it is not too long, the first reader may still find more reasons."""
        if len(text) > MAX_GLANCE:
            return
        parsed = first_reader.parse(text)
        for command in parsed.commands[:MAX_COMMANDS]:
            name = (command.words[0] or "") if command.words else ""
            if name in WHY and name not in SHELLS:
                self.problem(f"{shown(name)} {WHY[name]}.")

    # -- structure ------------------------------------------------------------------------------------------------

    def _sequence(self, sequence: Sequence, folders: Folders, nested: int) -> Ends:
        ends = Ends(folders, folders)
        for chain, background in sequence.items:
            before = ends.either
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
        ends = [self._part(part, folders, nested) for part in pipeline.parts]
        if len(ends) == 1:
            only = ends[0]
            return Ends(only.failed, only.ok) if pipeline.negated else only
        # Each part runs in its own shell, except that some shells run the last one themselves.
        after = folders | ends[-1].either
        return Ends(after, after)

    def _part(self, part: Simple | Group, folders: Folders, nested: int) -> Ends:
        if len(folders) > MAX_FOLDERS:
            self.problem("It may run in too many folders.")
            folders = frozenset(sorted(folders)[:MAX_FOLDERS])
        for redirect in part.redirects:
            self.problem(*self._redirect(redirect, folders), *found_by_zsh(redirect.target, self.places, folders))
        if isinstance(part, Simple):
            return self._simple(part, folders, nested)
        ends = self._sequence(part.body, folders, nested)
        return Ends(folders, folders) if part.subshell else ends

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

    # -- one command ----------------------------------------------------------------------------------------------

    def _simple(self, command: Simple, folders: Folders, nested: int) -> Ends:
        same = Ends(folders, folders)
        for assignment in command.assignments:
            self.problem(*unsafe_assignment(assignment))
        for word in command.words:
            self.problem(*found_by_zsh(word, self.places, folders))
        if not command.words:
            self.problem(
                "A variable is set for the commands that follow." if command.assignments else "A command is missing."
            )
            return same
        return self._command(command.words, folders, nested)

    def _command(self, words: tuple[Word, ...], folders: Folders, nested: int, *, wrapped_in: int = 0) -> Ends:
        same = Ends(folders, folders)
        external = wrapped_in > 0
        if wrapped_in > MAX_WRAPPERS:
            self.problem(f"A command has more than {MAX_WRAPPERS} wrappers.")
            return same
        name = words[0].text
        if name is None:
            self.problem(f"It is not known which command {shown(words[0].raw)} is.")
            return same
        if words[0].bare != name or words[0].shape:
            self.problem(f"The command name is written as {shown(words[0].raw)}.")
        texts = tuple(word.text or "" for word in words)
        denied = self.rules.denying(texts) or self.rules.denying(subcommand(texts))
        if denied is not None:
            self.problem(f"The rule {shown(denied)} denies it.")
        call = Call(name, words[1:], self.places, folders)
        if not only_version(call) and (wrapped := unwrap(words)) is not None:
            self.problem(*wrapped.problems, *self._shadow(name, external=True))
            if wrapped.code is not None:
                self.code(wrapped.code, folders, shell=wrapped.shell, nested=nested + 1)
            elif wrapped.words:
                return self._command(wrapped.words, folders, nested, wrapped_in=wrapped_in + 1)
            return same
        if name == "cd" and not external:
            return self._cd(words[1:], folders)
        self._judge(call, texts, external=external)
        return same

    def _judge(self, call: Call, texts: tuple[str, ...], *, external: bool) -> None:
        name = call.name
        rule = self.rules.allowing(texts)
        if rule is not None:
            for word in call.words:
                self.problem(*(expand(word, self.places, call.folders)[1] if word.shape else ()))
            if PurePosixPath(name).name == "git" and self.rules.allowing(ACCEPTED) != " ".join(ACCEPTED):
                self.asks_git = self.commits = True
                self.problem(*unsafe_when_allowed(call))
            self.grounds.append(f"{shown(name)} is allowed by the rule {shown(rule)}.")
            return
        if "/" in name:
            self.problem(f"The command {shown(name)} is called by its path.")
            return
        if external and name in _ONLY_IN_A_SHELL:
            self.problem(f"{shown(name)} is a shell builtin, but is called as a program.")
            return
        problems = self._checked(call)
        if problems is None:
            why = WHY.get(name, "is not on the list of commands known to be safe")
            self.problem(f"{shown(name)} {why}.")
            return
        self.problem(*problems, *self._shadow(name, external=external or name not in OWN))

    def _checked(self, call: Call) -> list[str] | None:
        """Why the call is not safe; None if no list has the command."""
        if call.name == "command":
            return self._lookup(call)
        if call.name == "git":
            self.asks_git = True
            self.grounds.append(f"{shown(' '.join(subcommand(('git', *call.texts()))[:2]))} only reads.")
            return judge_git(call)
        if call.name in WRITERS and self.places.read_only:
            return [f"{shown(call.name)} writes, and writing is not allowed."]
        if call.name in WRITERS:
            self.writes = True
            self.grounds.append(f"{shown(call.name)} makes something new in the workspace.")
            return WRITERS[call.name](call)
        self.grounds.append(f"{shown(call.name)} only reads.")
        if call.name == "sleep":
            self.sleeps += sum(map(seconds, call.texts()))
        if call.name in OWN:
            return OWN[call.name](call)
        return judge_program(call)

    def _lookup(self, call: Call) -> list[str]:
        texts = call.texts()
        self.grounds.append("`command -v` only looks up names.")
        fine = texts[0] in ("-v", "-V") and not any(
            word.shape or text.startswith("-") for word, text in zip(call.words[1:], texts[1:], strict=True)
        )
        return [] if fine else [f"`command` with {shown(texts[0])} is not known to be safe."]

    def _shadow(self, name: str, *, external: bool) -> list[str]:
        return [] if "/" in name else shadowed(name, self.places, external=external)

    def _cd(self, words: tuple[Word, ...], folders: Folders) -> Ends:
        texts = [word.text for word in words]
        if texts[:1] == ["--"]:
            words, texts = words[1:], texts[1:]
        target = texts[0] if len(texts) == 1 else None
        if target is None or words[0].shape or words[0].counted or target.startswith(("-", "+")) or not target:
            self.problem("`cd` goes to an unknown folder.")
            return Ends(folders, folders)
        self.problem(*self._entering(target, folders), *self._shadow("cd", external=False))
        self.grounds.append("`cd` stays in the workspace.")
        return Ends(frozenset(Path(self.places.look.real(target, within=folder)) for folder in folders), folders)

    def _entering(self, target: str, folders: Folders) -> list[str]:
        if "CDPATH" in self.places.around.variables and not target.startswith(("/", "./", "../")):
            return ["CDPATH may change where `cd` goes."]
        problems = self.places.outside(target, folders)
        for folder in folders:
            # `..` goes up by name for the shell, and by real location for the system: the two must agree.
            plain = os.path.normpath(folder / target)
            if plain != self.places.look.real(target, within=folder):
                problems.append(f"{shown(target)} leads through a symlink.")
            elif self.moved and ".." in Path(target).parts:
                problems.append("The parent of a folder entered through a symlink is not known.")
            elif not self.places.holds(plain):
                problems.append(f"{shown(target)} is outside the workspace.")
        return list(dict.fromkeys(problems))
