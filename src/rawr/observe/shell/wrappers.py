"""Programs that run another program: what they run, read from their arguments (B6).

One table of options per wrapper, one reader for all of them. Pure; the walk parses the result. A wrapper that is called
in a way that runs nothing (``command -v git``, ``sudo -l``) gives nothing.
"""

import re
from collections.abc import Callable

from msgspec import Struct

from rawr.observe.intents.options import Options, Read, read_options
from rawr.observe.shell.simple_command import Assignment, Construct, Redirect

Words = tuple[str | None, ...]

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


class RunsWords(Struct, frozen=True, kw_only=True):
    """Another program with these arguments."""

    words: Words
    assignments: tuple[Assignment, ...] = ()
    moves: tuple[str | None, ...] = ()
    within: Construct = "wrapper"
    certain: bool = True
    more_words: bool = False


class RunsCode(Struct, frozen=True, kw_only=True):
    """Shell code; ``None`` if its text is not known."""

    code: str | None
    own_shell: bool
    """In its own process: ``cd`` and ``exit`` in it do not affect the line."""
    errexit: bool = False
    within: Construct = "wrapper"
    certain: bool = True


Runs = RunsWords | RunsCode


class _Wrapper(Struct, frozen=True, kw_only=True):
    options: Options = Options()
    operands: int = 0
    """The wrapper's own arguments between the options and the command."""
    assigns: bool = False
    idle: frozenset[str] = frozenset()
    """Options with which it runs nothing."""
    moves: frozenset[str] = frozenset()
    """Options that name a directory to enter."""
    within: Construct = "wrapper"
    certain: bool = True
    more_words: bool = False


def _options(short: str = "", long: str = "", *, numeric: bool = False) -> Options:
    return Options(values=frozenset(f"-{letter}" for letter in short) | frozenset(long.split()), numeric=numeric)


_TABLE: dict[str, _Wrapper] = {
    "env": _Wrapper(
        options=_options("uCS", "--unset --chdir --split-string"),
        assigns=True,
        idle=frozenset({"--help", "--version"}),
        moves=frozenset({"-C", "--chdir"}),
    ),
    "sudo": _Wrapper(
        options=_options(
            "ughpCrtTUDR",
            "--user --group --host --prompt --close-from --role --type --command-timeout --other-user --chdir --chroot",
        ),
        assigns=True,
        idle=frozenset({"-l", "--list", "-v", "--validate", "-e", "--edit", "-V", "--version", "--help"}),
        moves=frozenset({"-D", "--chdir"}),
    ),
    "doas": _Wrapper(options=_options("uC"), idle=frozenset({"-C", "-L"})),
    "time": _Wrapper(options=_options("fo", "--format --output"), assigns=True),
    "coproc": _Wrapper(assigns=True),
    "nice": _Wrapper(options=_options("n", "--adjustment", numeric=True)),
    "ionice": _Wrapper(options=_options("cnpPu", "--class --classdata --pid"), idle=frozenset({"-p", "-P", "-u"})),
    "nohup": _Wrapper(),
    "timeout": _Wrapper(options=_options("sk", "--signal --kill-after"), operands=1),
    "taskset": _Wrapper(operands=1, idle=frozenset({"-p", "--pid"})),
    "command": _Wrapper(idle=frozenset({"-v", "-V"})),
    "builtin": _Wrapper(),
    "exec": _Wrapper(options=_options("a")),
    "stdbuf": _Wrapper(options=_options("ioe", "--input --output --error")),
    "setsid": _Wrapper(),
    "unbuffer": _Wrapper(),
    "chronic": _Wrapper(),
    "xargs": _Wrapper(
        options=_options(
            "InPLsdEa",
            "--replace --max-args --max-procs --max-lines --max-chars --delimiter --eof --arg-file --process-slot-var",
        ),
        within="xargs",
        certain=False,
        more_words=True,
    ),
}

_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "mksh", "ash"})
_SHELL_OPTIONS = _options("oO", "--rcfile --init-file")
_KEEPS_ONE_SHELL = frozenset({"command", "builtin", "time", "exec"})


def program(word: str | None) -> str:
    """The name of a program without its directory; empty if unknown."""
    return "" if word is None else word.rpartition("/")[2]


