"""Which session files there are, and their lines in bounded memory."""

import os
from pathlib import Path

import pytest
from backports import zstd

from rawr.history import files
from rawr.history.compressed import MAGIC, CannotUnpack
from rawr.history.files import Cut, lines_of

NAME = "rollout-2026-01-02T03-04-05-0000.jsonl"


def written(path: Path, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def read(path: Path) -> list[bytes | Cut]:
    return list(lines_of(str(path)))


# -- finding ----------------------------------------------------------------------------------------------------------


def test_a_codex_home_has_live_and_archived_sessions_oldest_first(tmp_path: Path) -> None:
    later = written(tmp_path / "sessions/2026/01/03/rollout-2026-01-03T00-00-00-b.jsonl")
    packed = written(tmp_path / "sessions/2026/01/02/rollout-2026-01-02T00-00-00-a.jsonl.zst")
    archived = written(tmp_path / "archived_sessions/rollout-2026-01-01T12-30-00-c.jsonl")
    written(tmp_path / "history.jsonl")
    written(tmp_path / "sessions/notes.txt")
    assert [(one.began, one.path, one.size) for one in files.at(tmp_path)] == [
        ("2026-01-01T12:30:00", str(archived), 3),
        ("2026-01-02T00:00:00", str(packed), 3),
        ("2026-01-03T00:00:00", str(later), 3),
    ]


def test_any_other_folder_is_looked_through(tmp_path: Path) -> None:
    """Also where a folder is named like a file."""
    inside = written(tmp_path / "odd.jsonl" / NAME)
    other = written(tmp_path / "copy of a session.jsonl")
    os.utime(other, (0, 0))
    assert [one.path for one in files.at(tmp_path)] == [str(other), str(inside)]


def test_one_file_is_itself_whatever_its_name(tmp_path: Path) -> None:
    path = written(tmp_path / "saved.txt")
    assert [one.path for one in files.at(path)] == [str(path)]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """Nobody writes into the pipe: a reader that opens it waits for ever."""
    os.mkfifo(tmp_path / NAME)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    assert files.at(tmp_path) == []
    with pytest.raises(OSError, match="it is not a file"):
        files.at(tmp_path / NAME)
    with pytest.raises(FileNotFoundError):
        files.at(tmp_path / "nowhere")


def test_a_session_is_since_a_day_if_it_began_or_was_written_then(tmp_path: Path) -> None:
    old = written(tmp_path / "rollout-2020-01-01T00-00-00-a.jsonl")
    resumed = written(tmp_path / "rollout-2020-01-01T00-00-00-b.jsonl")
    named = written(tmp_path / "rollout-2022-01-01T00-00-00-c.jsonl")
    for path in (old, named):
        os.utime(path, (1_577_836_800, 1_577_836_800))
    found = files.at(tmp_path)
    resumed.unlink()
    assert [one.path for one in files.since(found, 1_609_459_200_000)] == [str(resumed), str(named)]
    assert files.since(found, -(10**20)) == found
    assert files.since(found, 10**20) == []


def test_what_is_in_a_file_says_when_it_was_written_whatever_became_of_the_copy(tmp_path: Path) -> None:
    """A history that was just cloned or restored is as old as it was."""
    lines = [b'{"timestamp":"2020-01-%02dT00:00:00.000Z","type":"event_msg","payload":{}}\n' % day for day in (1, 9)]
    copied = tmp_path / "rollout-2020-01-01T00-00-00-a.jsonl"
    copied.write_bytes(b"".join(lines))
    found = files.at(copied)
    assert files.since(found, 1_578_355_200_000) == found, "it went on until the ninth"
    assert files.since(found, 1_578_787_200_000) == []


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    real = os.scandir

    def scandir(path: str) -> object:
        if path == str(closed):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    lost: list[tuple[str, str]] = []
    assert files.at(tmp_path, lambda *one: lost.append(one)) == []
    assert lost == [(str(closed), "Permission denied")]


# -- reading ----------------------------------------------------------------------------------------------------------


def test_lines_without_their_newlines(tmp_path: Path) -> None:
    path = written(tmp_path / NAME, b'{"a":1}\n\n{"b":2}\r\n{"c":3}\n')
    assert read(path) == [b'{"a":1}', b"", b'{"b":2}\r', b'{"c":3}']


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (b'{"c":', Cut(5)),
        (b'{"c":3}', b'{"c":3}'),
        (b'{"c":3}\x00\x00', b'{"c":3}\x00\x00'),
        (b"\x00" * 9, Cut(9)),
    ],
)
def test_a_last_line_without_an_end_may_be_half_of_one(tmp_path: Path, last: bytes, found: bytes | Cut) -> None:
    assert read(written(tmp_path / NAME, b'{"a":1}\n' + last)) == [b'{"a":1}', found]


@pytest.mark.parametrize("end", [b"\n", b"\n{}\n", b""])
def test_a_line_that_is_too_long_is_counted_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 3_000_000)
    path = written(tmp_path / NAME, b"{}\n" + b"x" * 5_000_000 + end)
    size = 5_000_000 + len(end[:1])
    assert read(path) == [b"{}", Cut(size), *([b"{}"] if end[1:] else [])]


def test_a_line_of_seventy_megabytes(tmp_path: Path) -> None:
    size = 70 * 1024 * 1024
    path = written(tmp_path / NAME, b"{}\n" + b"x" * size + b"\n{}\n")
    assert read(path) == [b"{}", Cut(size + 1), b"{}"]


def test_a_long_line_over_many_blocks_is_one_line(tmp_path: Path) -> None:
    lines = [b"a" * 2_500_000, b"b" * (1024 * 1024 - 1), b"c" * (1024 * 1024), b"d"]
    assert read(written(tmp_path / NAME, b"".join(one + b"\n" for one in lines))) == lines


def test_a_packed_file_has_the_same_lines(tmp_path: Path) -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(200_000)) + b'{"half'
    plain = written(tmp_path / "a.jsonl", data)
    half = len(data) // 2
    packed = written(tmp_path / "a.jsonl.zst", zstd.compress(data[:half]) + zstd.compress(data[half:]))
    assert read(packed) == read(plain)


def test_a_packed_file_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    data = b"".join(os.urandom(200).hex().encode() + b"\n" for _ in range(20_000))
    packed = zstd.compress(data)
    *whole, last = read(written(tmp_path / "a.jsonl.zst", packed[: len(packed) // 2]))
    assert whole == data.split(b"\n")[: len(whole)]
    assert isinstance(last, Cut)


@pytest.mark.parametrize("size", [len(MAGIC), 10, -1])
def test_a_packed_file_that_breaks_off_before_its_first_line_is_no_empty_one(tmp_path: Path, size: int) -> None:
    packed = zstd.compress(b"{}\n" * 9)
    assert read(written(tmp_path / "a.jsonl.zst", packed[:size]))[-1:] == [Cut(0)]


def test_a_packed_file_that_is_damaged_says_so(tmp_path: Path) -> None:
    data = zstd.compress(b"{}\n") + MAGIC + b"\xff" * 50
    with pytest.raises(CannotUnpack, match="it cannot be unpacked"):
        read(written(tmp_path / "a.jsonl.zst", data))
