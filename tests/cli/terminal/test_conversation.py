"""What is shown, and how much of it (A21)."""

import io

import pytest
from rich.console import Console

from rawr.cli.terminal.conversation import Conversation
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.printers import RichPrinter
from rawr.core.kernel import Kernel
from rawr.core.policy.compaction import Notices
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts, items
from rawr.views import events as e

POLICY = Policy(watch_repositories=False)
LEVELS: tuple[facts.Level, ...] = ("debug", "status", "info", "warning", "error")


class Kept:
    """A printer that remembers."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.statuses: list[str] = []

    def show(self, line: Line) -> None:
        self.lines.append(line)

    def status(self, text: str) -> None:
        self.statuses.append(text)

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]


def told(conversation: Conversation, *story: facts.AnyFact, thread: str = "thread-1234") -> None:
    kernel = Kernel(POLICY)
    for fact in story:
        conversation.taken(kernel.take(thread, fact, at=1_000))


TURN = (
    facts.TurnStarted(turn="T"),
    facts.ItemCompleted(turn="T", item=items.UserMessage(id="u", text="Do it.")),
    facts.UsageUpdated(turn="T", in_context=100_000, spent=100_000, window=258_400),
    facts.PhaseSubmitted(phase="research"),
    facts.ItemCompleted(turn="T", item=items.AgentMessage(id="a", text="Found it.")),
    facts.ItemCompleted(turn="T", item=items.Compaction(id="c")),
)


@pytest.mark.parametrize(
    ("notices", "stays"),
    [
        ("quiet", {"warning", "error"}),
        ("normal", {"info", "warning", "error"}),
        ("all", set(LEVELS)),
    ],
)
def test_a_user_chooses_how_much_stays(notices: Notices, stays: set[facts.Level]) -> None:
    """A21: every line has a level."""
    kept = Kept()
    conversation = Conversation(kept, notices=notices)
    for level in LEVELS:
        conversation.notify("t", level, level)
    assert set(kept.texts) == stays


def test_status_lines_are_live_and_not_kept() -> None:
    """A21: how much context is left, and which boundary was seen."""
    kept = Kept()
    told(Conversation(kept, notices="normal", follow=False), *TURN)
    assert kept.texts == ["context compacted", "compacted: 100 k → 100 k tokens, 0 s"]
    assert kept.statuses[0].startswith("64 % left")
    assert kept.statuses[1].startswith("64 % left")
    assert kept.statuses[1].endswith("boundary: phase boundary, research")


def test_quiet_is_quiet() -> None:
    kept = Kept()
    told(Conversation(kept, notices="quiet", follow=False), *TURN)
    assert (kept.lines, kept.statuses) == ([], [])


def test_the_thread_itself_is_shown_on_request() -> None:
    kept = Kept()
    told(Conversation(kept, notices="all"), *TURN)
    assert ("you", "Do it.") in [(line.who, line.text) for line in kept.lines]
    assert kept.statuses == []


def test_a_failed_turn_is_never_hidden() -> None:
    kept = Kept()
    failed = facts.TurnCompleted(turn="T", status="failed", problem=facts.Problem("model down"))
    told(Conversation(kept, notices="quiet", follow=False), *TURN[:2], failed)
    assert kept.texts == ["turn failed: model down"]


def test_with_several_threads_each_line_says_which() -> None:
    kept = Kept()
    conversation = Conversation(kept)
    conversation.notify("thread-aaaa", "info", "one")
    conversation.notify("thread-bbbb", "info", "two")
    conversation.notify("", "info", "all")
    assert kept.texts == ["one", "[bbbb] two", "all"]


# -- on a terminal ------------------------------------------------------------------------------------------------


def screen(*, terminal: bool) -> tuple[io.StringIO, RichPrinter]:
    out = io.StringIO()
    return out, RichPrinter(Console(file=out, force_terminal=terminal, width=40, color_system=None))


def test_the_status_stands_in_the_last_line() -> None:
    out, printer = screen(terminal=True)
    printer.status("64 % left")
    printer.show(Line("rawr", "compacting"))
    assert out.getvalue() == "64 % left\r\x1b[2Krawr     │ compacting\n64 % left"


def test_a_status_is_never_cut_off() -> None:
    """A21: why comes last, and is what matters. All of it goes when the next one comes."""
    out, printer = screen(terminal=True)
    why = "51 % left (70 k of 272 k tokens)  not now: the boundaries of this tier are missing"
    printer.status(why)
    assert out.getvalue().split("\n") == [
        "51 % left (70 k of 272 k tokens)  not",
        "now: the boundaries of this tier are",
        "missing",
    ]
    out.truncate(0)
    printer.show(Line("rawr", "compacting"))
    assert (
        out.getvalue().lstrip("\0").startswith("\r\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2Krawr     │ compacting\n51 % left")
    )


def test_a_status_without_a_space_is_broken_where_it_must_be() -> None:
    out, printer = screen(terminal=True)
    printer.status("x" * 60 + "\ny")
    assert out.getvalue() == f"{'x' * 39}\n{'x' * 21} y"


def test_a_log_has_no_status_lines() -> None:
    out, printer = screen(terminal=False)
    printer.status("64 % left")
    printer.show(Line("rawr", "compacting"))
    assert out.getvalue() == "rawr     │ compacting\n"


def test_a_console_that_records_has_everything() -> None:
    """The picture of the demo is drawn from such a recording."""
    console = Console(file=io.StringIO(), record=True, force_terminal=True, width=40, color_system=None)
    printer = RichPrinter(console)
    printer.status("standing")
    printer.show(Line("codex", "said"))
    assert "codex    │ said\n" in console.export_text()


def test_prompts_and_packets_are_folded_unless_asked_for() -> None:
    """A21: they are for the agent, and in the journal."""
    said: list[e.UserSaid | e.AgentSaid] = [
        e.UserSaid(thread="t", text="[rawr c1] Heads-up.\nOne.\nTwo.", purpose="heads_up"),
        e.AgentSaid(thread="t", text="## Goal\nA haiku.\n## Next\nShip it."),
        e.UserSaid(thread="t", text="Go on.\nPlease."),
        e.AgentSaid(thread="t", text="I will.\nAt once."),
    ]
    brief, whole = Kept(), Kept()
    Conversation(brief, brief=True).happened(said)
    Conversation(whole).happened(said)
    assert brief.texts == [
        "[rawr c1] Heads-up. (and 2 lines more)",
        "## Goal (and 3 lines more)",
        "Go on.\nPlease.",
        "I will.\nAt once.",
    ]
    assert whole.texts == [one.text for one in said]


def test_wide_characters_take_the_columns_that_they_need() -> None:
    """C18: or each tick would leave a copy of it on the screen."""
    screen = io.StringIO()
    console = Console(file=screen, width=20, force_terminal=True, color_system=None)
    RichPrinter(console).status("漢字テスト" * 3)
    assert screen.getvalue() == "漢字テスト漢字テス\nト漢字テスト"