def unwrap(
    words: Words, *, redirects: tuple[Redirect, ...] = (), assigns: frozenset[int] = frozenset()
) -> tuple[Runs, ...]:
    """What a command runs besides itself. For most commands: nothing.

    ``assigns`` are the positions of unknown words that begin like an assignment (``PATH="$PATH"``).
    """
    name = program(words[0]) if words else ""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(words)
    if name in _SHELLS:
        return _shell(words, redirects)
    wrapper = _TABLE.get(name)
    return () if wrapper is None else _wrapped(words, wrapper, assigns=assigns)


def shares_shell(words: Words) -> bool:
    """Return True if the shell itself runs the wrapped command, so that ``cd`` or ``exit`` affects the line."""
    return bool(words) and words[0] in _KEEPS_ONE_SHELL


def _wrapped(words: Words, wrapper: _Wrapper, *, assigns: frozenset[int]) -> tuple[Runs, ...]:
    read = read_options(words[1:], wrapper.options)
    if any(option in wrapper.idle for option, _ in read.given):
        return ()
    rest = read.rest
    assignments: list[Assignment] = []
    while wrapper.assigns and rest:
        match = _ASSIGNMENT.fullmatch(rest[0] or "")
        if match is not None:
            assignments.append(Assignment(match[1], match[2]))
        elif len(words) - len(rest) in assigns:
            assignments.append(Assignment("", None))
        else:
            break
        rest = rest[1:]
    rest = rest[wrapper.operands :]
    moves = tuple(value for option, value in read.given if option in wrapper.moves)
    split = [value for option, value in read.given if option in ("-S", "--split-string")]
    if split:
        return (RunsCode(code=_joined((*split, *rest)), own_shell=True),)
    if not rest:
        return ()
    return (
        RunsWords(
            words=rest,
            assignments=tuple(assignments),
            moves=moves,
            within=wrapper.within,
            certain=wrapper.certain,
            more_words=wrapper.more_words,
        ),
    )


def _shell(words: Words, redirects: tuple[Redirect, ...]) -> tuple[Runs, ...]:
    read = read_options(tuple(_minus(word) for word in words[1:]), _SHELL_OPTIONS)
    flags = {option for option, _ in read.given}
    if flags & {"--version", "--help", "-n"}:
        return ()
    errexit = "-e" in flags or ("-o", "errexit") in read.given
    if "-c" in flags:
        return (RunsCode(code=read.rest[0], own_shell=True, errexit=errexit),) if read.rest else ()
    if read.rest and "-s" not in flags:
        return ()  # a script file, or something unknown
    fed = [redirect for redirect in redirects if redirect.operator in ("<<", "<<-", "<<<")]
    return (RunsCode(code=fed[-1].text, own_shell=True, errexit=errexit),) if fed else ()


def _minus(word: str | None) -> str | None:
    """``+x`` switches an option off. None of these matters here, but ``+o`` takes an argument."""
    if word is None or not re.fullmatch(r"\+[A-Za-z]+", word):
        return word
    return "-O" if word[-1] in "oO" else "-x"


def _joined(words: Words) -> str | None:
    return None if None in words else " ".join(word for word in words if word is not None)


def _eval(words: Words) -> tuple[Runs, ...]:
    rest = words[2:] if words[1:2] == ("--",) else words[1:]
    return (RunsCode(code=_joined(rest), own_shell=False),) if rest else ()


def _trap(words: Words) -> tuple[Runs, ...]:
    read: Read = read_options(words[1:], Options())
    if read.given or len(read.rest) < 2 or read.rest[0] in ("", "-"):
        return ()
    return (RunsCode(code=read.rest[0], own_shell=False, within="trap", certain=False),)


def _find(words: Words) -> tuple[Runs, ...]:
    runs: list[Runs] = []
    for at, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            inner = words[at + 1 :]
            ends = [end for end, other in enumerate(inner) if other in (";", "+")]
            command = inner[: ends[0]] if ends else inner
            moves: Words = (None,) if word in ("-execdir", "-okdir") else ()
            runs.append(RunsWords(words=command, moves=moves, within="find", certain=False, more_words=True))
    return tuple(run for run in runs if not isinstance(run, RunsWords) or run.words)


_SPECIAL: dict[str, Callable[[Words], tuple[Runs, ...]]] = {"eval": _eval, "trap": _trap, "find": _find}
