"""C10: what the strict reader takes for a word is what bash passes. Bash itself is asked."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.approvals.reading.lexer import Lexed, lex
from rawr.approvals.reading.word import Word
from tests.observe.bash_oracle import calls_of

PIECES = [
    "a", "b c", " ", "  ", "'x y'", "'$z'", '"x y"', '"a\\"b"', '"c$"', '"\\$d"', "\\ ", "\\'", "\\$",
    "$'\\x41'", "$'a\\tb'", "=",
    "-n", "{", "}", "@{1}", "a=b", "]", "%", "^", ",", "..", "./", "$", "'é'", "#", "\t", "\\\\", "''", '""',
    " #", ":", "+", "/",
]  # fmt: skip


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6))
def test_words_are_those_of_bash(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    line = "rec " + "".join(pieces)
    lexed = lex(line)
    if lexed.problems or any(token.holes for token in lexed.tokens if isinstance(token, Word)):
        return
    words = tuple(token.text for token in lexed.tokens if isinstance(token, Word))
    assert calls_of(line, tmp_path_factory.getbasetemp()) == [words[1:]]


def texts(lexed: Lexed) -> list[str | None]:
    return [token.text for token in lexed.tokens if isinstance(token, Word)]


@pytest.mark.parametrize("line", ["ls &>/dev/null", "ls |& cat", "cat <<< x", "echo $'x'"])
def test_what_sh_reads_in_another_way(line: str) -> None:
    assert not lex(line).stopped
    assert lex(line, dialect="sh").stopped


@pytest.mark.parametrize("word", ["=ls", "**/*.py", "a#b", "a^b", "~x", "a~b", "{a}", "x(", "[x]^", "a'b'*~c"])
def test_what_zsh_may_expand(word: str) -> None:
    assert lex(f"ls {word}", dialect="zsh").problems


def test_zsh_takes_plain_words() -> None:
    lexed = lex("rg -n 'a*b ~x' src/app.py --max-count=3 | head -5", dialect="zsh")
    assert lexed.problems == ()
    assert texts(lexed) == ["rg", "-n", "a*b ~x", "src/app.py", "--max-count=3", "head", "-5"]


def test_the_oracle_answers(tmp_path: Path) -> None:
    assert calls_of("rec 'a b' c", tmp_path) == [("a b", "c")]
