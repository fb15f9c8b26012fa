"""Markup as a type of its own: the only place where text becomes HTML.

A page is ``Html``, made of elements and of ``text``. Every text is foreign, even ours: it is escaped, invisible
characters in it are spelled out, and it is bounded. A plain ``str`` is not ``Html``, so mypy reports an omission; a
test checks that no other module makes one. Names of elements and attributes are literals of ours; values are text.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
from importlib import resources
from typing import Literal, NewType

from rawr.core.text import head
from rawr.views.visible import harmless

Html = NewType("Html", str)
NOTHING = Html("")
LIMIT = 2_000
"""Characters of a text."""

Value = str | int | float | bool | None
Attributes = dict[str, Value]
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_VOID = frozenset({"meta", "link", "br", "hr"})
_FORBIDDEN = ("on", "style", "src")
"""What the page does and how it looks is in its own script and style; nothing is loaded."""
_OURS = frozenset({"points", "data-points", "content"})
"""Attributes that hold nothing but numbers and words of ours, as many as there are."""


def text(value: str | float, *, limit: int = LIMIT) -> Html:
    """Text as text, whoever wrote it."""
    return Html(_plain(str(value), limit))


def tag(name: str, attributes: Mapping[str, Value] | None = None, /, *children: Html) -> Html:
    """An element. Attributes that are None or False are left out; True stands for the bare name."""
    _check(name)
    opened = f"<{name}{''.join(_attribute(*one) for one in (attributes or {}).items())}>"
    return Html(opened if name in _VOID else f"{opened}{''.join(children)}</{name}>")


def joined(parts: Iterable[Html]) -> Html:
    return Html("".join(parts))


def document(page: Html) -> str:
    """A whole file."""
    return f"<!doctype html>\n{page}\n"


def resource(name: Literal["page.css", "page.js"]) -> Html:
    """A file of this package: the style or the script of every page."""
    found = resources.files(__package__).joinpath(name).read_text("utf-8")
    if "</" in found or "<!--" in found:
        raise AssertionError(f"{name} would end its own element")
    return Html(found)


def _attribute(name: str, value: Value) -> str:
    _check(name)
    if name.startswith(_FORBIDDEN):
        raise AssertionError(f"no page has the attribute {name}")
    if value is None or value is False:
        return ""
    limit = None if name in _OURS else LIMIT
    return f" {name}" if value is True else f' {name}="{_plain(str(value), limit)}"'


def _plain(value: str, limit: int | None) -> str:
    return escape(harmless(value if limit is None else head(value, limit)), quote=True)


def _check(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise AssertionError(f"not a name: {name}")
