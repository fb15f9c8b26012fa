"""Where things are for this call: rawr's home, its config, the Codex program and Codex's home."""

import os
from pathlib import Path

from msgspec import Struct

from rawr.config.load import Loaded, Settings, load_policy
from rawr.journal.home import resolve_home


class Places(Struct, frozen=True):
    home: Path
    loaded: Loaded
    codex_bin: Path | None
    codex_home: Path

    @classmethod
    def find(cls, *, codex_bin: Path | None = None, codex_home: Path | None = None) -> "Places":
        """Flags first, then the environment, then the config, then the defaults."""
        home = resolve_home()
        loaded = load_policy(home)
        named = os.environ.get("CODEX_HOME")
        chosen = codex_home or (Path(named) if named else None) or loaded.settings.codex_home or Path("~/.codex")
        return cls(home, loaded, codex_bin, chosen.expanduser().absolute())

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def control_socket(self) -> Path:
        """Where the shared app-server behind the user's own ``codex`` listens, while it runs."""
        return self.codex_home / "app-server-control" / "app-server-control.sock"
