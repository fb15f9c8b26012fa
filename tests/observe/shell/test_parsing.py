"""B6, C10: command lines to simple commands: structure, certainty, wrappers, bounds. Nothing is run."""

import string
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.observe.shell import grammar
from rawr.observe.shell.parsing import MAX_BYTES, Assignment, Parsed, Redirect, SimpleCommand, parse


def listed(text: str) -> list[str]:
    """Each command on one line: ``?`` before one that only may run, ``…`` for a word that is not known."""
    return [
        ("" if command.certain else "? ") + " ".join("…" if word is None else word for word in command.words)
        for command in parse(text).commands
    ]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a", ["a"]),
        ("a && b || c; d", ["a", "? b", "? c", "d"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("a & b", ["a", "b"]),
        ("! a", ["a"]),
        ("a\nb\n\n# c\nd", ["a", "b", "d"]),
        ("(a; b)", ["a", "b"]),
        ("{ a; b; }", ["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "? b", "? c", "? d", "? e"]),
        ("while a; do b; done", ["a", "? b"]),
        ("until a; do b; done", ["a", "? b"]),
        ("for i in 1 $(a); do b; done", ["a", "? b"]),
        ("for ((i=0;i<2;i++)); do b; done", ["? b"]),
        ("select x in a; do b; done", ["? b"]),
        ("case $(a) in x|y) b;; *) c;; esac", ["a", "? b", "? c"]),
        ("f() { a; }; function g { b; }; f", ["? a", "? b", "f"]),
        ("f() ( a )", ["? a"]),
        ('echo $(a; b) `c` "$(d)"', ["a", "b", "c", "d", "echo … … …"]),
        ("x=$(a) y=1", ["a", ""]),
        ("echo ${x:-$(a)} $((1 + $(b)))", ["a", "b", "echo … …"]),
        ("diff <(a) >(b)", ["a", "b", "diff … …"]),
        ("x=(1 $(a)) b", ["a", "b"]),
        ("export A=$(a) B", ["a", "export … B"]),
        ("[ -f x ] && [[ -f y ]] || ((z))", ["[ -f x ]", "? [[ …", "? (( …"]),
        ("cat <<E\n$(a) b\nE\nc", ["a", "cat", "c"]),
        ("cat <<'E'\n$(a) b\nE\nc", ["cat", "c"]),
        ('cat <<E\n"$(a "b)")" \\$(c) $((1+$(d))) ${x:-`e`}\nE', ["a b)", "d", "e", "cat"]),
        ("cat <<A <<-B; c\n1\nA\n\t2\n\tB\nd", ["cat", "c", "d"]),
        ("cat <<E | b\nx\nE", ["cat", "b"]),
        ("cat <<E && b\nx\nE", ["cat", "? b"]),
        ("a <<< 'b; c'", ["a"]),
        ("while a; do b; done <<E\n$(c)\nE", ["c", "a", "? b"]),
        ("$(< f) a", ["", "… a"]),
        ("coproc a b", ["coproc a b", "a b"]),
        ("coproc N { a; }", ["coproc N", "a"]),
        ("time { a; b; }", ["time", "a", "b"]),
        ("time -p (a)", ["time -p", "a"]),
        ("exit; a", ["exit", "? a"]),
        ("(exit); a", ["exit", "a"]),
        ("cd x || exit 1; a", ["cd x", "? exit 1", "? a"]),
        ("set -euo pipefail; a", ["set -euo pipefail", "? a"]),
        ("set -- -x; a", ["set -- -x", "a"]),
        ("exec a; b", ["exec a", "a", "? b"]),
        ("exec 3< f; b", ["exec", "b"]),
        ("a # b; c", ["a"]),
        ("a \\ #b; c", ["a  #b", "c"]),
        ("> f", [""]),
    ],
)  # fmt: skip
def test_structure(text: str, commands: list[str]) -> None:
    assert listed(text) == commands
    assert parse(text).complete, parse(text).problems


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("bash -c 'a b'", "a b"),
        ("bash -lc 'a b'", "a b"),
        ("/bin/sh -e -u -c 'a b' name arg", "a b"),
        ("zsh -o pipefail -c 'a b'", "a b"),
        ("bash -euo pipefail -c 'a b'", "a b"),
        ("bash --norc +x -c 'a b'", "a b"),
        ("bash <<'E'\na b\nE", "a b"),
        ("bash -s x <<< 'a b'", "a b"),
        ("env a b", "a b"),
        ("env -i X=1 -u Y a b", None),
        ('env -i -u Y X=1 Z="$z" a b', "a b"),
        ("env -S 'a b'", "a b"),
        ("/usr/bin/env - X=1 a b", "a b"),
        ("sudo -u root -n X=1 a b", "a b"),
        ("sudo --user=root -- a b", "a b"),
        ("doas -u root a b", "a b"),
        ("time a b", "a b"),
        ("/usr/bin/time -f %e -o log a b", "a b"),
        ("nice -n 5 a b", "a b"),
        ("nice -5 a b", "a b"),
        ("nohup a b", "a b"),
        ("timeout 10 a b", "a b"),
        ('timeout -k 5 --signal=KILL "$T" a b', "a b"),
        ("command -p a b", "a b"),
        ("exec -a name a b", "a b"),
        ("builtin a b", "a b"),
        ("stdbuf -oL -e 0 a b", "a b"),
        ("setsid -w a b", "a b"),
        ("xargs -n 1 -I{} a b", "a b"),
        ("find . -name x -exec a b \\;", "a b"),
        ("eval 'a b'", "a b"),
        ("eval a b", "a b"),
        ("trap 'a b' EXIT", "a b"),
        ("sudo env X=1 bash -c 'nice a b'", "a b"),
    ],
)
def test_wrappers_show_what_they_run(text: str, inner: str | None) -> None:
    """B6: the wrapper and, after it, the command it runs."""
    found = listed(text)
    assert len(found) > 1
    assert found[-1].removeprefix("? ") == (inner or found[-1].removeprefix("? "))


