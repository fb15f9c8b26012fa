"""The line of every key in a TOML document, compared with documents that were written with their lines known."""

import tomllib
from collections.abc import Iterator
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.config.positions import Path, key_lines


def _lines(text: str) -> dict[str, int]:
    return {".".join(map(str, path)): line for path, line in key_lines(dedent(text).lstrip("\n")).items()}


def _ways(value: object, way: Path = ()) -> Iterator[Path]:
    """Every key and element, as Python's own reader has them."""
    below: Iterator[tuple[str | int, object]]
    if isinstance(value, dict):
        below = iter(value.items())
    elif isinstance(value, list):
        below = iter(enumerate(value))
    else:
        return
    for key, inner in below:
        yield (*way, key)
        yield from _ways(inner, (*way, key))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", {}),
        ("# a = 1\n", {}),
        ("a = 1\n\nb = 2 # c = 3\n", {"a": 1, "b": 3}),
        ("a.b.c = 1\na.b.d = 2\na . e = 3", {"a": 1, "a.b": 1, "a.b.c": 1, "a.b.d": 2, "a.e": 3}),
        ("[a.b]\nc = 1\n[a]\nd = 2", {"a": 1, "a.b": 1, "a.b.c": 2, "a.d": 4}),
        ("""[ a . "b.c" ] # [z]\n'd e'=1\n"\\u0066" = 2""", {"a": 1, "a.b.c": 1, "a.b.c.d e": 2, "a.b.c.f": 3}),
        ("a = {b = 1, c.d = 2, e = {}}\nf = {}", {"a": 1, "a.b": 1, "a.c": 1, "a.c.d": 1, "a.e": 1, "f": 2}),
        ("a = [\n  1, # b = 2\n\n  [2, 3],\n  {c = 4},\n]\nd = 5",
         {"a": 1, "a.0": 1, "a.1": 1, "a.1.0": 1, "a.1.1": 1, "a.2": 1, "a.2.c": 1, "d": 7}),
        ("[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\nf = 4\n[[a.e]]\n[[a]]\n[a.c]",
         {"a": 1, "a.0": 1, "a.0.b": 2, "a.1": 3, "a.1.b": 4, "a.1.c": 5, "a.1.c.d": 6, "a.1.e": 7, "a.1.e.0": 7,
          "a.1.e.0.f": 8, "a.1.e.1": 9, "a.2": 10, "a.2.c": 11}),
        ('a = """\nb = 1\n[c]\n\\"""\n"""\nd = 2', {"a": 1, "d": 6}),
        ("a = '''\nb = 1\n\\'''\nd = 2", {"a": 1, "d": 4}),
        ('a = """x""\\\\"""""\nb = \'\'\'y\'\'\'\'\'\nc = ""\nd = \'\'', {"a": 1, "b": 2, "c": 3, "d": 4}),
        ('a = "# = [ \\" ]"\nb = \'\\\'\nc = 1', {"a": 1, "b": 2, "c": 3}),
        ("a = 1979-05-27 07:32:00\nb = [1979-05-27 07:32:00Z, 1e5 , -inf]\nc = 07:32:00",
         {"a": 1, "b": 2, "b.0": 2, "b.1": 2, "b.2": 2, "c": 3}),
        ('"" = 1\n1 = 2\n1.5 = 3', None),
        ('"" = 1\n1.5 = 3\n-_- = 4', {"": 1, "1": 2, "1.5": 2, "-_-": 3}),
    ],
)  # fmt: skip
def test_lines(text: str, lines: dict[str, int] | None) -> None:
    if lines is None:
        with pytest.raises(tomllib.TOMLDecodeError):
            tomllib.loads(text)
        key_lines(text)
        return
    assert _lines(text) == lines
    assert set(key_lines(text)) == set(_ways(tomllib.loads(text)))


# -- documents that are written with their lines known ----------------------------------------------------------------


