"""Secrets stay out of the journal, and everything else stays as it is."""

import base64
import time
import uuid
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.core.real import Real
from rawr.core.vocabulary.effects import RunCheck
from rawr.core.vocabulary.facts import UserSubmitted
from rawr.journal.glance import may_hold_secret
from rawr.journal.redact import GONE, Redactor
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.samples import recorded
from tests.journal.secrets_made import COLOURS, FORMS, LINES, NAMES, NEXT_LINE, PLACES, VALUES, VENDOR, private_key

KEY = "AbCdEf0123456789AbCdEf0123456789"

HIDDEN = [
    ("sk-" + KEY, "[api-key]"),
    ("key is sk-proj-" + KEY + "-x_y, ok", "key is [api-key], ok"),
    ("sk-ant-api03-" + KEY, "[api-key]"),
    ("ghp_" + KEY, "[github-token]"),
    ("gho_" + KEY, "[github-token]"),
    ("github_pat_11ABC_" + KEY, "[github-token]"),
    ("xoxb-1234567890-" + KEY, "[slack-token]"),
    ("AKIAIOSFODNN7EXAMPLE", "[aws-key-id]"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [key]"),
    ("AIza" + KEY + "abc", "[google-key]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[jwt]"),
    ("Authorization: Bearer " + KEY, "Authorization: Bearer [authorization]"),
    ("authorization: basic dXNlcjpwYXNz", "authorization: basic [authorization]"),
    ("-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [authorization]'"),
    ('{"Authorization": "Bearer ' + KEY + '"}', '{"Authorization": "Bearer [authorization]"}'),
    ("got Bearer " + KEY + " back", "got Bearer [authorization] back"),
    ("postgres://app:hunter2@db/x", "postgres://app:[url-password]@db/x"),
    ("https://:p%40ss@host and on", "https://:[url-password]@host and on"),
    ("API_KEY=abc", "API_KEY=[key]"),
    ("FOO_KEY=abc make", "FOO_KEY=[key] make"),
    ("export MY_TOKEN='a b'", "export MY_TOKEN='[token]'"),
    ("FOO_SECRET='hunter2x9 with space'", "FOO_SECRET='[secret]'"),
    ("FOO_TOKEN='a1b2 c3d4'", "FOO_TOKEN='[token]'"),
    ('{"client_secret": "a1b2 c3d4"}', '{"client_secret": "[secret]"}'),
    ('export API_KEY="abc 123"', 'export API_KEY="[key]"'),
    ("DB_PASSWORD: correct horse", "DB_PASSWORD: [password]"),
    ("a: 1\n  - API_TOKEN: ab cd  # old\nb: 2", "a: 1\n  - API_TOKEN: [token]  # old\nb: 2"),
    ("db_password: correct horse battery\nx: y", "db_password: [password]\nx: y"),
    (
        r"{\"env\": \"x: 1\\nDB_PASSWORD: correct horse\\ny: 2\"}",
        r"{\"env\": \"x: 1\\nDB_PASSWORD: [password]\\ny: 2\"}",
    ),
    (r"DB_PASS=correct\ horse make", "DB_PASS=[password] make"),
    (r"FOO_TOKEN=ab\ cd\$e", "FOO_TOKEN=[token]"),
    ("docker login -u me -p hunter reg.io", "docker login -u me -p [password] reg.io"),
    ("docker login -p 'hunter two' reg.io", "docker login -p '[password]' reg.io"),
    ("podman login -phunter reg.io", "podman login -p[password] reg.io"),
    ("htpasswd -b f bob hunter", "htpasswd -b f bob [password]"),
    ("bash -lc 'htpasswd -c -bB -C 10 f bob hunter' x", "bash -lc 'htpasswd -c -bB -C 10 f bob [password]' x"),
    ("htpasswd -B -b -C 5 f bob 'x y'", "htpasswd -B -b -C 5 f bob '[password]'"),
    ("htpasswd -nb bob hunter > f", "htpasswd -nb bob [password] > f"),
    ("openssl enc -aes-256-cbc -k hunter -in x", "openssl enc -aes-256-cbc -k [password] -in x"),
    ("openssl rsa -passin pass:hunter -in x", "openssl rsa -passin pass:[password] -in x"),
    ("dop_v1_" + "0a1b" * 16, "[digitalocean-token]"),
    ("whsec_" + KEY, "[webhook-secret]"),
    ("export MY_TOKEN='ab'", "export MY_TOKEN='[token]'"),
    ('DB_PASSWORD="correct horse battery"', 'DB_PASSWORD="[password]"'),
    ("MYSQL_PASSWORD=hunter2;", "MYSQL_PASSWORD=[password];"),
    ("password=letmein", "password=[password]"),
    ("password: hunter", "password: [password]"),
    ("  password: hunter\n  user: me", "  password: [password]\n  user: me"),
    ('"api_key": "abc",', '"api_key": "[key]",'),
    (r"{\"api_key\": \"abc\", \"n\": 1}", r"{\"api_key\": \"[key]\", \"n\": 1}"),
    (r'{"password": "a\"b"}', '{"password": "[password]"}'),
    (r"{\"password\": \"a\\\"b\"}", r"{\"password\": \"[password]\"}"),
    ('client_secret = "abc"', 'client_secret = "[secret]"'),
    ('{"token": "abcdef123456"}', '{"token": "[token]"}'),
    ("X-Api-Key: abcdef123456", "X-Api-Key: [key]"),
    ("SECRET_KEY_2=abc", "SECRET_KEY_2=[key]"),
    ("mysql --password hunter", "mysql --password [password]"),
    ("x --token=abc --verbose", "x --token=[token] --verbose"),
    ("x --api-key 'abc'", "x --api-key '[key]'"),
    ('["login", "--password", "hunter"]', '["login", "--password", "[password]"]'),
    ("a\n" + private_key(["MIIE" + KEY, "QUJD"]) + "\nb", "a\n[private-key]\nb"),
    (private_key(["MIIE" + KEY, "QUJD"], line_end="\\n"), "[private-key]"),
    (private_key(["MIIE" + KEY, "QUJD"], kind="OPENSSH ", line_end="\\\\n"), "[private-key]"),
    ("-----BEGIN PRIVATE KEY-----\nMIIE" + KEY + "\nQU", "[private-key]"),
    ("-----BEGIN PRIVATE KEY-----\\nMIIE" + KEY + "\\nQU", "[private-key]"),
    ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE" + KEY, "[private-key]"),
    ("ASIAIOSFODNN7EXAMPLE", "[aws-key-id]"),
    ("sk_live_" + KEY, "[stripe-key]"),
    ("rk_live_" + KEY, "[stripe-key]"),
    ("glpat-AbCdEf-0123456789_xy", "[gitlab-token]"),
    ("hf_" + KEY, "[hugging-face-token]"),
    ("npm_" + KEY + "abcd", "[npm-token]"),
    ("pypi-AgEIcHlwaS5vcmc" + KEY, "[pypi-token]"),
    ("SG." + KEY[:22] + "." + KEY + "-_abcdefghi", "[sendgrid-key]"),
    ("https://hooks.slack.com/services/T0000/B0000/" + KEY, "https://hooks.slack.com/services/[webhook]"),
    ("https://discord.com/api/webhooks/1234567890/" + KEY, "https://discord.com/api/webhooks/[webhook]"),
    ("/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", "/bot[telegram-token]/getMe"),
    ("AGE-SECRET-KEY-1" + KEY.upper() * 2, "[age-key]"),
    ("hvs." + KEY, "[vault-token]"),
    ("Cookie: session=abcdef; theme=dark", "Cookie: [cookie]"),
    ("Set-Cookie: sid=abcdef; HttpOnly", "Set-Cookie: [cookie]; HttpOnly"),
    ("-H 'cookie: sid=abcdef' -v", "-H 'cookie: [cookie]' -v"),
    ("curl --cookie sid=abcdef x", "curl --cookie [cookie] x"),
    ("curl -s -u me:hunter2 https://x", "curl -s -u me:[password] https://x"),
    ("curl -u 'me:hunter2' x", "curl -u 'me:[password]' x"),
    ("curl -ume:hunter2 x", "curl -ume:[password] x"),
    ("curl --user=me:hunter2 x", "curl --user=me:[password] x"),
    ("mysql -u root -phunter db", "mysql -u root -p[password] db"),
    ("mysqldump -p'hunter' db", "mysqldump -p'[password]' db"),
    ("sshpass -p hunter ssh x", "sshpass -p [password] ssh x"),
    ("login me password hunter2", "login me password [password]"),
    ("machine x\n login me\n password hunter\n", "machine x\n login me\n password [password]\n"),
    ("https://x/?access_token=abcdef", "https://x/?access_token=[url-token]"),
    ("https://x/?a=1&sig=ab%2Bcd&b=2", "https://x/?a=1&sig=[url-token]&b=2"),
    ("https://x/?a=1&token=abcdef", "https://x/?a=1&token=[url-token]"),
    ("https://x/?a=1&api_key=abcdef", "https://x/?a=1&api_key=[url-token]"),
    ("https://x/?X-Amz-Signature=0a1b2c", "https://x/?X-Amz-Signature=[url-token]"),
    ("https://" + "0af1" * 8 + "@o1.ingest.sentry.io/2", "https://[url-token]@o1.ingest.sentry.io/2"),
    ("DATABASE_PASS=hunter", "DATABASE_PASS=[password]"),
    ("MYSQL_PWD=hunter mysql", "MYSQL_PWD=[password] mysql"),
    ("DB_CREDENTIALS=me/hunter", "DB_CREDENTIALS=[secret]"),
    ("TWILIO_AUTH=abcdef", "TWILIO_AUTH=[secret]"),
    ("GITHUB_TOKEN:\n  abcdef123456\n", "GITHUB_TOKEN:\n  [token]\n"),
    (r"{\"GITHUB_TOKEN\":\n \"abcdef123456\"}", r"{\"GITHUB_TOKEN\":\n \"[token]\"}"),
    ("FOO_TOKEN=\x1b[31mabcdef\x1b[0m", "FOO_TOKEN=\x1b[31m[token]\x1b[0m"),
    ("FOO_\x1b[1mTOKEN\x1b[0m=abc\x1b[31mdef", "FOO_\x1b[1mTOKEN\x1b[0m=[token]"),
    ("\x1b[1msk-\x1b[0mproj-" + KEY, "\x1b[1m[api-key]"),
    ("\x1b[32mok\x1b[0msk-" + KEY, "\x1b[32mok\x1b[0m[api-key]"),
    ('PASSWORD="\x1b[31mhunter\x1b[0m"', 'PASSWORD="\x1b[31m[password]\x1b[0m"'),
    (r"\u001b[1msk-\u001b[0mproj-" + KEY, r"\u001b[1m[api-key]"),
    (r"echo -e 'A_TOKEN=\e[31mabcdef\e[0m'", r"echo -e 'A_TOKEN=\e[31m[token]\e[0m'"),
    ("mysql -u root -p'a b' db", "mysql -u root -p'[password]' db"),
    ('SECRET = "correct horse"', 'SECRET = "[secret]"'),
    ("password: correct horse battery\n", "password: [password]\n"),
    ('const dbPwd = "hunter"', 'const dbPwd = "[password]"'),
    ("cookies={'a': 'abcdef', 'b': 'ghijkl'}", "cookies={'a': '[cookie]', 'b': '[cookie]'}"),
    ("password: |\n  hunter\n", "password: |\n  [password]\n"),
    ("pg://me:a/b#c@db/x", "pg://me:[url-password]@db/x"),
    ("user,password\nann,hunter\nbob,letmein\n", "user,password\nann,[password]\nbob,[password]\n"),
    ("<password>hunter</password>", "<password>[password]</password>"),
    ("bash -c 'X_TOKEN='\\''a b'\\'' make'", "bash -c 'X_TOKEN='\\''[token]'\\'' make'"),
    ("[db]\npassword = letmein\n", "[db]\npassword = [password]\n"),
    ("4111 1111 1111 1111", "[card]"),
    ("\x1b]8;;https://x/?token=abcdef\x07x\x1b]8;;\x07", "\x1b]8;;https://x/?token=[url-token]\x07x\x1b]8;;\x07"),
]

KEPT = [
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


def shown(text: str, redactor: Redactor) -> str:
    """Placeholders by their kind alone."""
    for placeholder in redactor._vault._originals:
        text = text.replace(placeholder, f"[{placeholder.split(':')[1]}]")
    return text


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


def test_one_secret_has_one_placeholder_in_a_process_and_another_in_the_next() -> None:
    here, there = Redactor(), Redactor()
    first = here.text("sk-" + KEY)
    assert here.text("API_KEY=sk-" + KEY) == "API_KEY=" + first
    assert here.json(msgspec.json.encode({"api_key": "sk-" + KEY})) == msgspec.json.encode({"api_key": first})
    assert there.text("sk-" + KEY) != first


def test_after_a_restart_a_placeholder_is_unresolved_and_stays() -> None:
    redacted = Redactor().text("use ghp_" + KEY)
    later = Redactor()
    assert later.restore(redacted) == redacted
    assert later.unresolved(redacted) == [redacted.removeprefix("use ")]


def test_what_only_looks_like_a_placeholder_is_no_placeholder_here_or_after_a_restart() -> None:
    """A user's message reaches Codex unchanged, whatever it says."""
    redactor = Redactor()
    own = redactor.text("ghp_" + KEY)
    for typed in ("what does [redacted:api-key:0123456789abcdef] mean?", own, Redactor().text("ghp_" + KEY)):
        redacted = as_foreign(redactor, typed)
        assert redacted != typed
        assert redactor.text(redacted) == redacted
        for reader in (redactor, Redactor()):
            assert reader.unresolved(redacted) == []
            assert reader.restore(redacted) == typed
        twice = as_foreign(redactor, redacted)
        assert Redactor().restore(twice) == redacted


SHIELDS = (
    "DB_PASSWORD={}",
    "export DB_PASSWORD='{}' && make",
    '{{"password": "{}"}}',
    '{{\\"password\\": \\"{}\\"}}',
    "db:\n  password: {}\n",
    "mysql -u root -p{} shop",
    "curl -u bob:{} https://example.com",
    "x --password {} --verbose",
    "postgres://bob:{}@db/shop",
    "https://example.com/?api_key={}&x=1",
    "Authorization: Bearer {}",
    "Cookie: session={}",
    "<password>{}</password>",
    "user,password\nann,{}\n",
)


@pytest.mark.parametrize("place", SHIELDS)
@pytest.mark.parametrize(
    "value", ["{mark}{secret}", "{secret}{mark}", "{mark}{mark}{secret}", "{secret}{mark}{secret}"]
)
def test_what_looks_like_a_placeholder_shields_nothing_beside_it(place: str, value: str) -> None:
    secret = "Zq7vR2mK9xW4tB6n"
    redactor = Redactor()
    for mark in ("[redacted:x:0123456789abcdef]", redactor.text("ghp_" + KEY), "\ue000"):
        text = place.format(value.format(mark=mark, secret=secret))
        redacted = as_foreign(redactor, text)
        assert secret not in redacted
        assert secret not in redactor.text(text)
        assert redactor.text(redacted) == redacted
        assert redactor.restore(redacted) == text


@pytest.mark.parametrize(
    "members",
    [
        {"password": "{}"},
        {"DB_PASSWORD": "x {} y"},
        {"Authorization": "Bearer {}"},
        {"Cookie": "session={}"},
        {"cookies": {"session": "{}"}},
        {"name": "API_KEY", "value": "{}"},
        {"kind": "Secret", "data": {"x": "{}"}},
        {"argv": ["login", "--password", "{}"]},
        {"argv": ["mysql", "-p{}"]},
        {"argv": ["curl", "-u", "bob:{}"]},
    ],
)
def test_in_json_it_shields_nothing_either(members: dict[str, object]) -> None:
    value = "[redacted:x:0123456789abcdef]Zq7vR2mK9xW4[redacted:x:0123456789abcdef]"
    redactor = Redactor()
    came = msgspec.json.encode(members).replace(b"{}", value.encode())
    redacted = redactor.foreign(came)
    assert b"Zq7vR2mK9xW4" not in bytes(redacted)
    assert redactor.json(redacted) == redacted
    assert redactor.restore(redacted.decode()) == came.decode()
    assert b"Zq7vR2mK9xW4" not in bytes(redactor.json(came))


def as_foreign(redactor: Redactor, text: str) -> str:
    redacted: str = msgspec.json.decode(redactor.foreign(msgspec.json.encode(text)))
    return redacted


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_what_is_revealed_is_what_came_in_to_the_letter(data: st.DataObject) -> None:
    """D12: whatever an agent writes, placeholders that it has read in a journal among it."""
    redactor = Redactor()
    known = redactor.text("ghp_" + KEY)
    parts = st.sampled_from(
        [known, f"[quoted-0000:{known[1:]}", known[:-1], known[1:], "ghp_" + KEY, "-p", "mysql ", "password=", "'", '"']
    )
    command = "".join(data.draw(st.lists(parts | st.text(max_size=8), max_size=8)))
    came = RunCheck(command=command, cwd="/", seconds=1)
    kept = msgspec.json.decode(redactor.foreign(msgspec.json.encode(came)), type=RunCheck)
    assert redactor.reveal(kept) == Real(came)


def test_what_is_gone_is_not_revealed_and_is_said_where_it_is_only_quoted() -> None:
    """D12: never acted upon with a placeholder in it."""
    check = RunCheck(command=f"test ghp_{KEY} = x", cwd="/", seconds=1)
    written = msgspec.json.decode(Redactor().foreign(msgspec.json.encode(check)), type=RunCheck)
    later = Redactor()
    assert later.reveal(written) is None
    assert later.quote(written).thing.command == f"test {GONE} = x"
    earlier = Redactor()
    clean = earlier.foreign(msgspec.json.encode(check))
    later.recall(earlier.originals(clean))
    assert later.reveal(msgspec.json.decode(clean, type=RunCheck)) == Real(check)


def test_a_placeholder_of_an_earlier_process_survives_being_written_again() -> None:
    """D12: a snapshot of a state that holds one must not make plain text of it."""
    written = Redactor().json(msgspec.json.encode({"text": "ghp_" + KEY}))
    assert Redactor().json(written) == written


def test_the_vault_forgets_the_least_recently_used() -> None:
    redactor = Redactor(capacity=2)
    first, second = redactor.text("A_TOKEN=one1"), redactor.text("A_TOKEN=two2")
    assert redactor.restore(first) == "A_TOKEN=one1"
    third = redactor.text("A_TOKEN=three3")
    assert redactor.unresolved(first + second + third) == [second.removeprefix("A_TOKEN=")]
    assert redactor.text(second) == second


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


# -- properties ---------------------------------------------------------------------------------------------------

AROUND = st.text(st.characters(codec="utf-8", exclude_characters="\\"), max_size=30)


def in_every_wrapping(before: str, secret: str, after: str) -> list[bytes]:
    text = f"{before} {secret} {after}"
    once = msgspec.json.encode({"fact": "UserSubmitted", "text": text})
    twice = msgspec.json.encode({"item": {"arguments": once.decode()}, "list": [[text]]})
    return [once, twice, once[: len(once) - 2], text.encode()]


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), before=AROUND, after=AROUND)
def test_no_secret_with_looks_of_its_own_survives(kind: str, data: st.DataObject, before: str, after: str) -> None:
    secret = data.draw(VENDOR[kind])
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, secret, after):
        redacted = bytes(redactor.json(wrapped))
        assert secret.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(NAMES), value=VALUES, before=AROUND, after=AROUND)
