"""What decides what an approved program does, besides its words (C10): files and variables, by program.

Two questions for each: what else does it go by, and can the agent write that? A program is approved only if the answer
to the second is no, or if what it goes by changes no more than what it prints. Files of the user's home and of the
system are out of the agent's reach, or nothing is approved at all (``places.unusable``); so are the folders of PATH
(``shadows``) and those of variables that load code (``surroundings``). What a program reads as data may be anything.

The answers come from the manuals. Most were checked with strace on Debian's versions, in a folder and a home full of
files with such names: of those, only ``~/.jq`` and ``~/.magic`` were opened. Not checked so: ``rg``, ``fd``, ``tree``,
``gawk``, ``ruby``, ``php``, ``uv``, ``ruff`` and ``clang``.
"""

from msgspec import Struct


class Decided(Struct, frozen=True):
    by: str
    held: str
    """Why the agent cannot make more of it."""


_WORDS = Decided("its words alone", "rawr has read them")
_LOCALE = Decided("its words, and the locale", "`LOCPATH` and `GCONV_PATH` are out of the agent's reach")
_SYSTEM = Decided("its words, and files of the system in /etc and /proc", "the agent's sandbox keeps them read-only")
_TOLD = Decided("one option, before any file is looked at", "it prints and exits")

_ANSWERS: dict[str, Decided] = {
    "echo printf : true false test [ exit set pwd type break continue sleep seq expr basename dirname": _WORDS,
    "arch nproc uname": _WORDS,
    "b2sum cat cksum cmp comm cut expand fmt fold head hexdump join nl od paste rev tac tail tr unexpand uniq wc xxd": (
        _LOCALE
    ),
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum readlink realpath column diff": _LOCALE,
    "df du free id uptime whoami stat": _SYSTEM,
    "ls": Decided("its words, `LS_COLORS` and the locale", "they choose colours and an order"),
    "date": Decided("its words, `TZ` and the system's time zones", "a zone only changes what is printed"),
    "awk gawk mawk": Decided(
        "its program, which is a word: `-f`, `-i` and `-l` are refused, and `AWKPATH` matters to them alone",
        "a program that could be a pattern is refused",
    ),
    "sed": Decided("its script, which is a word: `-f` is refused", "a script that could be a pattern is refused"),
    "jq": Decided(
        "its filter, `~/.jq` and `JQ_LIBRARY_PATH`", "the home folder is the user's, with the variable it is refused"
    ),
    "sort": Decided("its words; large inputs go to new files in `TMPDIR`", "they hold what it sorts, and nothing runs"),
    "grep egrep fgrep": Decided("its words; `GREP_OPTIONS` in old versions", "with the variable it is refused"),
    "rg": Decided(
        "its words, those in `RIPGREP_CONFIG_PATH`, and ignore files",
        "the configuration may not be in the agent's reach, and is judged like the line; ignore files name files only",
    ),
    "fd fdfind": Decided("its words, ignore files, `~/.config/fd/ignore`", "they name files only"),
    "find": Decided("its words", "the actions that run or write are refused"),
    "tree": Decided("its words, `.gitignore`, `LS_COLORS`", "they choose what is listed, and colours"),
    "file": Decided(
        "its words, `/etc/magic`, `~/.magic`, `MAGIC`", "they describe files; `-C`, which writes, is refused"
    ),
    "strings": Decided("its words; those in a file for `@file`", "which is refused"),
    "shasum": Decided(
        "perl's libraries, `PERL5LIB`, `PERLLIB`, `PERL5OPT`", "they are out of the agent's reach, or refused"
    ),
    "tar": Decided(
        "its words, `TAR_OPTIONS`, and unpackers from PATH", "with the variable it is refused; PATH is checked"
    ),
    "unzip": Decided("its words, `UNZIP` and its kin", "with one of them it is refused"),
    "which": Decided("PATH", "it prints what it finds"),
    "git": Decided(
        "the repository that it finds, its settings and hooks, the user's and the system's settings, attributes",
        "the repository and all settings must be out of the agent's reach, and name no program (`approvals/git`)",
    ),
    "bash sh zsh": Decided(
        "its line, and what a login shell reads: `/etc/profile`, the user's profile, `BASH_ENV`, `ZDOTDIR`",
        "the line is judged; the home folder and the variables are out of the agent's reach",
    ),
    "env nice timeout stdbuf time command": Decided(
        "the command that they run", "which is judged as if it stood alone"
    ),
    "cc clang cmake g++ gcc node perl php python python3 ruby ruff uv": _TOLD,
    "make": Decided("one option, and `MAKEFLAGS`", "it prints and exits; no line may set the variable"),
}
DECIDED_BY: dict[str, Decided] = {name: answer for names, answer in _ANSWERS.items() for name in names.split()}
"""By program, for everything that may be approved without a rule."""

_HARMLESS_TEXT = """
    arch b2sum basename cat cksum cmp comm column cut df dirname du echo egrep expand expr fgrep fmt fold grep head id
    join ls md5sum nl od paste readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum stat tac tail tr
    unexpand wc which
    """
OPTIONS_ARE_HARMLESS = frozenset(_HARMLESS_TEXT.split())
"""Programs of which no option at all runs or writes anything: a file's name that they take for one does no harm."""
WRITES_TO_ITS_LAST = frozenset({"uniq", "xxd"})
"""They write to a second operand, which a pattern may turn into."""
