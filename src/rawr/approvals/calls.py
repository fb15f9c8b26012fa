"""One simple command of a line (C10): wrappers taken off, the user's rules, the lists."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from msgspec import Struct, structs

from rawr.approvals.findings import Findings
from rawr.approvals.git.allowed import unsafe_when_allowed
from rawr.approvals.git.asking import judge_git, subcommand
from rawr.approvals.git.writing import ACCEPTED, unaccepted, writes_files
from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.arguments import Call
from rawr.approvals.programs.costs import seconds
from rawr.approvals.programs.deciding import OPTIONS_ARE_HARMLESS, WRITES_TO_ITS_LAST
from rawr.approvals.programs.find import may_act
from rawr.approvals.programs.listed import judge_program
from rawr.approvals.programs.own import OWN
from rawr.approvals.programs.refused import why_not
from rawr.approvals.programs.telling import judge_syntax, only_syntax, only_told
from rawr.approvals.reading.globs import expand, may_begin_so
from rawr.approvals.reading.word import Word
from rawr.approvals.reading.wrapping import unwrap
from rawr.approvals.rules import ANYTHING, Rules
from rawr.approvals.shadows import shadowed
from rawr.approvals.variables import NO_EDITOR, unsafe_assignment, unsafe_for_allowed
from rawr.approvals.verbs.opening import HOOKS, known, opens

MAX_WRAPPERS = 6

OPTION = "-+@(!"
"""A word that begins with one of these may be an option, or an operator."""
_ONLY_IN_A_SHELL = frozenset({"cd", "set", "exit", "type", ":", "break", "continue"})
Words = tuple[Word, ...]


class Ends(Struct, frozen=True):
    """The folders that a shell may be in after a command, if it succeeded and if it failed."""

    ok: Folders
    failed: Folders

    @property
    def either(self) -> Folders:
        return self.ok | self.failed


class Calls:
    """``code`` judges a line that a shell is given."""

    def __init__(
        self, places: Places, rules: Rules, found: Findings, *, code: Callable[..., None], moved: bool
    ) -> None:
        self.places = places
        self.rules = rules
        self.found = found
        self.code = code
        self.moved = moved

    def judge(self, words: Words, assignments: Words, folders: Folders, *, nested: int, wrapped_in: int = 0) -> Ends:
        same = Ends(folders, folders)
        if wrapped_in > MAX_WRAPPERS:
            self.found.problem(f"A command has more than {MAX_WRAPPERS} wrappers.")
            return same
        name = words[0].text
        if name is None:
            self.found.problem(f"It is not known which command {shown(words[0].raw)} is.")
            return same
        if words[0].bare != name or words[0].shape:
            self.found.problem(f"The command name is written as {shown(words[0].raw)}.")
        self._denied(words)
        call = Call(name, words[1:], self.places, folders)
        if only_syntax(call):
            self._syntax(call, assignments)
            return same
        if not only_told(call) and (wrapped := unwrap(words)) is not None:
            self.found.problem(*wrapped.problems, *self._shadow(name, external=True))
            inner = (*assignments, *wrapped.assignments)
            if wrapped.words:
                return self.judge(wrapped.words, inner, folders, nested=nested, wrapped_in=wrapped_in + 1)
            self._unset(inner)
            if wrapped.code is not None:
                self.code(wrapped.code, folders, shell=wrapped.shell, nested=nested + 1)
            return same
        if name == "cd" and not wrapped_in:
            self._unset(assignments)
            return self._cd(words[1:], folders)
        self._judge(call, assignments, external=wrapped_in > 0)
        return same

    def _denied(self, words: Words) -> None:
        """A pattern may become any word, so it cannot evade a rule."""
        texts = tuple(ANYTHING if word.shape else word.text or "" for word in words)
        denied = self.rules.denying(texts) or self.rules.denying(subcommand(texts))
        if denied is not None:
            self.found.problem(f"The rule {shown(denied)} denies it.")

    def _unset(self, assignments: Words) -> None:
        """Only what is harmless may be set."""
        for assignment in assignments:
            self.found.problem(*unsafe_assignment(assignment))

    def _syntax(self, call: Call, assignments: Words) -> None:
        self._unset(assignments)
        self.found.grounds.append(f"{shown(call.name)} with `-n` only reads.")
        self.found.problem(*judge_syntax(call), *self._shadow(call.name, external=True))

    def _judge(self, call: Call, assignments: Words, *, external: bool) -> None:
        """By the user's rules, or, if none opens it, by the lists."""
        name = call.name
        rules = self.rules.allowing((name, *call.texts()))
        if not rules:
            self._listed(call, assignments, external=external)
            return
        edited = any(word.text in NO_EDITOR for word in assignments)
        reasons = [opens(rule, call, edited=edited) for rule in rules]
        opening = next((rule for rule, problems in zip(rules, reasons, strict=True) if not problems), None)
        if opening is None and self._proved(call, assignments, external=external):
            return
        self._allowed(call, assignments, opening or rules[0])
        self.found.problem(*(() if opening is not None else reasons[0]))

    def _proved(self, call: Call, assignments: Words, *, external: bool) -> bool:
        """Return True if a command needs no rule."""
        found, self.found = self.found, structs.replace(self.found, problems=[], grounds=list(self.found.grounds))
        self._listed(call, assignments, external=external)
        tried, self.found = self.found, found
        if tried.problems:
            return False
        found.take(tried)
        return True

    def _listed(self, call: Call, assignments: Words, *, external: bool) -> None:
        name = call.name
        self._unset(assignments)
        if "/" in name:
            self.found.problem(f"The command {shown(name)} is called by its path.")
            return
        if external and name in _ONLY_IN_A_SHELL:
            self.found.problem(f"{shown(name)} is a shell builtin, but is called as a program.")
            return
        problems = self._checked(call)
        if problems is None:
            why = why_not((name, *call.texts())) or "is not on the list of commands known to be safe"
            self.found.problem(f"{shown(name)} {why}.")
            return
        self.found.problem(*problems, *self._shadow(name, external=external or name not in OWN), *_to_come(call))

    def _allowed(self, call: Call, assignments: Words, rule: str) -> None:
        program = PurePosixPath(call.name).name
        found = known((call.name, *call.texts()))
        for word in call.words:
            self.found.problem(*(expand(word, self.places, call.folders)[1] if word.shape else ()))
        if found is None or not found.verb.project:
            # What runs the workspace's own files may itself be one of them.
            self.found.problem(*self._shadow(call.name, external=True))
        for assignment in assignments:
            self.found.problem(*unsafe_for_allowed(assignment, program, self.places, call.folders))
        if (program == "git" or (found is not None and found.verb.git)) and " ".join(HOOKS) not in self.rules.allow:
            self.found.commits = True
            self.found.problem(*unsafe_when_allowed(call))
            self.found.git(call.texts() if program == "git" else ("status",), by_rule=True)
        if program == "git" and writes_files(call.texts()) and ACCEPTED not in self.rules.allow:
            self.found.problem(unaccepted(call.texts()))
        self.found.grounds.append(f"{shown(call.name)} is allowed by the rule {shown(rule)}.")

    def _checked(self, call: Call) -> list[str] | None:
        """Why the call is not safe; None if no list has the command."""
        found = self.found
        if only_told(call):
            found.grounds.append(f"{shown(call.name)} only tells about itself.")
            return []
        if call.name == "command":
            return self._lookup(call)
        if call.name == "git":
            words = subcommand(("git", *call.texts()))
            found.git(words[1:], by_rule=False)
            found.grounds.append(f"{shown(' '.join(words[:2]))} only reads.")
            return judge_git(call)
        found.grounds.append(f"{shown(call.name)} only reads.")
        if call.name == "sleep":
            found.sleeps += sum(map(seconds, call.texts()))
        if call.name in OWN:
            return OWN[call.name](call)
        return judge_program(call)

    def _lookup(self, call: Call) -> list[str]:
        texts = call.texts()
        self.found.grounds.append("`command -v` only looks up names.")
        fine = texts[0] in ("-v", "-V") and not any(
            word.shape or text.startswith("-") for word, text in zip(call.words[1:], texts[1:], strict=True)
        )
        return [] if fine else [f"`command` with {shown(texts[0])} is not known to be safe."]

    def _shadow(self, name: str, *, external: bool) -> list[str]:
        return [] if "/" in name else shadowed(name, self.places, external=external)

    def _cd(self, words: Words, folders: Folders) -> Ends:
        texts = [word.text for word in words]
        if texts[:1] == ["--"]:
            words, texts = words[1:], texts[1:]
        target = texts[0] if len(texts) == 1 else None
        pattern = any(word.shape or word.once or word.varying for word in words[:1])
        if target is None or pattern or words[0].counted or target.startswith(("-", "+")) or not target:
            self.found.problem("`cd` goes to an unknown folder.")
            return Ends(folders, folders)
        self.found.problem(*self._entering(target, folders), *self._shadow("cd", external=False))
        self.found.grounds.append("`cd` stays in the workspace.")
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


def _to_come(call: Call) -> list[str]:
    """What a pattern may turn into by the time the command runs: an option, or one more file to write to."""
    if call.name in OPTIONS_ARE_HARMLESS:
        return []
    problems: list[str] = []
    for word in call.words:
        pattern = word.shape or word.once or word.varying
        if word.text == "--" and call.name != "find" and not pattern:
            break
        if not pattern or (call.name in OWN and word.varying):
            continue
        if call.name in WRITES_TO_ITS_LAST and not word.varying:
            problems.append(f"{shown(call.name)} writes to a second file, and {shown(word.raw)} may match two by then.")
        elif may_begin_so(pattern, OPTION) and not (call.name == "find" and not may_act(word.text or "")):
            problems.append(
                f"{shown(word.raw)} may match a file that {shown(call.name)} takes for an option; `./` before it rules "
                "that out."
            )
    return problems
