"""The service manager's file (D7): what it starts, and that nothing in a path or a variable gets out of its place."""

import plistlib
import shlex
from pathlib import Path

import pytest

from rawr.errors import OutsideError
from rawr.host import service

pytestmark = pytest.mark.mission("D7")
PROGRAM = ("/opt/rawr/bin/python", "-m", "rawr")
ENV = {"HOME": "/home/ada", "PATH": "/opt/tools", "OPENAI_API_KEY": "sk-secret"}


def test_systemd() -> None:
    unit = service.unit_for(Path("/home/ada/.codex-rawr"), env=ENV, program=PROGRAM, platform="linux")
    assert unit.path.parent == Path("/home/ada/.config/systemd/user")
    lines = unit.text.splitlines()
    [start] = [line.partition("=")[2] for line in lines if line.startswith("ExecStart=")]
    assert shlex.split(start) == [*PROGRAM, "host", "serve", "--stay", "--resume"]
    assert 'Environment="RAWR_HOME=/home/ada/.codex-rawr"' in lines
    assert "Restart=on-failure" in lines
    assert "sk-secret" not in unit.text


@pytest.mark.parametrize("hostile", ['/a "b"', "/a%h", "/a\nExecStart=/bin/evil", "/a$HOME", "/a\\"])
def test_a_path_stays_where_it_belongs(hostile: str) -> None:
    unit = service.unit_for(Path(hostile), env=ENV, program=PROGRAM, platform="linux")
    assert [line.partition("=")[0] for line in unit.text.splitlines()].count("ExecStart") == 1
    assert "%h" not in unit.text.replace("%%h", "")


def test_launchd() -> None:
    env = {**ENV, "HOME": "/Users/ada"}
    unit = service.unit_for(Path("/Users/ada/rawr"), env=env, program=PROGRAM, platform="darwin")
    agent = plistlib.loads(unit.text.encode())
    assert agent["ProgramArguments"] == [*PROGRAM, "host", "serve", "--stay", "--resume"]
    assert agent["EnvironmentVariables"]["RAWR_HOME"] == "/Users/ada/rawr"


def test_each_home_has_its_own() -> None:
    units = [service.unit_for(Path(home), env=ENV, program=PROGRAM, platform="linux") for home in ("/a", "/b")]
    assert units[0].path != units[1].path


def test_elsewhere_there_is_none() -> None:
    with pytest.raises(OutsideError, match="no service manager on sunos"):
        service.unit_for(Path("/a"), env=ENV, program=PROGRAM, platform="sunos")


def test_written_for_the_user_alone_and_removed(tmp_path: Path) -> None:
    unit = service.unit_for(tmp_path, env={"HOME": str(tmp_path)}, program=PROGRAM, platform="linux")
    service.write(unit)
    service.write(unit)
    assert (unit.path.read_text(), unit.path.stat().st_mode & 0o777) == (unit.text, 0o600)
    assert service.remove(unit)
    assert not service.remove(unit)
