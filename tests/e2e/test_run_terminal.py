"""``rawr run`` as a person has it: in a terminal, on the real Codex, asked and answering there (C10, C11, C16, C18)."""

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import termios
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.terminal import Terminal
from tests.e2e.test_run_program import DONE, FREE, HANGS, Desk, appears, ended, working

DEADLINE = 30.0
ROWS = 100
ASKS = ("--approvals", "ask", "--sandbox", "read-only")
RAWR = (sys.executable, "-c", "from rawr.cli.main import main; main()")


class Seat(Terminal):
    """A person in front of a program that runs in a terminal."""

    process: asyncio.subprocess.Process

    def says(self, line: str) -> None:
        self.type(f"{line}\r")

    async def sees(self, *texts: str) -> str:
        """The screen once it shows all of these; where a line was broken does not matter."""
        return await self.until(lambda screen: all(_flat(text) in _flat(screen) for text in texts), deadline=DEADLINE)

    async def asked(self, text: str) -> str:
        """The screen with this question on it and the place for the answer under it."""
        return await self.until(
            lambda screen: _flat(text) in _flat(screen.rpartition("asks ")[2]) and self.last == ">", deadline=DEADLINE
        )

    @property
    def last(self) -> str:
        """The line in which the person types."""
        return str(self._screen.display[self._screen.cursor.y]).rstrip()

    async def over(self) -> int:
        await self.gone(deadline=DEADLINE)
        async with asyncio.timeout(DEADLINE):
            return await self.process.wait()


def _flat(text: str) -> str:
    """Without the name of who speaks, the bar, and the breaks between lines."""
    return re.sub(r"[\s│]+", "", text)


@asynccontextmanager
async def seat(it: Desk, *command: str, columns: int = 120) -> AsyncIterator[Seat]:
    """A program in a terminal of its own."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**it._env(), "TERM": "xterm-256color"},
        cwd=it.workspace,
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(side)
    screen = Seat(main, rows=ROWS)
    screen.process = process
    screen._screen.resize(ROWS, columns)
    try:
        yield screen
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        screen.close()


@asynccontextmanager
async def run(script: str, folder: Path, *words: str, columns: int = 120) -> AsyncIterator[tuple[Desk, Seat]]:
    """``rawr run`` in a terminal, on a model that plays the script and may ask questions."""
    may_ask = {"features": {"default_mode_request_user_input": True}}
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), folder, extra_config=may_ask) as codex:
        it = Desk(codex, folder / "rawr")
        async with seat(it, *RAWR, "run", *words, *it.codex_flags(), columns=columns) as screen:
            yield it, screen


def wants(command: str, *, when: str = "") -> str:
    """The agent asks to run a command outside of its sandbox."""
    found = f'when: {{ user: "{when}" }}, ' if when else ""
    return f'- {{ {found}run: {{ cmd: "{command}", escalate: true, why: "I need it." }} }}\n'


COLOUR = '- ask: { id: colour, header: Colour, question: "Which colour?", options: [Red, Blue] }\n'


# -- approvals ------------------------------------------------------------------------------------------------------


async def test_an_approval_is_asked_for_and_given(tmp_path: Path) -> None:
    """C10: what is asked, where, why, and how to answer; nonsense approves nothing; a yes has its effect."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", *ASKS) as (it, screen):
        shown = await screen.asked("approval of: /bin/bash -lc 'touch ../proof.txt'")
        assert _flat(f"in {it.workspace}") in _flat(shown)
        assert _flat("it says: I need it.") in _flat(shown)
        assert _flat("y approves, a approves for the session, n declines") in _flat(shown)
        screen.says("well")
        await screen.sees("“well” is no answer: y approves")
        screen.says("")
        await screen.sees("“” is no answer: y approves")
        assert not (tmp_path / "proof.txt").exists()
        screen.says("y")
        shown = await screen.sees("you accept", "Done, by the agent's own word")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)
        assert "waits for your answer" not in shown, "what is asked is said once"


async def test_no_declines_and_the_agent_reads_it(tmp_path: Path) -> None:
    """C10."""
    refused = '- { when: { tool: "rejected by user" }, say: "Nothing is left to do: I did without." }\n'
    async with run(wants("touch ../proof.txt") + refused, tmp_path, "Build it.", *ASKS) as (_, screen):
        await screen.asked("touch ../proof.txt")
        screen.says("n")
        await screen.sees("you decline", "Nothing is left to do: I did without.")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, False)


