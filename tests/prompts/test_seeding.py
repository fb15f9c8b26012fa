"""The files in RAWR_HOME: put there once, upgraded while untouched, and no edit is ever lost (A22)."""

import os
from pathlib import Path

import pytest

from rawr.prompts import catalog, seeding
from rawr.prompts.catalog import PROMPTS, PromptFile, named, shipped
from rawr.prompts.seeding import MANIFEST, Seeded, folder_of, reset, seed, standing, standings

NAMES = tuple(prompt.name for prompt in PROMPTS)


@pytest.fixture
def heads_up() -> PromptFile:
    found = named("heads-up.md")
    assert found is not None
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    seed(tmp_path)
    return folder_of(tmp_path) / "heads-up.md"


def _ship(monkeypatch: pytest.MonkeyPatch, prompt: PromptFile, text: str) -> None:
    """A later rawr, with another text for one prompt."""
    monkeypatch.setattr(seeding, "shipped", lambda one: text if one == prompt else catalog.shipped(one))


def test_once_and_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    assert seed(home) == Seeded(written=NAMES)
    folder = folder_of(home)
    assert sorted(path.name for path in folder.iterdir()) == sorted((MANIFEST, *(one.file for one in PROMPTS)))
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o600"}
    assert {oct(path.stat().st_mode & 0o777) for path in (folder, home)} == {"0o700"}
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert seed(home) == Seeded()
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_an_untouched_file_is_upgraded(
    tmp_path: Path, file: Path, heads_up: PromptFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(monkeypatch, heads_up, "Newer.\n")
    assert standing(tmp_path, heads_up).state == "outdated"
    assert seed(tmp_path) == Seeded(upgraded=("heads-up",))
    assert file.read_text() == "Newer.\n"
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    _ship(monkeypatch, heads_up, "Newest.\n")
    assert seed(tmp_path).upgraded == ("heads-up",)


def test_an_edited_file_is_left_and_the_newer_text_told_of(
    tmp_path: Path, file: Path, heads_up: PromptFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("Mine.\n")
    assert (standing(tmp_path, heads_up).state, standing(tmp_path, heads_up).newer) == ("edited", False)
    _ship(monkeypatch, heads_up, "Newer.\n")
    assert seed(tmp_path) == Seeded()
    assert file.read_text() == "Mine.\n"
    assert (standing(tmp_path, heads_up).state, standing(tmp_path, heads_up).newer) == ("edited", True)


def test_an_edit_taken_back_is_upgraded_again(
    tmp_path: Path, file: Path, heads_up: PromptFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("Mine.\n")
    seed(tmp_path)
    file.write_text(shipped(heads_up))
    _ship(monkeypatch, heads_up, "Newer.\n")
    assert seed(tmp_path).upgraded == ("heads-up",)


def test_a_file_that_was_there_first_is_a_persons(tmp_path: Path) -> None:
    folder_of(tmp_path).mkdir()
    mine = folder_of(tmp_path) / "handoff.md"
    mine.write_text("Mine.\n")
    assert "handoff" not in seed(tmp_path).written
    assert mine.read_text() == "Mine.\n"


def test_a_deleted_file_stays_deleted_until_reset(tmp_path: Path, file: Path, heads_up: PromptFile) -> None:
    file.unlink()
    assert seed(tmp_path) == Seeded()
    assert standing(tmp_path, heads_up).state == "deleted"
    assert reset(tmp_path, heads_up) is None
    assert file.read_text() == shipped(heads_up)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"[]", b'{"files": 3}', b"\xff", b"[" * 5000])
def test_a_broken_manifest_makes_every_edit_a_persons(
    tmp_path: Path, file: Path, heads_up: PromptFile, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (folder_of(tmp_path) / MANIFEST).write_bytes(content)
    _ship(monkeypatch, heads_up, "Newer.\n")
    assert seed(tmp_path) == Seeded()
    assert file.read_text() == shipped(heads_up)
    assert standing(tmp_path, heads_up).state == "edited"


def test_a_symlink_is_a_persons(
    tmp_path: Path, file: Path, heads_up: PromptFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "dotfiles.md"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    _ship(monkeypatch, heads_up, "Newer.\n")
    assert seed(tmp_path) == Seeded()
    assert file.is_symlink()
    kept = reset(tmp_path, heads_up)
    assert kept is not None
    assert kept.is_symlink()
    assert (file.read_text(), elsewhere.read_text()) == ("Newer.\n", shipped(heads_up))


def test_reset_keeps_what_was_there(tmp_path: Path, file: Path, heads_up: PromptFile) -> None:
    assert reset(tmp_path, heads_up) is None
    for number, text in enumerate(("One.\n", "Two.\n", "Three.\n"), 1):
        file.write_text(text)
        kept = reset(tmp_path, heads_up)
        assert kept == file.with_name(f"heads-up.md.bak-{number}")
        assert kept.read_text() == text
        assert standing(tmp_path, heads_up).state == "shipped"
    file.unlink()
    file.mkdir()
    assert reset(tmp_path, heads_up) == file.with_name("heads-up.md.bak-4")


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "auto-compact").write_text("mine")
    [warned] = seed(tmp_path).warnings
    assert str(tmp_path / "auto-compact") in str(warned)
    assert (tmp_path / "auto-compact").read_text() == "mine"
    assert {one.state for one in standings(tmp_path)} == {"unseeded"}


def test_no_links_on_this_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert seed(tmp_path) == Seeded(written=NAMES)
    assert seed(tmp_path) == Seeded()
