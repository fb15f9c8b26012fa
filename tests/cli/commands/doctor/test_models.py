"""What ``rawr doctor`` says of models: whom it would ask, and what happens where nobody can be asked."""

import os
import time
from pathlib import Path

import pytest

from rawr.cli.commands.doctor import models
from rawr.cli.commands.doctor.check import Check
from rawr.cli.commands.doctor.codex import no_codex as why_not
from rawr.cli.places import Places
from rawr.models import probing
from tests.cli.program import rawr
from tests.models.servers import Say, model_server
from tests.models.test_deadlines import TRICKLES, trickling

NOBODY = "no working Codex was found"


def told(home: Path, config: str, *, no_codex: str = NOBODY, **env: str) -> list[tuple[str, str]]:
    home.mkdir(mode=0o700, exist_ok=True, parents=True)
    (home / "config.toml").write_text(config)
    places = Places.find()
    assert places.loaded.warnings == ()
    return [(one.status, one.detail) for one in models.model_checks(places, no_codex=no_codex, env=env)]


@pytest.fixture
def home(own_home: Path) -> Path:
    return own_home / "rawr"


WANTED = '[rawr_models]\ndecisions = "model"\n'


@pytest.mark.parametrize(
    ("on_error", "then"), [("pause", "runs pause after each turn"), ("rules", "runs follow the rules")]
)
def test_an_empty_order_is_noted_with_what_happens(home: Path, on_error: str, then: str) -> None:
    found = told(home, f'{WANTED}order = []\non_error = "{on_error}"\n')
    assert found == [("warn", f"the order is empty, so rawr asks no model: {then}")]


def test_an_empty_order_that_nobody_needs_is_fine(home: Path) -> None:
    assert [status for status, _ in told(home, "[rawr_models]\norder = []\n")] == ["ok"]


@pytest.mark.parametrize(
    ("config", "status", "then"),
    [
        ("", "ok", "rules decide"),
        (WANTED, "warn", "runs pause after each turn"),
        (f'{WANTED}questions = "model"\n', "warn", "runs pause after each turn, the agent's questions wait for you"),
        (f'{WANTED}on_error = "rules"\n', "warn", "runs follow the rules"),
    ],
)
def test_without_dspy_it_says_what_happens(
    home: Path, monkeypatch: pytest.MonkeyPatch, config: str, status: str, then: str
) -> None:
    monkeypatch.setattr(models, "installed", lambda: False)
    assert told(home, config) == [(status, f"DSPy is not installed, so rawr cannot ask a model: {then}")]


def test_a_dspy_that_cannot_be_imported_is_noticed_where_it_is_needed(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "dspy.py").write_text("raise RuntimeError('its native part is gone')")
    monkeypatch.syspath_prepend(tmp_path)
    [(status, detail)] = told(home, f"{WANTED}order = []\n")
    assert (status, "cannot be imported (RuntimeError: its native part is gone)" in detail) == ("warn", True)
    assert "no setting uses a model" in told(home, "[rawr_models]\norder = []\n")[0][1]
    (tmp_path / "dspy.py").write_text("import time; time.sleep(30)")
    assert probing.import_problem(seconds=0.5) == "it takes longer than 0.5 s"


def test_the_dspy_that_is_here_can_be_imported() -> None:
    assert probing.import_problem() == ""


# -- Codex ------------------------------------------------------------------------------------------------------------


def checks(**status: str) -> list[Check]:
    return [Check(name.replace("_", " ").replace("app server", "app-server"), s, "") for name, s in status.items()]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (checks(codex="fail"), NOBODY),
        (checks(codex="ok", protocol="fail"), "this Codex lacks what rawr needs"),
        (
            checks(codex="ok", protocol="ok", codex_home="warn", app_server="ok", login="warn"),
            "there is no Codex home, so no one is logged in",
        ),
        (checks(codex="ok", protocol="ok", codex_home="ok", app_server="fail"), "its app-server does not respond"),
        (
            checks(codex="ok", protocol="ok", codex_home="ok", app_server="ok", login="fail"),
            "Codex is not logged in",
        ),
        (checks(codex="ok", protocol="ok", codex_home="ok", app_server="ok", login="ok"), ""),
    ],
)
def test_why_codex_cannot_be_asked(seen: list[Check], why: str) -> None:
    assert why_not(seen) == why


def test_where_none_of_the_order_can_be_asked_it_says_what_happens(home: Path) -> None:
    assert told(home, f'{WANTED}order = ["codex"]\n', no_codex="Codex is not logged in") == [
        ("warn", "codex is not available: Codex is not logged in"),
        ("warn", "no model in the order is available now: runs pause after each turn"),
    ]


def test_without_a_codex_home_codex_would_not_be_asked(home: Path) -> None:
    """The real program, with the real Codex."""
    home.mkdir(mode=0o700, parents=True)
    (home / "config.toml").write_text('[rawr_models]\norder = ["codex"]\n')
    models = [line["detail"] for line in rawr("doctor", "--json").lines if line.get("name") == "models"]
    assert models[0] == "codex is not available: there is no Codex home, so no one is logged in"


# -- guidance ---------------------------------------------------------------------------------------------------------

MODE, MODEL = "OPENAGENTS_GUIDANCE_MODE", "OPENAGENTS_GUIDANCE_MODEL"


def test_the_model_that_guidance_would_ask(home: Path) -> None:
    with model_server("ollama", Say()) as server:
        config = f'[rawr_models]\norder = []\nollama_url = "{server.url}"\n'
        found = told(home, config, **{MODE: "demo", MODEL: server.model})
    said = f"{server.model} ({MODEL}) is what guidance would ask: Ollama at {server.url}"
    assert found[0] == ("ok", said)
    assert [status for status, _ in found] == ["ok", "ok"]


def test_guidance_without_a_model_of_its_own_asks_the_order(home: Path) -> None:
    assert told(home, "[rawr_models]\norder = []\n", **{MODE: "demo"}) == [
        ("ok", f"guidance is on ({MODE}) and asks the models in the order"),
        ("warn", "the order is empty, so rawr asks no model: guided runs follow the rules"),
    ]


def test_names_that_are_none(home: Path) -> None:
    found = told(home, "[rawr_models]\norder = []\n", **{MODE: "maybe", MODEL: "llama"})
    assert found[:2] == [
        ("warn", f"{MODEL}: 'llama' is not a model rawr can ask."),
        ("warn", f"{MODE} is 'maybe'."),
    ]


# -- a server that trickles -------------------------------------------------------------------------------------------


def test_a_server_that_trickles_its_headers_does_not_hang_the_doctor(home: Path) -> None:
    with trickling(TRICKLES["header"]) as address:
        began = time.monotonic()
        found = told(home, f'[rawr_models]\norder = ["ollama:m"]\nollama_url = "{address.base}"\n', **os.environ)
        assert time.monotonic() - began < 10
    assert "did not answer within 2.0 s" in found[0][1]


# -- a key in the place of an address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", ["sk-proj-abcdefgh", "sk-proj-abc\\u0007defgh", "http://[sk-proj-abcdefgh", "sk-proj-" + "x" * 1001]
)
def test_a_key_in_the_place_of_an_address_is_not_repeated(home: Path, value: str) -> None:
    home.mkdir(mode=0o700, parents=True)
    (home / "config.toml").write_text(f'[rawr_models]\nopenai_url = "{value}"\n')
    (warning,) = Places.find().loaded.warnings
    assert "expected an address such as http://127.0.0.1:11434" in str(warning)
    assert "sk-proj" not in str(warning)
