"""Secrets in what people write to each other: "Das Passwort lautet …", "密码是…", "log in with password …".

A word for a secret, perhaps a few words more, a verb or a sign, and then something that no language has as a word.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import Finder, Found, Pattern, Rule, Span, secret_of
from rawr.journal.values import is_digest_or_uuid, is_irregular, is_word_with_number, looks_made_up, looks_random

_PLAIN = [
    "kennwort",
    "mot_de_passe",
    "mdp",
    "contrasena",
    "clave",
    "senha",
    "wachtwoord",
    "parola",
    "heslo",
    "haslo",
    "adgangskode",
    "salasana",
    "passord",
    "lozinka",
    "geslo",
    "jelszo",
]
"""Words for a password in the letters of ASCII; in English and in German it is told from them by its own letters."""
_PASSWORDS = [
    "code_d'accès",
    "phrase_secrète",
    "contraseña",
    "palavra_passe",
    "hasło",
    "hasła",
    "lösenord",
    "şifre",
    "jelszó",
    "mật_khẩu",
    "пароль",
    "пароля",
    "гасло",
    "κωδικός",
    "סיסמה",
    "كلمة_المرور",
    "كلمة_السر",
    "पासवर्ड",
    "รหัสผ่าน",
    "密码",
    "密碼",
    "口令",
    "暗号",
    "パスワード",
    "暗証番号",
    "合言葉",
    "パスフレーズ",
    "비밀번호",
    "암호",
    "패스워드",
]
_KEYS = [
    "clé",
    "schlüssel",
    "ключ",
    "токен",
    "секрет",
    "klíč",
    "密钥",
    "密鑰",
    "秘钥",
    "令牌",
    "トークン",
    "シークレット",
    "키는",
    "키:",
    "토큰",
    "시크릿",
]


def _one_of(words: list[str]) -> str:
    return "|".join(re.escape(one.replace("_", " ")) for one in sorted(words, key=len, reverse=True))


_SAYS = (
    "is|was|will be|are|to|lautet|lautete|ist|war|heißt|heisst|est|était|sera|es|era|será|è|sarà|é|luidt|jest|brzmi"
    "|c'est|c’est|är|er|on|je|adalah|là|это|будет|είναι|هي|هو|है|คือ"
)
_NOW = "now|set to|jetzt|nun|maintenant|ahora|ora|agora|теперь"
_WITHOUT_BLANKS = "是|为|為|就是|设为|改成|は|が|を|는|은|을|를|이"
_SIGN = r"[:=：＝»→—–-]"
_MORE = r"(?:[ \u3000][^\s:=：\"'`]{1,40}){0,5}?"
"""Of what, for whom."""
_MORE_WITHOUT_BLANKS = r"[^\s:=：!-~]{0,16}?"
_LINK = (
    rf"(?:{_MORE}(?:[ ](?:{_SAYS})(?:[ ](?:{_NOW}))?[ :：]?|[ ]?{_SIGN})[ ]?"
    rf"|{_MORE_WITHOUT_BLANKS}(?:{_WITHOUT_BLANKS})[ :：]?|[ ])"
)
_OPEN = r"(?:[(\[]?(?:\\*[\"'`]|\*\*|[„“”«»‘’「『《【〈])[ ]?)?"
_VALUE = r"(?P<secret>[!#-&(-\[\]-_a-~\ue000]{6,200})"
"""No quotes: they may end it."""
_TOLD = rf"{_LINK}{_OPEN}{_VALUE}"
_END = ".,;:)]}>*"
"""What follows a secret in a sentence; "!" and "?" may as well be part of it."""


def _is_password(found: Found) -> bool:
    secret = secret_of(found).rstrip(_END)
    made_up = looks_made_up(secret) or is_word_with_number(secret)
    return made_up and not is_reference(secret)


def _is_key(found: Found) -> bool:
    secret = secret_of(found).rstrip(_END)
    if is_reference(secret) or len(secret) < 16:
        return False
    return is_digest_or_uuid(secret) or (looks_random(secret) and is_irregular(secret))


def _told_by(words: list[str]) -> Pattern:
    return Pattern(rf"(?i:{_one_of(words)})\w{{0,2}}{_TOLD}")


_NAMED_AS = r"(?i:passw(?:ort|ord|d)|passphrase|passcode|kennwort|mot de passe|contraseña|senha|пароль)"
_THE = r"(?:the|a|my|your|our|das|mein|dein|le|la|el|il|o|a|as|ton|mon)"
_WORD_BEFORE = re.compile(r"[!-~\ue000]{6,200}\Z")


class Before:
    """Told the other way round: "use … as the password", "… ist das Passwort"."""

    clues = ("passw", "kennwort")
    _pattern = Pattern(
        rf"[ ](?:as|is|als|ist|como|comme|est|es|è|é|—)[ ](?:{_THE}[ ])?(?:[\w-]{{1,20}}[ ]){{0,2}}?{_NAMED_AS}"
    )

    def meets(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        for found in self._pattern.finditer(text):
            word = _WORD_BEFORE.search(text, max(0, found.start() - 200), found.start())
            if word is None:
                continue
            secret = word[0].strip("\"'`")
            start = word.start() + word[0].index(secret)
            if (looks_made_up(secret) or is_word_with_number(secret)) and not is_reference(secret):
                yield Span(start, start + len(secret), "password")


RULES: tuple[Finder, ...] = (
    Rule(
        "password",
        ("passw", "passph", "passc"),
        Pattern(rf"[pP](?i:ass(?:w(?:or[dt]|d)|phrase|code))(?i:et|en)?{_TOLD}"),
        _is_password,
    ),
    Before(),
)
SENTENCE_RULES: tuple[Rule, ...] = (
    Rule("password", ("",), _told_by(_PLAIN), _is_password),
    Rule("password", ("",), _told_by(_PASSWORDS), _is_password),
    Rule("key", ("",), _told_by(_KEYS), _is_key),
)
LINE_RULES: tuple[Rule, ...] = (
    # the login is root with …
    Rule(
        "password",
        ("login", "log in", "sign in", "logged in", "anmeld", "einlogg"),
        Pattern(
            rf"(?:[lL]og(?:[ ]?in|ged[ ]in)|[sS]ign[ ]in|[aA]nmeld|[eE]inlogg)[^\r\n.;=(){{}}]{{1,60}}?[ ](?:with|and|mit|und|/)[ ]{_OPEN}{_VALUE}"
        ),
        lambda found: guess(secret_of(found).rstrip(_END)) >= Sure.LIKELY,
    ),
    # use bob / … to log in
    Rule(
        "password",
        (" log in", " login", " sign in"),
        Pattern(rf"[ ][\w.@+-]{{1,64}}[ ]/[ ]{_OPEN}{_VALUE}[\"'`]?[ ](?:to|for)[ ](?:log[ ]?in|sign[ ]in)"),
        _is_password,
    ),
    # credentials: bob / …
    Rule(
        "password",
        (
            "credential",
            "creds",
            "login",
            "basic auth",
            "basic-auth",
            "zugang",
            "identifiant",
            "credencial",
            "credenzial",
            "account",
        ),
        Pattern(
            r"(?i:credentials?|creds|logins?|account|basic[ -]auth|zugang(?:sdaten)?|identifiants?|credenciales|credenziali)\b"
            rf"[^\r\n\"'`]{{0,40}}?[ :][\w.@+-]{{1,64}}[ ]?[/|:,][ ]?{_OPEN}{_VALUE}"
        ),
        lambda found: (
            _is_password(found)
            or guess(secret_of(found).rstrip(_END)) >= Sure.LIKELY
            or (guess(secret_of(found)) is Sure.MAYBE and any(map(str.isdigit, secret_of(found))))
        ),
    ),
)
