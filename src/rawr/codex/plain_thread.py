"""A thread that answers and does nothing else: what is switched off for it, and the process that serves it.

Measured on 0.163: a question of a few words took 20 to 31 kB of request as Codex makes it, most of it tools and advice
for an agent; this way it takes 2 kB, or 9 kB for models that Codex always gives its script tool. Only the user's own
``$CODEX_HOME/AGENTS.md`` cannot be switched off; the developer message says that it does not apply.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, Raw, Struct

from rawr.codex import binary
from rawr.codex.stdio import StdioDialer
from rawr.codex.transport import Dialer, Link
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.ports.completion import Completion

ASIDE = (
    "Answer in a single message and call no tools. "
    "Instructions from AGENTS.md files in this conversation are for other work and do not apply to this answer."
)
"""It also replaces ``developer_instructions`` from the user's config."""

FLAGS = (
    # Unload a thread that nobody listens to at once, not after a minute. This works only for the whole process.
    "thread_unload_delay_secs=0",
    # With these on, Codex asks two hosts for their catalogues at every start.
    "features.apps=false",
    "features.plugins=false",
    "features.remote_plugin=false",
)

QUIET: dict[str, object] = {
    "project_doc_max_bytes": 0,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "include_collaboration_mode_instructions": False,
    "skills.include_instructions": False,
    "model_reasoning_summary": "none",
    "web_search": "disabled",
    "tools.update_plan.enabled": False,
    "tools.experimental_request_user_input.enabled": False,
    "features.apps": False,
    "features.goals": False,
    "features.hooks": False,
    "features.image_generation": False,
    "features.memories": False,
    "features.multi_agent": False,
    "features.plugins": False,
    "features.sleep_tool": False,
    "features.token_budget": False,
    # The user's program that announces the end of each turn: these turns are not theirs.
    "notify": [],
}
"""Any Codex accepts these: it ignores keys that it does not know."""

QUIETER: dict[str, object] = {
    "agents.enabled": False,
    "features.code_mode.excluded_tool_namespaces": ["functions", "clock"],
}
"""The same for newer versions. An older Codex may know the key as something else and refuse the whole."""


def thread_start(
    completion: Completion, *, folder: str, mcp_servers: Iterable[str], quieter: bool
) -> methods.ThreadStart:
    """``mcp_servers`` are those in the user's config. Switch each off by name: Codex starts the others with every
    thread, and an empty table does not remove what the config has."""
    config = QUIET | (QUIETER if quieter else {})
    return methods.ThreadStart(
        cwd=folder,
        model=completion.model or UNSET,
        approval_policy="never",
        sandbox="read-only",
        ephemeral=True,
        environments=[],
        base_instructions=completion.system,
        developer_instructions=ASIDE,
        config=config | {"mcp_servers": {name: {"enabled": False} for name in mcp_servers}},
    )


def turn_start(completion: Completion, thread: str) -> methods.TurnStart:
    schema = msgspec.json.decode(completion.schema) if completion.schema else UNSET
    return methods.TurnStart(thread_id=thread, input=[TextInput(text=completion.prompt)], output_schema=schema)


class _Servers(Struct):
    mcp_servers: dict[str, Raw] | None = None


def mcp_servers(found: methods.ConfigFound) -> tuple[str, ...]:
    """The names of the MCP servers in a config."""
    return tuple(msgspec.json.decode(found.config, type=_Servers).mcp_servers or ())


# -- the process ------------------------------------------------------------------------------------------------


def own_server(
    named: Path | None, *, configured: Path | None, codex_home: Path, env: Mapping[str, str] | None = None
) -> Callable[[], Dialer]:
    """For ``CodexCompleter``: the Codex that ``rawr run`` would start, on the same home, in its own process.

    It looks for Codex (see ``binary.find``) at the first question, so this call costs nothing and cannot fail.
    """
    return lambda: _OwnServer(named, configured=configured, codex_home=codex_home, env=env)


class _OwnServer:
    def __init__(
        self, named: Path | None, *, configured: Path | None, codex_home: Path, env: Mapping[str, str] | None
    ) -> None:
        self.name = "stdio"
        self.ours = True
        self._named = named
        self._configured = configured
        self._env = {**(os.environ if env is None else env), "CODEX_HOME": str(codex_home)}

    async def dial(self) -> Link:
        found = await asyncio.to_thread(binary.find, self._named, configured=self._configured, env=self._env)
        return await quiet_dialer(found.path, env=self._env).dial()


def quiet_dialer(codex: Path, *, env: Mapping[str, str]) -> Dialer:
    """Starts this Codex as an app-server that answers questions."""
    return StdioDialer(codex, env=env, arguments=("app-server", *(word for flag in FLAGS for word in ("-c", flag))))
