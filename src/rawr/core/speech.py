"""rawr's own voice: the only place where words become something that rawr says.

A message is ``Own``. Its words are rawr's literals or the text of a prompt file; text from anyone else comes in through
``line``, between “ ” on one line, or through ``block``, in a fence that it cannot close. A plain ``str`` is not
``Own``, so mypy reports an omission; a test checks that no other module creates one.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NewType

import msgspec

from rawr.core.fence import fenced
from rawr.core.text import head, tail

Own = NewType("Own", str)
"""Something that rawr says, with all foreign words quoted."""
Template = NewType("Template", str)
"""The text of a prompt file, with places to fill."""
Label = Literal["", "packet", "recorded", "directives"]

NOTHING = Own("")
LINE = 300
"""Characters of foreign text that fit on a line."""
BREAK = " ⏎ "
"""Marks the end of a line in a text that was put on one line."""

PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_ALONE = re.compile(r"^[ \t]*\{([A-Za-z_]+)\}[ \t]*(?:\n|\Z)(?:[ \t]*\n)?", re.MULTILINE)
"""A placeholder alone on its line, with the empty line after it."""
_WORD = re.compile(r"[A-Za-z0-9_./:+@~-]{1,200}")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters without a shape that move, hide or reorder others: controls, zero widths, directions, tags."""
_ESCAPED = re.compile(f"{_UNSEEN.pattern}|[\x85\u2028\u2029]")
_NOTE = 40
"""Room for a note on what was left out."""
_QUOTES = str.maketrans("“”", '""')


# -- what others wrote -----------------------------------------------------------------------------------------------


def one_line(text: str) -> str:
    """The text without its line breaks, for a line on a screen. The screen handles invisible characters."""
    return text if text.isprintable() else BREAK.join(part for part in text.splitlines() if part.strip())


def plain(text: str, limit: int = LINE) -> str:
    """The text on one line, without invisible characters; a cut is marked."""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return " ".join(text.split())  # most texts
    # A little more than fits, since some of it is removed; never all of a text of any length.
    parts = (" ".join(_UNSEEN.sub("", part).split()) for part in text[: 2 * limit + 100].splitlines())
    whole = BREAK.join(filter(None, parts))
    if len(text) <= 2 * limit + 100:
        return head(whole, limit)
    return f"{whole[:limit]} […{len(text) - min(limit, len(whole))} more characters]"


@lru_cache(maxsize=2048)
def line(text: str, *, limit: int = LINE) -> Own:
    """Foreign text on one line, in quotation marks that it cannot close."""
    shown = plain(text, limit)
    return Own(f"“{shown if shown.isascii() else shown.translate(_QUOTES)}”")


def bare(text: str) -> str:
    """The words that a text and its quotation have in common, for comparing the two."""
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())  # most texts
    return " ".join(_UNSEEN.sub("", text).translate(_QUOTES).replace(BREAK.strip(), " ").lower().split())


def inert(text: str) -> bool:
    """Return True if a text may go into something that rawr has already said: it closes no quotation and no block."""
    return text.isprintable() and not set(text) & {"`", "“", "”"}


def block(text: str, *, label: Label = "", limit: int | None = None, end: bool = False) -> Own:
    """Foreign text, verbatim, in a fence that it cannot close; of a long text, the start or the ``end``."""
    if limit is not None:
        text = tail(text, limit) if end else head(text, limit)
    return Own(fenced(text, label=label))


def as_json(value: object) -> Own:
    """Data as JSON on one line; foreign text is in its strings, and none of it is hidden."""
    text = msgspec.json.encode(value).decode()
    return Own(_ESCAPED.sub(lambda found: "".join(f"\\u{unit:04x}" for unit in _units(found[0])), text))


def _units(character: str) -> tuple[int, ...]:
    """As JSON escapes it: a character beyond the first plane takes two."""
    return struct.unpack(f">{len(character.encode('utf-16-be')) // 2}H", character.encode("utf-16-be"))


def word(text: str, *, limit: int = LINE) -> Own:
    """A name or a number: of a run, a commit, a state. Anything but one plain word is quoted."""
    return Own(text) if _WORD.fullmatch(text) else line(text, limit=limit)


# -- what rawr says --------------------------------------------------------------------------------------------------


def say(words: str, /, **slots: Own | int | None) -> Own:
    """rawr's own words, a literal at every call, with ``{name}`` where a slot goes."""
    values = {name: value if isinstance(value, str) else Own(str(value)) for name, value in slots.items()}
    return render(Template(words), values)


def template(text: str) -> Template:
    """The text of a prompt file: as rawr ships it, or as the user edited it."""
    return Template(text)


def with_places(given: Template, names: Iterable[str]) -> Template:
    """The template, with a place added at its end for each of these that it lacks."""
    lost = [place for place in (f"{{{name}}}" for name in names) if place not in given]
    return Template("\n\n".join([given.rstrip(), *lost]))


def render(template: Template, values: Mapping[str, Own]) -> Own:
    """The template with its placeholders filled. One without a value stays visible as it is.

    Values are not searched for placeholders. If an empty value would leave an empty paragraph, the paragraph is removed
    too; a block gets its own lines, wherever the template puts it.
    """
    kept: str = template
    if NOTHING in values.values():
        kept = _ALONE.sub(lambda found: "" if values.get(found[1]) == NOTHING else found[0], template)
        kept = kept if kept == template else kept.rstrip()
    places, rest = _places(kept)
    pieces: list[str] = []
    for before, name, after in places:
        value: str = values.get(name, Own(f"{{{name}}}"))
        pieces.append(before)
        if value.startswith("`") and not before.endswith("\n") and (before or len(pieces) > 1):
            pieces.append("\n")
        pieces.append(value)
        if value.endswith("`") and after not in ("", "\n"):
            pieces.append("\n")
    pieces.append(rest)
    return Own("".join(pieces))


@lru_cache(maxsize=256)
def _places(template: str) -> tuple[tuple[tuple[str, str, str], ...], str]:
    """Each place with the words before it and the character after it; and the words after the last."""
    found: list[tuple[str, str, str]] = []
    done = 0
    for place in PLACEHOLDER.finditer(template):
        found.append((template[done : place.start()], place[1], template[place.end() : place.end() + 1]))
        done = place.end()
    return tuple(found), template[done:]


def shortened(text: Own, limit: int) -> Own:
    """As many whole lines as fit, so that no quotation stays open; for text without a block."""
    if len(text) <= limit:
        return text
    kept = text[: limit - _NOTE].rpartition("\n")[0]
    return Own(f"{kept}\n[…{len(text) - len(kept)} more characters]")


def joined(parts: Iterable[Own]) -> Own:
    """Join paragraphs; empty ones are left out."""
    return Own("\n\n".join(filter(None, parts)))


def rows(parts: Iterable[Own]) -> Own:
    """Join lines; empty ones are left out."""
    return Own("\n".join(filter(None, parts)))


def listed(parts: Iterable[Own]) -> Own:
    return Own("\n".join(f"- {part}" for part in parts if part))
