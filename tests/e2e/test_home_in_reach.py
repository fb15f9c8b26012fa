"""A home that the agent can write is refused (D11): it would write the rules that rawr obeys. On the real Codex, in its
real sandbox, in a host."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from rawr import writable
from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.cli import warm
from tests.cli.program import script
from tests.e2e.beside import MORNING, person, rawr_watch, served, watch_env
from tests.e2e.test_host import Hosted, over
from tests.e2e.test_run_program import DONE, Ran, ended

pytestmark = pytest.mark.mission("D11")

CONFIG = 78
WIDENS = """- when: { user: "^Widen" }
  run: printf "[rawr_full_auto]\\nallow = ['touch']\\n" > .rawr/config.toml
"""
USES = '- { when: { user: "^Use" }, run: { cmd: "touch CANARY", escalate: true, why: "Why not?" } }\n'
ENDS = '- { when: { tool: "." }, say: "Nothing is left to do: all is well.", times: always }\n'


H = TypeVar("H", bound=Hosted)


@asynccontextmanager
async def at(kind: type[H], script: str, folder: Path) -> AsyncIterator[H]:
    with scripted_codex(parse_scenario(f"name: reach\nreplies:\n{script}"), folder) as codex:
        it = kind(codex, folder / "rawr")
        try:
            yield it
        finally:
            await over(it.home)


class InWorkspace(Hosted):
    """``RAWR_HOME`` is in the workspace, as for a person who keeps everything of a project together."""

    def __init__(self, codex: ScriptedCodex, home: Path) -> None:
        super().__init__(codex, codex.home.workspace / ".rawr" if home.name == "rawr" else home)

    async def ordered(self, prompt: str, *words: str) -> Ran:
        return await ended(await self.run(prompt, *words))


class Told(InWorkspace):
    def __init__(self, codex: ScriptedCodex, home: Path) -> None:
        super().__init__(codex, home)
        self.more: dict[str, str] = {}

    def _env(self) -> dict[str, str]:
        return {**super()._env(), **self.more}


@pytest.mark.parametrize("linked", [False, True], ids=["plain", "behind a link"])
async def test_an_agent_does_not_write_the_rules_of_the_next_run(tmp_path: Path, linked: bool) -> None:
    """As shipped: nothing is configured. The first run's agent widens the rules; the next one's asks for what they
    allow, outside of the sandbox."""
    canary = tmp_path / "canary"
    async with at(InWorkspace, WIDENS + USES.replace("CANARY", str(canary)) + ENDS, tmp_path) as it:
        if linked:
            inside, it.home = it.home, tmp_path / "elsewhere"
            inside.mkdir(mode=0o700)
            it.home.symlink_to(inside)
        first = await it.ordered("Widen the rules.")
        second = await it.ordered("Use them.", "--unsafe", "decline")
        assert not canary.exists()
        assert (first.code, second.code) == (CONFIG, CONFIG), first.err
        assert "Nothing was started. Set RAWR_HOME to a folder outside of it" in first.err
        assert it.codex.model.requests == ()
        assert not (it.home / "journal.db").exists(), "refused before anything starts"
        assert linked or not it.home.exists(), "and before anything is made there"


def _home_link(it: Told, base: Path) -> tuple[str, ...]:
    """A folder on the way to the home is a link."""
    (it.workspace / "below").mkdir()
    (base / "way").symlink_to(it.workspace / "below")
    it.home = base / "way" / "rawr"
    return ()


def _out_again(it: Told, base: Path) -> tuple[str, ...]:
    """The home is outside, and the way to it leads through a link in the workspace, which the agent can turn."""
    (base / "outside").mkdir(mode=0o700)
    (it.workspace / "link").symlink_to(base / "outside")
    it.home = it.workspace / "link"
    return ()


def _workspace_link(it: Told, base: Path) -> tuple[str, ...]:
    (base / "project").symlink_to(it.workspace)
    return ("-C", str(base / "project"))


def _config_link(it: Told, base: Path) -> tuple[str, ...]:
    it.home = _private(base / "own")
    (it.workspace / "rawr.toml").touch()
    (it.home / "config.toml").symlink_to(it.workspace / "rawr.toml")
    return ()


def _prompt_link(it: Told, base: Path) -> tuple[str, ...]:
    it.home = _private(base / "own")
    (it.workspace / "prompts").mkdir()
    (it.home / "auto-compact").symlink_to(it.workspace / "prompts")
    return ()


def _hard_link(it: Told, base: Path) -> tuple[str, ...]:
    it.home = _private(base / "own")
    (it.home / "config.toml").touch(mode=0o600)
    (it.workspace / "rawr.toml").hardlink_to(it.home / "config.toml")
    return ()


def _codex_folder(it: Told, base: Path) -> tuple[str, ...]:
    """Codex's sandbox protects it at the top of a workspace, and only there."""
    it.home = it.workspace / ".codex" / "rawr"
    return ()


