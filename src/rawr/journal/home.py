"""RAWR_HOME: where it is, and checks that nobody else can read it.

This module knows folders, names and modes, not what is in the files.
"""

import contextlib
import errno
import os
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from rawr.journal.errors import HomeOpen, JournalUnwritable, NotYourWord, explain
from rawr.prompts.catalog import FOLDER as PROMPTS

VARIABLE = "RAWR_HOME"
DEFAULT = "~/.codex-rawr"

FOLDER_MODE = 0o700
FILE_MODE = 0o600
MOST_FILES = 1000
OTHERS = 0o077
"""The bits that give access to the group or the world."""


def resolve_home(given: Path | None = None, *, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder named by the caller, else by ``RAWR_HOME``, else the default. It need not exist yet."""
    named = given if given is not None else Path(environ.get(VARIABLE) or DEFAULT)
    try:
        return named.expanduser().absolute()
    except RuntimeError as error:
        raise JournalUnwritable(named, "there is no such user", way_out=_OWN_FOLDER) from error
    except OSError as error:
        # A relative name is meaningless without its starting folder.
        problem = "the current folder no longer exists"
        raise JournalUnwritable(named, problem, way_out="Go to another one with cd.") from error


def prepare_home(home: Path) -> Path:
    """Make the folder if it is missing, for its owner alone. An existing one is used as it is, or refused.

    No rights are removed silently: a folder that others can enter may have been made for them.
    """
    if home in {Path("/"), Path.home()}:
        raise JournalUnwritable(home, "the folder holds other files too", way_out=_OWN_FOLDER)
    try:
        if _make(home):
            return home
        found = home.stat()
        if not stat.S_ISDIR(found.st_mode):
            raise JournalUnwritable(home, "there is a file in place of the folder", way_out=_OWN_FOLDER)
        if found.st_mode & stat.S_ISVTX:
            raise JournalUnwritable(home, "the folder is shared with other users", way_out=_OWN_FOLDER)
        if found.st_uid != os.geteuid():
            raise JournalUnwritable(home, f"the folder belongs to {_owner(home)}", way_out=_take_over(home))
        if open_places := [place for place in (home, *_files(home)) if open_to_others(place)]:
            raise HomeOpen(open_places)
        if (strange := next(filter(_is_anothers, _obeyed(home)), None)) is not None:
            raise NotYourWord(strange, _owner(strange), way_out=_make_yours(strange))
    except OSError as error:
        raise explain(error, home) from error
    return home


def _make(home: Path) -> bool:
    """Return True if the folder was missing and was created."""
    try:
        home.mkdir(mode=FOLDER_MODE, parents=True)
    except FileExistsError:
        return False
    return True


def _files(home: Path) -> list[Path]:
    """The existing files of a home that rawr made."""
    path = database(home)
    return [one for one in (path, *companions(path), home / LOCK) if one.is_file()]


def _obeyed(home: Path) -> Iterator[Path]:
    """What rawr does the word of: each may be a link to elsewhere."""
    yield home / "config.toml"
    for folder in (home / PROMPTS, home / "tuned"):
        yield folder
        with contextlib.suppress(OSError):
            yield from islice(folder.rglob("*"), MOST_FILES)


def _is_anothers(path: Path) -> bool:
    """Return True if another user may write it at any time. The system's own files are as good as the user's."""
    try:
        return path.stat().st_uid not in (os.geteuid(), 0)
    except OSError:
        return False  # there is nothing to obey


def _owner(path: Path) -> str:
    try:
        return f"user {path.owner()}"
    except KeyError:
        return f"user {path.stat().st_uid}"


def _make_yours(path: Path) -> str:
    command = shlex.join(("chown", str(os.geteuid()), str(path)))
    return f"Put a file of your own there, or take ownership: {command}"


def _take_over(home: Path) -> str:
    command = shlex.join(("chown", "-R", str(os.geteuid()), str(home)))
    return f"If it is meant for you, take ownership: {command}. Otherwise set {VARIABLE} to a folder of your own."


def database(home: Path) -> Path:
    return home / _FILE


def journal_at(place: Path | str) -> Path:
    """The journal of a RAWR_HOME, or a journal file given by its own name, such as a kept copy."""
    place = Path(place)
    try:
        within = place.is_dir() and (place.name != _FILE or database(place).exists())
    except OSError as error:
        raise explain(error, place) from error
    return database(place) if within else place


def is_recorded(home: Path) -> bool:
    """Return True if there is a journal, sound or not; False if nothing was written and nothing is in the way."""
    path = database(home)
    try:
        problem = not_a_folder(home)
        if problem:
            raise JournalUnwritable(home, problem, way_out=_OWN_FOLDER)
        return bool(not_a_file(path)) or path.exists()
    except OSError as error:
        raise explain(error, path) from error


def not_a_file(path: Path) -> str:
    """What is there instead of a file, as the end of a sentence. Empty for a file, and if there is nothing.

    Call it before opening anything: opening a FIFO waits for the other end, perhaps forever.
    """
    what = _what_is_at(path)
    return "" if what in {"", "a file"} else f"it is {what}, not a file"


def not_a_folder(path: Path) -> str:
    what = _what_is_at(path)
    return "" if what in {"", "a folder"} else f"there is {what} in place of the folder"


def _what_is_at(path: Path) -> str:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "a broken link" if path.is_symlink() else ""
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return "a link to itself"
    return _KINDS.get(stat.S_IFMT(mode), "something else")


def companions(path: Path) -> tuple[Path, Path]:
    """The files that SQLite keeps beside the database while it is open."""
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def create_private(path: Path) -> None:
    """Make an empty file that only its owner can read, whatever the umask says.

    SQLite gives the -wal and -shm files the mode of the database, so this one call covers all three.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, FILE_MODE)
    try:
        os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)


def put_in_place(unfinished: Path, path: Path) -> Path:
    """Give a complete file its name, so that the name survives a power cut."""
    unfinished.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return path


def open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def shut_others_out(places: Iterable[Path]) -> None:
    """Remove the rights of the group and the world, after a person has asked for it.

    By name only: opening and closing the database here would drop the locks that SQLite holds in this process.
    """
    for place in places:
        try:
            place.chmod(stat.S_IMODE(place.stat().st_mode) & ~OTHERS)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise explain(error, place) from error


_FILE = "journal.db"
LOCK = "journal.lock"
_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_OWN_FOLDER = f"Set {VARIABLE} to a folder for rawr alone, for example {DEFAULT}."
