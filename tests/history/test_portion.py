"""A session file is read on from where the last read ended, whatever became of it in the meantime."""

import os
from pathlib import Path

import pytest
from backports import zstd

from rawr.history import portion
from rawr.history.portion import Place, Portion, candidates, read_portion

START = Place()
LINES = tuple(f'{{"n":{n}}}'.encode() for n in range(100))


def written(path: Path, lines: tuple[bytes, ...], *, end: bytes = b"\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines) + end)
    return path


def read(path: Path, place: Place = START, **more: int) -> Portion:
    return read_portion(str(path), place, **more)


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", LINES[:3])
    first = read(path)
    assert first.data.splitlines() == list(LINES[:3])
    assert read(path, first.end).data == b""
    written(path, LINES[:5])
    second = read(path, first.end)
    assert (second.data.splitlines(), second.trouble) == (list(LINES[3:5]), "")
    assert read(path, second.end).end == second.end


def test_a_half_written_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", LINES[:2], end=b'\n{"n":')
    first = read(path)
    assert first.data.splitlines() == list(LINES[:2])
    written(path, LINES[:3])
    assert read(path, first.end).data.splitlines() == [LINES[2]]


def test_the_same_file_somewhere_else_is_read_on(tmp_path: Path) -> None:
    """Archived, or written anew with the same beginning: the place means the same."""
    path = written(tmp_path / "sessions/2026/01/02/r.jsonl", LINES[:3])
    place = read(path).end
    written(tmp_path / "archived_sessions/r.jsonl", LINES[:4])
    path.unlink()
    moved = read(path, place)
    assert (moved.data.splitlines(), moved.trouble) == ([LINES[3]], "")


def test_a_packed_one_is_read_on(tmp_path: Path) -> None:
    path = written(tmp_path / "sessions/2026/01/02/r.jsonl", LINES[:60])
    place = read(path).end
    packed = zstd.compress(b"\n".join(LINES) + b"\n")
    path.with_name("r.jsonl.zst").write_bytes(packed)
    path.unlink()
    assert read(path, place).data.splitlines() == list(LINES[60:])
    assert read(path, Place(place.offset, "0" * 16)).trouble == "replaced"
    whole = read(path)
    assert (whole.data.splitlines(), whole.trouble) == (list(LINES), "")
    unpacked = written(path, LINES)
    assert read(unpacked, whole.end) == Portion(start=whole.end.offset, before=whole.data[-256:], end=whole.end)
    unpacked.unlink()
    path.with_name("r.jsonl.zst").write_bytes(packed[:9] + b"\xff" * 20 + packed[29:])
    assert read(path, place).trouble == "unreadable"


def test_a_packed_one_that_nothing_here_unpacks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rawr.history.compressed._PACKAGES", ())
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\x28\xb5\x2f\xfd rest")
    found = read(path)
    assert found.trouble == "unreadable"
    assert "packed with zstd" in found.problem


@pytest.mark.parametrize(
    ("after", "trouble"),
    [(LINES[:1], "truncated"), (tuple(reversed(LINES)), "replaced"), ((), "truncated")],
)
def test_another_file_in_its_place_is_told(tmp_path: Path, after: tuple[bytes, ...], trouble: str) -> None:
    path = written(tmp_path / "r.jsonl", LINES[:3])
    place = read(path).end
    written(path, after, end=b"\n" if after else b"")
    found = read(path, place)
    assert (found.trouble, found.data.splitlines()) == (trouble, list(after))
    assert read(path, found.end).trouble == ""


def test_of_too_much_the_newest_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", LINES)
    found = read(path, limit=30)
    assert (found.trouble, found.data.splitlines()) == ("skipped", list(LINES[-3:]))
    assert read(path, found.end).data == b""


def test_a_line_without_end_is_passed_over_a_piece_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"x" * 100)
    found = read(path, limit=30)
    assert (found.data, found.trouble, found.end.offset) == (b"", "skipped", 70)
    path.write_bytes(b"x" * 100 + b"\n" + LINES[0] + b"\n")
    assert read(path, found.end).data.splitlines()[-1] == LINES[0]


def test_what_is_no_file_holds_nothing_up(tmp_path: Path) -> None:
    assert read(tmp_path / "none").trouble == "missing"
    assert read(tmp_path).trouble == "unreadable"
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path / "pipe").trouble == "unreadable"
    assert read(Path("/dev/zero")).trouble == "unreadable"
    assert read_portion("a\0b", Place()).trouble == "unreadable"


def test_a_place_inside_a_portion(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", LINES)
    first = read(path)
    for n in (0, 1, 40, 100):
        place = first.place_before(len(b"".join(line + b"\n" for line in LINES[:n])))
        again = read(path, place)
        assert (again.trouble, again.data.splitlines()) == ("", list(LINES[n:]))


def test_where_a_file_may_be() -> None:
    live, archived = "/c/sessions/2026/01/02/r.jsonl", "/c/archived_sessions/r.jsonl"
    assert candidates(live) == (live, f"{live}.zst", archived, f"{archived}.zst")
    assert candidates(f"{archived}.zst") == (archived, f"{archived}.zst")
    assert portion.LIMIT == 32 * 1024 * 1024
