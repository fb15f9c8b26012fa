"""What a value may be: a reader for each kind of setting, which takes a found value and says what is wrong with it."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from msgspec import Struct

from rawr.addresses import address_problem
from rawr.core.compaction.phrases import wordless
from rawr.core.speech import PLACEHOLDER
from rawr.prompts.found import Found

MAX_TEXT = 1000
MAX_PHRASES = 64
MAX_PHRASE = 120
NEAR = 0.75
"""How similar two words must be to suggest one for the other."""


class Read(Struct, frozen=True):
    """A usable value, or ``None``; and the problems, each with its line."""

    value: object = None
    problems: tuple[tuple[int | None, str], ...] = ()


Reader = Callable[[Found], Read]


def flag(found: Found) -> Read:
    if isinstance(found.value, bool):
        return Read(found.value)
    return _wrong(found, f"expected true or false, found {found.shown}")


def whole(least: int, most: int) -> Reader:
    def read(found: Found) -> Read:
        value = found.value
        if isinstance(value, bool) or not isinstance(value, int):
            return _wrong(found, f"expected a whole number, found {found.shown}")
        if not least <= value <= most:
            return _wrong(found, f"{found.shown} is not between {least} and {most}")
        return Read(value)

    return read


def one_of(options: tuple[str, ...]) -> Reader:
    def read(found: Found) -> Read:
        value = found.value
        if isinstance(value, str) and value in options:
            return Read(value)
        return _wrong(found, f"expected one of {', '.join(options)}; found {found.shown}{meant(value, options)}")

    return read


def some_of(options: tuple[str, ...]) -> Reader:
    """A list of options. An unknown option is left out; the others are used."""

    def check(value: str) -> str:
        if value in options:
            return ""
        return f"is not known{meant(value, options) or '; use one of ' + ', '.join(options)}"

    return _list(check)


def phrases() -> Reader:
    def check(value: str) -> str:
        if len(value) > MAX_PHRASE:
            return f"is longer than {MAX_PHRASE} characters"
        return "has no word in it" if wordless(value) else ""

    return _list(check)


def anywhere(found: Found) -> Read:
    """A path on this machine."""
    value = found.value
    if not isinstance(value, str) or not value:
        return _wrong(found, f"expected a path, found {found.shown}")
    problem = _unfit(value)
    if problem:
        return _wrong(found, problem)
    try:
        return Read(Path(value).expanduser())
    except RuntimeError:
        return _wrong(found, f"there is no home folder for {found.shown}")


def shell_line(found: Found) -> Read:
    """A command for the shell; empty for none."""
    value = found.value
    if not isinstance(value, str):
        return _wrong(found, f"expected a command, found {found.shown}")
    if len(value) > MAX_TEXT or "\0" in value:
        return _wrong(found, f"expected a command of at most {MAX_TEXT} characters")
    return Read(value)


def in_workspace(found: Found) -> Read:
    """A path template that stays inside the workspace (A17)."""
    problem = _escapes(found, "the workspace") if found.value != "" else "expected a path, found nothing"
    if problem:
        return _wrong(found, problem)
    value = str(found.value)
    unknown = [one[1] for one in PLACEHOLDER.finditer(value) if one[1] != "name"]
    if unknown:
        return _wrong(found, f"the placeholder {{{unknown[0]}}} is not known; the only one is {{name}}")
    return Read(value)


def in_prompts(found: Found) -> Read:
    """A prompt file, relative to ``RAWR_HOME/auto-compact``; empty for none."""
    if found.value == "":
        return Read("")
    problem = _escapes(found, "RAWR_HOME/auto-compact")
    return _wrong(found, problem) if problem else Read(str(PurePosixPath(str(found.value))))


def address(found: Found) -> Read:
    """The HTTP address of a server; empty for none."""
    if found.value == "":
        return Read("")
    problem = address_problem("" if _unfit(found.value) else str(found.value))
    return _wrong(found, problem) if problem else Read(str(found.value).rstrip("/"))


def variable(found: Found) -> Read:
    """The name of an environment variable, never its value."""
    if isinstance(found.value, str) and re.fullmatch(r"[A-Z][A-Z0-9_]{0,99}", found.value):
        return Read(found.value)
    return _wrong(found, "expected the name of an environment variable, in capitals")


def variables() -> Reader:
    """Names of environment variables; ``*`` stands for any text."""

    def check(value: str) -> str:
        if "=" in value:
            return "has a value in it; only the name belongs here"
        return "" if re.fullmatch(r"[A-Za-z_*][A-Za-z0-9_*]{0,99}", value) else "is not the name of a variable"

    return _list(check)


def meant(value: object, options: Iterable[str]) -> str:
    """A hint for a near miss, in parentheses; empty if nothing is near."""
    if not isinstance(value, str) or len(value) > MAX_PHRASE:
        return ""
    near = get_close_matches(value.lower().replace("-", "_"), list(options), 1, NEAR)
    return f" (did you mean {near[0]}?)" if near else ""


def _list(check: Callable[[str], str]) -> Reader:
    def read(found: Found) -> Read:
        items = found.items
        if items is None:
            return _wrong(found, f"expected a list, found {found.shown}")
        if len(items) > MAX_PHRASES:
            return _wrong(found, f"there are {len(items)} entries; the limit is {MAX_PHRASES}")
        kept: list[str] = []
        problems: list[tuple[int | None, str]] = []
        for item in items:
            problem = _unfit(item.value) or check(str(item.value))
            if problem:
                wrong = problem if problem.startswith("expected") else f"{item.shown} {problem}"
                problems.append((item.line or found.at, wrong))
            elif item.value not in kept:
                kept.append(str(item.value))
        if items and not kept:
            return Read(None, tuple(problems))
        return Read(tuple(kept), tuple(problems))

    return read


def _escapes(found: Found, place: str) -> str:
    value = found.value
    if not isinstance(value, str):
        return f"expected a path, found {found.shown}"
    problem = _unfit(value)
    if problem:
        return problem
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or value.startswith("~") or value.endswith("/") or not path.parts:
        return f"{found.shown} does not name a file inside {place}"
    return ""


def _unfit(value: object) -> str:
    """Text that is not usable: control characters, or partial characters that cannot be written down."""
    if not isinstance(value, str):
        return f"expected text, found {Found(value).shown}"
    if len(value) > MAX_TEXT:
        return f"expected at most {MAX_TEXT} characters, found {len(value)}"
    if any(ord(sign) < 0x20 or 0x7F <= ord(sign) <= 0x9F or 0xD800 <= ord(sign) <= 0xDFFF for sign in value):
        return f"expected printable text, found {ascii(value)[:60]}"
    return ""


def _wrong(found: Found, problem: str) -> Read:
    return Read(None, ((found.at, problem),))