class _Writer:
    """Writes a random document and notes where each key went."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._names = 0
        self._begun = 1
        self.text = ""
        self.lines: dict[Path, int] = {}

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def document(self) -> None:
        self._pairs(())
        for _ in range(self._draw(st.integers(0, 4))):
            self._table(())

    def _pick(self, *texts: str) -> str:
        return self._draw(st.sampled_from(texts))

    def _noise(self) -> None:
        self.text += self._pick("", "", "\n", "  \n", "# k1 = 2\n", '\t# """ [a] {\n')

    def _name(self) -> tuple[str, str]:
        """A fresh key, and one way to write it."""
        self._names += 1
        plain = f"k{self._names}"
        odd = f"{plain} .=#[]'é"
        return self._draw(
            st.sampled_from([(plain, plain), (plain, f'"{plain}"'), (plain, f"'{plain}'"), (odd, f'"{odd}"')])
        )

    def _dotted(self) -> tuple[tuple[str, ...], str]:
        names = [self._name() for _ in range(self._draw(st.integers(1, 3)))]
        return tuple(name for name, _ in names), self._pick(".", " . ").join(written for _, written in names)

    def _table(self, above: Path) -> None:
        self._noise()
        keys, written = self._dotted()
        is_array = self._draw(st.booleans())
        for number in range(self._draw(st.integers(1, 3)) if is_array else 1):
            way = above
            for key in keys:
                way = (*way, key)
                self.lines.setdefault(way, self.line)
            if is_array:
                way = (*way, number)
                self.lines[way] = self.line
            self.text += f"[[ {written} ]]" if is_array else f"[{written}]"
            self.text += self._pick("\n", " # x\n")
            self._pairs(way)

    def _pairs(self, way: Path) -> None:
        for _ in range(self._draw(st.integers(0, 3))):
            self._noise()
            self._begun = self.line
            self._pair(way, depth=0)
            self.text += self._pick("\n", " \n", " # k = 1\n")

    def _pair(self, way: Path, *, depth: int) -> None:
        keys, written = self._dotted()
        for key in keys:
            way = (*way, key)
            self.lines.setdefault(way, self._begun)
        self.text += written + self._pick("=", " = ", "\t=")
        self._value(way, depth=depth, multiline=True)

    def _value(self, way: Path, *, depth: int, multiline: bool) -> None:
        kind = self._pick("plain", "plain", *(("array", "table") if depth < 3 else ()))
        if kind == "plain":
            self.text += self._pick(
                "1", "0x1F", "true", "1.5e3", "2020-01-01", "2020-01-01 10:00:00", '"a = # ["',
                "'\\'", '"\\"]"', '"""\nk1 = 3\n# no\n"""', "'''\n[k1]\n'''", '"""q"""""', '""', "'}'",
            )  # fmt: skip
        elif kind == "array":
            self.text += "["
            for number in range(self._draw(st.integers(0, 3))):
                self.text += self._pick("", " ", "\n", "\n# k1 = [\n")
                self.lines[*way, number] = self._begun
                self._value((*way, number), depth=depth + 1, multiline=multiline)
                self.text += self._pick(",", " ,", "\n,")
            self.text += self._pick("]", "\n]", " # ]\n ]")
        else:
            self.text += "{"
            for number in range(self._draw(st.integers(0, 2))):
                self.text += ", " if number else " "
                self._pair(way, depth=depth + 1)
            self.text += "}"


@settings(deadline=None)
@given(st.data())
def test_random_documents(data: st.DataObject) -> None:
    @st.composite
    def written(draw: st.DrawFn) -> _Writer:
        writer = _Writer(draw)
        writer.document()
        return writer

    document = data.draw(written())
    assert set(_ways(tomllib.loads(document.text))) == set(document.lines)
    assert key_lines(document.text) == document.lines
    assert key_lines(document.text.replace("\n", "\r\n")) == document.lines


@settings(deadline=None)
@given(st.text() | st.text("ab.=[]{}\"'\\#\n ,1", max_size=60))
def test_text_that_is_not_toml_never_raises(text: str) -> None:
    key_lines(text)


def test_deep_and_long() -> None:
    key_lines("a = " + "[" * 5000)
    key_lines("a = " + "{b = " * 5000)
    assert len(key_lines(".".join("a" * 500) + " = 1")) == 16
    endless = 'a = 1\nb = """\n' + "c = 1\n" * 40_000 + '"""\nd = 1\n'
    assert key_lines(endless) == {("a",): 1}
