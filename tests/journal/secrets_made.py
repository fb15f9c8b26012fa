"""Secrets of every kind that must not reach the disk, made up by Hypothesis."""

import string

from hypothesis import strategies as st

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
URL_SAFE = ALNUM + "-_"


def of(alphabet: str, low: int, high: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high or low)


def mixed(alphabet: str, low: int, high: int) -> st.SearchStrategy[str]:
    """As chance makes them: letters of both cases and digits."""
    return of(alphabet, low, high).map(lambda text: f"a{text}7Q")


VENDOR = {
    "openai": mixed(ALNUM, 20, 48).map("sk-{}".format),
    "openai-project": of(URL_SAFE, 40, 60).map("sk-proj-{}x".format),
    "anthropic": of(URL_SAFE, 40, 60).map("sk-ant-api03-{}x".format),
    "github": st.builds("gh{}_{}".format, st.sampled_from("pousr"), of(ALNUM, 36)),
    "github-pat": of(ALNUM + "_", 40, 60).map("github_pat_{}".format),
    "slack": st.builds("xox{}-{}-{}".format, st.sampled_from("abprs"), of(string.digits, 10), of(ALNUM, 20)),
    "aws-id": of(string.ascii_uppercase + string.digits, 16).map("AKIA{}".format),
    "aws-session-id": of(string.ascii_uppercase + string.digits, 16).map("ASIA{}".format),
    "stripe": st.builds(
        "{}k_{}_{}".format, st.sampled_from("rs"), st.sampled_from(["live", "test"]), of(ALNUM, 24, 99)
    ),
    "gitlab": of(URL_SAFE, 20).map("glpat-{}".format),
    "hugging-face": mixed(ALNUM, 31, 31).map("hf_{}".format),
    "npm": mixed(ALNUM, 33, 33).map("npm_{}".format),
    "pypi": of(URL_SAFE, 60, 150).map("pypi-AgEIcHlwaS5vcmc{}".format),
    "sendgrid": st.builds("SG.{}.{}".format, of(URL_SAFE, 22), of(URL_SAFE, 43)),
    "telegram": st.builds("{}:AA{}".format, of(string.digits, 8, 10), of(URL_SAFE, 33)),
    "age": of(string.ascii_uppercase + string.digits, 58).map("AGE-SECRET-KEY-1{}".format),
    "digitalocean": of("0123456789abcdef", 64).map("dop_v1_{}".format),
    "webhook-secret": mixed(ALNUM, 24, 40).map("whsec_{}".format),
    "vault": of(URL_SAFE, 24, 90).map("hvs.{}".format),
    "google": of(URL_SAFE, 34).map("AIza{}x".format),
    "jwt": st.builds("eyJ{}.eyJ{}.{}x".format, of(URL_SAFE, 20), of(URL_SAFE, 30), of(URL_SAFE, 40)),
}
"""Known by their own looks, wherever they stand."""

NAMES = (
    "API_KEY",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "CLIENT_SECRET",
    "DB_PASSWORD",
    "PGPASSWORD",
    "api_key",
    "apiKey",
    "access_token",
    "clientSecret",
    "aws_secret_access_key",
    "db.password",
    "X-Api-Key",
    "API_KEY_2",
    "DATABASE_PASS",
    "MYSQL_PWD",
    "DB_CREDENTIALS",
    "TWILIO_AUTH",
    "db_pass",
)

FORMS = (
    "{name}={value}",
    "export {name}={value}",
    "{name}='{value}'",
    '{name}="{value}"',
    '{name} = "{value}"',
    "{name} = {value}",
    "{name}: {value}\n",
    "{name}: '{value}'",
    '"{name}": "{value}"',
    '{{"{name}":"{value}"}}',
    '{{\\"{name}\\": \\"{value}\\"}}',
    '{{\\\\\\"{name}\\\\\\":\\\\\\"{value}\\\\\\"}}',
    "curl -d '{name}={value}&x=1' https://example.com",
    "-H '{name}: {value}'",
)

NEXT_LINE = ("{name}:\n  {value}\n", '"{name}":\n  "{value}"', "{name}: >-\n  {value}")

PLACES = (
    "Cookie: session={value}",
    "Set-Cookie: session={value}; Path=/; HttpOnly",
    "-H 'Cookie: theme=dark; session={value}'",
    "curl -u me:{value} https://example.com",
    "curl -sS --user 'me:{value}' https://example.com",
    "mysql -u root -p{value} shop",
    "sshpass -p {value} ssh example.com",
    "docker login -u me -p {value} example.com",
    "openssl enc -aes-256-cbc -k {value} -in x",
    "openssl rsa -in x -passin pass:{value}",
    "machine example.com login me password {value}",
    "login me password {value}",
    "https://example.com/?access_token={value}",
    "https://example.com/a?page=2&sig={value}&x=1",
    "https://example.com/a?page=2&token={value}",
    "https://example.com/a?page=2&api_key={value}#top",
    "https://{value}0123456789@o1.ingest.sentry.io/2",
    "https://hooks.slack.com/services/T0000/B0000/{value}",
    "https://discord.com/api/webhooks/1234567890/{value}",
)
"""Known by where they stand."""

COLOURS = ("\x1b[31m", "\x1b[0m", "\x1b[1;38;5;9m", "\x1b[K", "\\u001b[1m", "\\x1b[m", "\\e[0m", "\\033[7m")

VALUES = mixed(ALNUM, 8, 40)
"""Known by the name before them only."""

LINES = st.lists(of(BASE64, 64), min_size=2, max_size=5)


def private_key(lines: list[str], *, kind: str = "RSA ", line_end: str = "\n") -> str:
    return line_end.join((f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"))
