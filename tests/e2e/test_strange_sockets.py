"""A neighbour on the same machine hears nothing (D25): another user who is there first, wherever a socket could be."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from rawr.host import messages as m
from rawr.testing import parse_scenario, scripted_codex
from rawr.version import __version__
from tests.e2e.test_host import Hosted, over
from tests.e2e.test_run_program import DONE, FREE, ended
from tests.local.others import NOBODY, as_root, line, other

pytestmark = pytest.mark.mission("D25")
SECRET = "zq7vX2mNp0LrT9wKd4YhB6uJ"


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder for temporary files, as /tmp is: everybody's."""
    folder = Path(tempfile.mkdtemp(prefix="rawr-"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@as_root
async def test_a_deep_home_tells_no_stranger(tmp_path: Path, shared: Path) -> None:
    """A home whose path is too long for a socket's address: the neighbour listens where it could be put instead, and
    answers as a host would. The run goes through, and not a byte reaches them."""
    home = tmp_path / ("d" * 120) / "rawr"
    digest = sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    trap = shared / f"rawr-{os.getuid()}" / f"{digest}-host.sock"
    welcome = {"is": "Welcome", "protocol": m.PROTOCOL, "version": __version__, "pid": 1}
    async with other("listen", trap, NOBODY, json.dumps(welcome)) as stranger:
        assert await line(stranger) == "listening"
        with scripted_codex(parse_scenario(f"name: deep\nreplies:\n{DONE}"), tmp_path, check=False) as codex:
            it = Hosted(codex, home)
            it.variables = {"TMPDIR": str(shared), "MY_KEY": SECRET}
            try:
                ran = await ended(await it.run("Build it.", *FREE))
            finally:
                await over(home)
        stranger.kill()
        assert stranger.stdout is not None
        async with asyncio.timeout(20):
            heard = (await stranger.stdout.read()).decode()
    assert SECRET not in heard
    assert heard == ""
    assert ran.code == 0, ran.err
