"""The shipped prompt files in ``RAWR_HOME``: put there once, upgraded while nobody has edited them, then left alone.

A manifest beside them has the hash of each file as it was put there. rawr may replace a file that still has that hash;
any other file is a person's, including one that the manifest does not know.
"""

import contextlib
import os
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.prompts.catalog import FOLDER, PROMPTS, PromptFile, shipped
from rawr.prompts.reading import Unusable, Warned, read_text

MANIFEST = ".seeded.json"
State = Literal["shipped", "outdated", "edited", "unreadable", "deleted", "unseeded"]
"""As shipped; as an older rawr shipped it; edited; there but not text; deleted after seeding; not there yet."""


class _Manifest(Struct, frozen=True):
    files: dict[str, str] = {}


class Seeded(Struct, frozen=True):
    """What seeding did."""

    written: tuple[str, ...] = ()
    upgraded: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()


class Standing(Struct, frozen=True):
    """How a prompt file compares with the shipped one."""

    prompt: PromptFile
    file: Path
    state: State
    text: str = ""
    """The current content of the file, if it could be read."""
    newer: bool = False
    """The shipped text has changed since this file was put there and edited."""


def folder_of(home: Path) -> Path:
    return home / FOLDER


def seed(home: Path) -> Seeded:
    """Add missing files, upgrade unedited ones. A folder that cannot be written gives a warning."""
    folder = folder_of(home)
    written, upgraded = [], []
    try:
        _make_folders(home, folder)
        known = _recorded(folder)
        for prompt in PROMPTS:
            match _standing(folder, prompt, known).state:
                case "unseeded":
                    if _create(folder / prompt.file, shipped(prompt)):
                        written.append(prompt.name)
                        known[prompt.file] = _digest(shipped(prompt))
                case "outdated":
                    _write(folder / prompt.file, shipped(prompt))
                    upgraded.append(prompt.name)
                    known[prompt.file] = _digest(shipped(prompt))
                case "shipped":
                    known[prompt.file] = _digest(shipped(prompt))
                case _:
                    pass
        _record(folder, known)
    except OSError as error:
        problem = f"the prompt files cannot be created here: {error.strerror or error}"
        warned = Warned(folder, None, "", problem, "the shipped ones are used")
        return Seeded(tuple(written), tuple(upgraded), (warned,))
    return Seeded(tuple(written), tuple(upgraded))


def standings(home: Path) -> list[Standing]:
    folder = folder_of(home)
    known = _recorded(folder)
    return [_standing(folder, prompt, known) for prompt in PROMPTS]


def standing(home: Path, prompt: PromptFile) -> Standing:
    folder = folder_of(home)
    return _standing(folder, prompt, _recorded(folder))


def reset(home: Path, prompt: PromptFile) -> Path | None:
    """Put the shipped file in place. A person's file is kept, under the returned name."""
    folder = folder_of(home)
    file = folder / prompt.file
    kept = None
    _make_folders(home, folder)
    known = _recorded(folder)
    found = _standing(folder, prompt, known)
    if found.state != "shipped":
        if os.path.lexists(file) and found.state != "outdated":
            kept = _free_name(file)
            file.rename(kept)
        _write(file, shipped(prompt))
    known[prompt.file] = _digest(shipped(prompt))
    _record(folder, known)
    return kept


def was_seeded(folder: Path) -> frozenset[str]:
    """The files that rawr has put there at some time."""
    return frozenset(_recorded(folder))


def _standing(folder: Path, prompt: PromptFile, known: dict[str, str]) -> Standing:
    file = folder / prompt.file
    if not os.path.lexists(file):
        return Standing(prompt, file, "deleted" if prompt.file in known else "unseeded")
    try:
        text = read_text(file)
    except (OSError, Unusable):
        return Standing(prompt, file, "unreadable")
    now, then, ours = _digest(text), known.get(prompt.file), _digest(shipped(prompt))
    if now == ours:
        return Standing(prompt, file, "shipped", text)
    if now == then and not file.is_symlink():
        return Standing(prompt, file, "outdated", text)
    return Standing(prompt, file, "edited", text, newer=then is not None and then != ours)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _recorded(folder: Path) -> dict[str, str]:
    """The manifest. An unreadable one says nothing, and then every file counts as edited."""
    try:
        manifest = msgspec.json.decode(read_text(folder / MANIFEST), type=_Manifest)
    except (OSError, Unusable, msgspec.DecodeError, RecursionError):
        return {}
    return dict(manifest.files)


def _record(folder: Path, known: dict[str, str]) -> None:
    if known != _recorded(folder):
        _write(folder / MANIFEST, msgspec.json.encode(_Manifest(known), order="deterministic").decode() + "\n")


def _make_folders(home: Path, folder: Path) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _create(file: Path, text: str) -> bool:
    """Write the whole file or nothing, and never over a file that appeared in the meantime."""
    unfinished = _unfinished(file, text)
    try:
        file.hardlink_to(unfinished)
    except FileExistsError:
        return False
    except OSError:
        # Not every file system has links. The race is then a moment long.
        if os.path.lexists(file):
            return False
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return True


def _write(file: Path, text: str) -> None:
    unfinished = _unfinished(file, text)
    try:
        unfinished.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def _unfinished(file: Path, text: str) -> Path:
    path = file.with_name(f".{file.name}.{os.getpid()}.new")
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(text.encode())
    return path


def _free_name(file: Path) -> Path:
    number = 1
    while os.path.lexists(name := file.with_name(f"{file.name}.bak-{number}")):
        number += 1
    return name
