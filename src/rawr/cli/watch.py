"""``rawr watch``: beside the Codex that the user runs."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from rawr.cli.conversation import Conversation, JsonConversation, plain_printer, rich_printer
from rawr.cli.exit_codes import Exit
from rawr.cli.output import warn
from rawr.cli.places import Places
from rawr.codex.transport import UnixDialer
from rawr.config.load import Loaded, PolicySource
from rawr.core.policy import Policy
from rawr.journal.home import prepare_home
from rawr.runtime.ports import Surface
from rawr.runtime.supervisor import Supervisor


def run(
    *,
    thread: str,
    socket: Path | None,
    mode: str | None,
    json: bool,
    plain: bool,
    codex_home: Path | None,
) -> Exit:
    places = Places.find(codex_home=codex_home)
    home = prepare_home(places.home)
    source = PolicySource(home, flags={"rawr_auto_compaction.mode": mode}, seeding=True)
    for warning in source.current().warnings:
        warn(str(warning))
    where = socket or places.control_socket
    surface: Surface = JsonConversation() if json else Conversation(plain_printer() if plain else rich_printer())
    if not where.exists():
        warn(f"no Codex is running yet ({where} is not there); waiting for one. Ctrl-C ends this.")
    asyncio.run(_watch(where, home, policy=watching(source, thread), surface=surface))
    return Exit.OK


def watching(source: PolicySource, thread: str) -> Callable[[], Policy]:
    """The policy of the files, with other people's threads joined. Made anew only when a file changed."""
    held: list[tuple[Loaded, Policy]] = []

    def policy() -> Policy:
        loaded = source.current()
        if not held or held[-1][0] is not loaded:
            held[:] = [(loaded, replace(loaded.policy, join="all", join_only=thread))]
        return held[-1][1]

    return policy


async def _watch(socket: Path, home: Path, *, policy: Callable[[], Policy], surface: Surface) -> None:
    async with Supervisor(UnixDialer(socket), home, policy=policy, surface=surface, patient=True) as rawr:
        await rawr.ended()
