"""Who decides sees the text that runs, on every surface; the disk has it redacted (D12). On the real Codex, hosted."""

import json
import os
import signal
from pathlib import Path

import pytest

from rawr.journal.placeholders import MARK
from rawr.runtime.sockets import is_live
from tests.e2e.seat import ASKS, RAWR, flat, seat
from tests.e2e.test_host import hosted, until
from tests.e2e.test_run_program import DONE
from tests.e2e.test_run_words import waits
from tests.journal.samples import bodies

pytestmark = pytest.mark.mission("D12")

PASSWORD = "tr0ub4dor" + "-and-3"
COMMAND = f"echo curl -u me:{PASSWORD} --version > shown.txt; mysql -p$(touch ran.txt); true # \u202elast"
ASKED = f"- {json.dumps({'run': {'cmd': COMMAND, 'escalate': True, 'why': 'I need it.'}})}\n{DONE}"


async def test_every_surface_shows_what_runs(tmp_path: Path) -> None:
    async with hosted(ASKED, tmp_path) as it:
        async with seat(it, *RAWR, "run", "Build it.", *ASKS, *it.codex_flags()) as screen:
            request = str((asked := await waits(it))["id"])
            told = {
                "approvals --json": str(asked["text"]),
                "approvals": (await it.rawr("approvals")).out,
                "status": (await it.rawr("status")).out,
                "status --json": str((await it.rawr("status", "--json")).lines[0]["waiting"]),
                "the prompt": await screen.asked("--version"),
                "approve": (await it.rawr("approve", request)).out,
            }
            for surface, text in told.items():
                last = (
                    "\u202elast"
                    if surface == "approvals --json"
                    else "\\u202elast"
                    if "json" in surface
                    else "<U+202E>last"
                )
                for piece in (f"me:{PASSWORD} --version", "(touch ran.txt)", last):
                    assert flat(piece) in flat(text), (surface, text)
                assert not MARK.search(flat(text)), (surface, text)
            assert await screen.over() == 0
        assert (it.workspace / "ran.txt").exists()
        assert "curl" in (it.workspace / "shown.txt").read_text()
    assert PASSWORD not in bodies(it.home)


async def test_where_no_rawr_runs_it_is_called_the_record(tmp_path: Path) -> None:
    async with hosted(ASKED, tmp_path) as it:
        process = await it.start("run", "Build it.", *ASKS, "--detach", *it.codex_flags())
        await process.wait()
        await waits(it)
        os.kill(int(str((await it.status())["pid"])), signal.SIGKILL)
        await until(lambda: not is_live(it.home), "the host is gone")
        [view] = (await it.rawr("approvals", "--json")).lines
        told = (await it.rawr("approvals")).out
        assert (view["type"], view["redacted"]) == ("cut_off", True)
        assert "this is the record, in which placeholders stand for secrets" in told
        assert PASSWORD not in told