def test_no_secret_with_a_telling_name_survives(form: str, name: str, value: str, before: str, after: str) -> None:
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, form.format(name=name, value=value), after):
        redacted = bytes(redactor.json(wrapped))
        assert value.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("form", NEXT_LINE)
@settings(max_examples=20, deadline=None)
@given(name=st.sampled_from(NAMES), value=VALUES)
def test_no_secret_on_the_line_after_its_name_survives(form: str, name: str, value: str) -> None:
    for wrapped in in_every_wrapping("", form.format(name=name, value=value), ""):
        assert value.encode() not in bytes(Redactor().json(wrapped))


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=40, deadline=None)
@given(value=VALUES, before=AROUND, after=AROUND)
def test_no_secret_in_a_telling_place_survives(place: str, value: str, before: str, after: str) -> None:
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, place.format(value=value), after):
        redacted = bytes(redactor.json(wrapped))
        assert value.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), colours=st.lists(st.sampled_from(COLOURS), min_size=3, max_size=3))
def test_no_secret_survives_in_colours(kind: str, data: st.DataObject, colours: list[str]) -> None:
    """Coloured as a whole, after a coloured word, and from its middle on."""
    secret = data.draw(VENDOR[kind])
    middle = data.draw(st.integers(1, len(secret) - 1))
    text = colours[0] + secret[:middle] + colours[1] + secret[middle:] + colours[2]
    redactor = Redactor()
    assert redactor.restore(redactor.text(text)) == text
    for wrapped in in_every_wrapping("", text, ""):
        redacted = bytes(redactor.json(wrapped))
        assert secret[middle:].encode() not in redacted or len(secret) - middle < 8
        assert secret[:middle].encode() not in redacted or middle < 8
    glued = f"{colours[0]}ok{colours[1]}{secret}"
    assert secret not in redactor.text(glued)


