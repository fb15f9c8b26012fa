"""Both ends of a socket check each other before the first byte (D25). With another user, where there can be one."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rawr.codex.transport import CodexUnreachable
from rawr.codex.unix_socket import UnixDialer
from rawr.local import sockets
from rawr.local.sockets import NotPrivate, NotYours
from rawr.testing import find_codex
from tests.local.others import NOBODY, as_root, line, on_linux, other

pytestmark = pytest.mark.mission("D25")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def meeting() -> Iterator[Path]:
    """Where others can go, too."""
    folder = Path(tempfile.mkdtemp(prefix="rawr-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("deep", ["h", "d" * 200])
def test_it_is_in_its_folder_however_long_the_path(home: Path, deep: str) -> None:
    folder = home / deep
    folder.mkdir(mode=0o700)
    with sockets.bind(folder, "s") as server:
        assert stat.S_IMODE((folder / "s").lstat().st_mode) == 0o600
        sockets.connect(folder, "s").close()
        assert sockets.answers(folder, "s")
        server.close()
    assert not sockets.answers(folder, "s")


def test_what_a_dead_server_left_is_replaced(home: Path) -> None:
    sockets.bind(home, "s").close()
    with sockets.bind(home, "s"):
        assert sockets.answers(home, "s")


def test_a_folder_that_others_may_enter(home: Path) -> None:
    with sockets.bind(home, "s"):
        home.chmod(0o750)
        with pytest.raises(NotPrivate, match="Other users can access"):
            sockets.connect(home, "s")
        with pytest.raises(NotPrivate, match="chmod go="):
            sockets.bind(home, "s")


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_is_no_socket(home: Path, tmp_path: Path, kind: str) -> None:
    with sockets.bind(home, "real"):
        if kind == "link":
            (home / "s").symlink_to(home / "real")
        else:
            (home / "s").touch()
        with pytest.raises(NotPrivate, match="is not a socket"):
            sockets.connect(home, "s")


@as_root
def test_a_folder_of_another_users(home: Path) -> None:
    with sockets.bind(home, "s"):
        os.chown(home, NOBODY, NOBODY)
        with pytest.raises(NotPrivate, match="belongs to another user"):
            sockets.connect(home, "s")


@as_root
@pytest.mark.parametrize("owned", [False, True])
async def test_another_user_listens(home: Path, tmp_path: Path, meeting: Path, owned: bool) -> None:
    """Also where the socket itself is ours: the kernel knows who listens."""
    async with other("listen", meeting / "s", NOBODY) as stranger:
        assert await line(stranger) == "listening"
        if owned:
            os.chown(meeting / "s", 0, 0)
        with pytest.raises(NotYours if owned else NotPrivate, match="nother user"):
            sockets.connect_shared(meeting / "s")
        (tmp_path / "link").symlink_to(meeting / "s")
        with pytest.raises(CodexUnreachable, match=r"rawr does not join this Codex: .*nother user"):
            await UnixDialer(tmp_path / "link").dial()
        shutil.move(meeting / "s", home / "s")
        with pytest.raises(NotYours if owned else NotPrivate, match="nother user"):
            sockets.connect(home, "s")
        stranger.kill()
        assert stranger.stdout is not None
        assert await stranger.stdout.read() == b"", "nothing was said"


@on_linux
async def test_one_that_listened_has_exited(home: Path) -> None:
    """Its child still answers, and nobody can say what it was: an agent, perhaps."""
    async with other("listen", home / "s", "", "", "child") as agent:
        assert await line(agent) == "listening"
        with pytest.raises(NotYours, match="has exited"):
            sockets.connect(home, "s")


@on_linux
async def test_one_that_listened_is_exiting(home: Path) -> None:
    """A host that was killed a moment ago is no intruder: nothing answers there."""
    async with other("dying", home / "s") as killed:
        assert await line(killed) == "listening"
        assert not sockets.answers(home, "s")


@pytest.fixture
def codex_home() -> None:
    Path(os.environ["CODEX_HOME"]).mkdir(parents=True, exist_ok=True)


@on_linux
@pytest.mark.usefixtures("codex_home")
async def test_an_agent_listens(home: Path) -> None:
    """In the real sandbox of the real Codex, where that lets it write: it is our user, and still hears nothing."""
    settings = (
        "sandbox_mode=workspace-write",
        "sandbox_workspace_write.network_access=true",
        f'sandbox_workspace_write.writable_roots=["{home}"]',
    )
    sandbox = (str(find_codex()), "sandbox", *(word for one in settings for word in ("-c", one)))
    async with other("listen", home / "s", program=sandbox) as agent:
        assert await line(agent) == "listening"
        with pytest.raises(NotYours, match="in the agent's sandbox listens"):
            sockets.connect(home, "s")
        with pytest.raises(CodexUnreachable, match="in the agent's sandbox listens"):
            await UnixDialer(home / "s").dial()


def test_nothing_is_there(home: Path) -> None:
    assert not sockets.answers(home, "s")
    assert not sockets.answers(home / "missing", "s")
    with pytest.raises(FileNotFoundError):
        sockets.connect(home, "s")
