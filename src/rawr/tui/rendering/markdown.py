"""Markdown as lines of text, for a model's messages: nothing is opened, loaded or run, and links are only text.

Written for streams: a block is drawn by itself, so that whatever is complete need not be drawn again.
"""

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.style import Style
from rich.text import Text

from rawr.tui.rendering.ink import Ink, wrapped
from rawr.tui.rendering.tables import table_lines
from rawr.views.visible import harmless

MOST = 40_000
"""Characters that are drawn; of a longer text, its beginning and its end."""
NARROWEST = 8
"""Columns that are left to text, however deep its list is."""
_ITALIC = Style(italic=True)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])


def bounded(text: str, most: int = MOST) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n\n[… {len(text) - 2 * half} characters are not shown …]\n\n{text[-half:]}"


def markdown_lines(text: str, width: int, ink: Ink) -> list[Text]:
    return _Renderer(width, ink).render(_parser().parse(bounded(harmless(text)).expandtabs(4)))


class _Level:
    """A list item or a quote: what stands before its first line, and before the others."""

    def __init__(self, first: str, rest: str, role: str) -> None:
        self.first, self.rest, self.role = first, rest, role
        self.begun = False


class _Renderer:
    def __init__(self, width: int, ink: Ink) -> None:
        self._width, self._ink = width, ink
        self._lines: list[Text] = []
        self._levels: list[_Level] = []
        self._numbers: list[int | None] = []
        """The next number of each open list; None: it has bullets."""
        self._role = "plain"

    def render(self, tokens: Sequence[Token]) -> list[Text]:
        at = 0
        while at < len(tokens):
            at = self._token(tokens, at)
        return self._lines

    def _token(self, tokens: Sequence[Token], at: int) -> int:
        """Draw one token, and return where the next one is."""
        token = tokens[at]
        match token.type:
            case "inline":
                self._put(_inline(token, self._ink, role=self._role))
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._gap()
                self._put(self._ink.text("─" * min(self._room, 40), "dim"))
            case "table_open":
                return self._table(tokens, at)
            case _ if token.nesting > 0:
                self._open(token)
            case _:
                self._close(token)
        return at + 1

    def _open(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._gap()
                self._role = "strong" if token.tag in ("h1", "h2") else "accent"
            case "paragraph_open" if not token.hidden:
                self._gap()
            case "bullet_list_open" | "ordered_list_open":
                if not self._numbers:
                    self._gap()
                start = token.attrGet("start")
                number = int(start) if start is not None else 1
                self._numbers.append(number if token.type.startswith("ordered") else None)
            case "list_item_open":
                self._levels.append(self._bullet())
            case "blockquote_open":
                self._gap()
                self._levels.append(_Level("▎ ", "▎ ", "dim"))
            case _:
                pass

    def _close(self, token: Token) -> None:
        match token.type:
            case "heading_close":
                self._role = "plain"
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_close" | "blockquote_close":
                self._levels.pop()
            case _:
                pass

    @property
    def _room(self) -> int:
        return max(self._width - sum(len(one.rest) for one in self._levels), NARROWEST)

    def _bullet(self) -> _Level:
        number = self._numbers[-1]
        if number is None:
            return _Level("• ", "  ", "accent")
        self._numbers[-1] = number + 1
        first = f"{number}. "
        return _Level(first, " " * len(first), "accent")

    def _gap(self) -> None:
        """An empty line between blocks, unless a list item or a quote has only just begun."""
        if self._lines and not (self._levels and not self._levels[-1].begun):
            self._emit(Text(""))

    def _put(self, text: Text) -> None:
        for line in wrapped(text, self._room):
            self._emit(line)

    def _emit(self, line: Text) -> None:
        whole = Text(end="")
        for level in self._levels:
            whole.append(level.rest if level.begun else level.first, self._ink[level.role])
            level.begun = True
        whole.append_text(line)
        self._lines.append(whole)

    def _code(self, token: Token) -> None:
        self._gap()
        for row in token.content.rstrip("\n").split("\n"):
            for line in wrapped(self._ink.text(f"  {row}", "code"), self._room):
                self._emit(line)

    def _table(self, tokens: Sequence[Token], at: int) -> int:
        rows: list[list[Text]] = []
        while tokens[at].type != "table_close":
            token = tokens[at]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows:
                rows[-1].append(_inline(token, self._ink, role="plain"))
            at += 1
        self._gap()
        for line in table_lines(rows, self._room, self._ink):
            self._emit(line)
        return at + 1


_CHANGES = {"strong_open": "strong", "em_open": "italic", "s_open": "dim", "link_open": "accent"}
"""Roles of what an inline token begins."""


def _inline(token: Token, ink: Ink, *, role: str) -> Text:
    text = Text(style=ink[role], end="")
    styles = [ink[role]]
    targets: list[str] = []
    for one in token.children or ():
        match one.type:
            case "code_inline":
                text.append(one.content, styles[-1] + ink["code"])
            case "softbreak" | "hardbreak":
                text.append("\n")
            case "image":
                text.append(f"[image: {one.content}]", ink["dim"])
            case _ if one.nesting > 0:
                targets.append(str(one.attrGet("href") or ""))
                styles.append(styles[-1] + _style(one.type, ink))
            case _ if one.nesting < 0:
                styles.pop()
                target = targets.pop()
                if target and target not in text.plain:
                    # What it says may not be where it leads.
                    text.append(f" ({target})", ink["dim"])
            case _:
                text.append(one.content, styles[-1])
    return text


def _style(kind: str, ink: Ink) -> Style:
    role = _CHANGES.get(kind, "plain")
    return _ITALIC if role == "italic" else ink[role]
