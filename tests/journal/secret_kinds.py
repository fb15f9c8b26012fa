"""Secrets that are known by what stands around them: names, command lines, addresses, files."""

import base64
import string
from random import Random

from tests.journal.secret_shapes import ALNUM, BASE64, HEX, Maker, after, parts, some

NAMES = (
    "API_KEY",
    "SECRET_KEY",
    "DB_PASSWORD",
    "GITHUB_TOKEN",
    "PGPASSWORD",
    "MYSQL_PWD",
    "SECRET_KEY_BASE",
    "API_KEY_PROD",
    "apiKey",
    "dbPwd",
    "dbPassword",
    "clientSecret",
    "accessToken",
    "privateKey",
    "passphrase",
    "password",
    "passwd",
    "auth_token",
    "client_secret",
    "keystorePassword",
    "storePass",
    "admin_pw",
    "wifi_psk",
    "newPassword",
    "userPass",
)
"""Names that tell of a secret whatever its value looks like, in the hands of several languages."""

COMMANDS = (
    "curl -u bob:{} https://example.com",
    "curl -sSL --user bob:{} https://example.com",
    "curl --proxy-user bob:{} https://example.com",
    "curl -H 'Authorization: Bearer {}' https://example.com",
    "curl -b 'session={}' -H 'Cookie: sid={}' https://example.com",
    "wget --user=bob --password={} https://example.com",
    "wget --http-password {} https://example.com",
    "http -a bob:{} GET example.com",
    "redis-cli -h db -a {} ping",
    "redis-cli --pass {} ping",
    "ldapsearch -x -D cn=admin -w {} -b dc=x",
    "smbclient //host/share -U bob%{}",
    "mongosh -u bob -p {} db",
    "mongodump --username bob --password {} --db x",
    "mysql -u root -p{} shop",
    "mysqldump --password={} shop",
    "PGPASSWORD={} psql -h db -U bob",
    "psql postgresql://bob:{}@db/shop",
    "sqlcmd -S db -U sa -P {} -Q 'select 1'",
    "mosquitto_pub -h x -u bob -P {} -t a -m b",
    "lftp -u bob,{} sftp://example.com",
    "sshpass -p {} ssh bob@example.com",
    "az login --service-principal -u x -p {} --tenant y",
    "az storage blob list --account-key {}",
    "aws configure set aws_secret_access_key {}",
    "gcloud auth activate --access-token {}",
    "vault write secret/x password={}",
    "helm upgrade x y --set db.password={}",
    "helm registry login -u bob -p {} example.com",
    "kubectl --token={} get pods",
    "kubectl create secret generic x --from-literal=value={}",
    "docker login -u bob -p {} example.com",
    "echo {} | docker login -u bob --password-stdin",
    "echo {} | sudo -S apt update",
    "htpasswd -bc f bob {}",
    "openssl enc -aes-256-cbc -k {} -in x",
    "openssl rsa -in x -passin pass:{}",
    "keytool -list -keystore x.jks -storepass {}",
    "ssh-keygen -t ed25519 -N {} -f x",
    "zip -P {} x.zip x",
    "7z a -p{} x.7z x",
    "cqlsh -u bob -p {} db",
    "ipmitool -H x -U bob -P {} chassis status",
    "nmcli dev wifi connect home password {}",
    "gpg --batch --passphrase {} -d x",
    "npm config set //registry.npmjs.org/:_authToken {}",
    "git config user.password {}",
    "setx API_KEY {}",
    "snmpwalk -v3 -u bob -A {} host",
    "gh secret set NAME --body {}",
)
"""What a password is given to on a command line. It may be any word, so the value is one that no rule would know."""

ADDRESSES = (
    "postgres://bob:{}@db.example.com:5432/shop",
    "postgres://bob:a/{}#b@db.example.com/shop",
    "mysql://bob:{}/x@db.example.com/shop",
    "amqp://bob:#{}@mq.example.com/",
    "redis://:{}@cache.example.com:6379/0",
    "https://bob:{}@example.com/repo.git",
    "mongodb+srv://bob:{}?x@example.com/db",
    "jdbc:oracle:thin:bob/{}@db:1521:x",
    "jdbc:mysql://db/shop?user=bob&password={}",
    "Server=db;Uid=sa;Pwd={};Database=x",
    "Server=db;User Id=sa;Password={};Database=x",
    "machine example.com login bob password {}",
    "db.example.com:5432:shop:bob:{}",
    "Authorization: Token token={}",
    "Proxy-Authorization: Basic {}",
    "Cookie: theme=dark; session={}",
    "requests.get(url, cookies={{'theme': 'dark1', 'session': '{}'}})",
    "cookies = dict(session='{}')",
    ".example.com\tTRUE\t/\tTRUE\t0\tsession\t{}",
    "the password is {}, do not share it",
    "Password: {}",
    "API key: {}",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={}==;EndpointSuffix=core.windows.net",
)


