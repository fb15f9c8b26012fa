"""What rawr must still know after a restart: verbatim, for its owner alone, and no longer than needed (D12)."""

from pathlib import Path

from rawr.journal.kept import MAX_AGE_MS, KeptSecrets

ONE, TWO = "[redacted:api-key:0123456789abcdef]", "[redacted:password:fedcba9876543210]"


def test_it_is_read_back_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    kept = KeptSecrets(tmp_path)
    kept.add({ONE: "first\nsecret", TWO: "second"}, at=1)
    kept.add({ONE: "first\nsecret"}, at=2)
    assert KeptSecrets(tmp_path).read() == {ONE: "first\nsecret", TWO: "second"}
    assert kept.path.stat().st_mode & 0o777 == 0o600
    assert kept.path.read_bytes().count(b"first") == 1


def test_a_line_that_a_crash_cut_off_hurts_no_other(tmp_path: Path) -> None:
    kept = KeptSecrets(tmp_path)
    kept.add({ONE: "first"}, at=1)
    with kept.path.open("ab") as file:
        file.write(b'\n{"mark":"[redac')
    kept.add({TWO: "second"}, at=2)
    assert KeptSecrets(tmp_path).read() == {ONE: "first", TWO: "second"}


def test_what_is_not_needed_and_what_is_old_is_dropped(tmp_path: Path) -> None:
    kept = KeptSecrets(tmp_path)
    kept.add({ONE: "first"}, at=1)
    kept.add({TWO: "second"}, at=MAX_AGE_MS)
    kept.drop((), now=MAX_AGE_MS)
    assert kept.read() == {ONE: "first", TWO: "second"}
    kept.drop((), now=MAX_AGE_MS + 1)
    assert kept.read() == {TWO: "second"}
    assert b"first" not in kept.path.read_bytes()
    assert kept.path.stat().st_mode & 0o777 == 0o600
    kept.drop({TWO}, now=MAX_AGE_MS)
    assert not kept.path.exists()
    kept.add({TWO: "second"}, at=1)
    assert kept.read() == {TWO: "second"}


def test_nothing_is_there_until_there_is_something(tmp_path: Path) -> None:
    kept = KeptSecrets(tmp_path)
    kept.add({}, at=1)
    kept.drop({ONE}, now=1)
    assert kept.read() == {}
    assert not kept.path.exists()
