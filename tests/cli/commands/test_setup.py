"""``rawr setup codex`` on a real Codex's home: added, seen by doctor and by Codex, and taken out again (D10)."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from rawr.cli.commands import agent_setup, setting_up
from rawr.codex.mcp_entry import BOM, COMMENT
from rawr.testing import find_codex
from tests.cli.program import Ended, rawr

pytestmark = pytest.mark.mission("D10")

THEIRS = '# mine\nmodel = "gpt-5"   # trailing\n\n[mcp_servers.docs]\ncommand = "docs" # keep\n# last\n'


class Places:
    def __init__(self, folder: Path) -> None:
        self.codex_home = folder / "codex"
        self.codex_home.mkdir()
        self.file = self.codex_home / "config.toml"
        self.file.write_text(THEIRS)
        self.env = {"CODEX_HOME": str(self.codex_home), "RAWR_HOME": str(folder / "rawr")}

    def setup(self, *words: str) -> Ended:
        return rawr("setup", "codex", *words, "--codex-bin", str(find_codex()), env=self.env, fresh=True)

    def as_codex_reads_it(self) -> dict[str, object]:
        command = [str(find_codex()), "mcp", "get", "rawr", "--json"]
        said = subprocess.run(command, env=self.env, capture_output=True, timeout=60, check=True)
        read: dict[str, object] = json.loads(said.stdout)["transport"]
        return read

    def doctor(self) -> dict[str, object]:
        said = rawr("doctor", "--json", "--codex-bin", str(find_codex()), env=self.env)
        return next(one for one in said.lines if one.get("name") == "agent tools")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_added_seen_and_taken_out(places: Places, tmp_path: Path) -> None:
    """The rest of the file stays, byte for byte, and so does its mode; doing it twice changes nothing."""
    places.file.chmod(0o640)
    assert places.setup("--check").code == 1
    assert places.doctor()["status"] == "ok"
    (done,) = places.setup("--yes", "--json").lines
    assert (done["status"], done["changed"], done["env"]) == ("ready", True, {"RAWR_HOME": str(tmp_path / "rawr")})
    assert places.file.read_text().startswith(THEIRS)
    read = places.as_codex_reads_it()
    assert [read["command"], *read["args"]] == done["command"]  # type: ignore[misc]
    (again,) = places.setup("--yes", "--json").lines
    assert (again["status"], again["changed"]) == ("ready", False)
    assert places.setup("--check").code == 0
    assert "has rawr's tools" in str(places.doctor()["detail"])
    assert places.setup("--undo", "--yes").code == 0
    assert (places.file.read_text(), places.file.stat().st_mode & 0o777) == (THEIRS, 0o640)
    (nothing,) = places.setup("--undo", "--yes", "--json").lines
    assert (nothing["status"], nothing["changed"]) == ("absent", False)


def test_nobody_to_ask_changes_nothing(places: Places) -> None:
    ended = places.setup()
    assert ended.code != 0
    assert "--yes" in ended.err
    assert places.file.read_text() == THEIRS


def test_a_file_behind_a_link_stays_behind_it(places: Places, tmp_path: Path) -> None:
    real = places.file.rename(tmp_path / "dotfiles.toml")
    places.file.symlink_to(real)
    assert places.setup("--yes").code == 0
    assert places.file.is_symlink()
    assert COMMENT in real.read_text()


def test_somebody_elses_server_is_left_alone(places: Places) -> None:
    foreign = THEIRS + '\n[mcp_servers.rawr]\ncommand = "other"\n'
    places.file.write_text(foreign)
    ended = places.setup("--yes")
    assert ended.code != 0
    assert "another MCP server under the name rawr" in ended.err
    assert places.setup("--undo", "--yes").code == 1
    assert places.file.read_text() == foreign
    assert places.doctor()["status"] == "warn"


def test_a_rawr_that_is_gone_is_reported_and_replaced(places: Places) -> None:
    """An environment that was deleted, or another one: doctor says so, and setup writes the entry anew."""
    places.file.write_text(THEIRS + '\n[mcp_servers.rawr]\ncommand = "/gone/rawr"\nargs = ["mcp"]\n')
    told = places.doctor()
    assert (told["status"], "/gone/rawr, which does not exist" in str(told["detail"])) == ("warn", True)
    (done,) = places.setup("--yes", "--json").lines
    assert (done["status"], "/gone/rawr" in places.file.read_text()) == ("ready", False)


def test_what_the_user_switched_off_stays_off(places: Places) -> None:
    off = THEIRS + '\n[mcp_servers.rawr]\ncommand = "rawr"\nargs = ["mcp"]\nenabled = false\n'
    places.file.write_text(off)
    ended = places.setup("--yes")
    assert (ended.code, "switched off" in ended.out) == (1, True)
    assert places.file.read_text() == off


def test_an_entry_that_codex_does_not_take_is_undone(places: Places) -> None:
    """Codex finds fault with something else in the file, so nobody could start it: everything is as it was."""
    wrong = THEIRS.replace('"gpt-5"', "7")
    places.file.write_text(wrong)
    ended = places.setup("--yes")
    assert ended.code != 0
    assert "does not take the entry" in ended.err
    assert places.file.read_text() == wrong


def test_a_config_that_codex_cannot_read_is_not_touched(places: Places) -> None:
    places.file.write_text("model = \n")
    ended = places.setup("--yes")
    assert ended.code != 0
    assert "cannot be read" in ended.err
    assert places.file.read_text() == "model = \n"


@pytest.mark.parametrize("text", ["[[mcp_servers]]\ncommand = 'x'\n", "mcp_servers = 5\n", "mcp_servers = 'x'\n"])
def test_servers_that_are_no_table_are_told(places: Places, text: str) -> None:
    """The file, the key and the way out, and nobody is sent into it."""
    places.file.write_text(text)
    told = f"{places.file} cannot be read: mcp_servers is not a table; Codex expects a [mcp_servers.NAME]"
    for words in (("--yes",), ("--undo", "--yes")):
        ended = places.setup(*words)
        assert (ended.code, told in ended.err, "Fix it, then run this again." in ended.err) == (78, True, True)
    checked = places.setup("--check")
    assert (checked.code, told in checked.out) == (1, True)
    doctor = places.doctor()
    assert (doctor["status"], told in str(doctor["detail"])) == ("warn", True)
    assert places.file.read_text() == text


def test_a_byte_order_mark_stays(places: Places) -> None:
    before = (BOM + THEIRS).encode()
    places.file.write_bytes(before)
    (done,) = places.setup("--yes", "--json").lines
    assert (done["status"], places.file.read_bytes().startswith(before)) == ("ready", True)
    assert [done["command"][0]] == [places.as_codex_reads_it()["command"]]  # type: ignore[index]
    assert places.setup("--undo", "--yes").code == 0
    assert places.file.read_bytes() == before


@pytest.mark.parametrize("change", [('"mcp"]', '"mcp", "x"]'), ("command =", "url =")])
def test_an_entry_that_somebody_changed_is_taken_out(places: Places, change: tuple[str, str]) -> None:
    """It stands under rawr's own comment, which says that it can be."""
    assert places.setup("--yes").code == 0
    text = places.file.read_text()
    changed = text.replace(THEIRS, "").replace(*change)
    places.file.write_text(THEIRS + changed)
    told = f"rawr's entry in {places.file} was changed"
    ended = places.setup("--yes")
    assert (ended.code, told in ended.err, "`rawr setup codex --undo`" in ended.err) == (78, True, True)
    (checked,) = places.setup("--check", "--json").lines
    assert checked["status"] == "changed"
    doctor = places.doctor()
    assert (doctor["status"], told in str(doctor["detail"])) == ("warn", True)
    assert places.file.read_text() == THEIRS + changed
    undone = places.setup("--undo", "--yes")
    assert (undone.code, "The entry had been changed." in undone.out) == (0, True)
    assert places.file.read_text() == THEIRS


