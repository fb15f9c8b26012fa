"""Which lines need not be read to know that they changed nothing in a repository."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.vocabulary.effects import ObserveCommand
from rawr.observe.derived import derived, may_matter, may_matter_in
from rawr.observe.intents.intent import PULL_REQUEST, Intent
from rawr.observe.intents.reading import intents
from tests.observe.truth_lines import HAND_PICKED


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "git status",
        "git --no-pager diff HEAD~1",
        "git status && git log -3 --oneline; git show HEAD",
        "cat .gitignore digits.txt github.md",
        "rg 'high|tight' src",
    ],
)
def test_a_line_that_only_looks(line: str) -> None:
    assert not may_matter(line)
    assert intents(line) == ()


@pytest.mark.parametrize(
    "line",
    [
        "git commit -m x",
        "git status && git commit -m x",
        "git -C sub commit -m x",
        "git  commit",
        "git show-me",
        "cd a\ngit push",
        "git diff | git apply",
        "gh pr create",
        "gt submit",
    ],
)
def test_a_line_that_may_change_something(line: str) -> None:
    assert may_matter(line)


# -- as it is in a session file ---------------------------------------------------------------------------------------

PIECES = (
    "git",
    "gh",
    "gt",
    "glab",
    "hub",
    " ",
    "\n",
    "\t",
    '"',
    "'",
    "\\",
    "é",
    "状",
    "x",
    "_",
    "-",
    "1",
    "commit",
    "status",
    "log",
)
lines = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=40)


@given(lines, st.booleans(), st.booleans())
def test_a_call_in_a_file_may_matter_if_its_line_may(line: str, listed: bool, ascii_only: bool) -> None:
    """It may say so too often, never too rarely: what does not matter is not read."""
    given_as = {"command": ["bash", "-lc", line]} if listed else {"cmd": line, "workdir": "/x"}
    inner = json.dumps(given_as, ensure_ascii=ascii_only)
    call = json.dumps(inner, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert may_matter_in(call) or not may_matter(line)


@pytest.mark.parametrize(
    "line", ["ls -la", "cat src/high.py | head", "git status --short\ngit log -3", "rg digits hubs"]
)
def test_a_call_that_only_looks(line: str) -> None:
    assert not may_matter_in(json.dumps(json.dumps({"cmd": line})).encode())


def test_a_call_with_a_patch_is_read() -> None:
    assert may_matter_in(json.dumps(json.dumps({"cmd": "apply_patch <<'EOF'\n*** Begin Patch"})).encode())


# -- which lines are parsed -------------------------------------------------------------------------------------------

CONSEQUENCES = PULL_REQUEST | {"commit", "amend", "revert", "cherry_pick", "branch_create", "branch_switch"}


def test_every_line_that_means_a_commit_a_branch_or_a_pull_request_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def noted(line: str, **options: str) -> tuple[Intent, ...]:
        parsed.append(line)
        return intents(line, home=options["home"])

    monkeypatch.setattr("rawr.observe.derived.intents", noted)
    known = [line for line in HAND_PICKED.strip().splitlines() if {one.kind for one in intents(line)} & CONSEQUENCES]
    for line in known:
        derived(ObserveCommand(turn="t", item="i", command=line, cwd="/", exit_code=0, output=""))
    assert parsed == [line for line in known if may_matter(line)]
    assert len(parsed) > 100


def test_a_line_that_failed_is_parsed_only_if_it_printed_a_commit_or_an_address() -> None:
    line = "git commit -m x && make check"
    failed = ObserveCommand(
        turn="t", item="i", command=line, cwd="/", exit_code=1, output="[main 1a2b3c4] x\nmake: ***"
    )
    assert [one.sha for one in derived(failed).commits] == ["1a2b3c4"]
    assert derived(ObserveCommand(turn="t", item="i", command=line, cwd="/", exit_code=1, output="no")).commits == ()
