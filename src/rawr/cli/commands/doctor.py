"""``rawr doctor``: does everything fit together, and if not, what to do."""

import asyncio
import os
import platform
import shlex
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, assert_never

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr import __version__
from rawr.cli.commands.doctor_pace import JournalPace
from rawr.cli.commands.guiding import MODE, MODEL, guided, model_of
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say, warn
from rawr.codex import binary
from rawr.codex.client import CodexClient
from rawr.codex.stdio import StdioDialer
from rawr.codex.wire import methods
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.order import Order
from rawr.errors import CodexError, ConfigError, JournalError, OutsideError
from rawr.journal import home as journal_home
from rawr.journal.integrity import Area, IntegrityReport, check
from rawr.journal.redact import Redactor
from rawr.models.probing import import_problem, installed, probe, probe_order

Grade = Literal["ok", "warn", "fail"]
MARKS: dict[Grade, str] = {"ok": "ok  ", "warn": "note", "fail": "FAIL"}
START_DEADLINE = 30.0
JOURNAL_SECONDS = 20.0
"""For the journal, among all the other checks. A million rows take some five."""


class Check(Struct, frozen=True, tag_field="type", tag="check"):
    """One thing that was looked at. ``way_out`` says what to do about it."""

    name: str
    status: Grade
    detail: str
    way_out: str = ""


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    ok: bool
    failed: tuple[str, ...]
    noted: tuple[str, ...]
    rawr: str = __version__


def run(*, json: bool, codex_bin: Path | None, codex_home: Path | None, journal: bool = False) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    found: list[Check] = []
    for one in journal_checks(places, json=json) if journal else checks(places, json=json):
        found.append(one)
        if json:
            emit(one)
        else:
            say(f"{MARKS[one.status]}  {one.name:<14} {one.detail}")
            if one.way_out and one.status != "ok":
                say(f"      {'':<14} → {one.way_out}")
    failed = tuple(one.name for one in found if one.status == "fail")
    if json:
        emit(Summary(not failed, failed, tuple(one.name for one in found if one.status == "warn")))
    elif failed:
        warn(f"{len(failed)} of {len(found)} checks failed: {', '.join(failed)}.")
    else:
        noted = sum(one.status == "warn" for one in found)
        well = "All is well." if not noted else f"Nothing is broken; {counted(noted, 'note')} above."
        say()
        say(well if journal else f"{well} `rawr demo` shows what rawr does.")
    return Exit.PROBLEM if failed else Exit.OK


def journal_checks(places: Places, *, json: bool) -> Iterator[Check]:
    """Every row of the journal, whatever time it takes, and everything that is found."""
    if not journal_home.is_recorded(places.home):
        yield Check("journal", "ok", f"none yet in {places.home}")
        return
    report = _look_through(places.home, JournalPace(shown=not json, seconds=None))
    for finding in report.findings:
        yield Check("journal", "fail", finding.problem, _way_out(finding.area, report.path))
    if report.ok:
        yield _sound(report)


def checks(places: Places, *, json: bool = True) -> Iterator[Check]:
    """Each check as soon as it is known, from the outside in."""
    python = f"rawr {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Check("rawr", "ok", f"{python}, {platform.system()} {platform.machine()}")
    yield from _config(places)
    yield from _home(places, json=json)
    codex = list(_codex(places))
    yield from codex
    yield from _models(places, no_codex=_no_codex(codex), env=os.environ)


def _config(places: Places) -> Iterator[Check]:
    file = places.home / "config.toml"
    warnings = places.loaded.warnings
    if not file.exists():
        yield Check("config", "ok", f"none at {file}; defaults are used")
    elif not warnings:
        yield Check("config", "ok", str(file))
    for warning in warnings:
        yield Check("config", "warn", str(warning), "Correct it, or delete the line to use the default.")


def _home(places: Places, *, json: bool) -> Iterator[Check]:
    home = places.home
    try:
        recorded = journal_home.is_recorded(home)
    except JournalError as error:
        yield Check("home", "fail", error.message, error.way_out)
        return
    if not home.exists():
        parent = next(folder for folder in home.parents if folder.exists())
        if _writable(parent):
            yield Check("home", "ok", f"{home} does not exist yet; it is made when it is needed")
        else:
            yield Check("home", "fail", f"{home} cannot be made", "Set RAWR_HOME to a folder that you can write.")
        return
    if not home.is_dir() or not _writable(home):
        yield Check("home", "fail", f"{home} cannot be written", "Set RAWR_HOME to a folder that you can write.")
        return
    try:
        journal_home.prepare_home(home)
        yield Check("home", "ok", f"{home}, private")
    except JournalError as error:
        yield Check("home", "fail", error.message, error.way_out)
    yield _journal(home, json=json) if recorded else Check("journal", "ok", "none yet")