def word(chance: Random) -> str:
    """A password that looks like a word to everybody who is not told."""
    return "".join(chance.choice(string.ascii_lowercase) for _ in range(9))


def mixed(chance: Random) -> str:
    return "b" + some(ALNUM, 14)(chance) + "7Q"


def _lines(alphabet: str, count: int, *, length: int = 64) -> Maker:
    return lambda chance: "\n".join(some(alphabet, length)(chance) for _ in range(count))


def block(begin: str, body: Maker, end: str) -> Maker:
    return lambda chance: f"{begin}\n{body(chance)}\n{end}"


def _pem(kind: str) -> Maker:
    return block(f"-----BEGIN {kind}-----", _lines(BASE64, 4), f"-----END {kind}-----")


def _kubeconfig(chance: Random) -> str:
    return "client-key-data: " + base64.b64encode(_pem("RSA PRIVATE KEY")(chance).encode()).decode()


FILES: dict[str, Maker] = {
    "RSA": _pem("RSA PRIVATE KEY"),
    "PKCS 8": _pem("ENCRYPTED PRIVATE KEY"),
    "OpenSSH": _pem("OPENSSH PRIVATE KEY"),
    "PGP": block(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n", _lines(BASE64, 4), "-----END PGP PRIVATE KEY BLOCK-----"
    ),
    "SSH2": block(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
        _lines(BASE64, 4, length=70),
        "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ),
    "PuTTY": parts(
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 2\n",
        _lines(BASE64, 2),
        "\nPrivate-MAC: 00",
    ),
    "WireGuard": parts("[Interface]\nPrivateKey = ", some(BASE64, 43), "=\nListenPort = 51820\n"),
    "OpenVPN": block(
        "-----BEGIN OpenVPN Static key V1-----", _lines(HEX, 4, length=32), "-----END OpenVPN Static key V1-----"
    ),
    "age": after("AGE-SECRET-KEY-1", string.ascii_uppercase + string.digits, 58),
    "minisign": parts("untrusted comment: minisign encrypted secret key\n", some(BASE64, 200), "=="),
    "GnuPG": parts(
        "Key: (private-key (ecc (curve Ed25519)(q #40", some(HEX.upper(), 64), "#)(d #", some(HEX.upper(), 64), "#)))"
    ),
    "JWK": parts('{"kty": "EC", "crv": "P-256", "x": "abc", "d": "', some(ALNUM, 43), '"}'),
    "kubeconfig": _kubeconfig,
    "Kubernetes secret": parts(
        "apiVersion: v1\nkind: Secret\ndata:\n  first: ", some(ALNUM, 24), "\n  second: ", some(ALNUM, 24), "\n"
    ),
    "Java keystore": parts("keystore: /u3+7QAAAAIAAAAB", some(BASE64, 120)),
    "shadow": parts("root:$6$", some(ALNUM, 12), "$", some(ALNUM, 86), ":19000:0:99999:7:::"),
}

_WORDS = [
    "rabbit",
    "pencil",
    "summer",
    "velvet",
    "orange",
    "marble",
    "candle",
    "window",
    "garden",
    "silver",
    "anchor",
    "basket",
    "cactus",
    "dragon",
    "engine",
    "fabric",
    "galaxy",
    "harvest",
    "island",
    "jungle",
    "kitten",
    "lemon",
    "museum",
    "needle",
    "ocean",
    "puzzle",
    "quarter",
    "ribbon",
    "saddle",
    "tunnel",
    "umbrella",
    "violin",
    "walnut",
]


def mnemonic(chance: Random) -> str:
    return " ".join(chance.sample(_WORDS, chance.choice((12, 24))))


def card(chance: Random) -> str:
    start, length = chance.choice((("4", 16), ("51", 16), ("37", 15), ("6011", 16), ("2221", 16), ("3530", 16)))
    digits = [int(digit) for digit in start] + [chance.randrange(10) for _ in range(length - len(start) - 1)]
    doubled = [digit * 2 - 9 * (digit > 4) if at % 2 == 0 else digit for at, digit in enumerate(reversed(digits))]
    number = "".join(map(str, digits)) + str(-sum(doubled) % 10)
    gap = chance.choice(("", " ", "-"))
    sizes = (4, 6, 5) if length == 15 else (4, 4, 4, 4)
    cuts = [number[sum(sizes[:n]) : sum(sizes[: n + 1])] for n in range(len(sizes))]
    return gap.join(cuts)
