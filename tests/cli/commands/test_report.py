"""``rawr report``: what a person reads in the morning, in a terminal, as Markdown and as JSON (C18)."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rawr.cli.main import app
from rawr.cli.options import UsageError
from rawr.core.vocabulary import facts
from tests.cli.in_process import Rawr
from tests.core.runs import RULES
from tests.views.labelled_journal import Told
from tests.views.reported_journal import THREAD, Night, a_night, git, repository

HOSTILE = (
    "`a` ``b`` \n```\n# Not a heading\n</code></pre><script>alert(1)</script>\n| a | b |\n|---|---|\n"
    "[link](http://evil.example) ![](http://evil.example/x.png) <http://evil.example> @ada #1\n"
    "~~~\n> quote\n- item\n\n&lt; \\` \x1b[2J\u202e www.evil.example"
)
HEADINGS = ["Goal", "Outcome", "Commits", "Checks", "Compactions", "Decisions", "To continue"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "repo"


@pytest.fixture
def run(own_home: Path, folder: Path) -> str:
    (made,) = repository(folder, "Add it")
    return a_night(own_home / "rawr", folder, [(made, "Add it")])


def test_in_the_terminal(rawr: Rawr, run: str, folder: Path) -> None:
    """C18: the whole of it, and which run it is about."""
    ended = rawr("report")
    assert (ended.code, ended.err) == (0, f"rawr: run {run} Build the thing. Never push.\n")
    lines = ended.out.splitlines()
    assert lines[0] == f"Run {run}: Done, and the check passed."
    assert [line for line in lines if line in HEADINGS] == HEADINGS
    for line in (
        "  Never push.",
        f"  In {folder}, thread {THREAD}",
        "  2 turns of 200, 0:28 of work, 250 k tokens",
        "  1 commit: 2 files, +3 -0",
        "  Not committed: 2 files",
        "  Ran 2 times: 1 passed, 1 failed",
        "  Approved: 1 by rule, 0 by you; declined: 1",
        f'  rawr override {run} "…"',
    ):
        assert line in lines, line
    assert any(line.endswith(" failed, exit code 2: 1 test failed") for line in lines)
    assert any(line.endswith(" 250 k → 8.4 k tokens, by Codex itself, 1 s") for line in lines)
    assert any(line.endswith(" approval of: git push → you: decline") for line in lines)


def test_by_name_for_programs_and_into_a_file(rawr: Rawr, run: str, tmp_path: Path) -> None:
    """C18."""
    (line,) = rawr("report", run, "--json").lines
    assert (line["type"], line["run"], line["status"], line["cost"]) == ("report", run, "done", None)
    markdown = rawr("report", run, "--markdown")
    assert markdown.err == ""
    place = tmp_path / "morning.md"
    assert rawr("report", THREAD, "-o", str(place)).out == f"The report on run {run} is in {place}.\n"
    assert place.read_text() == markdown.out
    assert [one[3:] for one in markdown.out.splitlines() if one.startswith("## ")] == HEADINGS


def inline(tokens: list[Token]) -> list[Token]:
    return [below for token in tokens for below in (token.children or [])]


def test_markdown_cannot_be_broken_out_of(rawr: Rawr, own_home: Path, folder: Path) -> None:
    """C18: a goal, a subject, an output, a file's name are shown, and mean nothing."""
    flat = " ".join(HOSTILE.split())
    (made,) = repository(folder, "Add it")
    (folder / "<b>`x`|[y](z)\n# no").write_text("")
    a_night(own_home / "rawr", folder, [(made, HOSTILE)], goal=HOSTILE)
    text = rawr("report", "--markdown").out
    tokens = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"]).parse(text)
    titles = [tokens[at + 1].content for at, one in enumerate(tokens) if one.type == "heading_open"]
    assert titles[1:] == HEADINGS
    kinds = {one.type for one in tokens} | {one.type for one in inline(tokens)}
    assert kinds <= {
        *("heading_open", "heading_close", "inline", "text", "fence", "code_inline"),
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
        *("paragraph_open", "paragraph_close"),
    }
    words = "".join(one.content for one in inline(tokens) if one.type == "text")
    assert not any(one in words for one in ("evil", "script", "@ada", "Not a heading", "<", "|", "[")), words
    assert "\x1b" not in text
    assert "\u202e" not in text
    (goal,) = (one.content for one in tokens if one.type == "fence")
    assert goal.splitlines()[:2] == HOSTILE.splitlines()[:2]
    assert any("alert(1)" in one.content for one in inline(tokens) if one.type == "code_inline"), flat


def test_a_terminal_shows_hostile_text_harmless(rawr: Rawr, own_home: Path, folder: Path) -> None:
    """C18: one line stays one line."""
    a_night(own_home / "rawr", folder, [("a" * 40, HOSTILE)], goal=HOSTILE)
    out = rawr("report").out
    assert ("\x1b" in out, "\u202e" in out, "\\x1b[2J<U+202E>" in out) == (False, False, True)
    assert [line for line in out.splitlines() if line in HEADINGS] == HEADINGS
    assert "no longer exists." in out


def test_what_waits_is_near_the_top(rawr: Rawr, own_home: Path, folder: Path) -> None:
    """C11, C18: with the way to go on."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.asks("1/0", "rm x").judged("1/0", safe=False)
        run = told.run
    lines = rawr("report").out.splitlines()
    at = lines.index("Waiting for you")
    assert lines[at + 1 : at + 5] == [
        "  approval of: rm x",
        "    in /",
        "    not proved safe: it only reads",
        f"    → rawr resume {run}",
    ]
    assert lines[-2:] == ["To continue", f"  rawr resume {run}"]


# -- nothing to report ----------------------------------------------------------------------------------------------


def test_no_run_yet(rawr: Rawr, own_home: Path) -> None:
    """C18: one sentence each."""
    before = rawr("report")
    assert (before.code, before.err.count("\n"), "Nothing is recorded yet" in before.err) == (1, 1, True)
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-1", facts.ThreadOpened(cwd="/p", ours=True))
    alone = rawr("report")
    assert (alone.code, alone.err, alone.out.splitlines()[0]) == (0, "rawr: thread t-1\n", "Thread t-1")
    none = rawr("report", "t-1", "--markdown")
    assert (none.code, none.err) == (
        1,
        "rawr: Thread t-1 has no run, and Markdown is for runs. Use --html FILE, or neither.\n",
    )
    assert rawr("report", "r77").err == "rawr: No thread or run matches r77. `rawr status` lists them.\n"


def test_a_file_that_cannot_be_written(rawr: Rawr, run: str, tmp_path: Path) -> None:
    ended = rawr("report", "-o", str(tmp_path / "no" / "x.md"))
    assert ended.code == 1
    assert ended.err.splitlines()[-1].endswith(
        "cannot be written: no such file or directory. Give another --output FILE."
    )


@pytest.mark.parametrize("words", [("--json", "--markdown"), ("--json", "-o", "x"), ("-o", ""), ("",)])
def test_bad_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        app(["report", *words], standalone_mode=False)


def test_the_repository_is_left_as_it_is(rawr: Rawr, run: str, folder: Path) -> None:
    """B6: reading takes no lock and writes no index."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    rawr("report")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert git(folder, "log", "--format=%s") == "Add it"
