"""Which variables a terminal sends to the host: what a run needs, and no keys that nobody named (D25)."""

import pytest

from rawr.host.sent import chosen

pytestmark = pytest.mark.mission("D7", "D25")


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "LC_ALL", "https_proxy", "VIRTUAL_ENV", "PYTHONPATH", "CARGO_HOME", "GOFLAGS", "JAVA_HOME"),
        *("NVM_DIR", "npm_config_cache", "OPENAI_API_KEY", "CODEX_API_KEY", "SSH_AUTH_SOCK", "GIT_AUTHOR_NAME"),
        *("CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "CONDA_PREFIX", "XDG_CONFIG_HOME", "DOCKER_HOST", "AWS_PROFILE"),
    ],
)
def test_what_a_run_needs_goes(name: str) -> None:
    assert chosen({name: "1"}, named=()).variables == {name: "1"}


@pytest.mark.parametrize(
    "name",
    [
        *("DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "STRIPE_KEY", "COLOUR"),
        *("NPM_CONFIG__AUTHTOKEN", "UV_INDEX_PRIVATE_PASSWORD", "POETRY_PYPI_TOKEN_PYPI", "CARGO_REGISTRY_TOKEN"),
        *("COMPOSER_AUTH", "GEM_HOST_API_KEY", "GIT_CONFIG_VALUE_0", "GIT_CONFIG_KEY_0", "HOMEBREW_GITHUB_API_TOKEN"),
    ],
)
def test_what_nobody_named_stays_and_is_told(name: str) -> None:
    found = chosen({name: "1"}, named=())
    assert (found.variables, found.staying) == ({}, (name,))


@pytest.mark.parametrize("name", ["TERM", "PWD", "TMUX_PANE", "SSH_TTY", "RAWR_HOME", "LS_COLORS", "VSCODE_PID"])
def test_what_no_check_could_miss_stays_without_a_word(name: str) -> None:
    found = chosen({name: "1"}, named=())
    assert (found.variables, found.staying) == ({}, ())


def test_names_and_patterns_of_the_users() -> None:
    mine = {"DATABASE_URL": "1", "AWS_SECRET_ACCESS_KEY": "2", "GITHUB_TOKEN": "3", "RAWR_HOME": "4"}
    found = chosen(mine, named=("DATABASE_URL", "AWS_*", "RAWR_*"))
    assert found.variables == {"DATABASE_URL": "1", "AWS_SECRET_ACCESS_KEY": "2"}
    assert found.staying == ("GITHUB_TOKEN",)
