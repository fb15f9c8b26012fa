"""Variables that a line sets (C10): for one command, or for itself.

What a variable does depends on the program, so both lists are closed. Before a command that is provably safe, only what
chooses a language, a width or no pager. Before a command that a rule of the user's allows, also what is known to be a
plain switch of such programs, and where a program that runs the project's own code anyway finds more of it. Never what
names a program, a library to load, or another place for settings: ``PATH``, ``LD_PRELOAD``, ``NODE_OPTIONS``.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.refused import PROJECT
from rawr.approvals.reading.word import Word

_HARMLESS = {
    "LC_ALL": r"[A-Za-z0-9_.@-]*",
    "LANG": r"[A-Za-z0-9_.@-]*",
    "LC_CTYPE": r"[A-Za-z0-9_.@-]*",
    "LC_COLLATE": r"[A-Za-z0-9_.@-]*",
    "TZ": r"[A-Za-z0-9+-]*",
    "NO_COLOR": r"\w*",
    "TERM": r"dumb",
    "PAGER": r"cat",
    "GIT_PAGER": r"cat",
    "GIT_OPTIONAL_LOCKS": r"0",
    "COLUMNS": r"\d+",
}
"""Variables that only choose a language, a width or no pager. Their values are never paths."""

_SWITCH = r"0|1|true|false|yes|no|on|off"
_SWITCHES_TEXT = """
    CI FORCE_COLOR CLICOLOR CLICOLOR_FORCE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8 PYTHONFAULTHANDLER
    PYTEST_DISABLE_PLUGIN_AUTOLOAD PY_COLORS RUST_BACKTRACE CARGO_INCREMENTAL CARGO_NET_OFFLINE CGO_ENABLED
    NEXT_TELEMETRY_DISABLED DO_NOT_TRACK UV_OFFLINE UV_NO_SYNC UV_FROZEN TF_ENABLE_ONEDNN_OPTS
    TOKENIZERS_PARALLELISM HF_HUB_OFFLINE TRANSFORMERS_OFFLINE
    """
_WITH_A_RULE = {
    **_HARMLESS,
    **dict.fromkeys(_SWITCHES_TEXT.split(), _SWITCH),
    "NODE_ENV": r"test|development|production",
    "RAILS_ENV": r"test",
    "RUST_BACKTRACE": r"0|1|full",
    "RUST_LOG": r"[a-z_:=,]*",
    "LOG_LEVEL": r"[A-Za-z]*",
    "CARGO_TERM_COLOR": r"auto|always|never",
    "PYTHONHASHSEED": r"\d{1,10}|random",
    "PYTHONIOENCODING": r"utf-?8",
    "CUDA_VISIBLE_DEVICES": r"[\d,]*|-1",
    "OMP_NUM_THREADS": r"\d{1,4}",
    "PORT": r"\d{1,5}",
    "GIT_EDITOR": r"true|:",
    "GIT_MERGE_AUTOEDIT": r"no",
    "GIT_TERMINAL_PROMPT": r"0",
}
"""Switches and plain values of programs that people allow. None is a path, a program or a place on the network."""

NO_EDITOR = frozenset({"GIT_EDITOR=true", "GIT_EDITOR=:"})
"""git takes what is there for what a person would have written."""

_OF_THE_PROJECT = frozenset({"PYTHONPATH", "NODE_PATH", "RUBYLIB"})
"""Folders with more code: for a program that runs the project's own code anyway, if they are in the project."""

_OWN_TEXT = """
    aliases argv auto_resume builtins cdpath commands dirstack epochtime errnos fignore fpath functions galiases
    histchars history historywords keymaps langinfo mailpath manpath mapfile module_path modules nameddirs options
    parameters patchars path pipestatus prompt psvar reply reswords saliases signals status sysparams termcap terminfo
    userdirs usergroups watch widgets
    """
_OF_A_SHELL = frozenset(_OWN_TEXT.split())
"""In zsh, ``path`` is ``PATH``, and so on."""
_OF_A_SHELL_BEGIN = ("dis_", "zsh_", "zle_", "zcurses_", "zgdbm_", "func", "job")
_LOCAL = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_LOCAL_ASSIGNMENT = re.compile(r"([a-z][a-z0-9_]*)=", re.ASCII)


def unsafe_assignment(word: Word) -> list[str]:
    """Why a variable that is set before a provably safe command may change what it does."""
    name, _, value = (word.text or word.raw).partition("=")
    if word.text is None or name not in _HARMLESS or not re.fullmatch(_HARMLESS[name], value):
        return [f"The variable {shown(name)} may change what a command does."]
    return []


def unsafe_for_allowed(word: Word, program: str, places: Places, folders: Folders) -> list[str]:
    """Why a variable that is set before a command that a rule allows may make more of it than the user has allowed."""
    name, _, value = (word.text or word.raw).partition("=")
    if word.text is not None and not word.counted and not word.shape:
        if re.fullmatch(_WITH_A_RULE.get(name, r"(?!)"), value):
            return []
        if name in _OF_THE_PROJECT and program in PROJECT:
            return [problem for entry in value.split(":") for problem in _beyond(entry or ".", name, places, folders)]
    return [f"The variable {shown(name)} may make {shown(program)} do more than the rule allows."]


def _beyond(entry: str, name: str, places: Places, folders: Folders) -> list[str]:
    inside = not entry.startswith("~") and all(
        places.holds(found.real) and not found.differs
        for found in (places.look.resolve(entry, within=folder) for folder in folders)
    )
    return [] if inside else [f"The variable {shown(name)} takes code from {shown(entry)}, outside the workspace."]


def local(name: str) -> bool:
    """Return True if it is the line's own variable, which no shell and no program looks at."""
    own = name in _OF_A_SHELL or name.startswith(_OF_A_SHELL_BEGIN) or name.endswith("_proxy")
    return _LOCAL.fullmatch(name) is not None and not own


def plain(value: str) -> bool:
    """Return True if nothing in a value can run, even if a shell takes the variable for a number."""
    return "$" not in value and "`" not in value


def assigned(word: Word) -> tuple[str, str] | None:
    """The name and the value that the line sets for itself; None if that is not plain."""
    found = _LOCAL_ASSIGNMENT.match(word.raw)
    if found is None or word.text is None or word.shape or word.counted or word.looked_for or not local(found[1]):
        return None
    value = word.text[found.end() :]
    return (found[1], value) if plain(value) else None
