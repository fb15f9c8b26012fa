"""What cannot be seen is spelled out: in words for people, as escapes for programs."""

import json
import os
import sys
import unicodedata
from pathlib import Path

import pytest

from rawr.cli.terminal import visible
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import emit, say, warn
from rawr.cli.terminal.printers import PlainPrinter
from tests.cli.program import rawr

EVERY = [chr(number) for number in range(sys.maxunicode + 1)]
IGNORABLE = [
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u3164\ufeff\uffa0",
    *map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10))),
    *map(chr, (*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000))),
]
"""Unicode's own list of what a font leaves blank (Default_Ignorable_Code_Point)."""


def test_no_character_that_hides_is_left() -> None:
    """Of the whole of Unicode: controls, format characters, halves, ends of lines, and what is blank by design."""
    hides = [one for one in EVERY if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") and one not in "\t\n"]
    assert len(hides) > 2_000
    for one in (*hides, *IGNORABLE):
        for shown in (visible.harmless(f"a{one}b"), visible.exact(f"a{one}b")):
            assert (shown[0], shown[-1], shown.isascii(), len(shown) > 3) == ("a", "b", True, True), ascii(one)


def test_what_is_seen_is_left_as_it_is() -> None:
    text = "Grüße, 你好, שלום, नमस्ते, Ωμέγα, — “…” ✓ é\nnext\tline 🙂"
    assert visible.harmless(text) == text
    assert visible.exact(text) == text.replace("\t", "\\t")


HEART, RAINBOW = "❤\ufe0f", "\U0001f3f3\ufe0f\u200d\U0001f308"
PICTURES = [HEART, RAINBOW, "\U0001f469\u200d\U0001f4bb", "1\ufe0f\u20e3", "\U0001f44d\U0001f3fd"]


@pytest.mark.parametrize("picture", PICTURES, ids=ascii)
def test_pictures_are_shown_as_such_where_somebody_only_reads(picture: str) -> None:
    assert visible.harmless(picture) == picture
    assert not any(one in visible.exact(picture) for one in "\u200d\ufe0f")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm\u200b -rf", "rm<U+200B> -rf"),
        ("a\u202egpj.exe", "a<U+202E>gpj.exe"),
        ("\x1b[2Jgone\x9b0m\r", r"\x1b[2Jgone\x9b0m\x0d"),
        ("x\U000e0041\U000e0042", "x<U+E0041><U+E0042>"),
        ("❤\ufe0f\ufe0f\ufe01", "❤\ufe0f<U+FE0F><U+FE01>"),
        ("a\u200db a\ufe0f", "a<U+200D>b a<U+FE0F>"),
        ("a\u2028b\u2029c\x85d", r"a<U+2028>b<U+2029>c\x85d"),
        ("\ud800", "<U+D800>"),
        ("\x00\x7f", r"\x00\x7f"),
    ],
    ids=ascii,
)
def test_how_it_is_spelled(text: str, shown: str) -> None:
    assert visible.harmless(text) == shown


def test_two_commands_that_differ_look_different() -> None:
    """What somebody approves: also what only looks like a space, and signs that a font makes up."""
    spaces = "\t\u00a0\u1680\u2000\u2007\u200a\u202f\u205f\u3000\u2800"
    shown = {visible.exact(f"rm{one}x") for one in (" ", "", *spaces, "\ue000", "\u200b", "\u2060", "\u00ad")}
    assert len(shown) == len(spaces) + 6
    assert all(one.isascii() for one in shown)


@pytest.mark.parametrize("who", ["asks", "rawr", "run", "declined", "files", "auto"])
def test_what_is_judged_is_shown_exactly(who: str, capsys: pytest.CaptureFixture[str]) -> None:
    """C10."""
    PlainPrinter(time_of_day=lambda: "12:00:00").show(Line(who, f"touch\u00a0x {HEART}"))
    assert capsys.readouterr().out == f"12:00:00 {who:<8} touch<U+00A0>x ❤<U+FE0F>\n"


def test_what_is_read_stays_readable(capsys: pytest.CaptureFixture[str]) -> None:
    PlainPrinter(time_of_day=lambda: "12:00:00").show(Line("codex", f"voilà\u00a0! {HEART} \u200b"))
    say("voilà\u00a0! \u200b")
    say("voilà\u00a0!", exact=True)
    warn("a\u2028b")
    ended = capsys.readouterr()
    assert ended.out == f"12:00:00 codex    voilà\u00a0! {HEART} <U+200B>\nvoilà\u00a0! <U+200B>\nvoilà<U+00A0>!\n"
    assert ended.err == "rawr: a<U+2028>b\n"


# -- JSON ------------------------------------------------------------------------------------------------------------


def test_an_object_is_one_line_for_every_reader(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Also for those that split at every end of a line that Unicode has; and it means what it did."""
    nasty = "".join(one for one in EVERY if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp", "Zs")) + "é🙂"
    emit({"text": nasty, nasty: [nasty]})
    printed = capfdbinary.readouterr().out
    assert printed.endswith(b"\n")
    assert len(printed.decode().splitlines()) == 1
    assert json.loads(printed) == {"text": nasty, nasty: [nasty]}
    assert "é🙂" in printed.decode(), "what is seen stays as it is"


def test_halves_of_characters_do_not_end_the_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A file's name may hold bytes that are no UTF-8; there is no JSON for them that everybody reads."""
    emit({"path": Path(os.fsdecode(b"/tmp/a\xff")), "\ud800": ["\udfff", 1, None]})
    assert json.loads(capfdbinary.readouterr().out) == {"path": "/tmp/a\\udcff", "\\ud800": ["\\udfff", 1, None]}


def test_a_wrong_word_cannot_forge_the_screen() -> None:
    ended = rawr("doctor", "\x1b[2J\u202ex")
    assert (ended.code, "\x1b" in ended.err, "\u202e" in ended.err) == (64, False, False)
    assert r"\x1b[2J<U+202E>x" in ended.err
