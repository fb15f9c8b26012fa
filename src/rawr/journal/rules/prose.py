"""Secrets in what people write to each other: "Das Passwort lautet …", "密码是…", "log in with password …".

A word for a secret, perhaps a few words more, a verb or a sign, and then something that no language has as a word.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

from rawr.journal.guess import Sure, guess
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import Found, Pattern, Rule, secret_of
from rawr.journal.values import is_word_with_number, looks_made_up

_OPEN = r"(?:[(\[]?(?:\\*[\"'`]|\*\*|[„“”«»‘’「『《【〈])[ ]?)?"
_VALUE = r"(?P<secret>[!#-&(-\[\]-_a-~\ue000]{6,200})"
"""No quotes: they may end it."""
_END = ".,;:)]}>*"
"""What follows a secret in a sentence; "!" and "?" may as well be part of it."""


def _is_password(found: Found) -> bool:
    secret = secret_of(found).rstrip(_END)
    made_up = looks_made_up(secret) or is_word_with_number(secret)
    return made_up and not is_reference(secret)


LINE_RULES: tuple[Rule, ...] = (
    # the login is root with …
    Rule(
        "password",
        ("login", "log in", "sign in", "logged in", "anmeld", "einlogg"),
        Pattern(
            rf"(?:[lL]og(?:[ ]?in|ged[ ]in)|[sS]ign[ ]in|[aA]nmeld"
            rf"|[eE]inlogg)[^\r\n.;=(){{}}]{{1,60}}?[ ](?:with|and|mit|und|/)[ ]{_OPEN}{_VALUE}"
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
            r"(?i:credentials?|creds|logins?|account|basic[ -]auth|zugang(?:sdaten)?|identifiants?"
            r"|credenciales|credenziali)\b"
            rf"[^\r\n\"'`]{{0,40}}?[ :][\w.@+-]{{1,64}}[ ]?[/|:,][ ]?{_OPEN}{_VALUE}"
        ),
        lambda found: (
            _is_password(found)
            or guess(secret_of(found).rstrip(_END)) >= Sure.LIKELY
            or (guess(secret_of(found)) is Sure.MAYBE and any(map(str.isdigit, secret_of(found))))
        ),
    ),
)