def _writable(folder: Path) -> bool:
    """Asked of the system by trying: modes do not tell of read-only file systems."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _journal(home: Path, *, json: bool) -> Check:
    path = journal_home.database(home)
    report = _look_through(home, JournalPace(shown=not json, seconds=JOURNAL_SECONDS))
    if report.ok:
        return _sound(report)
    first = report.findings[0]
    more = f" (and {len(report.findings) - 1} more)" if len(report.findings) > 1 else ""
    return Check("journal", "fail", first.problem + more, _way_out(first.area, path))


def _look_through(home: Path, pace: JournalPace) -> IntegrityReport:
    try:
        return check(home, full=True, pace=pace)
    finally:
        pace.close()


def _sound(report: IntegrityReport) -> Check:
    what = f"{report.path}: {report.facts} facts, schema {report.version}"
    if report.left:
        seen = f"the first {report.rows} of {report.rows + report.left} rows are sound, and then the time was up"
        return Check("journal", "warn", f"{what}; {seen}", "`rawr doctor --journal` looks at all of it.")
    return Check("journal", "ok", f"{what}, sound")


def _way_out(area: Area, path: Path) -> str:
    match area:
        case "version":
            return "Update rawr, or set RAWR_HOME to another folder."
        case "lock":
            return "Stop the other program, and look again."
        case "permissions":
            return f"chmod go= {shlex.quote(str(path.parent))} {shlex.quote(str(path))}*"
        case "rows":
            return "rawr goes on without what is damaged, and leaves alone the threads that need it: see `rawr status`."
        case "file" | "schema" | "pages" | "numbers" | "bodies":
            moved = shlex.join(("mv", str(path), f"{path}.broken"))
            return f"Move it aside to start a new one: {moved}"
        case _:
            assert_never(area)


def _codex(places: Places) -> Iterator[Check]:
    try:
        found = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    except CodexError as error:
        yield Check("codex", "fail", Redactor().text(error.message), error.way_out)
        return
    yield Check("codex", "ok", f"{found.path} ({found.source}), version {found.version}")
    try:
        capabilities = binary.probe(found)
    except CodexError as error:
        yield Check("protocol", "fail", Redactor().text(error.message), error.way_out)
        return
    yield _protocol(capabilities, found.version)
    yield _codex_home(places)
    if places.codex_home.is_dir():
        yield from asyncio.run(_app_server(found, places.codex_home))
        return
    with tempfile.TemporaryDirectory(prefix="rawr-doctor-", ignore_cleanup_errors=True) as folder:
        app_server, *_ = asyncio.run(_app_server(found, Path(folder)))
    yield app_server
    yield Check("login", "warn", "not known without a Codex home", "Run `codex` once.")


def _no_codex(found: list[Check]) -> str:
    """Why Codex cannot be asked typed questions, from what was seen of it; empty if it can."""
    seen = {one.name: one.status for one in found}
    if seen.get("codex") == "fail":
        return "no Codex that works was found"
    if seen.get("protocol") == "fail":
        return "this Codex lacks what rawr needs"
    if seen.get("codex home") != "ok":
        return "there is no Codex home, so nobody is logged in"
    if seen.get("app-server") == "fail":
        return "its app-server does not answer"
    return "Codex is not logged in" if seen.get("login") == "fail" else ""


def _models(places: Places, *, no_codex: str, env: Mapping[str, str]) -> Iterator[Check]:
    """Which model would be asked typed questions. None is needed."""
    policy = places.loaded.policy
    guidance, problems = _guidance(env)
    yield from problems
    by_rules = ("guided runs go by the rules",) if guidance.guidance else ()
    effects = (*_without_answer(policy), *by_rules)
    unusable = _dspy(wanted=bool(effects))
    if unusable is not None:
        detail, way_out = unusable
        yield Check("models", "warn" if effects else "ok", f"{detail}: {', '.join(effects) or 'rules decide'}", way_out)
        return
    for name in guidance.models:
        one = probe(name, policy.models, no_codex=no_codex, env=env)
        use = "would be asked by guidance" if one.answers else "cannot be asked by guidance"
        yield Check("models", "ok" if one.answers else "warn", f"{name} ({MODEL}) {use}: {one.detail}")
    if guidance.guidance and not guidance.models:
        yield Check("models", "ok", f"guidance is on ({MODE}), and asks the models of the order")
    if guidance.models:
        effects = tuple(_without_answer(policy))
    yield from _order(policy.models, effects, no_codex=no_codex, env=env)


def _order(settings: Models, effects: tuple[str, ...], *, no_codex: str, env: Mapping[str, str]) -> Iterator[Check]:
    """The models of the order. ``effects`` is what happens if none of them answers; nothing, if nothing asks them."""
    if not settings.order and effects:
        way_out = 'Name one in [rawr_models], such as order = ["codex"].'
        yield Check("models", "warn", f"the order is empty, and no model is asked: {', '.join(effects)}", way_out)
    found = probe_order(settings, no_codex=no_codex, env=env)
    chosen = any(one.chosen for one in found)
    for one in found:
        use = "would be asked" if one.chosen else "is next in line" if one.answers else "cannot be asked"
        yield Check("models", "ok" if chosen or not effects else "warn", f"{one.model} {use}: {one.detail}")
    if found and effects and not chosen:
        yield Check("models", "warn", f"none of the order can be asked now: {', '.join(effects)}")
    if not effects:
        yield Check("models", "ok", "nothing asks them: see [rawr_models] and decision_prompt_path in the config")


def _dspy(*, wanted: bool) -> tuple[str, str] | None:
    """What keeps every model from being asked, with the way out."""
    if not installed():
        return "DSPy is not installed, and no model can be asked", "To ask one: pip install 'codex-rawr[llm]'"
    problem = import_problem() if wanted else ""
    if problem:
        detail = f"DSPy is installed, but cannot be imported ({problem}), and no model can be asked"
        return detail, "Install it anew: pip uninstall -y dspy, then pip install 'codex-rawr[llm]'"
    return None


def _guidance(env: Mapping[str, str]) -> tuple[Order, list[Check]]:
    """What the environment says of guidance, as ``rawr run`` reads it, in an order for nothing."""
    order, problems = Order(goal="-"), []
    try:
        order = replace(order, models=model_of(env))
    except ConfigError as error:
        problems.append(Check("models", "warn", error.message, error.way_out))
    try:
        mode = guided(order, asked=None, goal="", env={MODE: env.get(MODE, "")})
        order = replace(order, guidance=mode.guidance)
    except ConfigError as error:
        problems.append(Check("models", "warn", error.message, error.way_out))
    return order, problems


def _without_answer(policy: Policy) -> Iterator[str]:
    """What happens where a model is wanted and none answers, one thing for each that asks. Nothing asks: nothing."""
    models, rules = policy.models, policy.compaction
    if models.decisions == "model":
        yield "runs pause after each turn" if models.on_error == "pause" else "runs go by the rules"
    if models.questions == "model":
        yield "questions of the agent wait for you"
    if any(one.decision_prompt for one in (rules.early, rules.ready, rules.asap)):
        match models.judgment_on_error:
            case "tier":
                yield "compactions wait in early and ready, and go ahead in asap"
            case "defer":
                yield "compactions wait"
            case "compact":
                yield "compactions go ahead"
            case _ as never:
                assert_never(never)


def _protocol(capabilities: binary.Capabilities, version: str) -> Check:
    if capabilities.complete:
        return Check("protocol", "ok", f"everything that rawr uses is there (tested with {binary.TESTED_VERSION})")
    missing = [*capabilities.missing_calls, *capabilities.missing_notifications]
    way_out = f"Update Codex: {version} lacks what {binary.TESTED_VERSION} has."
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
            "Run `codex` once, or name it with --codex-home.",
        )
    running = "; a shared app-server is running there" if places.control_socket.exists() else ""
    return Check("codex home", "ok", f"{places.codex_home}{running}")


async def _app_server(found: binary.Binary, codex_home: Path) -> list[Check]:
    """Start the app-server once, over stdio, and ask who is logged in."""
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
        return [Check("app-server", "ok", "starts and answers"), _login(account)]
    except (OutsideError, TimeoutError) as error:
        detail = error.message if isinstance(error, OutsideError) else "it did not answer in time"
        way_out = f"Try it by hand to see what it says: {shlex.quote(str(found.path))} app-server"
        return [Check("app-server", "fail", Redactor().text(detail), way_out)]
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


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
