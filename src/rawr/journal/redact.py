"""Take secrets out before anything reaches the disk; put them back before anything is judged, run, sent or decided on.

A ``Redactor`` replaces secrets with placeholders and remembers the secrets in memory. It sees text and JSON; it must
not know facts, frames or files.
"""

import re
from collections.abc import Callable
from typing import TypeVar

import msgspec

from rawr.core.real import Real, Redacted
from rawr.journal.colours import Reader, Reading, readers
from rawr.journal.glance import may_hold_secret, rules_to_try
from rawr.journal.known import KnownStrings
from rawr.journal.names import classify, is_quoted_secret, is_reference, looks_like_chance, singular
from rawr.journal.placeholders import CAPACITY, MARK, Vault
from rawr.journal.quoting import is_carried, unquoted
from rawr.journal.rules import HIDDEN, PAIR, Finder, passwords_in

T = TypeVar("T")

_PASSES = 8
GONE = "(a secret that was left out)"
"""Used when rawr quotes a text whose secret was lost with an earlier run, or does not belong in a quotation."""
_AUTHORIZATION = frozenset({"authorization", "proxy-authorization"})
_COOKIES = frozenset({"cookie", "set-cookie"})
_PAIRS = re.compile(PAIR)
_MARK_OR_SIGN = re.compile(MARK.pattern.strip("()") + f"|{HIDDEN}")
_SCHEME = re.compile(r"\s*(?:[A-Za-z]+\s+)?")
_FLAG = re.compile(r"--?([A-Za-z][A-Za-z0-9_-]{2,40})")
_NAMES_OF_PAIRS = ("name", "key", "id", "option", "variable")
_VALUES = frozenset({"value", "plain", "plaintext", "plainText", "current", "content"})
_WEB_KEY = frozenset({"d", "dp", "dq", "qi", "p", "q", "k"})


def _is_several(name: str) -> bool:
    return name.lower() == "credentials" or ((one := singular(name)) != name and classify(one) is not None)


def _telling_members(members: dict[str, object]) -> dict[str, str]:
    """The members that are secrets because of their neighbours, with their kinds."""
    if members.get("kind") == "Secret":
        return {name: "secret" for name in ("data", "stringData") if name in members}
    if "kty" in members:
        return {name: "private-key" for name in _WEB_KEY if name in members}
    value = members.get("value")
    if isinstance(value, str):
        for name in _NAMES_OF_PAIRS:
            named = members.get(name)
            if isinstance(named, str) and (promise := classify(named)) and is_quoted_secret(named, value):
                return {"value": promise[0]}
    return {
        name: "cookie" for name, member in members.items() if name.lower() == "cookies" and isinstance(member, dict)
    }


