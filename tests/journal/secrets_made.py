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

VALUES = mixed(ALNUM, 8, 40)
"""Known by the name before them only."""

LINES = st.lists(of(BASE64, 64), min_size=2, max_size=5)


def private_key(lines: list[str], *, kind: str = "RSA ", line_end: str = "\n") -> str:
    return line_end.join((f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"))
