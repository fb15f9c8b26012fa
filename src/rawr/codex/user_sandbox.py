"""What the user's own Codex configuration says about the sandbox, before any Codex is asked.

Codex reads more than this file: profiles, the project's own config, what an administrator requires. What it really put
in force, it says with each thread.
"""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rawr.core.vocabulary.limits import Sandboxing


class _Workspace(Struct):
    writable_roots: list[str] = []
    exclude_slash_tmp: bool = False
    exclude_tmpdir_env_var: bool = False


def configured(codex_home: Path, mode: str = "workspace-write") -> Sandboxing:
    """The sandbox of this mode, as ``config.toml`` has it. A file that cannot be read says nothing."""
    try:
        tree: dict[str, Any] = tomllib.loads((codex_home / "config.toml").read_text(encoding="utf-8"))
        found = msgspec.convert(tree.get("sandbox_workspace_write", {}), _Workspace)
    except (OSError, UnicodeError, ValueError, RecursionError):
        found = _Workspace()
    return Sandboxing(
        mode,
        roots=tuple(str(Path(root).expanduser()) for root in found.writable_roots),
        slash_tmp=not found.exclude_slash_tmp,
        tmpdir=not found.exclude_tmpdir_env_var,
    )
