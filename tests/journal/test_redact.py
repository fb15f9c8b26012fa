"""Secrets stay out of the journal, and everything else stays as it is."""

import base64
import time
import uuid

import msgspec
import pytest

from rawr.journal.glance import may_hold_secret
from rawr.journal.redact import Redactor

from .redacting import HIDDEN, KEY, shown

KEPT = [
    "| Name | Type |\n| password | string |\n| access_key | required-2 | x |",
    "set password policy\nset noautopass 1\nGPIO PIN 4 is 1200 Hz, PIN: see below",
    "cat src/token.py\nimport re\ncat config/app.yaml\nname: acme2024x",
    "pass show work/vpn\nError: work/vpn is not in the password store.",
    "requests.get(url, auth=(user, password)); auth=('user', 'pass')",
    "echo done | tee x; echo secrets | wc -l; dotnet nuget list source -p x",
    ":::note\nHow to sign in\n:::",
    "| token | see docs/token.md | 1 |",
    "openssl passwd -6 -salt xyz; mkpasswd -m sha-512",
    "page.login('jane@acme.com', 'password'); auth.login('bob@acme.com', 'letters')",
    "New value: 12\nnew value: unchanged",
    "Recovery codes:\n  see below\nBackup codes: none",
    "read / write to log in again, GET /callback?code=4/5",
    "import sklearn; sk-learn and sk-folding-cube-animation",
    "PRIMARY_KEY=id FOREIGN_KEY=user_id",
    "primary_key = True, sort_key: 'created_at', cache_key='a1b2c3d4e5'",
    "max_tokens=4096 total_tokens: 123 tokens=5",
    '{"max_tokens": "4096", "total_tokens": 123, "eos_token": "<|endoftext|>", "next_page_token": "Abc123456789"}',
    "--token-limit 5 --max-tokens 100 --password-stdin --key value",
    "use --password to set it; --token is required",
    "--token $TOKEN --password ${PASS} --api-key <key> --secret --verbose",
    "API_KEY=$OTHER TOKEN=${T} MY_SECRET=$(cat x) A_KEY=<yours> B_TOKEN=*** C_TOKEN=xxxx",
    "the monkey: 12345678a, the turkey=12345678a, a hotkey: ctrl1234567",
    "token = parser.next_token()",
    "token = tokens[0]; key = lambda x: x1234567",
    "def connect(password=password, token=self.token, api_key=settings.API_KEY):",
    'api_key = os.environ["OPENAI_API_KEY"]; apiKey: process.env.API_KEY,',
    'password: str, token: string | null, secret: "string", api_key: Optional[str] = None',
    '{"password": "Enter your password", "token": "the", "secret": true, "api_key": null}',
    "if token == expected: pass",
    "the token: it is a word; password: see below for more",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "authorization: required; Bearer authentication is used",
    "http://localhost:8080/a@b and git@github.com:me/repo and https://example.com/@user",
    "postgres://app:$PASSWORD@db/x",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    str(uuid.UUID(int=2**127 + 12345)),
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 20).decode(),
    "x/eyJhbGciOiJIUzI1NiJ9.abc and AKIA and AIza and xox and eyJ",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "a -----BEGIN PRIVATE KEY----- line starts a block",
    "--private-key ./id_rsa --ssl-key /etc/k.pem",
    "[redacted] and [redacted:api-key] are words",
    "npm_config_cache=/x npm_config_user_agent npm_lifecycle_event_of_a_script",
    "hf_hub hf_hub_download hf_transformers_cache_directory",
    "pypi-server pypi-server-with-a-rather-long-name-for-a-package",
    "docker run -p 8080:80 -u 1000:1000 x; ssh -p2222 me@host; curl -u $USER:$PASS x",
    "mysql -p db; mysql -h host -P 3306 -p",
    "https://x/?page=2&sort=token and https://x/?next_page_token=abcdef&key=value",
    'PWD=/project/a1b2c3d4 OLDPWD=/home/me {"pwd": "/project/a1b2c3d4"}',
    "first_pass = 12ab34cd; BYPASS=on; COMPASS=north; test_pass=5",
    "credentials: include; GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp1/key.json",
    "OAUTH=on USE_AUTH=basic author: me12345678 auth=auth",
    "no_progress: ok, compress: a1b2c3d4e5, class: x, address=1a2b3c4d5e, process: Abc12345678",
    'INVALID_TOKEN = "Unexpected end of input"; BAD_SECRET: "was not found"; API_KEY="your key here"',
    "    db_password: str | None = None,\n    api_token: bytes or str\n",
    "DB_PASSWORD: the one of the database\nAPI_TOKEN: Required everywhere\nSECRET_KEY: see below",
    "docker run -p 8080 x; docker login; docker login -u me --password-stdin; htpasswd -c f bob; sort -k 2; curl -k y",
    "openssl x509 -in k.pem; openssl enc -k $PASS; openssl rsa -passin env:PASS; whsec_your_webhook_secret_goes_here",
    "the login and password fields; a cookie: yes; Cookie: session=$SESSION",
    "token:\n  name: x1234567\n",
    "https://registry.npmjs.org/@scope/name@1.2.3 and https://example.com/a-long-picture-1234567@2x.png",
    "password = getpass.getpass(); password = letmein; new_password = password2; self.token = token",
    "4111 1111 1111 1112 and 1760000000000000 and 20260101123045 and 0x4111111111111111 and 4111111111111111.5",
    "the tests pass when both sides agree about what they read and nobody else writes to the same file",
    "user,key,value\n1,color,red\n",
    '<input name="password" type="password"><input type="submit" value="Log in">',
    "grep -w x -a; sort -u a; ls -a; git commit -a -m x; tar -p; zip -r x.zip; ssh -p 22 x; mkdir -p a/b",
    "sl.something vc_prefix r8_value squ_are cfat_x shpat_ dapi cio oy2 xai-grok pul-ling lin_api_ tskey- npm_package",
    "http://host:8080/path/@scope/pkg and https://example.com:443/#a@b",
    "password: str = get_password(); let password: &str = &given; token: Optional[str] = None",
    'password = f"{given}"; password = f"{user}-{host}1"; password: str = ""',
    'os.getenv("DB_PASSWORD", ""); os.getenv("DB_PASSWORD"); fields = ["username", "password", "email"]',
    'getpass("Password: "); user.check_password("x"); form.password(prompt)',
    "password=`cat /run/secrets/db`; export TOKEN=`./token.sh a1`",
    "| name | password |\n|---|---|\n| type | string |\n| state | required |\n",
    "CREATE TABLE users (id int, password varchar(255)); INSERT INTO t (id, name) VALUES (1, 'x1y2z3a4')",
    '{"secrets": {"type": "object"}, "tokens": ["the", "cat"], "password": {"type": "string", "title": "Password"}}',
    'variable "db_password" {\n  type = string\n  default = ""\n}\nENV PATH /usr/bin\n#define TOKEN_SIZE 12\n',
    "set -x PATH; git config user.name bob; npm config set registry https://x; setenv EDITOR vi",
    "\x1b[31merror\x1b[0m: token \x1b[1m`x`\x1b[0m, password \x1b[2m(hidden)\x1b[0m",
]