async def test_no_with_words_tells_the_agent_why(tmp_path: Path) -> None:
    """C10: as a person would say it."""
    told = '- { when: { user: "use the workspace" }, say: "Nothing is left to do: as you say." }\n'
    told += '- { when: { tool: "rejected by user" }, say: "Hm." }\n'  # should the words come a moment later
    async with run(wants("touch ../proof.txt") + told, tmp_path, "Build it.", *ASKS) as (_, screen):
        await screen.asked("touch ../proof.txt")
        screen.says("no, use the workspace")
        await screen.sees("you decline", "Nothing is left to do: as you say.")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, False)


async def test_by_policy_only_what_is_not_safe_is_asked(tmp_path: Path) -> None:
    """C10: what is provably safe runs unasked, and what is typed meanwhile is not taken for an answer to it."""
    script = wants("ls -la") + wants("touch ../proof.txt") + DONE
    async with run(script, tmp_path, "Build it.", "--approvals", "policy", "--sandbox", "read-only") as (_, screen):
        shown = await screen.asked("approval of: /bin/bash -lc 'touch ../proof.txt'")
        assert shown.count("asks ") == 1
        assert "$ ls -la" in shown
        screen.says("y")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_without_colours_and_redrawing(tmp_path: Path) -> None:
    """C10: ``--plain``, where the terminal itself shows what is typed."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", "--plain", *ASKS) as (_, screen):
        await screen.sees("approval of: /bin/bash -lc 'touch ../proof.txt'", "y approves")
        screen.says("x\x7fy")
        shown = await screen.sees("you accept", "Done, by the agent's own word")
        assert "\ny\n" in shown
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_approved_for_the_session(tmp_path: Path) -> None:
    """C10: the same again is not asked again."""
    script = wants("touch ../proof.txt") + wants("touch ../proof.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (_, screen):
        await screen.asked("touch ../proof.txt")
        screen.says("a")
        shown = await screen.sees("you accept for session", "Done, by the agent's own word")
        assert (await screen.over(), shown.count("asks "), shown.count("$ touch")) == (0, 1, 2)


# -- questions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "answer"), [("2", "Blue"), ("Blue", "Blue"), ("something warm", "something warm"), ("=7", "7")]
)
async def test_a_question_is_answered_by_number_or_in_own_words(tmp_path: Path, typed: str, answer: str) -> None:
    """C11: with what the options mean; a number that no option has is not taken for an answer."""
    heard = f'- {{ when: {{ tool: "{answer}" }}, say: "Nothing is left to do: painted." }}\n'
    async with run(COLOUR + heard, tmp_path, "Paint it.", *FREE) as (_, screen):
        shown = await screen.asked("Colour: Which colour?")
        assert _flat("1) Red") in _flat(shown)
        assert _flat("a number, or your own words") in _flat(shown)
        screen.says("7")
        await screen.sees("“7” is none of the options: 1) Red 2) Blue", "=7 sends it as your own words.")
        screen.says(typed)
        await screen.sees(f"you {answer}", "Nothing is left to do: painted.")
        assert await screen.over() == 0


async def test_several_questions_are_put_one_by_one(tmp_path: Path) -> None:
    """C11: each with its own options, and all the answers go back together."""
    asks = (
        "- ask:\n"
        '    - { id: colour, header: Colour, question: "Which colour?", options: [Red, Blue] }\n'
        '    - { id: size, header: Size, question: "How big?", options: [Small, Large] }\n'
    )
    heard = '- { when: { tool: "(?=.*Red)(?=.*Large)" }, say: "Nothing is left to do: painted." }\n'
    async with run(asks + heard, tmp_path, "Paint it.", *FREE) as (_, screen):
        shown = await screen.asked("Colour: Which colour?")
        assert "How big?" not in shown
        screen.type("1\r1\r")  # The second was typed before the second question was seen.
        await screen.asked("Size: How big?")
        screen.says("2")
        await screen.sees("you Red; Large", "Nothing is left to do: painted.")
        assert await screen.over() == 0


# -- several runs ---------------------------------------------------------------------------------------------------


async def test_two_tasks_ask_at_once(tmp_path: Path) -> None:
    """C12: each question says whose it is, they come in order, and each answer goes to its own."""
    script = wants("touch ../first.txt", when="^first") + wants("touch ../second.txt", when="^second")
    script += '- { say: "Nothing is left to do: all is well.", times: always }\n'
    tasks = tmp_path / "tasks.yaml"
    (tmp_path / "workspace").mkdir()
    tasks.write_text("".join(f"- {{ prompt: {one} job, dir: workspace }}\n" for one in ("first", "second")))
    flags = ("--sandbox", "read-only")
    async with run(script, tmp_path, "--tasks", str(tasks), *flags) as (_, screen):
        await screen.sees("asks", "first.txt", "second.txt", "waits for your answer")
        answered: list[str] = []
        for _ in range(2):
            shown = await screen.asked("y approves")
            question = shown.rpartition("asks ")[2]
            found = re.search(r"\[r\d+ (first|second) job\] approval of: .*touch \.\./(\w+)\.txt", question)
            assert found, shown
            assert found[1] == found[2]
            assert found[1] not in answered
            screen.says("n" if found[1] == "first" else "y")
            await screen.sees(f"{found[1]} job] {'decline' if found[1] == 'first' else 'accept'}")
            answered.append(found[1])
        assert await screen.over() == 0
        assert ((tmp_path / "first.txt").exists(), (tmp_path / "second.txt").exists()) == (False, True)


async def test_with_several_runs_a_word_is_for_the_one_that_is_named(tmp_path: Path) -> None:
    """C12: and for nobody, if none is."""
    script = '- { when: { user: "^first" }, say: "On it.", fault: hang }\n'
    script += '- { when: { user: "^second" }, say: "On it.", fault: hang }\n'
    script += '- { when: { user: "Use tabs" }, say: "Nothing is left to do: tabs." }\n'
    script += '- { say: "Nothing is left to do: all is well.", times: always }\n'
    tasks = tmp_path / "tasks.yaml"
    (tmp_path / "workspace").mkdir()
    tasks.write_text("".join(f"- {{ prompt: {one} job, dir: workspace }}\n" for one in ("first", "second")))
    async with run(script, tmp_path, "--tasks", str(tasks), "--sandbox", "danger-full-access") as (it, screen):
        await working(it, 2)
        screen.says("Use tabs.")
        shown = await screen.sees("begin with the one that you mean. Nothing was sent.")
        name = re.search(r"\[(r\d+) second job\]", shown)
        assert name, shown
        screen.says(f"{name[1]} Use tabs.")
        await screen.sees("second job] A message was added to the running turn.")
        it.codex.model.release()
        assert await screen.over() == 0
        told = [one for one in it.codex.model.requests if "Use tabs." in one.user_texts]
        assert {one.user_texts[0] for one in told} == {"second job"}


# -- while it works -------------------------------------------------------------------------------------------------


async def test_what_is_typed_unasked_goes_into_the_running_turn(tmp_path: Path) -> None:
    """C18: it stays on the screen while other lines come, can be corrected, and the agent hears it at once."""
    heard = '- { when: { user: "Use tabs, please" }, say: "Nothing is left to do: tabs." }\n'
    async with run(HANGS + heard, tmp_path, "Build it.", *FREE) as (it, screen):
        await working(it)
        screen.type("Use spaces\x17tap\x7fb\x1b[D\x1bOAs, ")
        await screen.until(lambda _: screen.last == "> Use tabs,", deadline=DEADLINE)
        assert (await it.rawr("hold", "--turns", "3")).code == 0
        assert (await it.rawr("pause", "nobody")).code == 1
        await screen.until(lambda _: screen.last == "> Use tabs,", deadline=DEADLINE)
        screen.says("please.")
        await screen.sees("A message was added to the running turn.")
        it.codex.model.release()
        await screen.sees("you Use tabs, please.", "Nothing is left to do: tabs.")
        assert await screen.over() == 0


async def test_what_is_typed_before_the_run_has_begun_reaches_the_agent(tmp_path: Path) -> None:
    """C18: while Codex still starts, and while its thread does; it is said to be kept, and comes once, in its order."""
    heard = '- { when: { user: "Be brief." }, say: "Nothing is left to do: tabs." }\n'
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{HANGS}{heard}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        flags = ("--codex-bin", str(_slow(codex.binary, tmp_path)), "--codex-home", str(codex.home.path))
        async with seat(it, *RAWR, "run", "Build it.", *FREE, *flags) as screen:
            await asyncio.to_thread(appears, tmp_path / "starting")
            screen.says("Use tabs.")
            screen.says("Be brief.")
            (tmp_path / "go").touch()
            shown = await screen.sees("Kept until the run has begun.", "A message was added to the running turn.")
            assert shown.count("Kept until the run has begun.") == 2
            await working(it)
            codex.model.release()
            assert await screen.over() == 0
            texts = codex.model.requests[-1].user_texts
            assert [text for text in texts if text in ("Use tabs.", "Be brief.")] == ["Use tabs.", "Be brief."]


async def test_what_is_typed_where_no_run_begins_is_refused(tmp_path: Path) -> None:
    """C18: Codex has no such thread."""
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{DONE}"), tmp_path, check=False) as codex:
        it = Desk(codex, tmp_path / "rawr")
        flags = ("--codex-bin", str(_slow(codex.binary, tmp_path)), "--codex-home", str(codex.home.path))
        async with seat(it, *RAWR, "run", "Build it.", "--resume", str(uuid.uuid4()), *flags) as screen:
            await asyncio.to_thread(appears, tmp_path / "starting")
            screen.says("Use tabs.")
            (tmp_path / "go").touch()
            await screen.sees("No run is under way that could hear it. Nothing was sent.")
            assert await screen.over() == 69


def _slow(codex: Path, folder: Path) -> Path:
    """A Codex whose server waits for a file before it starts."""
    program = folder / "slow-codex"
    program.write_text(
        "#!/bin/bash\n"
        f'if [ "$1" = app-server ]; then touch {folder}/starting; until [ -e {folder}/go ]; do sleep 0.05; done; fi\n'
        f'exec {shlex.quote(str(codex))} "$@"\n'
    )
    program.chmod(0o755)
    return program


async def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    """C10: not even a yes; it comes back when the question is answered."""
    script = '- { fault: hang, run: { cmd: "touch ../proof.txt", escalate: true } }\n' + HANGS + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await working(it)
        screen.type("y")
        await screen.until(lambda _: screen.last == "> y", deadline=DEADLINE)
        it.codex.model.release()
        await screen.asked("touch ../proof.txt")
        screen.says("")
        await screen.sees("“” is no answer")
        screen.says("n")
        await screen.sees("you decline")
        await screen.until(lambda _: screen.last == "> y", deadline=DEADLINE)
        screen.says("es, go on")
        await screen.sees("A message was added to the running turn.")
        await working(it, 2)
        it.codex.model.release()
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, False)
        assert any("yes, go on" in one.user_texts for one in it.codex.model.requests)


async def test_the_run_has_a_plan_beside_the_agents(tmp_path: Path) -> None:
    """C16: the work, the check that fails once, the report; each change is shown."""
    plan = '- { do: [{ plan: ["doing: build"] }, { run: "true" }] }\n'
    script = plan + DONE + '- { run: "touch ok" }\n' + DONE
    async with run(script, tmp_path, "Build it.", "--done", "test -e ok", *FREE) as (_, screen):
        shown = await screen.sees("Done, and the check passed.")
        assert await screen.over() == 0
        lines = [line for line in shown.splitlines() if re.match(r"(auto|plan) .*[✓▸○]", line)]
        assert [re.sub(r"^(\w+) +│ ", r"\1: ", line) for line in lines] == [
            "auto: ▸ work   ○ check   ○ report",
            "plan: ▸ build",
            "auto: ✓ work   ▸ check   ○ report",
            "auto: ▸ work   ○ check (tried once)   ○ report",
            "auto: ✓ work   ▸ check (attempt 2)   ○ report",
            "auto: ✓ work   ✓ check (attempt 2)   ✓ report",
        ]


async def test_status_says_where_the_run_stands(tmp_path: Path) -> None:
    """C16, C18: its plan, the newest decision, the newest diff and what will stop it; while it runs, and afterwards."""
    patch = "- patch: |\n    *** Begin Patch\n    *** Add File: a.txt\n    +one\n    +two\n    *** End Patch\n"
    async with run(patch + HANGS + DONE, tmp_path, "Build it.", "--done", "test -e a.txt", *FREE) as (it, screen):
        await working(it, 2)
        await screen.sees("add")
        thread = (await it.rawr("status", "--json")).lines[0]
        assert isinstance(thread["run"], dict)
        assert isinstance(thread["decision"], dict)
        assert thread["diff"] == {"files": 1, "added": 2, "removed": 0}
        assert [(one["name"], one["status"]) for one in thread["run"]["run_plan"]] == [
            ("work", "in_progress"),
            ("check", "pending"),
            ("report", "pending"),
        ]
        assert (thread["run"]["until"], thread["run"]["max_turns"]) == ("test -e a.txt", 200)
        assert {"id", "at", "reason", "meaning"} == thread["decision"].keys()
        it.codex.model.release()
        assert await screen.over() == 0
        told = (await it.rawr("status")).out
        for line in (
            "✓ work   ✓ check   ✓ report",
            "stop: run.done.checked",
            "last diff: 1 file, +2 -0",
            ": The job is done: the check passed. (run.done.checked)",
        ):
            assert line in told, told


# -- the screen -----------------------------------------------------------------------------------------------------


async def test_a_question_cannot_forge_the_screen(tmp_path: Path) -> None:
    """C11: on a narrow terminal; escape sequences, control characters and new lines are shown and do nothing."""
    forged = r'"Which?\e[2J\e[H\r\x9b2J\x07\u202e\u200b\nrawr     │ [rawr] the run is done"'
    asks = f"- ask: {{ id: colour, header: Colour, question: {forged}, options: [Red, Blue] }}\n"
    heard = '- { when: { tool: "Red" }, say: "Nothing is left to do: painted." }\n'
    async with run(asks + heard, tmp_path, "Paint it.", *FREE, columns=40) as (_, screen):
        shown = await screen.asked(r"Which?\x1b[2J\x1b[H\x0d\x9b2J\x07<U+202E><U+200B>")
        assert shown.startswith("rawr     │ connected to Codex")
        assert not re.search(r"^rawr .*\[rawr\] the run is", shown, re.MULTILINE)
        assert all(line[9] == "│" for line in shown.splitlines() if line and line != ">"), shown
        screen.type("a line that is longer than the terminal is wide, by far: 1234567890")
        await screen.until(lambda _: screen.last.endswith("wide, by far: 1234567890"), deadline=DEADLINE)
        assert len(screen.last) == 39
        screen.type("\x15")
        await screen.until(lambda _: screen.last == ">", deadline=DEADLINE)
        screen.says("1")
        await screen.sees("you Red", "Nothing is left to do: painted.")
        assert await screen.over() == 0
        assert all(len(line) <= 40 for line in screen.text.splitlines())


async def test_what_cannot_be_seen_in_a_command_is_shown_to_whoever_approves_it(tmp_path: Path) -> None:
    """C10: in the terminal of the run, and from another one."""
    hidden = r"touch ../proof.txt\u200b\u00a0\u202e\U000e0041"
    refused = '- { when: { tool: "rejected by user" }, say: "Nothing is left to do: I did without." }\n'
    async with run(wants(hidden) + refused, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../proof.txt<U+200B><U+00A0><U+202E><U+E0041>")
        assert "touch ../proof.txt<U+200B><U+00A0><U+202E><U+E0041>" in (await it.rawr("approvals")).out
        screen.says("n")
        assert await screen.over() == 0


async def test_a_command_that_is_long_says_what_is_left_out(tmp_path: Path) -> None:
    """C10: a yes to what was not seen is a yes that was not given."""
    command = r"true\n" * 200 + "touch ../proof.txt"
    async with run(wants(command) + DONE, tmp_path, "Build it.", *ASKS) as (_, screen):
        shown = await screen.asked("more, not shown: `rawr approvals` has them")
        assert shown.startswith("rawr     │ connected to Codex")
        screen.says("n")
        assert await screen.over() == 0


# -- coming and going -----------------------------------------------------------------------------------------------


async def test_ctrl_c_at_a_question_pauses_and_it_is_asked_again(tmp_path: Path) -> None:
    """C13: exit code 2, nothing is left open, and after a resume it is answered from another terminal."""
    script = wants("touch ../proof.txt") + COLOUR + wants("touch ../proof.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../proof.txt")
        screen.type("y\x03")
        shown = await screen.sees("pausing; once more to stop", "Not done: paused. run.paused.person", "rawr resume")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (2, False)
        name = re.search(r"rawr resume (r\d+)", shown)
        assert name, shown
        assert (await it.rawr("approvals")).out == "Nothing waits for you.\n"
        assert (await it.rawr("approve", "1/0")).code == 1
        async with seat(it, *RAWR, "resume", name[1], *it.codex_flags()) as again:
            await again.asked("Which colour?")
            assert (await it.rawr("answer", name[1], "2")).code == 0
            await again.sees("answered elsewhere: Blue (a question: Which colour?)")
            await again.asked("touch ../proof.txt")
            [waits] = (await it.rawr("approvals", "--json")).lines
            assert (await it.rawr("approve", str(waits["id"]))).code == 0
            await again.sees("answered elsewhere: accept (approval of:")
            assert (await again.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_what_is_answered_elsewhere_takes_no_answer_here(tmp_path: Path) -> None:
    """C10: half a line that was meant for it is not taken for the next question's."""
    script = wants("touch ../first.txt") + wants("touch ../second.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../first.txt")
        screen.type("y")
        await screen.until(lambda _: screen.last == "> y", deadline=DEADLINE)
        assert (await it.rawr("deny", "1/0")).code == 0
        await screen.sees("answered elsewhere: decline (approval of: /bin/bash -lc 'touch ../first.txt')")
        await screen.asked("touch ../second.txt")
        screen.says("")
        await screen.sees("“” is no answer")
        screen.says("y")
        assert await screen.over() == 0
        assert ((tmp_path / "first.txt").exists(), (tmp_path / "second.txt").exists()) == (False, True)


