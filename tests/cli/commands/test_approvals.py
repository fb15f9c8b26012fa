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
