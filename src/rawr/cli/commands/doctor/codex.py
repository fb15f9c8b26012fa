"""Codex: the program, its protocol, its home, its app-server, and who is logged in."""

import asyncio
import os
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr import __version__
from rawr.cli.commands.doctor.check import Check
from rawr.cli.commands.in_reach import doubtful_codex
from rawr.cli.places import Places
from rawr.codex import binary, native
from rawr.codex.client import CodexClient
from rawr.codex.stdio import StdioDialer
from rawr.codex.versions import OLDEST_VERSION, TESTED_VERSION, CodexTooOld, refuse_too_old
from rawr.codex.wire import methods
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.native import Native
from rawr.errors import CodexError, OutsideError
from rawr.journal.redact import Redactor
from rawr.views.compacting import who_compacts

START_DEADLINE = 30.0


def codex_checks(places: Places) -> Iterator[Check]:
    try:
        if (doubt := doubtful_codex(places)) is not None:
            yield Check("codex", "fail", doubt.message, doubt.way_out)
            return
        found = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    except CodexError as error:
        yield Check("codex", "fail", Redactor().text(error.message), error.way_out)
        return
    shown = f"{found.path} ({found.source}), version {found.version}"
    try:
        refuse_too_old(found.version)
    except CodexTooOld as error:
        yield Check("codex", "fail", f"{shown}: rawr needs {OLDEST_VERSION} or newer", error.way_out)
        return
    yield Check("codex", "ok", shown)
    try:
        capabilities = binary.probe(found)
    except CodexError as error:
        yield Check("protocol", "fail", Redactor().text(error.message), error.way_out)
        return
    yield _protocol(capabilities, found.version)
    yield _codex_home(places)
    if places.codex_home.is_dir():
        yield from asyncio.run(_app_server(found, places.codex_home, places.loaded.policy))
        return
    with tempfile.TemporaryDirectory(prefix="rawr-doctor-", ignore_cleanup_errors=True) as folder:
        app_server, *_ = asyncio.run(_app_server(found, Path(folder), places.loaded.policy))
    yield app_server
    yield Check("login", "warn", "not known without a Codex home", "Run `codex` once.")


def no_codex(found: list[Check]) -> str:
    """Why Codex cannot be asked typed questions, from these checks; empty if it can."""
    seen = {one.name: one.status for one in found}
    if seen.get("codex") == "fail":
        return "no working Codex was found"
    if seen.get("protocol") == "fail":
        return "this Codex lacks what rawr needs"
    if seen.get("codex home") != "ok":
        return "there is no Codex home, so no one is logged in"
    if seen.get("app-server") == "fail":
        return "its app-server does not respond"
    return "Codex is not logged in" if seen.get("login") == "fail" else ""


def _protocol(capabilities: binary.Capabilities, version: str) -> Check:
    if capabilities.complete:
        return Check("protocol", "ok", f"has everything rawr uses (tested with {TESTED_VERSION})")
    missing = [*capabilities.missing_calls, *capabilities.missing_notifications]
    way_out = f"Update Codex: {version} lacks what {TESTED_VERSION} has."
    return Check("protocol", "fail", f"this Codex lacks {', '.join(missing)}", way_out)


def _codex_home(places: Places) -> Check:
    if places.codex_home.exists() and not places.codex_home.is_dir():
        way_out = "Name a folder with --codex-home, CODEX_HOME or [codex] home in rawr's config."
        return Check("codex home", "fail", f"{places.codex_home} is not a folder", way_out)
    if not places.codex_home.is_dir():
        return Check(
            "codex home",
            "warn",
            f"{places.codex_home} does not exist yet",
            "Run `codex` once, or name another one with --codex-home.",
        )
    running = "; a shared app-server is running there" if places.control_socket.exists() else ""
    return Check("codex home", "ok", f"{places.codex_home}{running}")


async def _app_server(found: binary.Binary, codex_home: Path, policy: Policy) -> list[Check]:
    """Start the app-server once, over stdio, and ask who is logged in, and when it compacts by itself."""
    dialer = StdioDialer(found.path, env={**os.environ, "CODEX_HOME": str(codex_home)})
    client = CodexClient(dialer, version=__version__, on_told=lambda _thread, _fact: None)
    serving = asyncio.create_task(client.run(reconnect=False))
    try:
        connected = asyncio.create_task(client.wait_connected(START_DEADLINE))
        await asyncio.wait({serving, connected}, return_when=asyncio.FIRST_COMPLETED)
        if not client.connected:
            connected.cancel()
            if serving.done():
                await serving
            raise CodexError(f"The app-server did not start within {START_DEADLINE:g} seconds.")
        await connected
        account = await client.call(methods.ACCOUNT_READ, methods.AccountRead())
        asked = await client.own_compaction()
        return [Check("app-server", "ok", "starts and responds"), _login(account), _compaction(policy, asked.native)]
    except (OutsideError, TimeoutError) as error:
        detail = error.message if isinstance(error, OutsideError) else "it did not respond in time"
        way_out = f"Try it by hand to see what it says: {shlex.quote(str(found.path))} app-server"
        return [Check("app-server", "fail", Redactor().text(detail), way_out)]
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


def _compaction(policy: Policy, found: Native) -> Check:
    """Who compacts, on threads that rawr joins. Those that it starts, Codex leaves to rawr."""
    said = Redactor().text(who_compacts(policy, native=found))
    if found.problem:
        return Check("compaction", "warn", said, "Mend it in Codex's config.toml; `codex` itself says where.")
    if found.token_budget:
        return Check("compaction", "warn", said, "Turn off features.token_budget in Codex's config.toml.")
    if found.percent:
        where = f", by {found.origin}" if found.origin else ""
        way_out = f"To leave it to rawr, set {native.THRESHOLD} = 0 there. As it is, rawr goes along with it."
        return Check("compaction", "warn", f"{said}{where}", way_out)
    return Check("compaction", "ok", said)


class _Account(Struct):
    type: str = "?"
    email: str | None = None


def _login(found: methods.AccountFound) -> Check:
    account = msgspec.json.decode(found.account, type=_Account | None)
    if account is not None:
        who = f" as {account.email}" if account.email else ""
        return Check("login", "ok", f"logged in with {account.type}{who}")
    if found.requires_openai_auth:
        return Check("login", "fail", "Codex is not logged in", "Run `codex login`.")
    return Check("login", "ok", "the configured model provider needs no login")
