"""Pages as a browser reads them: elements with their attributes, and the text between them."""

from html.parser import HTMLParser

from msgspec import Struct

VOID = frozenset({"meta", "link", "br", "hr"})


class Element(Struct, frozen=True):
    name: str
    attributes: dict[str, str | None]
    depth: int

    @property
    def shape(self) -> tuple[str, tuple[str, ...]]:
        return self.name, tuple(self.attributes)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.texts: list[tuple[str, str]] = []
        """The innermost element around a text, and the text."""
        self.others: list[str] = []
        """Comments, declarations and the like."""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        self.elements.append(Element(tag, dict(attrs), len(self._open)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    @property
    def shapes(self) -> list[tuple[str, tuple[str, ...]]]:
        return [one.shape for one in self.elements]

    def named(self, name: str) -> list[Element]:
        return [one for one in self.elements if one.name == name]

    def text(self, *, inside: str = "") -> str:
        return " ".join(data for name, data in self.texts if not inside or name == inside)
