"""The exit code of ``rawr approvals check`` is its answer, whether or not anybody reads the words."""

from pathlib import Path

import pytest

from tests.cli.program import in_shell


@pytest.mark.parametrize(
    ("words", "code"),
    [("'rm -rf x'", 1), ("'rm -rf x' --json", 1), ("ls", 0), ("ls --json", 0)],
)
@pytest.mark.parametrize("reader", ["| true", "| head -0", "> /dev/null", ">&-"])
def test_the_answer_counts_when_nobody_reads(tmp_path: Path, words: str, code: int, reader: str) -> None:
    ended = in_shell(f"rawr approvals check --cwd {tmp_path} {words} {reader}")
    assert (ended.code, ended.out, ended.err) == (code, "", "")


def test_lines_that_were_not_answered(tmp_path: Path) -> None:
    """0 says that all were."""
    (tmp_path / "lines").write_text("ls\n" * 3)
    line = f"rawr approvals check --stdin --cwd {tmp_path} < {tmp_path}/lines"
    assert in_shell(f"{line} > /dev/null").code == 0
    ended = in_shell(f"{line} | true")
    assert (ended.code, ended.err) == (1, "")


def test_what_a_rule_opens(tmp_path: Path) -> None:
    shown = in_shell("rawr approvals opens 'git push'")
    assert shown.code == 0
    assert shown.out.startswith("git push\n  options: --all ")
    assert "only for a rule that has them: --delete --force" in shown.out
    assert in_shell("rawr approvals opens 'deploy --all'").out == "deploy --all: exactly these words\n"
    assert "runs the workspace's own files by nature" in in_shell("rawr approvals opens 'make check'").out
    [found] = in_shell("rawr approvals opens 'npm test' --json").lines
    assert (found["rule"], found["verb"], found["project"]) == ("npm test", "npm test", True)
    refused = in_shell("rawr approvals opens 'git -c x=y push'")
    assert refused.code != 0
    assert "before git's command" in refused.err


def test_what_the_rules_of_the_settings_open(tmp_path: Path) -> None:
    home = f"RAWR_HOME={tmp_path}/home"
    assert in_shell(f"{home} rawr approvals opens").out == "Your settings have no allow rules.\n"
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "config.toml").write_text('[rawr_full_auto]\nallow = ["deploy", "git hooks"]\n')
    lines = in_shell(f"{home} rawr approvals opens").out.splitlines()
    assert lines[0] == "deploy: exactly these words"
    assert lines[1].startswith("git hooks: accepts the hooks and filters")
