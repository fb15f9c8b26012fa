"""Which files hold credentials (C10). Neither reading nor writing one is safe, wherever it is.

They are known by name, because their content changes: the names that programs look for, key files, and ``.env`` and the
like. The user's settings can declare that some hold no secret. Codex's and rawr's homes are not named here: ``places``
knows them by location.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from rawr.approvals.names import plain_name
from rawr.approvals.reading.wildcards import matches

_FOLDERS_TEXT = ".ssh .aws .gnupg .azure .password-store .gcloud .kube .docker .oci .doctl .age .huggingface .fly"
_FOLDERS = frozenset(_FOLDERS_TEXT.split())
_PAIRS = frozenset(
    {
        (".config", "gh"),
        (".config", "hub"),
        (".config", "glab-cli"),
        (".config", "gcloud"),
        (".config", "doctl"),
        (".config", "rclone"),
        (".config", "op"),
        (".config", "sops"),
        (".config", "age"),
        (".config", "git"),
        (".config", "heroku"),
        (".config", "netlify"),
        (".config", "stripe"),
        (".config", "configstore"),
        (".pip", "pip.conf"),
        (".subversion", "auth"),
        ("age", "keys.txt"),
        (".cargo", "credentials"),
        (".cargo", "credentials.toml"),
        (".gem", "credentials"),
        (".m2", "settings.xml"),
        (".gradle", "gradle.properties"),
    }
)
_NAMES_TEXT = """
    auth.json .netrc _netrc .npmrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .git-credentials .gitcookies
    .htpasswd .dockercfg .dockerconfigjson kubeconfig .terraformrc terraform.rc .vault-token .s3cfg .boto
    .clasprc.json rclone.conf .rclone.conf credentials.json .credentials.json client_secret.json
    client_secrets.json service-account.json service_account.json .yarnrc.yml .envrc .databrickscfg .snowsql
    credentials.tfrc.json secrets.yml secrets.yaml secrets.json secrets.toml .bash_history .zsh_history .python_history
    .psql_history .mysql_history .node_repl_history .sqlite_history
    """
_NAMES = frozenset(_NAMES_TEXT.split())
_KEYS = re.compile(r".*\.(?:pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx|tfstate|ovpn)(?:\.(?:bak|old|backup|orig)|~)?")
_IDENTITY = re.compile(r"(?:.*[_-])?id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$).*|.*_(?:rsa|dsa|ecdsa|ed25519)")
_ENVIRONMENT = re.compile(r"\.env(?:rc)?(?:[._~-].*)?|[^.].*\.env(?:\.(?:local|bak|old))?")
_EXAMPLE = re.compile(r".*[._-](?:example|sample|template|dist|schema|d\.ts|tpl|vault)")

_HIDDEN = _FOLDERS | {first for first, _ in _PAIRS if first.startswith(".")}
_KNOWN = "|".join(map(re.escape, sorted(_HIDDEN | _NAMES | {"keys.txt"})))
_SUSPECT = re.compile(
    rf"{_KNOWN}|\.env|rsa|dsa|ed25519|\.(?:pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx|tfstate|ovpn)", re.IGNORECASE
)
_PARTS = tuple(part.encode() for part in sorted(_HIDDEN))
_ENDINGS = (b".bak", b".old", b".backup", b".orig", b"~", b".pem", b".key", b".p12", b".pfx", b".p8", b".ppk", b".jks",
            b".keystore", b".kdbx", b".tfstate", b".ovpn")  # fmt: skip
_NAMES_IN_BYTES = frozenset(name.encode() for name in (*_NAMES, "keys.txt"))


def suspect(path: bytes) -> bool:
    """Return True if a path in an index needs a closer look. Quick, and True more often than necessary."""
    small = path.lower()
    name = small.rpartition(b"/")[2]
    if b".env" in name or name in _NAMES_IN_BYTES or name.endswith(_ENDINGS) or b"rsa" in name or b"dsa" in name:
        return True
    if b"ed25519" in name or not path.isascii():
        return True
    return (small[:1] == b"." or b"/." in small) and any(part in small for part in _PARTS)


PUBLIC = re.compile(rb"-----BEGIN (?:CERTIFICATE|TRUSTED CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|X509 CRL)-----")
PRIVATE = re.compile(rb"PRIVATE KEY|ENCRYPTED|SECRET|password", re.IGNORECASE)
MAX_PEM = 512 * 1024

URL_WITH_PASSWORD = re.compile(rb"://[^/\s@\"]*:[^/\s@\"]*@|://[^/\s@:\"]{16,}@")
"""In a git configuration: a remote URL with a password, or with a token in place of the user."""
_IN_A_CONFIGURATION = re.compile(rb"extraheader|password|token", re.IGNORECASE)


def holds_password(config: bytes | None) -> bool:
    """Return True if a git configuration may hold a password or token."""
    data = config or b""
    return URL_WITH_PASSWORD.search(data) is not None or _IN_A_CONFIGURATION.search(data) is not None


def named_secret(parts: Sequence[str], open_to: Iterable[str] = ()) -> bool:
    """Return True if a path names credentials. ``parts`` are inside the workspace; ``open_to`` is from the settings."""
    text = "/".join(parts)
    if text.isascii() and not _SUSPECT.search(text):
        return False
    plain = tuple(map(plain_name, parts))
    if not plain or not (_secret_name(plain[-1]) or _secret_folder(plain)):
        return False
    return not any(_opened(pattern, plain) for pattern in open_to)


def _secret_name(name: str) -> bool:
    if name in _NAMES or _KEYS.fullmatch(name) or _IDENTITY.fullmatch(name):
        return True
    return _ENVIRONMENT.fullmatch(name) is not None and not _EXAMPLE.fullmatch(name)


def _secret_folder(plain: tuple[str, ...]) -> bool:
    return not _FOLDERS.isdisjoint(plain) or not _PAIRS.isdisjoint(pairwise(plain))


def _opened(pattern: str, plain: tuple[str, ...]) -> bool:
    """A name, ``*.pem`` or ``certs/*.pem``; a pattern with a slash is a path below the workspace."""
    wanted = tuple(map(plain_name, PurePosixPath(pattern).parts))
    against = plain if "/" in pattern.rstrip("/") else plain[-1:]
    return len(wanted) == len(against) and all(map(matches, wanted, against))


def only_public(data: bytes | None) -> bool:
    """Return True if a ``.pem`` holds only public material, such as a certificate."""
    return data is not None and PUBLIC.search(data) is not None and PRIVATE.search(data) is None


_IN_HOME_TEXT = """
    .netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .aws/credentials .aws/config .docker/config.json
    .kube/config .config/gh/hosts.yml .config/hub .cargo/credentials.toml .ssh/id_rsa .ssh/id_dsa .ssh/id_ecdsa
    .ssh/id_ed25519 .ssh/config .codex/auth.json .env .vault-token .terraformrc
    .terraform.d/credentials.tfrc.json .config/sops/age/keys.txt .config/git/credentials .boto .s3cfg .bash_history
    .zsh_history
    """
IN_HOME = tuple(_IN_HOME_TEXT.split())
"""Their paths in a home folder. A hard link to one of them in the workspace counts as one of them."""
