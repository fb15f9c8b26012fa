"""rawr's own voice: what others wrote comes into it quoted, and in no other way (A14, D3)."""

import ast
import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rawr
from rawr.core.draft import ThreadDraft
from rawr.core.run import ending as run_rest
from rawr.core.speech import (
    LINE,
    as_json,
    bare,
    block,
    inert,
    joined,
    line,
    plain,
    render,
    say,
    shortened,
    template,
    word,
)
from rawr.core.state.messages import Queued
from rawr.core.thread import outbox
from rawr.core.vocabulary.effects import InjectPacket, Notify
from rawr.core.vocabulary.requests import Refusal, ToolResult
from tests.reader import QUOTATION, voice

BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
UNSEEN = "\x00\x1b\x7f\x9b\xad\u200b\u200d\u200f\u202e\u2066\u2060\ufeff\u3164\U000e0041\U000e0100"
HOSTILE = st.text(st.sampled_from(f'{BREAKS}{UNSEEN}`~#“”" []{{}}-a') | st.characters(), max_size=400)
SOURCE = Path(rawr.__file__).parent


# -- quotations ------------------------------------------------------------------------------------------------------


@given(HOSTILE)
def test_a_line_is_one_quotation(text: str) -> None:
    """Whatever it is: one line, closed where it ends, bounded, and nothing in it that cannot be seen."""
    quoted = line(text)
    assert QUOTATION.fullmatch(quoted)
    assert len(quoted.splitlines()) == 1
    assert len(quoted) <= LINE + 50
    assert not set(quoted) & set(BREAKS + UNSEEN)
    assert not any(0xD800 <= ord(one) <= 0xDFFF for one in quoted)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("research", "“research”"),
        ("a\n\n## b\u2028c", "“a ⏎ ## b ⏎ c”"),
        ("say “x”", '“say "x"”'),
        ("a\t \u200bb\x1b[2J", "“a b[2J”"),
        ("", "“”"),
        ("x" * 310, f"“{'x' * 300} […10 more characters]”"),
    ],
)
def test_how_a_line_looks(text: str, quoted: str) -> None:
    assert line(text) == quoted


@given(HOSTILE, st.integers(1, 300))
def test_a_long_text_costs_no_more_than_what_is_shown_of_it(text: str, many: int) -> None:
    """And the cut is said."""
    long = text * many
    shown = plain(long)
    assert len(shown) <= LINE + 50
    if len(long) > 2 * LINE + 100:
        assert "more characters]" in shown


@given(HOSTILE)
def test_words_and_their_quotation_compare(text: str) -> None:
    """D2: an agent that copies what rawr quoted has mentioned it."""
    assert bare(text) == bare(line(text, limit=10_000)[1:-1])


@given(HOSTILE)
def test_what_is_no_plain_word_is_quoted(text: str) -> None:
    assert word(text) in (text, line(text))
    if set(text) & set(f"{BREAKS}{UNSEEN}`#“” []{{}}"):
        assert word(text) == line(text)


@given(HOSTILE)
def test_json_is_one_line_and_the_same_data(text: str) -> None:
    data = [{"text": text.encode(errors="replace").decode()}]
    told = as_json(data)
    assert json.loads(told) == data
    assert len(told.splitlines()) == 1
    assert not set(told) & set(BREAKS + UNSEEN)


@given(HOSTILE, HOSTILE)
def test_an_inert_text_changes_nothing_where_it_is_put_in(text: str, other: str) -> None:
    """A secret is put back into what rawr has said only where it ends no quotation and no block."""
    message = say("a {x}\n\n{y}\n\nb", x=line("[secret]"), y=block(f"[secret]\n{other}"))
    if inert(text):
        assert voice(message.replace("[secret]", text)) == voice(message)


# -- putting together ------------------------------------------------------------------------------------------------


@given(HOSTILE, st.sampled_from(["{x}", "a {x} b", "- {x}", "    {x}\n", "> {x}.", "{x}{x}", "a\n{x}\nb"]))
def test_a_block_has_its_lines_to_itself(text: str, words: str) -> None:
    """A22: wherever an edited template puts it."""
    own = [one for one in voice(render(template(words), {"x": block(text)})) if one.strip(" ab->.")]
    assert own == ["()"] * words.count("{x}")


