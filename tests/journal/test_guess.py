"""How much a word looks like a password, and what ordinary sessions say beside words for secrets."""

from random import Random

import pytest

from rawr.journal.guess import Sure, guess
from rawr.journal.redact import Redactor
from tests.journal.fresh_eighth import EIGHTH
from tests.journal.fresh_fifth import FIFTH
from tests.journal.fresh_ninth import NINTH
from tests.journal.fresh_seventh import SEVENTH
from tests.journal.fresh_sixth import SIXTH
from tests.journal.secret_shapes import Maker

NONE = (
    "bcrypt sha256 argon2id user1 auth2.py US-104 P0-1 utf8mb4 gpt-4o v1.2.3 2024-01-05 http2 step2b RS256 AES-256-GCM"
    " user@example.com localhost:3000 5GB next.js email/password reset_token_v2 C++ 401/403 mt-2 hash(x1) $TOKEN <key>"
    " /etc/key1.pem https://x1.example a=b.c1 2026-02-02T10:07:16Z X25519"
)
LIKELY = "Gr1ve-Musicienne olivar-Jaen_73 Zubr.Bialowieza4 gianduia8815mole acdb2-3fdbb Calçots+Romesco8 tukan4818"
CERTAIN = "brigadeiro*Hml7 Gruyere*trou7 m0nsoon!Check vQ7#kd!Tn2Lx kRw.6vyqTZ2_hpCXoEbn"

KEPT = [
    "github.com/jackc/pgpassfile v1.0.0 h1:/6Hmqy13Ss2zCq62VdNG8tM1wchn8zjSGOBJ6icpsIM=",
    "date -u +%Y-%m-%dT%H:%M:%SZ",
    "TEST_USER_PASSWORD\t2026-02-02T10:07:16Z",
    "# Story 5.11: Change Password\n\nStatus: ready-for-dev\n",
    "1. **Private Key Handling**:\n   - Never log private keys\n",
    "Code Snippets: 1774, and exit code: 1234, and port `3000` with live code reloads",
    "Passwords are hashed with argon2id; the password reset of US-104 is in auth2.py (see step2b)",
    "the password policy is case-sensitive and out-of-band; passkeys are phishing-resistant",
    "politiques de mot de passe fort, l'authentification multifacteur est exigée pour les rôles élevés",
]


def test_a_word_is_no_password_or_likely_one_or_certainly() -> None:
    assert {word: guess(word) for word in NONE.split()} == dict.fromkeys(NONE.split(), Sure.NOT)
    assert {word: guess(word) for word in LIKELY.split()} == dict.fromkeys(LIKELY.split(), Sure.LIKELY)
    assert {word: guess(word) for word in CERTAIN.split()} == dict.fromkeys(CERTAIN.split(), Sure.CERTAIN)


@pytest.mark.parametrize("text", KEPT)
def test_what_only_stands_beside_such_a_word_is_kept(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "fresh",
    [FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH],
    ids=["fifth", "sixth", "seventh", "eighth", "ninth"],
)
def test_every_text_comes_back_and_is_left_alone_the_second_time(fresh: dict[str, tuple[str, Maker]]) -> None:
    for kind, (text, make) in fresh.items():
        redactor, secret = Redactor(), make(Random(kind))  # noqa: S311 - the same in every run
        told = text.format(secret)
        redacted = redactor.text(told)
        assert secret not in redacted, kind
        assert redactor.restore(redacted) == told, kind
        assert redactor.text(redacted) == redacted, kind