@pytest.mark.parametrize(("text", "expected"), HIDDEN, ids=range(len(HIDDEN)))
def test_secrets_are_hidden_and_come_back(text: str, expected: str) -> None:
    redactor = Redactor()
    redacted = redactor.text(text)
    assert shown(redacted, redactor) == expected
    assert redactor.text(redacted) == redacted
    assert redactor.restore(redacted) == text
    assert redactor.unresolved(redacted) == []


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_text_is_kept(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == text
    encoded = msgspec.json.encode({"text": text})
    assert redactor.json(encoded) is encoded


@pytest.mark.parametrize("text", ["no_progress: ok", "class: x", "address=1", "ACCESS: yes", "compress = 2"])
def test_the_first_look_clears_words_that_only_end_like_a_name(text: str) -> None:
    assert not may_hold_secret(text)


@pytest.mark.parametrize(("text", "expected"), HIDDEN, ids=range(len(HIDDEN)))
def test_the_first_look_clears_no_secret(text: str, expected: str) -> None:
    assert may_hold_secret(text) or text == expected


def test_json_is_redacted_by_its_structure() -> None:
    redactor = Redactor()
    value = {
        "n": 1,
        "float": 0.1,
        "none": None,
        "password": "hunter",
        "Authorization": "Basic dXNlcjpwYXNz",
        "env": {"API_KEY": "abc", "API_KEYS": "kept", "token": 5},
        "argv": ["login", "--password", "hunter", "--token", "$TOKEN", "--verbose", "on"],
        "curl": ["/usr/bin/curl", "-u", "me:hunter", "-ume:hunter", "--user", "me:hunter", "-u", "$WHO:$PASS"],
        "mysql": ["mysql", "-phunter", "-p", "db"],
        "docker": ["docker", "run", "-u", "me:us", "-p8080:80"],
        "login": ["docker", "login", "-u", "me", "-p", "hunter", "reg.io"],
        "apache": ["htpasswd", "-cb", "f", "bob", "hunter"],
        "openssl": ["openssl", "enc", "-k", "hunter", "-passin", "pass:hunter"],
        "Cookie": "session=abcdef; theme=dark",
        "access_token": ["a1", "b2"],
        "arguments": '{"api_key": "abc", "path": "x"}',
        "sk-" + KEY: "key of a member",
    }
    redacted = redactor.json(msgspec.json.encode(value))
    assert msgspec.json.decode(shown(redacted.decode(), redactor)) == {
        "n": 1,
        "float": 0.1,
        "none": None,
        "password": "[password]",
        "Authorization": "Basic [authorization]",
        "env": {"API_KEY": "[key]", "API_KEYS": "kept", "token": 5},
        "argv": ["login", "--password", "[password]", "--token", "$TOKEN", "--verbose", "on"],
        "curl": [
            "/usr/bin/curl",
            "-u",
            "me:[password]",
            "-ume:[password]",
            "--user",
            "me:[password]",
            "-u",
            "$WHO:$PASS",
        ],
        "mysql": ["mysql", "-p[password]", "-p", "db"],
        "docker": ["docker", "run", "-u", "me:us", "-p8080:80"],
        "login": ["docker", "login", "-u", "me", "-p", "[password]", "reg.io"],
        "apache": ["htpasswd", "-cb", "f", "bob", "[password]"],
        "openssl": ["openssl", "enc", "-k", "[password]", "-passin", "pass:[password]"],
        "Cookie": "[cookie]",
        "access_token": ["[token]", "[token]"],
        "arguments": '{"api_key": "[key]", "path": "x"}',
        "[api-key]": "key of a member",
    }
    assert redactor.json(redacted) == redacted


def test_what_is_not_json_is_redacted_as_text_and_keeps_its_other_bytes() -> None:
    redactor = Redactor()
    cut = b'{"password": "hunter2", "text": "sk-' + KEY.encode()
    assert shown(redactor.json(cut).decode(), redactor) == '{"password": "[password]", "text": "[api-key]'
    assert redactor.json(b"\xff\xfe token here") == b"\xff\xfe token here"
    redacted = redactor.json(b"\xff\xfe ghp_" + KEY.encode())
    assert redacted.startswith(b"\xff\xfe [redacted:github-token:")
    deep = b"[" * 5_000 + b'"ghp_' + KEY.encode() + b'"' + b"]" * 5_000
    assert KEY.encode() not in bytes(redactor.json(deep))


@pytest.mark.parametrize(
    "text",
    [
        "password=" + "\\" * 100_000,
        'password=\\"' * 10_000,
        'password="' + "a" * 100_000,
        "-----BEGIN PRIVATE KEY-----\n" * 5_000,
        "-----BEGIN PRIVATE KEY-----" + "- " * 100_000,
        "token" + " " * 100_000 + "x",
        "://a:" * 20_000 + "@",
        "[quoted-0000:" * 10_000 + "redacted:a:0123456789abcdef]",
        base64.b64encode(bytes(range(256)) * 2_000).decode() + " API_KEY=abc",
        "curl " * 20_000,
        "mysql -" * 20_000,
        "login a password " * 10_000,
        "Cookie: " + "a=b; " * 20_000,
        "?token" * 20_000,
        "token:\n" * 20_000,
        "password \x1b[" + "0;" * 50_000,
        "token \\e[" + "\\" * 100_000 + "e",
        "\x1b[1mtoken\x1b[0m=" * 5_000,
        "A_PASSWORD: " * 10_000,
        "A_PASSWORD: " + "a " * 50_000,
        "A_PASSWORD=" + "\\ " * 50_000,
        "htpasswd -b " * 10_000,
        "htpasswd" + " -b 1" * 20_000,
        "docker login " * 10_000,
        "openssl -k " * 10_000,
        "curl -u " * 50_000,
        "insert into a (password) values (" * 5_000,
        "a | password\n" * 10_000,
        '"password": {' * 10_000,
        "password: a" * 10_000,
        "passwords: [" * 10_000,
    ],
    ids=range(31),
)
def test_long_and_crooked_texts_take_time_in_proportion(text: str) -> None:
    """A pattern that tried every way to match would take minutes; this takes milliseconds, and a second is generous."""
    started = time.process_time()
    Redactor().json(msgspec.json.encode({"text": text}))
    assert time.process_time() - started < 1


def test_a_known_secret_is_hidden_on_request() -> None:
    redactor = Redactor()
    hidden = redactor.hide("1234", kind="answer")
    assert hidden.startswith("[redacted:answer:")
    assert redactor.restore(f"pin {hidden}") == "pin 1234"
