"""What a person sees and answers at a run's terminal: approvals, questions, runs, the screen (C10, C11, C16, C18)."""

import re
from pathlib import Path

import pytest

from tests.e2e.test_run_program import DONE, FREE, working

from .seat import ASKS, COLOUR, DEADLINE, flat, run, wants

# -- approvals ------------------------------------------------------------------------------------------------------


async def test_an_approval_is_asked_for_and_given(tmp_path: Path) -> None:
    """C10: what is asked, where, why, and how to answer; nonsense approves nothing; a yes has its effect."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", *ASKS) as (it, screen):
        shown = await screen.asked("approval of: /bin/bash -lc 'touch ../proof.txt'")
        assert flat(f"in {it.workspace}") in flat(shown)
        assert flat("it says: I need it.") in flat(shown)
        assert flat("y approves, a approves for the session, n declines") in flat(shown)
        screen.says("well")
        await screen.sees("“well” is not an answer: y approves")
        screen.says("")
        await screen.sees("“” is not an answer: y approves")
        assert not (tmp_path / "proof.txt").exists()
        screen.says("y")
        shown = await screen.sees("you accept", "Done, according to the agent")
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
        shown = await screen.sees("you accept", "Done, according to the agent")
        assert "\ny\n" in shown
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_approved_for_the_session(tmp_path: Path) -> None:
    """C10: the same again is not asked again."""
    script = wants("touch ../proof.txt") + wants("touch ../proof.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (_, screen):
        await screen.asked("touch ../proof.txt")
        screen.says("a")
        shown = await screen.sees("you accept for session", "Done, according to the agent")
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
        assert flat("1) Red") in flat(shown)
        assert flat("a number, or your own words") in flat(shown)
        screen.says("7")
        await screen.sees("“7” is not one of the options: 1) Red 2) Blue", "=7 sends it as your own words.")
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
        shown = await screen.sees("start the line with the one you mean. Nothing was sent.")
        name = re.search(r"\[(r\d+) second job\]", shown)
        assert name, shown
        screen.says(f"{name[1]} Use tabs.")
        await screen.sees("second job] A message was added to the running turn.")
        it.codex.model.release()
        assert await screen.over() == 0
        told = [one for one in it.codex.model.requests if "Use tabs." in one.user_texts]
        assert {one.user_texts[0] for one in told} == {"second job"}


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
        assert all(line[9] == "│" for line in shown.splitlines() if line and not line.endswith(">")), shown
        screen.type("a line that is longer than the terminal is wide, by far: 1234567890")
        await screen.until(lambda _: screen.last.endswith("wide, by far: 1234567890"), deadline=DEADLINE)
        assert len(screen.last) == 39
        screen.type("\x15")
        await screen.until(lambda _: screen.last.endswith(">"), deadline=DEADLINE)
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
        shown = await screen.asked("more not shown: see `rawr approvals`")
        assert shown.startswith("rawr     │ connected to Codex")
        screen.says("n")
        assert await screen.over() == 0