@given(st.lists(HOSTILE, min_size=1, max_size=9), st.integers(100, 2_000))
def test_what_is_shortened_ends_with_a_whole_line(texts: list[str], limit: int) -> None:
    rows = say("{rows}", rows=joined(say("- {text}", text=line(one, limit=30)) for one in texts))
    short = shortened(rows, limit)
    assert len(short) <= limit
    assert set(voice(short)) <= {"- “”", "", *(one for one in voice(short) if "more characters]" in one)}


@given(HOSTILE)
def test_a_notice_is_one_line(text: str) -> None:
    """A21: whatever went wrong, and whatever it is called."""
    assert len(Notify(level="info", text=f"x {text}").text.splitlines()) == 1


# -- by construction -------------------------------------------------------------------------------------------------


def refused_by_mypy(draft: ThreadDraft, text: str) -> None:
    """Never called. mypy takes none of it, and says so here (``warn_unused_ignores``) when it begins to."""
    outbox.say(draft, text, "handoff")  # type: ignore[arg-type]
    run_rest.remark(draft, text)  # type: ignore[arg-type]
    Queued.own(1, text, "continue")  # type: ignore[arg-type]
    Queued.own(1, say("x"), "user")  # type: ignore[arg-type]
    InjectPacket(text=text)  # type: ignore[arg-type]
    ToolResult(text=f"Recorded: {text}")  # type: ignore[arg-type]
    Refusal(reason=text)  # type: ignore[arg-type]
    say("Ended: {phase}", phase=text)  # type: ignore[arg-type]
    render(template("{phase}"), {"phase": text})  # type: ignore[dict-item]
    render(text, {})  # type: ignore[arg-type]
    joined((text,))  # type: ignore[arg-type]


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Every call of a plain name or an attribute: the file, the name, the call."""
    found: list[tuple[str, str, ast.Call]] = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                found.append((str(file.relative_to(SOURCE)), name, node))
    return found


ONLY = {
    "Own": {"core/speech.py"},
    "Template": {"core/speech.py"},
    # A report in Markdown is for people.
    "fenced": {"core/speech.py", "cli/terminal/markdown.py"},
    "template": {"core/policy/prompts.py", "prompts/library.py"},
    "Queued": set[str](),
    "StartTurn": {"core/thread/delivery.py"},
    "SteerTurn": {"core/thread/delivery.py"},
}


@pytest.mark.parametrize("name", ONLY)
def test_who_makes_what_rawr_says(name: str) -> None:
    """A text becomes rawr's in one module; a message is queued by the two ways that know whose it is."""
    assert {file for file, called, _ in calls() if called == name} == ONLY[name]


def test_rawrs_words_are_literals() -> None:
    """No text that was put together elsewhere is passed off as rawr's."""
    speakers = {file for file in ("core", "codex") for file in map(str, (SOURCE / file).rglob("*.py"))}
    found = 0
    for file, name, call in calls():
        if name == "say" and str(SOURCE / file) in speakers and isinstance(call.func, ast.Name):
            found += 1
            words = call.args[0]
            assert isinstance(words, ast.Constant), f"{file}:{call.lineno}"
            assert isinstance(words.value, str), f"{file}:{call.lineno}"
            assert len(call.args) == 1, f"{file}:{call.lineno}"
    assert found > 50


def test_what_a_run_must_say_is_set_in_one_place() -> None:
    """``change`` takes anything; the note of a run goes through a function that does not."""
    keyed = {
        (file, name)
        for file, name, call in calls()
        for one in call.keywords
        if one.arg == "note" and file[:4] == "core"
    }
    assert keyed == {("core/run/ending.py", "change"), ("core/guidance/wording.py", "replace")}


def test_nobody_tells_mypy_otherwise() -> None:
    """What is cast or ignored in the core could be anything."""
    assert [file for file, name, _ in calls() if name == "cast" and file.startswith("core/")] == []
    for file in (SOURCE / "core").rglob("*.py"):
        assert "type: ignore" not in file.read_text(encoding="utf-8"), file