@settings(max_examples=60, deadline=None)
@given(lines=LINES, line_end=st.sampled_from(["\n", "\r\n", "\\n", "\\\\n", "\n    "]), data=st.data())
def test_no_private_key_survives_whole_or_cut(lines: list[str], line_end: str, data: st.DataObject) -> None:
    block = private_key(lines, line_end=line_end)
    cut = block[: data.draw(st.integers(len("-----BEGIN RSA PRIVATE KEY-----") + len(lines[0]), len(block)))]
    redactor = Redactor()
    for text in (block, cut):
        for wrapped in in_every_wrapping("a", text, "b"):
            redacted = bytes(redactor.json(wrapped))
            assert not any(line.encode() in redacted for line in lines)
            assert lines[0][:20].encode() not in redacted


@settings(max_examples=300, deadline=None)
@given(
    parts=st.lists(
        st.one_of(
            AROUND,
            st.sampled_from(["Authorization: ", "Bearer ", "password=", '"api_key": "', "'", '"', "--token ", "://a:"]),
            st.sampled_from(
                ["\x1b[1m", "\\u001b[0m", "\x1b", "curl -u ", "a:", "Cookie: ", "a=b", "; ", "&sig=", "_PASS"]
            ),
            st.sampled_from(["[redacted:x:0123456789abcdef]", "\ue000"]),
            st.sampled_from(["@", "\\", "\n", "[redacted:", "token:0123456789abcdef]", "sk-", KEY, ": ", "= ", ","]),
        ),
        max_size=12,
    ).map("".join)
)
def test_redacting_twice_changes_nothing_and_restoring_gives_the_text_back(parts: str) -> None:
    redactor = Redactor()
    redacted = redactor.text(parts)
    assert redactor.text(redacted) == redacted
    assert redactor.restore(redacted) == parts
    encoded = redactor.json(msgspec.json.encode({"text": parts, "password": parts}))
    assert redactor.json(encoded) == encoded
    assert redactor.restore(msgspec.json.decode(encoded)["password"]) == parts


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), around=AROUND)
def test_no_secret_is_in_the_files(tmp_path: Path, kind: str, data: st.DataObject, around: str) -> None:
    """Not in the database, not in its log: the raw bytes are searched while the journal is open and after."""
    secret = data.draw(VENDOR[kind])
    assert_stays_out(tmp_path, secret, f"{around} {secret} {around}")


@pytest.mark.parametrize("place", [*PLACES, *(form.replace("{name}", "MYSQL_PWD") for form in (*FORMS, *NEXT_LINE))])
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_no_secret_known_by_its_place_is_in_the_files(tmp_path: Path, place: str, value: str) -> None:
    assert_stays_out(tmp_path, value, place.format(value=value))


def assert_stays_out(tmp_path: Path, secret: str, text: str) -> None:
    message = UserSubmitted(text=text)
    redactor = Redactor()
    body = redactor.json(msgspec.json.encode(message))
    with Journal.open(tmp_path / "home") as journal:
        batch = Batch()
        batch.add_fact(recorded(journal.last_seq() + 1, fact=message), body)
        batch.add_frame("out", redactor.json(msgspec.json.encode({"params": {"input": message.text}})), at=1)
        journal.append(batch).result()
        assert_absent(secret, tmp_path / "home")
    assert_absent(secret, tmp_path / "home")


def assert_absent(secret: str, home: Path) -> None:
    for path in home.iterdir():
        assert secret.encode() not in path.read_bytes(), path.name
