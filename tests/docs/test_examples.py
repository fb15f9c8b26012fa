"""The examples in the docs, run as they stand."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.testing import Say, Scenario, parse_scenario, scripted_codex
from tests.cli.program import rawr

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("page", "printed"),
    [("README.md", "A README.\n"), ("docs/guide/library.md", "A README.\nfacts are on record\n")],
)
def test_the_program_on_a_page_talks_to_codex(page: str, printed: str, tmp_path: Path) -> None:
    [code] = blocks(page, "python")
    with scripted_codex(Scenario.of("page", [Say("A README.")]), tmp_path) as codex:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=codex.env(),
            cwd=codex.home.workspace,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.stdout, done.returncode) == (printed, 0), done.stderr


def test_the_testing_guide() -> None:
    [scenario] = blocks("docs/guide/testing.md", "yaml")
    assert len(parse_scenario(scenario).replies) == 2
    [code] = blocks("docs/guide/testing.md", "python")
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - our own text
    example = names["test_it_finds_the_readme"]
    assert callable(example)
    asyncio.run(example())


def test_the_replay_guide() -> None:
    journal = Path(str(rawr("demo", "--json").lines[-1]["journal"]))
    [code] = blocks("docs/guide/replay.md", "python")
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - our own text
    same = names["same"]
    assert callable(same)
    assert same(journal) is True


def test_commands_in_the_docs_exist() -> None:
    """Every ``rawr …`` line in a shell block is a command that rawr has."""
    pages = ["README.md", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "guide").glob("*.md"))]
    shell = "\n".join(block for page in pages for block in blocks(page, "sh"))
    used = set(re.findall(r"(?:^|/)rawr (\w+)", shell, re.MULTILINE))
    assert used
    known = set(re.findall(r"^  (\w+)  ", rawr("--help").out.partition("Commands:")[2], re.MULTILINE))
    assert used <= known