# -- places that cannot be used, in words ------------------------------------------------------------------------------


def test_a_folder_in_place_of_the_file(places: Places) -> None:
    places.file.unlink()
    places.file.mkdir()
    ended = places.setup("--yes")
    told = f"{places.file} cannot be read: it is a folder, not a file. Fix it"
    assert (ended.code, told in ended.err, "Errno" in ended.err) == (78, True, False)


def test_a_fifo_in_place_of_the_file(places: Places) -> None:
    """Nobody waits for its other end."""
    places.file.unlink()
    os.mkfifo(places.file)
    assert "it is a FIFO, not a file" in places.setup("--check").out


def test_a_file_that_may_not_be_read_or_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_bytes(b"model = '\xff'")
    found = agent_setup.look(tmp_path, home=tmp_path)
    assert setting_up.described(found) == f"{found.file} cannot be read: it is not UTF-8 text."

    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refused)
    found = agent_setup.look(tmp_path, home=tmp_path)
    assert setting_up.described(found) == f"{found.file} cannot be read: permission denied."


def test_a_file_that_cannot_be_written(places: Places, tmp_path: Path) -> None:
    places.file.unlink()
    places.file.symlink_to(tmp_path / "gone" / "config.toml")
    ended = places.setup("--yes")
    told = f"{places.file} cannot be written: no such file or directory."
    assert (ended.code, told in ended.err, "RAWR_HOME" in ended.err) == (78, True, False)
