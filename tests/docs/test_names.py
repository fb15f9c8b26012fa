"""The package index knows rawr as ``codex-rawr``; the shorter name there is a stranger's, and no file leads to it."""

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = "codex-rawr"
THEIRS = OURS.removeprefix("codex-")

EXTRA = re.compile(rf"(?<![\w-]){THEIRS}\[[\w, -]+\]")
"""A requirement with extras: ``name[extra]``."""
INSTALL = re.compile(rf"\b(?:pip3?|pipx|uvx?|poetry|pdm|conda|easy_install)\b[^\n`]*?(?<![\w./-]){THEIRS}(?![\w./-])")
"""An installer, and further on in the line the name, as a word of its own."""


def texts() -> Iterator[tuple[str, str]]:
    """Every file of the project that is text, with its name."""
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        hidden = any(part.startswith(".") and part != ".ci" for part in name.parts)
        if hidden or "__pycache__" in name.parts or not path.is_file():
            continue
        try:
            yield str(name), path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_the_other_package() -> None:
    found = [
        f"{name}: {match[0]}" for name, text in texts() for one in (EXTRA, INSTALL) for match in one.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install 'NAME[llm]'",
        "pip install NAME",
        "python -m pip install --upgrade NAME==0.1",
        "pipx install NAME",
        "uv tool install NAME",
        "uvx NAME doctor",
        "uv add 'NAME[codex,llm]'",
        'all = ["NAME[codex, llm]"]',
    ],
)
def test_it_would_be_noticed(line: str) -> None:
    assert any(one.search(line.replace("NAME", THEIRS)) for one in (EXTRA, INSTALL))
    assert not any(one.search(line.replace("NAME", OURS)) for one in (EXTRA, INSTALL))


def test_the_metadata_has_the_name_and_the_command() -> None:
    installed = metadata.distribution(OURS)
    assert installed.metadata["Name"] == OURS
    [command] = [one for one in installed.entry_points if one.group == "console_scripts"]
    assert (command.name, command.value) == ("rawr", "rawr.__main__:main")


def _normal(name: str) -> str:
    """A distribution's name as requirements write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_extra_is_for_code_that_is_there() -> None:
    """Nobody downloads what nothing imports."""
    installed = metadata.distribution(OURS)
    extras = set(installed.metadata.get_all("Provides-Extra") or ())
    assert extras == {"codex", "history", "llm", "tui", "all", "dev"}
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    modules = metadata.packages_distributions()
    for requirement in installed.requires or ():
        name, _, marker = requirement.partition(";")
        if not re.search(r"extra == ['\"](codex|llm|tui|all)['\"]", marker):
            continue
        wanted = re.split(r"[\[<>=!~ ]", name.strip())[0]
        imported = [module for module, owners in modules.items() if wanted in map(_normal, owners)]
        used = any(re.search(rf'^\s*(?:(?:import|from) {one}\b|"{one}",)', source, re.MULTILINE) for one in imported)
        assert used or wanted == OURS, name