class Redactor:
    """Redacts for one process; a placeholder of one redactor means nothing to another."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._vault = Vault(capacity=capacity)
        self._known = KnownStrings()

    def text(self, text: str) -> str:
        """The text with placeholders for its secrets. Placeholders already in it stay as they are."""
        if self._known.has(text) or not may_hold_secret(text):
            return text
        # Hiding one secret can expose another; repeating until nothing changes makes a second redaction a no-op.
        for _ in range(_PASSES):
            redacted = self._pass(text)
            if redacted == text:
                break
            text = redacted
        return text

    def json(self, data: bytes) -> Redacted:
        """Redact encoded JSON string by string, and by the names of its members. Without a secret: the same bytes.

        Data that is not JSON is redacted as text and otherwise keeps its bytes, even if they are not UTF-8. This is for
        data that rawr itself composed: placeholders in it stay as they are, whatever their origin.
        """
        return self._json(data, foreign=False)

    def foreign(self, data: bytes) -> Redacted:
        """Redact data from outside, where anything that looks like a placeholder is only text.

        Anyone who can read a journal can copy from it. In a command, the code that judges it would take such a text for
        the secret, while the shell runs it as it is.
        """
        return self._json(data, foreign=True)

    def _json(self, data: bytes, *, foreign: bool) -> Redacted:
        text = data.decode(errors="surrogateescape")
        if self._known.clear(data, text):
            return Redacted(data)
        try:
            value = msgspec.json.decode(data)
            redacted = self._value(_each(value, self._vault.quote) if foreign else value)
        except (msgspec.MsgspecError, RecursionError):
            text = self._vault.quote(text) if foreign else text
            return Redacted(self.text(text).encode(errors="surrogateescape"))
        return Redacted(data if redacted == value else msgspec.json.encode(redacted))

    def hide(self, secret: str, *, kind: str = "secret") -> str:
        """A placeholder for a known secret, such as the answer to a question that is marked as secret."""
        return self._vault.hide(secret, kind=kind)

    def restore(self, text: str, *, only: Callable[[str], bool] | None = None) -> str:
        """A redacted text as it was. Placeholders that are not in the vault stay (check ``unresolved`` first), and so
        do those of secrets that ``only`` rejects."""
        return self._vault.restore(text, only=only)

    def unresolved(self, text: str) -> list[str]:
        """The placeholders of a redacted text that ``restore`` cannot put back, for example after a restart."""
        return self._vault.unresolved(text)

    def reveal(self, written: T) -> Real[T] | None:
        """A struct of the core with all of its texts restored; None if one of them is lost."""
        if b"redacted:" not in (body := msgspec.json.encode(written)):
            return Real(written)
        return None if self.unresolved(body.decode()) else _with_strings(written, body, self.restore)

    def quote(self, written: T, *, only: Callable[[str], bool] | None = None) -> Real[T]:
        """The same for a quotation: if a secret is lost, or ``only`` rejects it, the text says so."""
        if b"redacted:" not in (body := msgspec.json.encode(written)):
            return Real(written)
        return _with_strings(written, body, lambda text: self._vault.restore(text, only=only, otherwise=GONE))

    # -- across restarts -----------------------------------------------------------------------------------------------

    def originals(self, written: bytes) -> dict[str, str]:
        """The secrets behind the placeholders of a redacted text, for code that needs them after a restart."""
        return self._vault.originals(written.decode(errors="surrogateescape"))

    def recall(self, originals: dict[str, str]) -> None:
        """Learn secrets that an earlier process hid."""
        self._vault.recall(originals)

    # -- text --------------------------------------------------------------------------------------------------------

    def _pass(self, text: str) -> str:
        if is_carried(text):
            text = self._read(text, unquoted)
        for reader in readers(text):
            text = self._read(text, reader)
        return text

    def _read(self, text: str, reader: Reader) -> str:
        plain, hidden = _without_marks(text)
        reading = reader(plain)
        lowered = reading.text.lower()
        chosen = rules_to_try(reading.text)
        shown = chosen.shown_in(lowered)
        for rule in chosen.rules:
            if shown.isdisjoint(rule.clues) and "" not in rule.clues:
                continue
            if rule.meets(reading.text):
                text = _with_marks(self._apply(rule, plain, reading), hidden)
                plain, hidden = _without_marks(text)
                reading = reader(plain)
        return text

    def _apply(self, rule: Finder, text: str, reading: Reading) -> str:
        pieces: list[str] = []
        done = 0
        for span in rule.find(reading.text):
            if not reading.text[span.start : span.end].replace(HIDDEN, "").strip():
                continue
            start, end = reading.start(span.start), reading.end(span.end)
            pieces += text[done:start], self._around_marks(text[start:end], kind=span.kind)
            done = end
        return "".join((*pieces, text[done:]))

    def _around_marks(self, secret: str, *, kind: str) -> str:
        """Hide everything but the placeholders: a placeholder inside another would not be put back."""
        return HIDDEN.join([piece and self._vault.hide(piece, kind=kind) for piece in secret.split(HIDDEN)])

    # -- JSON --------------------------------------------------------------------------------------------------------

    def _value(self, value: object) -> object:
        match value:
            case str():
                return self.text(value)
            case dict():
                telling = _telling_members(value)
                return {
                    self.text(name): self._all(member, kind=telling[name])
                    if name in telling
                    else self._member(name, member)
                    for name, member in value.items()
                }
            case list():
                return self._list(value)
            case _:
                return value

    def _all(self, value: object, *, kind: str) -> object:
        """Everything in the value is a secret, except what only refers to one."""
        match value:
            case str():
                return self.text(value) if is_reference(value) else self._whole(value, kind=kind)
            case dict():
                return {name: self._all(member, kind=kind) for name, member in value.items()}
            case _:
                return self._value(value)

    def _member(self, name: str, value: object) -> object:
        match value:
            case int() if not isinstance(value, bool) and value > 999 and classify(name) == ("password", "strong"):
                return self.hide(str(value), kind="password")
            case str():
                return self._named(name, value)
            case list() if classify(name) is not None:
                return [self._member(name, item) for item in value]
            case dict() if classify(name) is not None and not _VALUES.isdisjoint(value):
                return {
                    self.text(inner): self._member(name if inner in _VALUES else inner, member)
                    for inner, member in value.items()
                }
            case list() if _is_several(name):
                return [self._one_of(name, item) for item in value]
            case dict() if _is_several(name) and not _telling_members(value):
                return {self.text(inner): self._one_of(name, item, inner=inner) for inner, item in value.items()}
            case _:
                return self._value(value)

    def _named(self, name: str, value: str) -> str:
        if name.lower() in _AUTHORIZATION:
            return self._authorization(value)
        if name.lower() in _COOKIES and _PAIRS.match(value):
            return self._whole(value, kind="cookie")
        promise = classify(name)
        if promise is None:
            return self.text(value)
        if is_quoted_secret(name, MARK.sub("", value)):
            return self._whole(value, kind=promise[0])
        redacted = self.text(value)
        # The rest may look different now: repeating until nothing changes makes a second redaction a no-op.
        return redacted if redacted == value else self._named(name, redacted)

    def _one_of(self, name: str, value: object, *, inner: str = "") -> object:
        """``"secrets": {…}`` may contain other things, so a value must look random."""
        if not isinstance(value, str) or classify(inner) is not None:
            return self._member(inner, value)
        plain = MARK.sub("", value)
        if not is_reference(plain) and looks_like_chance(plain):
            promise = classify(singular(name))
            return self._whole(value, kind=promise[0] if promise else "secret")
        redacted = self.text(value)
        return redacted if redacted == value else self._one_of(name, redacted)

    def _authorization(self, value: str) -> str:
        """The scheme, "Bearer" or "Basic", is not a secret."""
        scheme = _SCHEME.match(value)
        start = scheme.end() if scheme else 0
        secret = value[start:]
        return value if is_reference(secret) else value[:start] + self._whole(secret, kind="authorization")

    def _list(self, items: list[object]) -> list[object]:
        """In a command's arguments, the value of a flag is in the string after it."""
        redacted: list[object] = []
        name = ""
        passwords = passwords_in(items)
        for at, item in enumerate(items):
            if isinstance(item, str) and (start := passwords.get(at)) is not None:
                redacted.append(item[:start] + self._whole(item[start:], kind="password"))
            else:
                redacted.append(self._argument(name, item) if name else self._value(item))
            flag = _FLAG.fullmatch(item) if isinstance(item, str) else None
            name = flag[1] if flag else ""
        return redacted

    def _argument(self, name: str, value: object) -> object:
        promise = classify(name)
        if promise is None or not isinstance(value, str) or value.startswith("-") or is_reference(value):
            return self._value(value)
        return self._whole(value, kind=promise[0])

    def _whole(self, secret: str, *, kind: str) -> str:
        """A placeholder for the whole secret, of the kind that the secret itself shows, if any. If a part is already
        hidden, a placeholder for the rest."""
        pieces = MARK.split(secret)
        pieces[::2] = [piece and self._piece(piece, kind=kind) for piece in pieces[::2]]
        return "".join(pieces)

    def _piece(self, secret: str, *, kind: str) -> str:
        redacted = self.text(secret)
        return redacted if MARK.fullmatch(redacted) else self.hide(secret, kind=kind)


def _without_marks(text: str) -> tuple[str, list[str]]:
    """A text with one sign for every placeholder, and the placeholders in order."""
    return (_MARK_OR_SIGN.sub(HIDDEN, text), _MARK_OR_SIGN.findall(text)) if _MARK_OR_SIGN.search(text) else (text, [])


def _with_marks(text: str, hidden: list[str]) -> str:
    marks = iter(hidden)
    return re.sub(HIDDEN, lambda _: next(marks), text) if hidden else text


def _with_strings(written: T, body: bytes, restore: Callable[[str], str]) -> Real[T]:
    return Real(msgspec.convert(_each(msgspec.json.decode(body), restore), type=type(written)))


def _each(value: object, change: Callable[[str], str]) -> object:
    """Decoded JSON with every string in it changed, including the names of members."""
    match value:
        case str():
            return change(value)
        case dict():
            return {change(name): _each(member, change) for name, member in value.items()}
        case list():
            return [_each(one, change) for one in value]
        case _:
            return value
