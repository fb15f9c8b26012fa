"""One prompt file, whatever is in it: a body comes out, and every problem has its line (A22)."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.prompts.catalog import PROMPTS, PromptFile, named
from rawr.prompts.document import Document, default_document, parse
from rawr.prompts.found import Found, Odd
from rawr.prompts.library import Library
from rawr.prompts.reading import MAX_BYTES, Unusable, read_text
from rawr.prompts.seeding import folder_of, seed
from rawr.prompts.yaml_found import FRONTMATTER, read_yaml

FILE = Path("x.md")


def _prompt(name: str) -> PromptFile:
    found = named(name)
    assert found is not None
    return found


def _said(document: Document) -> list[str]:
    return [str(warned) for warned in document.warnings]


@pytest.mark.parametrize(
    ("text", "body", "line"),
    [
        ("Pause.", "Pause.", 1),
        ("\n\nPause.\n\nNow.\n\n", "Pause.\n\nNow.", 3),
        ("---\n# a note\n---\nPause.", "Pause.", 4),
        ("---\n---\n\nPause.", "Pause.", 4),
        ("Pause.\n---\nNow.\n---\n", "Pause.\n---\nNow.\n---", 1),
    ],
)
def test_body(text: str, body: str, line: int) -> None:
    assert parse(_prompt("heads-up"), FILE, text) == Document(body, line)


SHIPPED = default_document(_prompt("heads-up")).body


@pytest.mark.parametrize(
    ("text", "body", "said"),
    [
        ("", SHIPPED, "x.md:1: the file has no text below its frontmatter; the shipped text is used"),
        ("---\n---\n \n", SHIPPED, "x.md:4: the file has no text below its frontmatter; the shipped text is used"),
        (
            "---\na: 1\nPause.",
            SHIPPED,
            "x.md:1: the frontmatter is not closed: a second line --- is missing; the shipped file is used",
        ),
        (
            "---\n\na: 1\n---\nPause.",
            "Pause.",
            "x.md:3: only auto-compact.md has settings in its frontmatter; they are ignored here",
        ),
        (
            "---\na: [1\n---\nPause.",
            "Pause.",
            "x.md:2: this is not YAML: expected ',' or ']', but got '<stream end>'; the whole frontmatter is ignored",
        ),
        (
            "---\n- 1\n---\nPause.",
            "Pause.",
            "x.md:2: expected keys and values, found a list; the whole frontmatter is ignored",
        ),
        (
            "---\nx: 1\x07\n---\nPause.",
            "Pause.",
            "x.md:2: the character 0x7 is not allowed in YAML; the whole frontmatter is ignored",
        ),
        (
            "One.\n\nTwo {phase} {pahse}.",
            "One.\n\nTwo {phase} {pahse}.",
            (
                "x.md:3: {pahse}: this placeholder is not known and is left as it is; "
                "known here: {phase}, {reason}, {sequence}, {how}"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, body: str, said: str) -> None:
    document = parse(_prompt("heads-up"), FILE, text)
    assert (document.body, _said(document)) == (body, [said])


def test_a_long_frontmatter_is_not_read() -> None:
    document = parse(_prompt("auto-compact"), FILE, "---\n" + "# x\n" * 10_000 + "---\nAsk.")
    assert (document.body, document.settings) == ("Ask.", None)
    assert "longer than 32 KiB" in _said(document)[0]


@settings(deadline=None)
@given(st.sampled_from(PROMPTS), st.text() | st.text("-:\n#{}[]&*!|>'\" abc\u2028\x85\ud800", max_size=200))
def test_any_text_is_a_document(prompt: PromptFile, text: str) -> None:
    for each in (text, f"---\n{text}\n---\nBody."):
        assert parse(prompt, FILE, each).body


# -- YAML ------------------------------------------------------------------------------------------------------------


def test_yaml_with_lines() -> None:
    text = "a:\n  b: 1\n\n  c:\n    - x\n    - 2020-01-01\nd: &n yes\ne: *n\nb: \u2028\nlast: 1"
    found = read_yaml(text, first_line=10)
    assert found is not None
    assert found.table is not None
    a = found.table["a"].table
    assert a is not None
    assert (a["b"], a["c"].key_line, a["c"].line) == (Found(1, 11, 11), 13, 14)
    assert [item.line for item in a["c"].items or ()] == [14, 15]
    assert found.table["e"] == Found(value=True, line=16, key_line=17)
    assert found.table["last"].at == 19, "a line is what an editor calls one"


def test_a_key_that_stands_there_twice() -> None:
    found = read_yaml("a: 1\nb: 2\na: 3")
    assert found is not None
    assert (found.table or {})["a"] == Found(3, 3, 3, twice=True)


@pytest.mark.parametrize(
    "text",
    [
        "2020-13-99",
        "!!int x",
        "!thing x",
        "!!python/name:os.system",
        "!!binary é",
        "!!float x",
        pytest.param("9" * 5000, id="9…"),
    ],
)
def test_a_value_that_cannot_be_read_spoils_no_other(text: str) -> None:
    found = read_yaml(f"a: {text}\nb: 1")
    assert found is not None
    assert isinstance((found.table or {})["a"].value, Odd)
    assert (found.table or {})["b"] == Found(1, 2, 2)


def _bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, levels))]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(_bomb(5), None, id="few aliases"),
        pytest.param(_bomb(30), f"more than {FRONTMATTER.aliases} aliases", id="bomb"),
        ("a: &a [*a]", "nested too deeply"),
        ("a: &a {b: *a}", "nested too deeply"),
        pytest.param("[" * 10_000, "nested too deeply", id="deep"),
        pytest.param("a: [" + "x, " * 6000 + "]", "too much", id="much"),
        ("a: 1\n--- \nb: 2", "found another document"),
        ("a: 1\nb", "could not find expected ':'"),
    ],
)
def test_bombs_and_knots(text: str, problem: str | None) -> None:
    if problem is None:
        assert read_yaml(text) is not None
        return
    with pytest.raises(Unusable) as caught:
        read_yaml(text)
    assert problem in caught.value.problem


def test_a_value_is_shown_short_and_on_one_line() -> None:
    values: tuple[object, ...] = (1 << 40_000, "x" * 999, "\ud800\n", 1.5, None, Odd("y" * 99), [], {})
    for shown in (Found(value).shown for value in values):
        assert len(shown) <= 80
        assert shown.isascii() or "…" in shown
        assert "\n" not in shown


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"a\r\nb\rc\n", "a\nb\nc\n"), (b"\xef\xbb\xbfa", "a"), ("é".encode(), "é")],
)
def test_text(tmp_path: Path, raw: bytes, text: str) -> None:
    (tmp_path / "x").write_bytes(raw)
    assert read_text(tmp_path / "x") == text


@pytest.mark.parametrize(
    ("raw", "problem", "line"),
    [
        (b"a\n\xff", "this is not UTF-8 text", 2),
        ("a\nb".encode("utf-16"), "this is not text: there is a NUL byte in it", 1),
        (b"\n\n\0", "this is not text: there is a NUL byte in it", 3),
        pytest.param(b"x" * (MAX_BYTES + 1), "the file is larger than 256 KiB; it was not read", None, id="large"),
    ],
)
def test_what_is_not_text(tmp_path: Path, raw: bytes, problem: str, line: int | None) -> None:
    (tmp_path / "x").write_bytes(raw)
    with pytest.raises(Unusable, match=problem) as caught:
        read_text(tmp_path / "x")
    assert caught.value.line == line


def test_what_is_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("pipe", ".", "loop", "a\0b", "pipe/x"):
        with pytest.raises(Unusable):
            read_text(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "missing")


# -- the library -----------------------------------------------------------------------------------------------------


def test_files_are_read_again_only_when_they_change(tmp_path: Path) -> None:
    seed(tmp_path)
    library = Library(tmp_path)
    first = library.texts()
    assert library.texts() is first
    file = folder_of(tmp_path) / "heads-up.md"
    file.write_text("Wait.")
    second = library.texts()
    assert second.prompts.heads_up == "Wait."
    assert second.documents["handoff"] is first.documents["handoff"]
    replaced = file.with_name("new")
    replaced.write_text("Halt.")
    replaced.replace(file)
    assert library.texts().prompts.heads_up == "Halt."


def test_a_home_without_files_is_the_shipped_ones_and_no_word(tmp_path: Path) -> None:
    texts = Library(tmp_path).texts()
    assert texts.warnings == ()
    assert texts.prompts.heads_up == SHIPPED


def test_a_file_that_went_missing_is_told_of(tmp_path: Path) -> None:
    seed(tmp_path)
    library = Library(tmp_path)
    library.texts()
    (folder_of(tmp_path) / "heads-up.md").unlink()
    texts = library.texts()
    assert texts.prompts.heads_up == SHIPPED
    [warned] = texts.warnings
    assert "rawr prompts reset heads-up" in warned.remedy


def test_a_file_of_10_mb_is_not_read(tmp_path: Path) -> None:
    seed(tmp_path)
    (folder_of(tmp_path) / "heads-up.md").write_bytes(b"x" * 10_000_000)
    texts = Library(tmp_path).texts()
    assert texts.prompts.heads_up == SHIPPED
    assert "larger than 256 KiB" in texts.warnings[0].problem


@settings(deadline=None)
@given(raw=st.binary(max_size=300))
def test_any_bytes_leave_a_prompt(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    home = tmp_path_factory.mktemp("home")
    folder_of(home).mkdir()
    for prompt in PROMPTS:
        (folder_of(home) / prompt.file).write_bytes(raw)
    assert all(document.body for document in Library(home).texts().documents.values())