@pytest.mark.parametrize(
    "text",
    [
        "command -v git",
        "sudo -l",
        "bash script.sh",
        "bash -n -c 'a'",
        "env",
        "timeout 5",
        "trap - EXIT",
        "nice",
        "xargs",
    ],
)
def test_wrappers_that_run_nothing(text: str) -> None:
    assert len(parse(text).commands) == 1


def test_a_command_with_everything() -> None:
    parsed = parse("A=1 B=$x >out env -C dir git commit -m 'a b' <<< text 2>&1")
    redirects = (Redirect(">", "out"), Redirect("<<<", "text", "", "text\n"), Redirect(">&", "1", "2"))
    assignments = (Assignment("A", "1"), Assignment("B", None))
    assert parsed == Parsed(
        (
            SimpleCommand(
                words=("env", "-C", "dir", "git", "commit", "-m", "a b"), assignments=assignments, redirects=redirects
            ),
            SimpleCommand(
                words=("git", "commit", "-m", "a b"),
                redirects=redirects,
                within=("wrapper",),
                scope=(1,),
                moves=("dir",),
            ),
        ),
        complete=True,
    )
    assert [command.known for command in parsed.commands] == [False, True]


def test_redirections_of_a_group_count_for_all_in_it() -> None:
    parsed = parse("{ a; b >x; } >>log 2>&1")
    assert [[redirect.target for redirect in command.redirects] for command in parsed.commands] == [
        ["log", "1"],
        ["x", "log", "1"],
    ]


def test_marks_tell_where_a_command_stands() -> None:
    parsed = parse("f() { a; }; (b | c) & $(d); xargs e")
    assert {command.words[-1]: (command.within, command.function) for command in parsed.commands} == {
        "a": (("function",), "f"),
        "b": (("background", "subshell", "pipeline"), None),
        "c": (("background", "subshell", "pipeline"), None),
        "d": (("substitution",), None),
        None: ((), None),
        "e": (("xargs",), None),
    }


@pytest.mark.parametrize(
    "text",
    [
        "echo 'a", 'echo "a', "echo $(a", "(a", "a)", "if a; then b", "a && ", "| a", "a;;b", "{ a }", "echo `a",
        "cat <<E\na", "a\0b", "\ud800", "fi", "echo $'a", "a\\\nb", "`a \\`b\\``", "x=$(", "for", "case x in",
        "a < ", "rm -rf !(x)", 'bash -c "$x"', "eval $x", "{a; }", "bash -c 'echo (('",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_complete(text: str) -> None:
    """C10: a problem in words, and never a raised error."""
    parsed = parse(text)
    assert not parsed.complete
    assert parsed.problems


def test_a_problem_says_where() -> None:
    assert parse("echo ok)").problems == ("not understood at byte 7: ')'",)


@pytest.mark.parametrize(
    "text",
    [
        "a " * MAX_BYTES,
        "x" * 1_000_000,
        "( " * 40 + "a" + ")" * 40,
        "$(" * 2000,
        "{ " * 40 + "a" + "; }" * 40,
        "a;" * 5000,
    ],
)
def test_bounds(text: str) -> None:
    """Too long, too deep or too much is said, not followed."""
    assert not parse(text).complete


def test_wrappers_in_wrappers_end_somewhere() -> None:
    parsed = parse("env " * 40 + "a")
    assert not parsed.complete
    assert len(parsed.commands) < 40


@pytest.mark.parametrize("junk", [")#?$", "))>", "|..$", "<", "a=(", "||:", ";;>", "((1{;;", "${$"])
def test_junk_is_given_up_in_time(junk: str) -> None:
    """The grammar takes minutes to find all errors in some texts; nobody waits for it."""
    began = time.process_time()
    assert not parse((junk * MAX_BYTES)[:MAX_BYTES]).complete
    assert time.process_time() - began < 5


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=60)
    | st.text(st.sampled_from(" \t\n'\"\\$`*?[]{}~!#&|;<>()=,abEr0\0\ud800"), max_size=80)
    | st.lists(
        st.sampled_from(["if", "then", "fi", "do", "done", "case", "esac", "in", "for", "{", "}", "((", "<<E", "\n"]),
        max_size=30,
    ).map(" ".join)
)  # fmt: skip
def test_parse_never_raises(text: str) -> None:
    parsed = parse(text)
    assert parsed.complete == (not parsed.problems)


def test_the_grammar_sees_plain_characters_only() -> None:
    """Its scanner reads beyond a table on others (``{`` and U+10FFFF) and takes the whole process with it."""
    seen = bytes(range(256)).translate(grammar._PLAIN)
    assert len(seen) == 256
    assert set(seen) <= set(string.printable.encode()) - set(b"\r\v\f")
    assert parse("a {\U0010ffff b\u3000c \u00a0").commands[0].words == ("a", "{\U0010ffff", "b\u3000c", "\u00a0")


def test_importing_loads_no_grammar() -> None:
    """The parser is paid for by whoever parses, not by ``rawr --help``."""
    modules = "rawr.observe.intents.reading, rawr.observe.repository.verdict"
    code = f"import sys, rawr, {modules}; print('tree_sitter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
