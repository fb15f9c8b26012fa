"""A command is read as the shell will read it, wherever its quotes are."""

import shlex

import pytest

from rawr.journal.quoting import is_carried, unquoted
from rawr.journal.redact import Redactor

PASSWORD = "pa$$w0rd" + "!x"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("""/bin/bash -lc "a='b"'$$c!'"' d" """, "/bin/bash -lc a='b$$c!' d "),
        (r"""bash -lc "mysql -p\$(touch x) \\n" """, r"bash -lc mysql -p$(touch x) \n "),
        (r"""sh -c "unfinished \"x""", 'sh -c unfinished "x'),
    ],
)
def test_without_the_quotes_that_carry_it(text: str, read: str) -> None:
    assert is_carried(text)
    reading = unquoted(text)
    assert reading.text == read
    for at, char in enumerate(read):
        assert text[reading.start(at)] == char
        assert text[reading.end(at + 1) - 1] == char


def test_other_texts_are_not_carried() -> None:
    assert not is_carried("echo 'a' \"b\"")
    assert not is_carried("bash -lc 'all of it in single quotes'")


@pytest.mark.mission("D12")
@pytest.mark.parametrize("quote", [shlex.quote, lambda script: '"' + script.replace("$$w0rd!", "\"'$$w0rd!'\"") + '"'])
def test_no_piece_of_a_password_is_left(quote: object) -> None:
    """A program that quotes piece by piece takes a password apart."""
    assert callable(quote)
    text = f"/bin/bash -lc {quote(f'PGPASSWORD={PASSWORD} psql')}"
    redactor = Redactor()
    redacted = redactor.text(text)
    assert "w0rd" not in redacted
    assert redactor.restore(redacted) == text
    assert redactor.text(redacted) == redacted


@pytest.mark.mission("D12")
@pytest.mark.parametrize(
    "line", ['"mysql -p\\$(touch x)"', "'mysql -p$(touch x)'", '"mysql -p\\`touch x\\`"', '"mysql -p\\$X"']
)
def test_what_the_shell_puts_in_is_no_password(line: str) -> None:
    text = f"/bin/bash -lc {line}"
    assert Redactor().text(text) == text
