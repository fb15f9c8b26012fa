"""Keys as programs write them to files: complete, cut off, or inside a string."""

import base64
import binascii

from rawr.journal.rules.rule import GAP, LINE_END, Found, Pattern, Rule, Within, behind


def _is_private(found: Found) -> bool:
    """Base64 of a PEM file; a certificate begins the same way."""
    head = found["secret"][:80]
    try:
        return b"PRIVATE KEY" in base64.b64decode(head[: len(head) // 4 * 4])
    except binascii.Error:
        return False


_MATERIAL = rf"(?:{LINE_END}+[ \t>|+#*-]*[A-Za-z0-9+/=]+|[ \t]+[A-Za-z0-9+/=]{{16,}})+"
"""Lines of key material, as far as they continue."""

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        ("private key",),
        Pattern(
            r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            rf"|(?:{LINE_END}+[A-Za-z-]+:[^\r\n\\]*)*{_MATERIAL}))"
        ),
    ),
    Rule(
        "private-key",
        ("ssh2 encrypted private", "openvpn static key"),
        Pattern(
            r"(?P<secret>-{4,5} ?BEGIN (?:SSH2 ENCRYPTED PRIVATE KEY|OpenVPN Static key V1) ?-{4,5}"
            rf"(?:{LINE_END}+[A-Za-z-]+:[^\r\n\\]*)*{_MATERIAL})"
        ),
    ),
    Rule("private-key", ("private-lines",), Pattern(rf"Private-Lines:[ \t]*\d+(?P<secret>{_MATERIAL})")),
    Rule(
        "private-key",
        ("secret key",),
        Pattern(
            rf"untrusted comment:[^\r\n\\]{{0,200}}secret key[^\r\n\\]{{0,80}}"
            rf"(?P<secret>{LINE_END}[A-Za-z0-9+/=]{{40,}})"
        ),
    ),
    Rule(
        "private-key",
        ("private-key",),
        Pattern(rf"\([dpqu]{GAP}#(?P<secret>[0-9A-Fa-f\s\\n]{{16,}})#"),
        lambda found: "private-key" in found.string,
    ),
    Rule("private-key", ("ls0tls1crudjti",), Pattern(r"(?P<secret>LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,})"), _is_private),
    Rule(
        "keystore", ("/u3+7q",), Pattern(rf"(?P<secret>/{behind('A-Za-z0-9+/', then='/')}u3\+7Q[A-Za-z0-9+/=]{{40,}})")
    ),
    Rule("age-key", ("age-secret-key-",), Pattern(r"(?P<secret>AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{20,})")),
)

WEB_KEY = Within(
    "private-key",
    ("kty",),
    Pattern(r"\{(?P<body>[^{}]{0,8000}kty[^{}]{0,8000})\}"),
    Pattern(r"\\*\"(?:d|dp|dq|qi|p|q|k)\\*\"\s*:\s*\\*\"(?P<secret>[A-Za-z0-9_-]{20,})\\*\""),
)

MANIFEST = Within(
    "secret",
    ("kind: secret",),
    Pattern(
        rf"(?:\A|[\r\n]|\\n)[ \t]*(?:data|stringData):[ \t]*{LINE_END}"
        rf"(?P<body>(?:[ \t]+[^\r\n\\]{{1,8000}}(?:{LINE_END}|\Z|(?=\\*[\"'])))+)"
    ),
    Pattern(r"[ \t]+[\w.-]{1,128}:[ \t]+(?:\\*[\"'])?(?P<secret>[^\s\"'\\|>]{2,})"),
    lambda found: "kind: Secret" in found.string,
)
"""The data of a Kubernetes secret, whatever its name."""
