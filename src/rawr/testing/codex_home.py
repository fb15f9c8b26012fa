"""A temporary home for a real Codex that can reach the scripted model and nothing else."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from rawr.testing.toml_text import merged, toml_text

KEY_VARIABLE = "SCRIPTED_KEY"
# Nothing listens on the discard port, so anything that obeys the proxy variables fails at once.
DEAD_PROXY = "http://127.0.0.1:9"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
REMOTE_COMPACTION = {"model_providers": {"scripted": {"name": "OpenAI"}}}
"""Config with which Codex takes the scripted model for OpenAI's, and has its server compact: by the provider's name."""
# A list of what may pass, since nobody can list every variable that holds a key.
_INHERITED = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "TMPDIR", "TZ", "USER", "LOGNAME"),
    *("RAWR_FOREGROUND", "RAWR_CODE_IN_REACH"),
)


class CodexHome(msgspec.Struct, frozen=True, kw_only=True):
    """Three folders: ``path`` is CODEX_HOME, ``user_home`` replaces HOME, ``workspace`` is empty and trusted."""

    path: Path
    user_home: Path
    workspace: Path

    @classmethod
    def create(
        cls,
        base_dir: Path,
        model_url: str,
        *,
        window: int | None = None,
        extra_config: Mapping[str, object] | None = None,
    ) -> "CodexHome":
        """Write the folders and the config below ``base_dir``.

        ``window`` is the model's context window; ``extra_config`` is merged into the config, table by table, for
        example
        ``{"features": {"default_mode_request_user_input": True}}``.
        """
        base = base_dir.resolve()
        home = cls(path=base / "codex", user_home=base / "home", workspace=base / "workspace")
        for folder in (home.path, home.user_home, home.workspace):
            folder.mkdir(parents=True, exist_ok=True)
        config = merged(home._config(model_url, window=window), extra_config or {})
        home.config_file.write_text(toml_text(config), encoding="utf-8")
        # Codex runs commands in a login shell, which may begin with the machine's own PATH.
        path = os.environ.get("PATH", os.defpath)
        (home.user_home / ".bash_profile").write_text(f"export PATH={shlex.quote(path)}\n", encoding="utf-8")
        return home

    @property
    def config_file(self) -> Path:
        return self.path / "config.toml"

    def env(self) -> dict[str, str]:
        """The whole environment for Codex: start it with this and add nothing that holds a key."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        proxies = {spelling: DEAD_PROXY for name in _PROXIES for spelling in (name, name.lower())}
        direct = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
        return inherited | proxies | direct | _git_identity() | self._own_variables()

    def _own_variables(self) -> dict[str, str]:
        return {
            "CODEX_HOME": str(self.path),
            "HOME": str(self.user_home),
            KEY_VARIABLE: "no-secret",
        }

    def _config(self, model_url: str, *, window: int | None) -> dict[str, object]:
        return {
            "model": "scripted",
            "model_provider": "scripted",
            "check_for_update_on_startup": False,
            **({} if window is None else {"model_context_window": window}),
            "model_providers": {
                "scripted": {
                    "name": "scripted",
                    "base_url": model_url,
                    "wire_api": "responses",
                    "env_key": KEY_VARIABLE,
                    "request_max_retries": 0,
                    "stream_max_retries": 0,
                }
            },
            "tools": {"update_plan": {"enabled": True}},
            # With these three and analytics off, Codex looks up no outside name at all.
            "features": {"plugins": False, "apps": False, "remote_plugin": False},
            "analytics": {"enabled": False},
            "projects": {str(self.workspace): {"trust_level": "trusted"}},
        }


def _git_identity() -> dict[str, str]:
    name, mail = "Scripted Agent", "agent@example.invalid"
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": mail,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
