"""The journal is taken away from a running ``rawr run`` on the real Codex: it stops and says so, and is never done."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from tests.e2e.test_run_program import DONE, FREE, HANGS, desk, ended, working


def deleted(journal: Path) -> None:
    journal.unlink()


def replaced(journal: Path) -> None:
    """By an earlier state of itself, as a backup brings it back."""
    copy = journal.with_name("copy.db")
    shutil.copy2(journal, copy)
    copy.replace(journal)


def emptied(journal: Path) -> None:
    os.truncate(journal, 0)


def home_deleted(journal: Path) -> None:
    shutil.rmtree(journal.parent)


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (deleted, "was deleted or moved"),
        (replaced, "was replaced by another file"),
        (emptied, "was cut short to 0 bytes"),
        (home_deleted, "was deleted or moved"),
    ],
)
async def test_a_run_whose_journal_is_taken_away_stops(tmp_path: Path, deed: Callable[[Path], None], told: str) -> None:
    """D5: what is not on record is not done, and an end that nobody recorded is no "done"."""
    async with desk(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        deed(it.home / "journal.db")
        it.codex.model.release()
        ran = await ended(process)
        assert ran.code == 72, ran.err + ran.out[-2000:]
        [said] = [line for line in ran.err.splitlines() if "The journal" in line]
        assert told in said
        assert "Put the journal back" in said
        assert [line for line in ran.lines if line["type"] == "summary"] == []


async def test_the_journal_of_a_run_that_was_stopped_so_can_be_gone_on_with(tmp_path: Path) -> None:
    """B10: moved away and put back, nothing that was recorded is lost."""
    async with desk(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        it.home.rename(tmp_path / "aside")
        it.codex.model.release()
        assert (await ended(process)).code == 72
        (tmp_path / "aside").rename(it.home)
        assert check(it.home, full=True).findings == ()
        with JournalReader.open(it.home) as reader:
            assert reader.last_seq() > 0
        status = (await it.rawr("status", "--json")).lines[0]["run"]
        assert isinstance(status, dict)
        again = await it.resume(str(status["id"]))
        assert again.code == 0, again.err