def _above(it: Told, base: Path) -> tuple[str, ...]:
    it.home = it.workspace.parent
    it.home.chmod(0o700)
    return ()


def _temporary(it: Told, base: Path) -> tuple[str, ...]:
    it.home = Path(f"/tmp/rawr-{os.getpid()}-{base.name}")
    return ()


def _tmpdir(it: Told, base: Path) -> tuple[str, ...]:
    it.home = base / "tmp" / "rawr"
    it.more["TMPDIR"] = str(_private(base / "tmp"))
    return ()


def _relative_tmpdir(it: Told, base: Path) -> tuple[str, ...]:
    """Codex takes it from the folder of each command."""
    it.home = base / "own"
    it.more["TMPDIR"] = "."
    return ()


def _declared(it: Told, base: Path) -> tuple[str, ...]:
    it.home = base / "shared" / "rawr"
    with it.codex.home.config_file.open("a") as config:
        config.write(f"\n[sandbox_workspace_write]\nwritable_roots = ['{base / 'shared'}']\n")
    return ()


def _declared_by_project(it: Told, base: Path) -> tuple[str, ...]:
    """Only Codex knows; it says so with the thread."""
    it.home = base / "shared" / "rawr"
    (it.workspace / ".codex").mkdir()
    (it.workspace / ".codex" / "config.toml").write_text(
        f"[sandbox_workspace_write]\nwritable_roots = ['{_private(base / 'shared')}']\n"
    )
    return ()


def _policy_file(it: Told, base: Path) -> tuple[str, ...]:
    it.home = base / "own"
    (it.workspace / "night.toml").write_text("[rawr_full_auto]\nallow = ['touch']\n")
    return ("--policy", str(it.workspace / "night.toml"))


def _codex_home(it: Told, base: Path) -> tuple[str, ...]:
    it.home = base / "own"
    return ("--codex-home", str(_private(it.workspace / "codex")))


