"""Words and numbers on a page: tables, lists of facts, figures, sections, and what is folded away."""

from collections.abc import Iterable, Sequence

from rawr.pages.html import NOTHING, Html, joined, tag, text
from rawr.views.numbers import short


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Html]],
    *,
    numbers: Iterable[int] = (),
    words: Iterable[int] = (),
) -> Html:
    """``numbers``: the columns that are aligned as numbers. ``words``: those with a few words of ours, which are never
    broken; foreign text may be one word of any length."""
    kinds = dict.fromkeys(words, "words") | dict.fromkeys(numbers, "num")
    head = tag("tr", None, *(_cell("th", text(name), kinds.get(number)) for number, name in enumerate(columns)))
    body = (tag("tr", None, *(_cell("td", cell, kinds.get(n)) for n, cell in enumerate(row))) for row in rows)
    whole = tag("table", None, tag("thead", None, head), tag("tbody", None, *body))
    return tag("div", {"class": "scroll"}, whole)


def _cell(name: str, content: Html, kind: str | None) -> Html:
    return tag(name, {"class": kind, "scope": "col" if name == "th" else None}, content)


def facts(entries: Iterable[tuple[str, Html]]) -> Html:
    """Names with what is known about them."""
    rows = (tag("div", None, tag("dt", None, text(name)), tag("dd", None, value)) for name, value in entries)
    return tag("dl", {"class": "facts"}, *rows)


def figures(entries: Iterable[tuple[str, str, str]]) -> Html:
    """The numbers that matter most, large: what, how much, and a note."""
    return tag("ul", {"class": "figures"}, *(_figure(*one) for one in entries))


def _figure(name: str, value: str, note: str) -> Html:
    more = tag("small", None, text(note)) if note else NOTHING
    return tag("li", None, tag("span", None, text(name)), tag("strong", None, text(value)), more)


def section(title: str, *parts: Html, note: str = "") -> Html:
    said = tag("p", {"class": "note"}, text(note)) if note else NOTHING
    name = "-".join("".join(one for one in title.lower() if one.isascii() and (one.isalnum() or one == " ")).split())
    return tag("section", {"id": name}, tag("h2", None, text(title)), said, *parts)


def folded(title: Html, *parts: Html, opened: bool = False) -> Html:
    return tag("details", {"open": opened}, tag("summary", None, title), *parts)


def listed(entries: Iterable[Html]) -> Html:
    return tag("ul", {"class": "listed"}, *(tag("li", None, one) for one in entries))


def code(value: str, *, limit: int = 300) -> Html:
    return tag("code", None, text(value, limit=limit))


def block(value: str, *, limit: int = 4_000) -> Html:
    """A text of several lines."""
    return tag("pre", None, text(value, limit=limit))


def badge(word: str, kind: str) -> Html:
    return tag("span", {"class": f"badge {kind}"}, text(word))


def left_out(count: int, what: str) -> Html:
    """Says that a list is shorter than what there was."""
    if count <= 0:
        return NOTHING
    return tag("p", {"class": "note"}, text(f"{short(count)} more {what} are left out, to keep this page small."))


def spaced(parts: Iterable[Html]) -> Html:
    return joined(part for one in parts for part in (one, text(" ")))
