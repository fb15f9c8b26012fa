"""The temporary home: what it writes is what Codex reads, and its environment holds nothing of ours."""

import os
import tomllib
from pathlib import Path

import pytest

from rawr.errors import ConfigError
from rawr.testing import CodexHome, Run, Say, Scenario, scripted_codex
from rawr.testing.toml_text import toml_text

from .app_server import AppServer


def test_the_config_is_laid_over_table_by_table(tmp_path: Path) -> None:
    extra = {"features": {"goals": False}, "model_providers": {"scripted": {"stream_max_retries": 2}}}
    home = CodexHome.create(tmp_path, "http://127.0.0.1:1/v1", window=1234, extra_config=extra)
    assert tomllib.loads(home.config_file.read_text()) == {
        "model": "scripted",
        "model_provider": "scripted",
        "check_for_update_on_startup": False,
        "model_context_window": 1234,
        "model_providers": {
            "scripted": {
                "name": "scripted",
                "base_url": "http://127.0.0.1:1/v1",
                "wire_api": "responses",
                "env_key": "SCRIPTED_KEY",
                "request_max_retries": 0,
                "stream_max_retries": 2,
            }
        },
        "tools": {"update_plan": {"enabled": True}},
        "features": {"plugins": False, "apps": False, "remote_plugin": False, "goals": False},
        "analytics": {"enabled": False},
        "projects": {str(home.workspace): {"trust_level": "trusted"}},
    }


def test_codex_knows_every_key_of_the_config(tmp_path: Path) -> None:
    with (
        scripted_codex(Scenario.of("strict", [Say("ok")]), tmp_path) as codex,
        AppServer(codex, "--strict-config") as server,
    ):
        assert server.turn(server.start_thread(), "hi")["status"] == "completed"


def test_the_environment_is_made_from_a_list_of_what_may_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("CODEX_HOME", "elsewhere")
    env = CodexHome.create(tmp_path, "http://127.0.0.1:1/v1").env()
    assert "secret" not in env.values()
    assert (env["CODEX_HOME"], env["HOME"]) == (str(tmp_path / "codex"), str(tmp_path / "home"))


def test_a_command_has_the_path_of_whoever_started_codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex runs commands in a login shell, and on most machines that begins with a PATH of its own."""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{tmp_path / 'only here'}")
    asks = Scenario.of("path", [Run(cmd='printf "%s" "$PATH"'), Say("ok")])
    with scripted_codex(asks, tmp_path) as codex, AppServer(codex) as server:
        server.turn(server.start_thread(), "hi")
        [told] = codex.model.requests[1].tool_outputs()
        assert str(tmp_path / "only here") in told.text


@pytest.mark.parametrize(
    "table",
    [
        {"text": 'quotes " \\ \n \x7f \x01 and 😀', "n": 1, "f": 0.5, "on": True, "list": ["a", 1, [False]]},
        {"a b": {"c.d": {"é": 1}}, "empty": {}},
    ],
    ids=["values", "keys"],
)
def test_toml_reads_back(table: dict[str, object]) -> None:
    assert tomllib.loads(toml_text(table)) == table


def test_toml_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(ConfigError, match=r"a\.b: None cannot be written"):
        toml_text({"a": {"b": None}})
