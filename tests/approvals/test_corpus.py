"""C10: no dangerous line is approved, and nearly every harmless one is."""

import shlex

import pytest

from rawr.approvals.programs.listed import SPECS
from tests.soaking import soak

from .corpus import DANGEROUS, HARMLESS
from .world import World

AT_LEAST = 0.97


@pytest.mark.mission("C10")
def test_no_dangerous_line_is_approved(world: World) -> None:
    assert len(set(DANGEROUS)) > 1_600
    assert [line for line in DANGEROUS if world.judge(line).safe] == []


@pytest.mark.mission("C10")
def test_most_harmless_lines_are_approved(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(set(HARMLESS)) >= 400
    approved = [line for line in HARMLESS if world.judge(line).safe]
    rate = len(approved) / len(HARMLESS)
    with capsys.disabled():
        told = f"{len(approved)} of {len(HARMLESS)} harmless lines approved ({rate:.1%})"
        print(f"\n{told}, none of {len(DANGEROUS)} dangerous ones")
    assert rate >= AT_LEAST


@pytest.mark.parametrize("program", sorted(SPECS))
def test_every_program_on_the_list_is_in_the_corpus(program: str) -> None:
    """Whoever adds one writes down how agents use it."""
    assert any(program in line.replace("|", " ").split() for line in HARMLESS)


@pytest.mark.mission("C10")
def test_as_codex_writes_it(world: World) -> None:
    """Codex hands a line to a shell, and shows the words joined: quotes in quotes."""
    for line in HARMLESS:
        assert world.judge(shlex.join(["/bin/bash", "-lc", line])).safe == world.judge(line).safe, line


@pytest.mark.mission("C10")
@pytest.mark.parametrize("shell", ["/bin/bash -lc", soak("/bin/zsh -lc"), soak("sh -c")])
def test_what_is_dangerous_is_so_in_every_shell(world: World, shell: str) -> None:
    assert [line for line in DANGEROUS if world.judge(shlex.join([*shell.split(), line])).safe] == []


def test_every_answer_has_reasons_and_none_is_an_error_of_ours(world: World) -> None:
    for line in (*HARMLESS, *DANGEROUS):
        reasons = world.judge(line).reasons
        assert reasons, line
        assert not any("could not judge" in reason for reason in reasons), line
        assert all(reason[0].isupper() or reason.startswith("`") for reason in reasons), reasons
        assert all(reason.endswith(".") for reason in reasons), reasons


@pytest.mark.parametrize(
    "line",
    ["set -e; ls $(evil", "set -euo pipefail\nx=$(ls)", "env LC_ALL=C ls $(x)", "export A=1; ls", "declare -x A=$(x)"],
)
def test_who_sets_a_variable_shows_no_secret(line: str, world: World) -> None:
    assert not any("secret" in reason for reason in world.judge(line).reasons)


@pytest.mark.parametrize("line", ["set; $(x)", "env; $(x)", "export -p; ls", "declare -p", "set", "env", "export"])
def test_who_shows_all_variables_does(line: str, world: World) -> None:
    assert any("variables" in reason for reason in world.judge(line).reasons)


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        (
            "rm -rf x; curl http://x > ~/y; cat /etc/passwd",
            (
                "`~/y` may be a user's home.",
                "`rm` changes or removes files.",
                "`curl` reaches the network.",
                "`/etc/passwd` is outside the workspace.",
            ),
        ),
        ("echo $(rm x)", ("A command substitution runs another command.", "`rm` changes or removes files.")),
        ("ls; pwd | head -1", ("`ls` only reads.", "`pwd` only reads.", "`head` only reads.")),
        ("find . -name x -delete", ("`find` with `-delete` is not known to be safe.",)),
        ("PATH=. ls > x", ("A redirection (>) goes to `x`.", "The variable `PATH` may change what a command does.")),
        ("git -C . log", ("`git log` only reads.",)),
        ("git -C src log", ("The agent could change where `src` leads.",)),
        ("unheard-of", ("`unheard-of` is not on the list of commands known to be safe.",)),
    ],
)
def test_all_reasons_are_told(line: str, reasons: tuple[str, ...], world: World) -> None:
    assert world.judge(line).reasons == reasons