async def test_ctrl_d_leaves_the_answers_to_others(tmp_path: Path) -> None:
    """C11: it is said, the run goes on, and what is asked from then on says what waits."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../proof.txt")
        screen.type("\x04")
        await screen.sees("Nothing more is read here. `rawr approvals` lists what waits")
        assert (await it.rawr("approve", "1/0")).code == 0
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_what_comes_through_a_pipe_answers_nothing(tmp_path: Path) -> None:
    """C10: only a person at a terminal does. Half a line there holds nothing up either."""
    script = wants("touch ../proof.txt") + '- say: "Hm."\n'
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[limits]\nperson = 2\n")
        process = await asyncio.create_subprocess_exec(
            *RAWR,
            *("run", "Build it.", *ASKS, *it.codex_flags()),
            env=it._env(),
            cwd=it.workspace,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            await process.stdout.readuntil(b"waits for your answer")
        process.stdin.write(b"y\ny\nhalf a li")
        ran = await ended(process)
        assert (ran.code, (tmp_path / "proof.txt").exists()) == (2, False), ran.err
        assert "run.paused.unanswered" in ran.out


async def test_a_job_in_the_background_is_not_stopped_for_reading(tmp_path: Path) -> None:
    """C18: what is typed there is for the shell."""
    may_ask = parse_scenario(f"name: run\nreplies:\n{HANGS}{DONE}")
    with scripted_codex(may_ask, tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        line = shlex.join([*RAWR, "run", "Build it.", *FREE, *it.codex_flags()])
        async with seat(it, "bash", "-m", "-c", f"{line} & wait $!; echo code $?; stty -a") as screen:
            await working(it)
            screen.says("y")
            it.codex.model.release()
            await screen.sees("Done, by the agent's own word", "code 0", "isig icanon iexten echo")
            assert await screen.over() == 0
            assert all("y" not in one.user_texts for one in codex.model.requests)


async def test_the_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    """C18: line by line and with an echo, also where the run was paused."""
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{HANGS}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        line = shlex.join([*RAWR, "run", "Build it.", *FREE, *it.codex_flags()])
        async with seat(it, "bash", "-c", f"trap : INT; {line}; echo code $?; stty -a") as screen:
            await working(it)
            screen.type("half a li")
            await screen.until(lambda _: screen.last == "> half a li", deadline=DEADLINE)
            screen.type("\x03")
            await screen.sees("code 2", "isig icanon iexten echo")
            assert await screen.over() == 0
