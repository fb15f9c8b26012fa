"""One parsed prompt file: its frontmatter, its body, and their problems."""

import re
from pathlib import Path

from msgspec import Struct

from rawr.core.policy.prompts import PINNED, PLACEHOLDERS
from rawr.core.speech import PLACEHOLDER
from rawr.prompts.catalog import PromptFile, shipped
from rawr.prompts.found import Found
from rawr.prompts.reading import Unusable, Warned

MAX_FRONTMATTER = 32 * 1024
FENCE = "---"
NO_TEXT = "the file has no text below its frontmatter"
_CAUTIOUS = re.compile(r"^mode[ \t]*:(?![ \t]*['\"]?auto['\"]?[ \t]*(?:#|$))", re.MULTILINE)
"""A line that asks for less than ``auto``, in a frontmatter that cannot be read as a whole."""


class Document(Struct, frozen=True):
    """The content of a prompt file. The shipped text replaces any part that is unusable."""

    body: str
    body_line: int | None = None
    """Where the body begins in the person's file; ``None`` for the shipped one."""
    settings: Found | None = None
    """The frontmatter, in the file that has settings there."""
    warnings: tuple[Warned, ...] = ()


def default_document(prompt: PromptFile) -> Document:
    _, body, _ = split(shipped(prompt))
    return Document(body)


def parse(prompt: PromptFile, file: Path, text: str) -> Document:
    """Total: any text makes a document."""
    default = default_document(prompt)
    warnings: list[Warned] = []

    def warn(line: int | None, key: str, problem: str, remedy: str) -> None:
        warnings.append(Warned(file, line, key, problem, remedy))

    try:
        frontmatter, body, line = split(text)
    except Unusable as error:
        settings, remedy = _cautious(prompt, text, "the shipped file is used")
        warn(error.line, "", error.problem, remedy)
        return Document(default.body, settings=settings, warnings=tuple(warnings))
    settings = None
    try:
        settings = _settings(frontmatter)
    except Unusable as error:
        settings, remedy = _cautious(prompt, frontmatter, "the whole frontmatter is ignored")
        warn(error.line, "", error.problem, remedy)
    if settings is not None and not prompt.has_settings:
        warn(settings.line, "", "only auto-compact.md has settings in its frontmatter", "they are ignored here")
        settings = None
    if not body:
        warn(line, "", NO_TEXT, "the shipped text is used")
        return Document(default.body, None, settings, tuple(warnings))
    for number, name in unknown_placeholders(prompt, body):
        known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS[prompt.field]) or "none"
        warn(line + number, f"{{{name}}}", "this placeholder is not known and is left as it is", f"known here: {known}")
    for name in _pinned(prompt):
        if f"{{{name}}}" not in body:
            warn(line, f"{{{name}}}", "the text does not say where this goes", "it is put at the end")
    return Document(body, line, settings, tuple(warnings))


def _cautious(prompt: PromptFile, text: str, remedy: str) -> tuple[Found | None, str]:
    """What of an unreadable frontmatter must not be ignored: whoever asked rawr not to act."""
    if not prompt.has_settings or not _CAUTIOUS.search(text):
        return None, remedy
    return Found({"mode": Found("tag")}), f"{remedy}, except that the mode is tag"


def _pinned(prompt: PromptFile) -> tuple[str, ...]:
    """The placeholders that the text of a handoff must not lack."""
    if prompt.field not in ("handoff", "recovery"):
        return ()
    return tuple(name for name in PINNED if name in PLACEHOLDERS[prompt.field])


def split(text: str) -> tuple[str, str, int]:
    """Frontmatter, body without the empty lines around it, and the line where the body begins."""
    lines = text.split("\n")
    begin = 0
    frontmatter = ""
    if lines[0].rstrip() == FENCE:
        end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
        if end is None:
            raise Unusable(f"the frontmatter is not closed: a second line {FENCE} is missing", line=1)
        frontmatter = "\n".join(lines[1:end])
        begin = end + 1
    while begin < len(lines) and not lines[begin].strip():
        begin += 1
    return frontmatter, "\n".join(lines[begin:]).rstrip(), min(begin + 1, len(lines))


def unknown_placeholders(prompt: PromptFile, body: str) -> list[tuple[int, str]]:
    """Each with its line, counted from the body's first."""
    known = PLACEHOLDERS[prompt.field]
    return [
        (number, found[1])
        for number, line in enumerate(body.split("\n"))
        for found in PLACEHOLDER.finditer(line)
        if found[1] not in known
    ]


def _settings(frontmatter: str) -> Found | None:
    if len(frontmatter) > MAX_FRONTMATTER:
        raise Unusable(f"the frontmatter is longer than {MAX_FRONTMATTER // 1024} KiB; it was not read", line=1)
    from rawr.prompts.yaml_found import read_yaml  # few files have settings, and a YAML reader is slow to import

    found = read_yaml(frontmatter, first_line=2)
    if found is not None and found.table is None:
        raise Unusable(f"expected keys and values, found {found.shown}", line=found.line)
    return found
