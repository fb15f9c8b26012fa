"""B6, C10: the words are exactly those that bash passes. Bash is the judge."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.observe.shell.ansi_c import decode
from rawr.observe.shell.parsing import parse
from tests.observe.bash_oracle import calls_of, fits

ARGUMENTS = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\0") | st.sampled_from(" \t\n'\"\\$`*?[]{}~!#&|;<>()=,\r\v"),
        max_size=12,
    ),
    max_size=4,
)
STYLES = st.lists(st.sampled_from(["single", "double", "ansi", "backslash"]), min_size=1, max_size=8)

SOUP = [
    "rec ", "rec ", "rec ", "rec a", "a", "b", " ", " ", "  ", "\t", "\n", "\\", "\\\n", "\\ ", "'", '"', "'x y'",
    '"x y"', "$'", "$'a\\n'", '$"x"', "$", "$a", "${a}", "${a:-b}", "$((1+2))", "$(rec s)", "`rec t`", '"$(rec u)"',
    "{", "}", "{a,b}", "{ ", "; }", ";", ";", " && ", " || ", " | ", "&", "(", ")", "( ", " )", "#", " #", "~", "!",
    "! ", "=", "a=1 ", "a=", "*", "?", "[", "[ a ]", "]", "[[ a ]]", "<<E\n", "\nE\n", "<<'E'\n", "<<<x",
    " >/dev/null ", " 2>&1 ", "<(rec v)", "if ", "; then ", "; fi", "for i in 1 2; do ", "; done", "f() { ", "f",
    "case a in a) ", "esac", ";;", "\r", "\v", "\xa0", "é", "-", "--", "1", "2", "time ", "time -p ", "coproc ",
    "eval ", "eval 'rec e'", "command ", "exec ", "exit", "!(a)", "{fd}>/dev/null", ">&2", "&>/dev/null", "a[0]=1 ",
    "a=(1 2) ", "export a=1", "(( 1 ))", "$[1]", "\\'", '\\"', '"\\$"', "'\\''", "{1..3}", ",", ":", "|&",
    "function g { ", "else ", "set -e;", "trap 'rec T' EXIT;",
]  # fmt: skip


def quoted(argument: str, styles: list[str]) -> str:
    """One argument in pieces, each in another way of quoting."""
    size = max(1, len(argument) // len(styles) + 1)
    pieces = [argument[at : at + size] for at in range(0, len(argument), size)]
    return "".join(_piece(piece, style) for piece, style in zip(pieces, styles * len(pieces), strict=False)) or "''"


def _piece(piece: str, style: str) -> str:
    match style:
        case "single":
            return "'" + piece.replace("'", "'\\''") + "'"
        case "double":
            return '"' + "".join("\\" + letter if letter in '$`"\\' else letter for letter in piece) + '"'
        case "ansi":
            return "$'" + "".join(f"\\x{ord(letter):02x}" if ord(letter) < 128 else letter for letter in piece) + "'"
        case _:
            return "".join("$'\\n'" if letter == "\n" else f"\\{letter}" for letter in piece)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=ARGUMENTS, styles=STYLES)
def test_literal_arguments_come_out_as_bash_passes_them(
    tmp_path: Path, arguments: list[str], styles: list[str]
) -> None:
    """B6: generated arguments, quoted in every way, parsed by us and run by bash."""
    text = "rec " + " ".join(quoted(argument, styles) for argument in arguments)
    parsed = parse(text)
    assert parsed.complete, parsed.problems
    assert [command.words for command in parsed.commands] == [("rec", *arguments)]
    assert calls_of(text, tmp_path) == [tuple(arguments)]


@pytest.mark.parametrize("seed", [1, 2])
def test_no_call_is_hidden_in_text_that_was_understood(tmp_path: Path, seed: int) -> None:
    """C10: token soup. If the parse is complete, every call that bash makes is among the commands, word for word."""
    dice = random.Random(seed)  # noqa: S311  # the same soup on every run
    understood = 0
    for _ in range(1200):
        text = "rec " + "".join(dice.choice(SOUP) for _ in range(dice.randint(1, 9)))
        parsed = parse(text, home="/home/ada")
        if not parsed.complete:
            continue
        calls = calls_of(text, tmp_path)
        understood += calls is not None
        listed = [command.words for command in parsed.commands if command.words]
        for call in calls or ():
            assert any(words[0] is None or fits(("rec", *call), words) for words in listed), (text, call, listed)
    assert understood > 250


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rec a\\ b", ("a b",)),
        ("rec a\rb c\vd", ("a\rb", "c\vd")),
        ("rec 'it'\\''s'", ("it's",)),
        ('rec "a\\b\\$\\"\\`\\\\"', ('a\\b$"`\\',)),
        ("rec $'\\x41\\102\\u0043\\t\\cA\\z'", ("ABC\t\x01\\z",)),
        ("rec ''", ("",)),
        ('rec a""b', ("ab",)),
        ("rec $ a$", ("$", "a$")),
        ("rec {} {a} @{u} HEAD~1 a=b", ("{}", "{a}", "@{u}", "HEAD~1", "a=b")),
        ("rec [ ! -x", ("[", "!", "-x")),
        ("rec a#b '#'", ("a#b", "#")),
        ("rec ~ ~/x '~' a~", ("/home/ada", "/home/ada/x", "~", "a~")),
        ("rec \\\n  a \\\n  b", ("a", "b")),
    ],
)
def test_words_by_hand(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    parsed = parse(text, home="/home/ada")
    assert (parsed.commands[0].words, parsed.complete) == (("rec", *words), True)
    assert calls_of(text, tmp_path) == [words]


@pytest.mark.parametrize(
    "word",
    [
        "$x", '"$x"', "${x}", "$(a)", "`a`", "$((1))", "$[1]", "*", "a?", "[ab]", "{a,b}", "{1..3}", "~bob", "~+",
        "a=~/x", '$"hi"', "$'\\u00e9'", "$'a\\0b'", "<(a)", "$1", "$@", "$?", "$'\\x{41}'", "~/x",
    ],
)  # fmt: skip
def test_what_only_running_would_tell_is_not_known(word: str) -> None:
    """B6: variables, substitutions, globs, braces, other users' homes, the locale."""
    parsed = parse(f"rec {word}")
    assert parsed.complete
    assert parsed.commands[-1].words == ("rec", None)


def test_escapes_that_depend_on_the_locale_are_refused() -> None:
    assert decode(b"a\\n") == b"a\n"
    assert decode(b"\\xff") == b"\xff"
    assert decode(b"\\u20ac") is None
    assert decode(b"\\c") is None
