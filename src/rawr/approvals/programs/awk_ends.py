"""Decides if an awk program terminates and stays within memory (C10). Reads the tokens that ``awk`` accepted.

Each line of input is processed once, so a program without loops terminates. The remaining dangers: a loop over an
array's names, a width, a field far to the right, and text that doubles with every line.
"""

from rawr.approvals.programs.costs import costly_expression, costly_format

Token = tuple[str, str]
"""Kind and text."""

MOST_LOOPS = 2
MOST_FIELD = 3
"""Digits."""
_ENDS_STATEMENT = frozenset({";", "}", "{"})
_SETS = frozenset({"=", "+=", "-=", "++", "--"})
_NOT_TEXT_TEXT = "NR FNR NF length substr index toupper tolower int split sprintf if else print printf next exit"
_NOT_TEXT = frozenset(_NOT_TEXT_TEXT.split())


def ends(tokens: list[Token]) -> bool:
    texts = [text for _, text in tokens]
    return (
        _loops(texts)
        and _formats(tokens)
        and _fields(texts)
        and _grows_slowly(tokens)
        and _written_out(tokens)
        and not any(kind in ("regex", "string") and costly_expression(text[1:-1]) for kind, text in tokens)
    )


def _loops(texts: list[str]) -> bool:
    """Only ``for (name in array)``, in ``END`` and few: nested, or once per line, they multiply."""
    places = [at for at, text in enumerate(texts) if text == "for"]
    if not all(map(_at_the_end(texts).__contains__, places)):
        return False
    shaped = all(texts[at + 1 : at + 2] == ["("] and texts[at + 3 : at + 4] == ["in"] for at in places)
    closed = all(texts[at + 5 : at + 6] == [")"] for at in places)
    return shaped and closed and len(places) <= MOST_LOOPS


def _at_the_end(texts: list[str]) -> set[int]:
    """The positions within ``END {…}``."""
    found: set[int] = set()
    depth = began = 0
    for at, text in enumerate(texts):
        if text == "{":
            began = at if depth == 0 else began
            depth += 1
        elif text == "}":
            depth -= 1
        if depth > 0 and began > 0 and texts[began - 1] == "END":
            found.add(at)
    return found


def _formats(tokens: list[Token]) -> bool:
    """Every format is a literal, so that its widths are visible."""
    for at, (_, text) in enumerate(tokens):
        if text not in ("printf", "sprintf"):
            continue
        rest = tokens[at + 1 : at + 4]
        if rest[:1] == [("operator", "(")]:
            rest = rest[1:]
        plain = len(rest) > 0 and rest[0][0] == "string" and not costly_format(rest[0][1])
        if not plain or (len(rest) > 1 and rest[1][1] not in (",", ")", ";", "}")):
            return False
    return True


def _written_out(tokens: list[Token]) -> bool:
    """Every expression is a literal: after ``~``, in ``split``, and in FS and RS. Otherwise its cost is unknown."""
    for at, (_, text) in enumerate(tokens):
        if text in ("~", "!~") and not _literal(tokens, at + 1):
            return False
        sets = tokens[at + 1 : at + 2] == [("operator", "=")]
        if text in ("FS", "RS", "FPAT", "FIELDWIDTHS") and sets and not _literal(tokens, at + 2):
            return False
        if text == "split" and not _separator(tokens[at + 2 :]):
            return False
    return True


def _literal(tokens: list[Token], at: int) -> bool:
    """One string or expression, and nothing that would be joined to it."""
    joined = tokens[at + 1 : at + 2]
    plain = tokens[at : at + 1] and tokens[at][0] in ("string", "regex")
    return bool(plain) and not (joined and (joined[0][0] in ("string", "number", "name") or joined[0][1] in ("$", "(")))


def _separator(tokens: list[Token]) -> bool:
    """The third argument of ``split``, if any, is a literal."""
    depth = commas = 0
    for at, (_, text) in enumerate(tokens):
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth < 0:
            return True
        if text == "," and depth == 0:
            commas += 1
            if commas == 2:
                return _literal(tokens, at + 1)
    return True


def _fields(texts: list[str]) -> bool:
    """``$3``, ``$NF`` and ``$(NF-1)``. A field far to the right creates all before it, and so does setting NF."""
    for at, text in enumerate(texts):
        following = texts[at + 1 : at + 6]
        if text == "$" and not _near(following):
            return False
        if text == "NF" and texts[at - 1 : at] != ["$"] and not _SETS.isdisjoint(following[:1]):
            return False
        if text in ("++", "--") and following[:1] == ["NF"]:
            return False
    return True


def _near(following: list[str]) -> bool:
    """The tokens after a ``$`` name a field that is not far to the right."""
    number = following[0] if following else ""
    if number == "NF" or (number.isdecimal() and len(number) <= MOST_FIELD):
        return True
    return following[:3] == ["(", "NF", "-"] and "".join(following[3:4]).isdecimal() and following[4:5] == [")"]


def _grows_slowly(tokens: list[Token]) -> bool:
    """Every assigned value contains at most one assigned name: so it grows by what is read, and does not double."""
    is_set = _is_set(tokens)
    used: int | None = None
    """How many assigned names since the ``=``; None outside an assignment."""
    for at, (kind, text) in enumerate(tokens):
        if text in _ENDS_STATEMENT:
            used = None
        elif kind == "operator" and text == "=":
            if used is not None:  # a = b = c
                return False
            used = 0
        elif used is not None and text in is_set:
            # The whole line contains every field, so it counts twice.
            used += 2 if text == "$" and tokens[at + 1 : at + 2] == [("number", "0")] else 1
            if used > 1:
                return False
    return True


def _is_set(tokens: list[Token]) -> frozenset[str]:
    """Names that are assigned, including loop variables, and ``$`` for all fields."""
    found = {"$"} if _sets_fields(tokens) else set()
    found |= {text for kind, text in tokens if kind == "name" and text not in _NOT_TEXT}
    return frozenset(found)


def _sets_fields(tokens: list[Token]) -> bool:
    texts = [text for _, text in tokens]
    places = [at for at, text in enumerate(texts) if text == "$"]
    return any((texts[at + 2 : at + 3] and texts[at + 2] in _SETS) or texts[at + 1] == "(" for at in places)
