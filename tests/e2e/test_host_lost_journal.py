"""The journal is taken away from a host: its clients hear the cause, and exit as in the foreground (D5, D7)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.test_host import Hosted, hosted, over, reads, until
from tests.e2e.test_lost_journal import deleted, emptied, home_deleted, replaced
from tests.e2e.test_run_program import DONE, FREE, HANGS, ended, working

pytestmark = pytest.mark.mission("D5", "D7")


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (deleted, "was deleted or moved"),
        (replaced, "was replaced by another file"),
        (emptied, "while rawr was using it"),
        (home_deleted, "was deleted or moved"),
    ],
)
async def test_the_journal_of_a_host_is_taken_away(tmp_path: Path, deed: Callable[[Path], None], told: str) -> None:
    """As in the foreground (``test_lost_journal``): code 72 and the cause, for the run and for one who looks on."""
    async with hosted(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        other = await it.start("attach", "--json")
        await reads(other, "RunSubmitted")
        deed(it.home / "journal.db")
        it.codex.model.release()
        for ran in (await ended(process), await ended(other)):
            assert ran.code == 72, ran.err + ran.out[-2000:]
            [said] = [line for line in ran.err.splitlines() if "The journal" in line]
            assert told in said
            assert "Put the journal back" in said
            assert "The host is gone" not in ran.err
            assert [line for line in ran.lines if line["type"] == "summary"] == []


async def test_a_single_command_hears_it_too(tmp_path: Path) -> None:
    """Of a host that has nothing else to do."""
    async with hosted(DONE, tmp_path) as it:
        host = await it.start("host", "serve", "--stay")
        await until((it.home / "host.sock").exists, "it serves")
        assert (await ended(await it.run("Build it.", *FREE))).code == 0
        (it.home / "journal.db").unlink()
        pinned = await it.rawr("pin", "Never push.")
        assert pinned.code == 72, pinned.err
        assert "was deleted or moved" in pinned.err
        assert (await ended(host)).code == 72


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if shutil.which("mount") is None:
        pytest.skip("no small disk can be made here: there is no mount in PATH")
    folder = tmp_path / "disk"
    folder.mkdir(mode=0o700)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("no small disk can be made here: mounting one takes root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


@pytest.mark.machine
@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="a small disk takes root on Linux")
async def test_the_disk_is_full(tmp_path: Path, small_disk: Path) -> None:
    said = " ".join(token_hex(8) for _ in range(12_000))  # more than the journal has set aside, however it is packed
    script = parse_scenario(f"name: full\nreplies:\n{HANGS}- say: {said}\n{DONE}")
    with scripted_codex(script, tmp_path, check=False) as codex:
        it = Hosted(codex, small_disk / "rawr")
        try:
            process = await it.run("Build it.", *FREE)
            await working(it)
            _fill(small_disk)
            codex.model.release()
            ran = await ended(process)
            assert ran.code == 74, ran.err
            assert "there is no space left for it" in ran.err
            assert "Free some space" in ran.err
        finally:
            (small_disk / "fill").unlink(missing_ok=True)
            await over(it.home)


def _fill(disk: Path) -> None:
    file = os.open(disk / "fill", os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(file, bytes(4096)):
            pass
    except OSError:
        pass
    finally:
        os.close(file)
