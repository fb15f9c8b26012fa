"""RAWR_HOME: where it is, and that nobody else can read it."""

import os
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rawr.errors import JournalError
from rawr.journal.errors import HomeOpen, JournalUnwritable
from rawr.journal.home import is_recorded, prepare_home, resolve_home, shut_others_out
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
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


@pytest.mark.parametrize("wide", [0o755, 0o750, 0o777, 0o770, 0o701, 0o2755, 0o2770])
@pytest.mark.parametrize("link", [True, False])
def test_a_home_that_others_can_get_into_is_refused_and_keeps_its_mode(tmp_path: Path, wide: int, link: bool) -> None:
    """It was perhaps made for them; the way out is a command that does just what it says."""
    home = tmp_path / "it's home"
    home.mkdir()
    home.chmod(wide)
    named = tmp_path / "link"
    named.symlink_to(home)
    for use in (prepare_home, Journal.open):
        with pytest.raises(HomeOpen, match="Other users can access") as refusal:
            use(named if link else home)
        assert mode(home) == oct(wide)
    assert list(home.iterdir()) == []
    command = refusal.value.way_out.removeprefix("Remove their access: ")
    subprocess.run(["bash", "-c", command], check=True)
    Journal.open(named if link else home).close()


@pytest.mark.parametrize("name", ["journal.db", "journal.lock", "journal.db-wal"])
def test_a_file_that_others_can_get_at_is_refused_and_keeps_its_mode(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    Journal.open(home).close()
    (home / name).touch()
    (home / name).chmod(0o640)
    with pytest.raises(HomeOpen) as refusal:
        Journal.open(home)
    assert refusal.value.way_out == f"Remove their access: chmod go= {home / name}"
    assert mode(home / name) == "0o640"


def test_one_command_is_the_way_out_for_all_of_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Journal.open(home).close()
    for place in (home, home / "journal.db", home / "journal.lock"):
        place.chmod(0o777)
    with pytest.raises(HomeOpen, match=f"Other users can access {home} and 2 more") as refusal:
        Journal.open(home)
    shut_others_out(refusal.value.places)
    assert {mode(place) for place in (home, *home.iterdir())} == {"0o700"}
    Journal.open(home).close()


@pytest.mark.usefixtures("open_umask")
def test_a_home_that_rawr_makes_is_private_also_below_a_folder_of_a_group(tmp_path: Path) -> None:
    tmp_path.chmod(0o2775)
    assert prepare_home(tmp_path / "deep" / "home").stat().st_mode & 0o077 == 0
    assert prepare_home(tmp_path / "deep" / "home") == tmp_path / "deep" / "home"


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    """Of root's, or, for root, of somebody else's."""
    home = Path("/usr")
    if os.geteuid() == 0:
        home = tmp_path / "theirs"
        home.mkdir(mode=0o700)
        os.chown(home, 65_534, -1)
    with pytest.raises(JournalUnwritable, match=r"the folder belongs to user .*chown -R \d+ .*set RAWR_HOME to"):
        prepare_home(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("linked", [False, True], ids=["there", "behind a link"])
@pytest.mark.parametrize("name", ["config.toml", "auto-compact/heads-up.md", "tuned/decisions.json"])
def test_a_rule_that_is_another_users_is_refused(tmp_path: Path, name: str, linked: bool) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / name).parent.mkdir(exist_ok=True)
    file = tmp_path / "theirs" if linked else home / name
    file.touch()
    if linked:
        (home / name).symlink_to(file)
    assert prepare_home(home) == home
    os.chown(file, 65534, -1)
    with pytest.raises(JournalError, match=r"belongs to user .*, and rawr does what it says\. .*chown"):
        prepare_home(home)
    file.unlink()
    assert prepare_home(home) == home, "a broken link says nothing"


def test_a_folder_that_rawr_only_shares_is_refused_and_keeps_its_mode(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (shared, Path("/"), Path.home()):
        before = mode(folder)
        with pytest.raises(JournalUnwritable, match="Set RAWR_HOME to a folder for rawr alone"):
            prepare_home(folder)
        assert mode(folder) == before


@pytest.mark.parametrize("place", ["/proc/rawr", "/sys/rawr", "/proc/self/rawr/deep"])
def test_a_place_that_takes_no_writes_is_told_by_name(place: str) -> None:
    with pytest.raises(JournalUnwritable, match=f"cannot be written at {place}.*Set RAWR_HOME"):
        Journal.open(Path(place))


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(JournalUnwritable, match="there is a file in place of the folder"):
        Journal.open(tmp_path / "file")
    with pytest.raises(JournalUnwritable, match="not a directory"):
        Journal.open(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    with pytest.raises(JournalUnwritable, match="it is a folder, not a file"):
        Journal.open(tmp_path)


# -- what is no file, and never opened --------------------------------------------------------------------------------


def fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def listening(path: Path) -> None:
    """Bound from within its folder, because a socket's name must be short."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(before)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("gone"))


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


STRANGE = [
    (fifo, "a FIFO"),
    (listening, "a socket"),
    (device, "a device"),
    (folder, "a folder"),
    (link_to_nothing, "a broken link"),
    (link_to_itself, "a link to itself"),
]


@pytest.mark.parametrize(("make", "what"), STRANGE)
@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal"])
def test_what_is_no_file_is_neither_opened_nor_replaced(
    tmp_path: Path, make: Callable[[Path], None], what: str, name: str
) -> None:
    home = tmp_path / "home"
    Journal.open(home).close()
    place = home / name
    place.unlink(missing_ok=True)
    make(place)
    before = place.lstat()
    told = f"{place} is not a rawr journal: it is {what}, not a file."
    for named in (home, home / "journal.db", str(home / "journal.db")):
        with pytest.raises(JournalError) as refusal:
            JournalReader.open(named)
        assert refusal.value.message == told
        assert check(named).findings[0].problem == told
    with pytest.raises(JournalUnwritable, match=f"it is {what}, not a file"):
        Journal.open(home)
    assert is_recorded(home)
    assert place.lstat().st_ino == before.st_ino


@pytest.mark.parametrize(("make", "what"), STRANGE)
def test_a_lock_that_is_no_file_is_told(tmp_path: Path, make: Callable[[Path], None], what: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    make(home / "journal.lock")
    with pytest.raises(JournalUnwritable, match=rf"journal\.lock: it is {what}, not a file"):
        Journal.open(home)


@pytest.mark.parametrize(("make", "what"), [one for one in STRANGE if one[0] is not folder])
def test_a_home_that_is_no_folder_is_not_taken_for_an_empty_one(
    tmp_path: Path, make: Callable[[Path], None], what: str
) -> None:
    home = tmp_path / "home"
    assert not is_recorded(home)
    make(home)
    with pytest.raises(JournalUnwritable, match=f"there is {what} in place of the folder"):
        is_recorded(home)


# -- names that the system does not take ------------------------------------------------------------------------------


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    home = tmp_path / ("x" * 300)
    for use in (Journal.open, JournalReader.open, is_recorded, check):
        with pytest.raises(JournalUnwritable, match="file name too long"):
            use(home)


def test_a_home_may_have_any_bytes_in_its_name(tmp_path: Path) -> None:
    home = tmp_path / os.fsdecode(b"\xff\xfe ?#%41")
    with Journal.open(home) as journal:
        journal.append(facts(1, 3)).result()
    with JournalReader.open(home) as reader:
        assert reader.counts().facts == 3
    assert check(home).ok


def test_a_relative_home_in_a_deleted_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(JournalUnwritable, match=r"at home: .* no longer exists\. Go to another one with cd"):
        resolve_home(environ={"RAWR_HOME": "home"})
    for use in (Journal.open, JournalReader.open):
        with pytest.raises(JournalError):
            use(Path("home"))
    with pytest.raises(JournalUnwritable, match="there is no such user"):
        resolve_home(environ={"RAWR_HOME": "~nobody-of-this-name/x"})