def _private(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    return folder


WAYS: list[Callable[[Told, Path], tuple[str, ...]]] = [
    _home_link, _out_again, _workspace_link, _config_link, _prompt_link, _hard_link, _codex_folder, _above, _temporary,
    _tmpdir, _relative_tmpdir, _declared, _declared_by_project, _policy_file, _codex_home,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=[one.__name__.strip("_") for one in WAYS])
async def test_every_way_into_reach_is_refused(tmp_path: Path, way: Callable[[Told, Path], tuple[str, ...]]) -> None:
    async with at(Told, DONE, tmp_path) as it:
        flags = way(it, tmp_path)
        ran = await it.rawr("run", "Build it.", "--json", *it.codex_flags(), *flags)
        assert ran.code == CONFIG, ran.err
        assert "agent" in ran.err or "TMPDIR is `.`, which Codex takes from the folder of each command" in ran.err
        assert it.codex.model.requests == ()


# -- beside the user's own Codex --------------------------------------------------------------------------------------

FILLS = """- when: { user: "^fill it$" }
  run: printf "[rawr_auto_compaction]\\nmode = 'tag'\\n" > .rawr/config.toml
  usage: 220000
- { when: { tool: "." }, say: "It is full now.", usage: 238000 }
"""
"""The context is so full that rawr would compact at once, and the agent writes a rule of its own."""


def _sandboxed(codex: ScriptedCodex) -> None:
    config = codex.home.config_file
    config.write_text(config.read_text().replace("danger-full-access", "workspace-write"))


async def test_a_thread_that_reaches_the_home_is_only_watched(tmp_path: Path) -> None:
    """Where a thread works is known when it is joined: the watch is on by then."""
    async with served(MORNING + FILLS, tmp_path, prepare=_sandboxed) as (codex, server):
        home = codex.home.workspace / ".rawr"
        async with (
            rawr_watch(codex, home, server=server) as watching,
            person(server, codex.home.workspace) as ada,
        ):
            await watching.joins(ada)
            await watching.noticed(f"rawr only watches this thread, and does nothing on it. rawr's home {home} lies in")
            await ada.until_over(await ada.say("fill it"))
            assert "tag" in (home / "config.toml").read_text(), "the agent can write it"
            await watching.decided("compact.skipped.in_reach")
            await ada.until_over(await ada.say("good morning"))
            asked = await rawr_in(home, codex, "compact")
            assert "The agent of this thread can write what rawr obeys" in asked.out + asked.err
            policies = watching.facts("PolicyAdopted")
            assert {one["policy"]["compaction"].get("mode", "auto") for one in policies} == {"auto"}  # type: ignore[index]
            assert not watching.facts("CompactionStarted")
            assert watching.said("Heads-up") == []


async def rawr_in(home: Path, codex: ScriptedCodex, *words: str) -> Ran:
    return Ran(*warm.run(words, env=watch_env(codex, home), deadline=60, cwd=codex.home.user_home))


async def test_a_narrow_sandbox_may_have_the_home_and_a_wider_one_may_not(tmp_path: Path) -> None:
    """What the agent cannot write needs no other place. The thread that is resumed with a wider sandbox is refused."""
    async with at(InWorkspace, DONE * 2, tmp_path) as it:
        first = await it.ordered("Look at it.", "--sandbox", "read-only")
        assert first.code == 0, first.err
        wider = await it.ordered("Go on.", "--resume", str(first.summary["thread"]), "--sandbox", "workspace-write")
        assert wider.code == CONFIG, wider.err
        assert len(it.codex.model.requests) == 1


# -- what rawr itself is made of --------------------------------------------------------------------------------------


class Installed(Told):
    """rawr is installed in the project that the agent works in."""

    def _env(self) -> dict[str, str]:
        return {**super()._env(), "PYTHONPATH": str(self.workspace / "lib"), "RAWR_CODE_IN_REACH": "0"}


async def test_rawr_that_the_agent_can_rewrite_is_refused_unless_a_person_says_so(tmp_path: Path) -> None:
    async with at(Installed, DONE * 2, tmp_path) as it:
        it.home = tmp_path / "own"
        shutil.copytree(Path(writable.__file__).parent, it.workspace / "lib" / "rawr")
        refused = await it.ordered("Build it.")
        assert refused.code == CONFIG, refused.err
        assert "rawr's own code" in refused.err
        assert "code_in_reach = true" in refused.err
        assert it.codex.model.requests == ()
        it.home.mkdir(mode=0o700, exist_ok=True)
        (it.home / "config.toml").write_text("[host]\ncode_in_reach = true\n")
        allowed = await it.ordered("Build it.")
        assert allowed.code == 0, allowed.err


async def test_a_codex_that_the_agent_left_in_path_is_not_started(tmp_path: Path) -> None:
    """Not even to ask for its version."""
    async with at(Told, DONE, tmp_path) as it:
        it.home = tmp_path / "own"
        (it.workspace / "bin").mkdir()
        planted = script(it.workspace / "bin" / "codex", f"touch {tmp_path / 'ran'}; echo codex-cli 0.163.0")
        it.more["PATH"] = f"{planted.parent}{os.pathsep}{os.environ['PATH']}"
        ran = await ended(await it.start("run", "Build it.", "--codex-home", str(it.codex.home.path)))
        assert ran.code == CONFIG, ran.err
        assert f"Codex ({planted}) lies in" in ran.err
        assert not (tmp_path / "ran").exists()


async def test_no_module_comes_from_where_the_agent_works(tmp_path: Path) -> None:
    """``python -m rawr``, and the host that a command starts, whatever PYTHONPATH says."""
    async with at(Told, DONE, tmp_path) as it:
        it.home = tmp_path / "own"
        for name in ("typer", "msgspec", "websockets", "xml"):
            (it.workspace / f"{name}.py").write_text(
                f"open({str(tmp_path / 'loaded')!r}, 'a').write({name!r})\nraise\n"
            )
        it.more["PYTHONPATH"] = os.pathsep.join([it._env()["PYTHONPATH"], str(it.workspace), ""])
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "rawr", "host", "serve", "--ready", "1",
            env=it._env(), cwd=it.workspace, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            ready = await process.stdout.read(100)
            assert b'"pid"' in ready, process.stderr and await process.stderr.read()
        finally:
            process.kill()
            await process.wait()
        ran = await it.ordered("Build it.")
        assert ran.code == 0, ran.err
        assert not (tmp_path / "loaded").exists()


# -- what rawr starts and reads ---------------------------------------------------------------------------------------


async def test_a_file_of_tasks_allows_nothing_if_an_agent_may_have_written_it(tmp_path: Path) -> None:
    async with at(Told, DONE * 2, tmp_path) as it:
        it.home = tmp_path / "own"
        tasks = it.workspace / "tasks.yaml"
        tasks.write_text("- { prompt: Build it. }\n")
        plain = await ended(await it.start("run", "--tasks", str(tasks), "--json", *it.codex_flags()))
        assert plain.code == 0, plain.err
        tasks.write_text("- { prompt: Build it., allow: [touch] }\n")
        allows = await ended(await it.start("run", "--tasks", str(tasks), "--json", *it.codex_flags()))
        assert allows.code == CONFIG, allows.err
        assert "an agent may have written its `allow` rules" in allows.err
        # The folder that it names is not where an agent may have written it.
        (it.workspace.parent / "elsewhere").mkdir()
        tasks.write_text("- { prompt: Build it., dir: ../elsewhere, allow: [touch] }\n")
        away = await ended(await it.start("run", "--tasks", str(tasks), "--json", *it.codex_flags()))
        assert away.code == CONFIG, away.err
        assert len(it.codex.model.requests) == 1


async def test_the_notify_command_is_none_that_the_agent_left_in_path(tmp_path: Path) -> None:
    """A check runs what is in the workspace, by nature; a word to the person does not."""
    async with at(Told, DONE, tmp_path) as it:
        it.home = tmp_path / "own"
        for folder, name in ((it.workspace / "bin", "planted"), (tmp_path / "bin", "mine")):
            folder.mkdir()
            script(folder / "call-me", f"echo {name} >> {tmp_path / 'called'}")
            it.more["PATH"] = os.pathsep.join([it.more.get("PATH", ""), str(folder)]).strip(os.pathsep)
        it.more["PATH"] += os.pathsep + os.environ["PATH"]
        ran = await it.ordered("Build it.", "--notify", "call-me", "--foreground")
        assert ran.code == 0, ran.err
        assert (tmp_path / "called").read_text() == "mine\n"


async def test_a_host_makes_no_home_that_it_would_refuse(tmp_path: Path) -> None:
    async with at(Told, DONE, tmp_path) as it:
        it.home = tmp_path / "shared" / "rawr"
        it.more["TMPDIR"] = str(_private(tmp_path / "shared"))
        ran = await it.rawr("host", "serve")
        assert ran.code == CONFIG, ran.err
        assert not it.home.exists()
