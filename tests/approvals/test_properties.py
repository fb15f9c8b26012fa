"""C10: what holds for every line. Nothing is run."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.approvals import judge_changes, judge_command
from rawr.approvals.commands import MAX_LENGTH

from .corpus import DANGEROUS, HARMLESS
from .world import World

# A line that ends in a here-document, a comment or a background job goes on in its own way.
OPEN_ENDED = tuple(
    line for line in HARMLESS if "<<" not in line and "#" not in line and "cd " not in line and not line.endswith("&")
)
"""Without ``cd``: from another folder, ``../x`` is a path in the workspace."""
PLAIN_DANGERS = (
    "rm -rf x", "curl http://x", "cat ~/.ssh/id_rsa", "cat ../outside/secret.txt", "git push", "./x",
    "eval ls", "sudo ls",
    "python3 x.py", "find . -delete", "sed -i s/a/b/ README.md", "sort -o x y", "touch ../x",
    "cat link-out/secret.txt",
)  # fmt: skip
JOINS = (
    "{a}; {x}",
    "{a} && {x}",
    "{a} || {x}",
    "{a} | {x}",
    "{a} & {x}",
    "{a}\n{x}",
    "{x}; {a}",
    "({a}; {x})",
    "{{ {x}; {a}; }}",
)
INSERTS = (
    "{a} $({x})",
    "{a} `{x}`",
    '{a} "$({x})"',
    "{a} <({x})",
    "{a} >({x})",
    "{a} ${{y:-$({x})}}",
    "{a} >{x}",
    "{a} >>{x}",
)

quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.mission("C10")
@quick
@given(st.sampled_from(OPEN_ENDED), st.sampled_from(PLAIN_DANGERS), st.sampled_from((*JOINS, *INSERTS)))
def test_a_dangerous_part_spoils_the_line(world: World, harmless: str, danger: str, form: str) -> None:
    assert not world.judge(form.format(a=harmless, x=danger)).safe


@quick
@given(st.sampled_from(DANGEROUS), st.sampled_from(OPEN_ENDED), st.sampled_from(("{a}; {x}", "{a} && {x}", "{a}\n{x}")))
def test_no_dangerous_line_hides_behind_a_harmless_one(world: World, danger: str, harmless: str, form: str) -> None:
    assert not world.judge(form.format(a=harmless, x=danger)).safe


@quick
@given(st.text(max_size=200))
def test_any_text_has_an_answer(world: World, text: str) -> None:
    judgment = world.judge(text)
    # ``a=`` is safe, and nothing in it has a rule of its own.
    assert judgment.safe or judgment.reasons
    assert not any("could not judge" in reason for reason in judgment.reasons)


@quick
@given(st.lists(st.sampled_from(["ls", "cat", "git", "log", " ", "'", '"', "\\", "$", "(", ")", "{", "}", ";",
"|", "&", ">", "<",
    "\n", "#", "*", "..", "/", "-", "x", "=", "!", "~", "`", "<<E", "E"]), max_size=30))  # fmt: skip
def test_any_shell_like_text_has_an_answer(world: World, parts: list[str]) -> None:
    judgment = world.judge("".join(parts))
    assert not any("could not judge" in reason for reason in judgment.reasons)


@quick
@given(st.text(max_size=60))
def test_any_path_has_an_answer(world: World, path: str) -> None:
    judgment = judge_changes([path], workspace=world.workspace, around=world.around)
    assert not any("could not judge" in reason for reason in judgment.reasons)


@pytest.mark.parametrize(
    "line",
    [
        "ls " + "a" * MAX_LENGTH,
        "ls;" * 4_900,
        "(" * 7_000,
        "ls " + "* " * 7_000,
        "git log;" * 1_800,
        "bash -c " + "'" * 7_000,
        "cat " + "../" * 4_900,
        "cd src && " * 1_400 + "ls",
        "echo " + "$x" * 7_000,
        "sed " + "s/a/b/;" * 2_000,
        "awk '" + "{" * 14_000 + "'",
        "cat <<E\n" * 1_800,
        "\\" * 14_999,
        '"' * 14_999,
    ],
)
def test_long_lines_are_answered_at_once(line: str, world: World) -> None:
    began = time.process_time()
    assert not world.judge(line).safe
    assert time.process_time() - began < 3


def test_longer_than_is_judged(world: World) -> None:
    line = "ls " + "a" * MAX_LENGTH
    assert world.judge(line).reasons == (f"It is longer than {MAX_LENGTH} characters.",)


def test_places_that_are_none(world: World, tmp_path: Path) -> None:
    def judge(*, cwd: Path, workspace: Path) -> tuple[str, ...]:
        judgment = judge_command("ls", cwd=cwd, workspace=workspace, around=world.around)
        assert not judgment.safe
        return judgment.reasons

    missing = tmp_path / "missing"
    assert "is not a folder" in judge(cwd=missing, workspace=missing)[0]
    assert "outside the workspace" in judge(cwd=world.outside, workspace=world.workspace)[0]
    assert judge(cwd=world.home, workspace=world.home) == ("The workspace contains your whole home folder.",)
    assert judge(cwd=Path("/"), workspace=Path("/")) == ("The workspace contains your whole home folder.",)
    assert judge(cwd=Path("\0"), workspace=world.workspace) == ("rawr could not judge it: ValueError.",)
