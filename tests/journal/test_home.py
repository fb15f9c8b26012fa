"""RAWR_HOME: where it is, and that nobody else can read it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from rawr.journal import Journal, JournalReader, JournalUnwritable, prepare_home, resolve_home
from tests.journal.samples import facts


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


@pytest.fixture
def open_umask() -> Iterator[None]:
    """The worst case: a umask that takes nothing away."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_the_home_is_the_one_given_then_the_variable_then_the_default(tmp_path: Path) -> None:
    assert resolve_home(tmp_path, environ={"RAWR_HOME": "/elsewhere"}) == tmp_path
    assert resolve_home(environ={"RAWR_HOME": str(tmp_path)}) == tmp_path
    assert resolve_home(environ={"RAWR_HOME": ""}) == Path.home() / ".codex-rawr"
    assert resolve_home(environ={}) == Path.home() / ".codex-rawr"


@pytest.mark.usefixtures("open_umask")
def test_folder_and_files_are_for_their_owner_only_also_while_a_reader_looks(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    with Journal.open(home) as journal:
        journal.append(facts(1, 10)).result()
        with JournalReader.open(home) as reader:
            assert reader.counts().facts == 10
            assert mode(home) == "0o700"
            assert {path.name: mode(path) for path in home.iterdir()} == {
                "journal.db": "0o600",
                "journal.db-shm": "0o600",
                "journal.db-wal": "0o600",
                "journal.lock": "0o600",
            }
    with JournalReader.open(home) as reader:
        assert reader.counts().facts == 10
        assert {mode(path) for path in home.iterdir()} == {"0o600"}


def test_what_others_were_let_into_is_shut_again(tmp_path: Path) -> None:
    Journal.open(tmp_path / "home").close()
    (tmp_path / "home").chmod(0o755)
    (tmp_path / "home" / "journal.db").chmod(0o644)

    Journal.open(tmp_path / "home").close()

    assert mode(tmp_path / "home") == "0o700"
    assert mode(tmp_path / "home" / "journal.db") == "0o600"


def test_a_folder_that_rawr_only_shares_is_refused_and_keeps_its_mode(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (shared, Path("/"), Path.home()):
        before = mode(folder)
        with pytest.raises(JournalUnwritable, match="Set RAWR_HOME to a folder of rawr's own"):
            prepare_home(folder)
        assert mode(folder) == before


@pytest.mark.parametrize("place", ["/proc/rawr", "/sys/rawr", "/proc/self/rawr/deep"])
def test_a_place_that_takes_no_writes_is_told_by_name(place: str) -> None:
    with pytest.raises(JournalUnwritable, match=f"cannot be written at {place}.*Set RAWR_HOME"):
        Journal.open(Path(place))


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(JournalUnwritable, match="a file is in the place of the folder"):
        Journal.open(tmp_path / "file")
    with pytest.raises(JournalUnwritable, match="not a directory"):
        Journal.open(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    with pytest.raises(JournalUnwritable, match="it is not a file"):
        Journal.open(tmp_path)
