"""Split a command's arguments into options and operands (B6). Pure; each caller brings its own table.

Options end at the first operand or at ``--``, unless the caller says that operands may come first.
"""

from msgspec import Struct

Words = tuple[str | None, ...]


class Options(Struct, frozen=True):
    values: frozenset[str] = frozenset()
    """Options that take an argument, with their dashes."""
    names: frozenset[str] = frozenset()
    """Long options that may be abbreviated to any unambiguous beginning. Those in ``values`` may be too."""
    attached: frozenset[str] = frozenset()
    """Options whose argument, if any, comes right after the letter (``-Skey``)."""
    numeric: bool = False
    """``-10`` is an option."""
    anywhere: bool = False
    """Options may follow operands."""


class Read(Struct, frozen=True):
    given: tuple[tuple[str, str | None], ...]
    """Options with their values, in order; the empty string if there is none, ``None`` if it is not known."""
    rest: Words
    """The operands."""
    dashed: int | None = None
    """How many operands came before ``--``."""

    def has(self, *options: str) -> bool:
        return any(option in options for option, _ in self.given)

    def value(self, *options: str) -> str | None:
        """The last value given to any of these; empty if there was none."""
        found: str | None = ""
        for option, value in self.given:
            if option in options:
                found = value
        return found


def read_options(words: Words, options: Options) -> Read:
    given: list[tuple[str, str | None]] = []
    rest: list[str | None] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return Read(tuple(given), (*rest, *words[at + 1 :]), len(rest))
        if word is None or not word.startswith("-") or word == "-":
            if not options.anywhere:
                # A lone dash is an option of env and su, an operand of git and tar; no program is called "-".
                return Read(tuple(given), words[at + (word == "-") :])
            rest.append(word)
            at += 1
            continue
        following = words[at + 1] if at + 1 < len(words) else ""
        read, used = _long(word, following, options) if word.startswith("--") else _short(word, following, options)
        given += read
        at += 1 + used
    return Read(tuple(given), tuple(rest))


def _long(word: str, following: str | None, options: Options) -> tuple[list[tuple[str, str | None]], int]:
    name, equals, value = word.partition("=")
    full = _completed(name, options)
    if equals:
        return [(full, value)], 0
    if full in options.values:
        return [(full, following)], 1
    return [(full, "")], 0


def _completed(name: str, options: Options) -> str:
    candidates = options.values | options.names
    if name in candidates:
        return name
    longer = [candidate for candidate in candidates if candidate.startswith(name)]
    return longer[0] if len(longer) == 1 else name


def _short(word: str, following: str | None, options: Options) -> tuple[list[tuple[str, str | None]], int]:
    """``-am text`` and ``-amtext`` are ``-a`` and ``-m text``."""
    if options.numeric and word[1:].isdigit():
        return [(word, "")], 0
    given: list[tuple[str, str | None]] = []
    taken = 0
    for at, letter in enumerate(word[1:], start=2):
        option = f"-{letter}"
        if option in options.attached:
            given.append((option, word[at:]))
            break
        if option not in options.values:
            given.append((option, ""))
        elif word[at:]:
            given.append((option, word[at:]))
            break
        else:
            given.append((option, following))
            taken = 1
    return given, taken
