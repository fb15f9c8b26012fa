"""The variables that a Codex config names are sent along (D7): or its model would not answer."""

from pathlib import Path

import pytest

from rawr.codex.variables import named_by

pytestmark = pytest.mark.mission("D7")
CONFIG = """
[model_providers.azure]
env_key = "AZURE_KEY"
env_http_headers = { "X-Team" = "TEAM_ID" }
[profiles.work.model_providers.mine]
env_key = "MY_KEY"
[mcp_servers.docs]
bearer_token_env_var = "DOCS_TOKEN"
env_vars = ["DOCS_HOME", { name = "DOCS_USER", source = "local" }]
[mcp_servers.docs.env]
LITERAL = "not a name"
[shell_environment_policy]
include_only = ["PATH", "DB_*"]
"""


def test_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(CONFIG)
    assert sorted(named_by(tmp_path)) == [
        *("AZURE_KEY", "DB_*", "DOCS_HOME", "DOCS_TOKEN", "DOCS_USER", "MY_KEY", "PATH", "TEAM_ID"),
    ]


@pytest.mark.parametrize("text", ["[", "env_key = 3", "env_vars = 'x'", "\x00", ""])
def test_a_config_that_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    assert named_by(tmp_path) == ()
    assert named_by(tmp_path / "missing") == ()
