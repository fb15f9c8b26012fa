"""The entries of a conversation: each knows its lines, folded and open."""

from rich.text import Text
from textual.strip import Strip

from rawr.tui.rendering.ink import Ink, cut, strips, wrapped
from rawr.tui.rendering.markdown import bounded, markdown_lines
from rawr.views.numbers import counted, short
from rawr.views.visible import harmless

GUTTER = 2
"""Columns for the mark at the left."""
SHOWN_OUTPUT = 4_000
"""Characters of a command's output that are drawn."""
STEPS = {"completed": "✓", "in_progress": "▸", "pending": "○"}


class Entry:
    """One thing in the conversation. ``seq`` is the fact behind it."""

    mark = " "
    role = "plain"
    openable = False
    space = False
    """It has an empty line above it."""

    def __init__(self, seq: int = 0) -> None:
        self.seq = seq
        self.open = False
        self.item = ""
        self._drawn: list[Strip] | None = None
        self._for: tuple[int, Ink] | None = None

    def draw(self, width: int, ink: Ink) -> list[Text]:
        raise NotImplementedError

    def lines(self, width: int, ink: Ink) -> list[Strip]:
        if self._drawn is None or self._for is None or self._for[0] != width or self._for[1] is not ink:
            self._for = (width, ink)
            self._drawn = strips(self._framed(width, ink))
        return self._drawn

    def guess(self, width: int) -> int:
        """How many lines it has, more or less, without drawing it."""
        return len(self._drawn) if self._drawn is not None and self._for and self._for[0] == width else 1 + self.space

    def known(self, width: int, ink: Ink) -> bool:
        return self._drawn is not None and self._for is not None and self._for[0] == width and self._for[1] is ink

    def change(self) -> None:
        """It has to be drawn again."""
        self._drawn = None

    def toggle(self) -> None:
        self.open = not self.open
        self.change()

    def plain(self) -> str:
        """For the clipboard."""
        return ""

    def _framed(self, width: int, ink: Ink) -> list[Text]:
        mark = ("▾" if self.open else "▸") if self.openable else self.mark
        lines = [Text("")] if self.space else []
        for number, line in enumerate(self.draw(max(width - GUTTER, 1), ink)):
            before = ink.text(f"{mark if number == 0 else ' '} ", self.role if number == 0 else "plain")
            before.append_text(line)
            lines.append(before)
        return lines


def flat(text: str, most: int = 400) -> str:
    """One harmless line."""
    return harmless(" ".join(text[: 2 * most].split()))[:most]


class You(Entry):
    """The user's own words."""

    mark, role, space = "›", "you", True

    def __init__(self, seq: int, text: str) -> None:
        super().__init__(seq)
        self.text = text

    def draw(self, width: int, ink: Ink) -> list[Text]:
        return wrapped(ink.text(harmless(bounded(self.text)), "you"), width)

    def guess(self, width: int) -> int:
        return super().guess(width) if self._drawn else 1 + _rows(self.text, width)

    def plain(self) -> str:
        return self.text


class Agent(Entry):
    """What the agent says, as Markdown."""

    mark, role, space = "●", "agent", True

    def __init__(self, seq: int, text: str) -> None:
        super().__init__(seq)
        self.text = text

    def draw(self, width: int, ink: Ink) -> list[Text]:
        return markdown_lines(self.text, width, ink) or [Text("")]

    def guess(self, width: int) -> int:
        return super().guess(width) if self._drawn else 1 + _rows(self.text, width)

    def plain(self) -> str:
        return self.text


class Folded(Entry):
    """Something with a title and a body, folded to its title."""

    openable = True

    def __init__(self, seq: int, title: str, body: str, *, role: str = "dim", ending: str = "") -> None:
        super().__init__(seq)
        self.title, self.body, self.role, self.ending = title, body, role, ending
        self.ending_role = "dim"

    def draw(self, width: int, ink: Ink) -> list[Text]:
        ending = f"  {self.ending}" if self.ending else ""
        title = cut(ink.text(flat(self.title), self.role), width - len(ending))
        title.append(ending, ink[self.ending_role])
        return [title, *(self.inside(width, ink) if self.open else ())]

    def inside(self, width: int, ink: Ink) -> list[Text]:
        body = self.body[-SHOWN_OUTPUT:].rstrip("\n")
        lines = (line for row in body.split("\n") for line in wrapped(ink.text(harmless(row), "dim"), width - 2))
        return [Text("  ").append_text(line) for line in lines]

    def plain(self) -> str:
        return self.body or self.title


class FromRawr(Folded):
    """rawr speaks to the agent: visibly not the user's words."""

    def __init__(self, seq: int, purpose: str, text: str) -> None:
        lines = text.strip().count("\n") + 1
        super().__init__(seq, f"rawr → agent · {purpose.replace('_', ' ')}", text, role="rawr")
        self.ending = counted(lines, "line")

    def inside(self, width: int, ink: Ink) -> list[Text]:
        return [Text("  ").append_text(line) for line in markdown_lines(self.body, width - 2, ink)]


class Packet(FromRawr):
    """The agent's packet for rawr."""

    def __init__(self, seq: int, text: str) -> None:
        super().__init__(seq, "", text)
        self.title = "agent → rawr · packet"


class Ran(Folded):
    """A command: running, or with its end."""

    def __init__(self, seq: int, command: str) -> None:
        super().__init__(seq, f"$ {command}", "", role="accent", ending="running")
        self.command = command
        self.running = True

    def ended(self, *, ending: str, output: str, bad: bool) -> None:
        self.running, self.body, self.ending = False, as_printed(output), ending
        self.ending_role = "bad" if bad else "good"
        self.change()

    def wrote(self, text: str) -> None:
        """Output as it comes; only its end is kept."""
        self.body = as_printed((self.body + text)[-SHOWN_OUTPUT:])
        self.change()


def as_printed(output: str) -> str:
    """As a terminal would have left it: a progress bar writes its line again and again."""
    if "\r" not in output:
        return output
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in output.split("\n"))


class Note(Entry):
    """One line in rawr's own voice, or about Codex."""

    def __init__(self, seq: int, text: str, *, role: str = "dim", mark: str = "·") -> None:
        super().__init__(seq)
        self.text, self.role, self.mark = text, role, mark
        self._times = 1

    def repeat(self, text: str) -> None:
        """The same once more."""
        self._times += 1
        self.text = f"{text}, {self._times} times"
        self.change()

    def draw(self, width: int, ink: Ink) -> list[Text]:
        return wrapped(ink.text(flat(self.text, 2_000), self.role), width)

    def plain(self) -> str:
        return self.text


class Compacted(Entry):
    """The context was compacted here."""

    space = True

    def __init__(self, seq: int, before: int | None) -> None:
        super().__init__(seq)
        self.before = before
        self.after: int | None = None

    def draw(self, width: int, ink: Ink) -> list[Text]:
        before = short(self.before) if self.before is not None else "?"
        after = short(self.after) if self.after is not None else "…"
        words = f" Context compacted · {before} → {after} tokens "
        side = max((width - len(words)) // 2, 2)
        return [cut(ink.text("─" * side + words + "─" * side, "rawr"), width)]


class Planned(Folded):
    """The agent changed its plan."""

    def __init__(self, seq: int, steps: tuple[tuple[str, str], ...]) -> None:
        """``steps``: each with its status."""
        done = sum(status == "completed" for _, status in steps)
        now = next((step for step, status in steps if status == "in_progress"), "")
        super().__init__(seq, f"plan {done}/{len(steps)}{f': {now}' if now else ''}", "", role="dim")
        self.steps = steps

    def inside(self, width: int, ink: Ink) -> list[Text]:
        rows = (f"{STEPS.get(status, '○')} {flat(step)}" for step, status in self.steps)
        return [Text("  ").append_text(line) for row in rows for line in wrapped(ink.text(row), width - 2)]


def _rows(text: str, width: int) -> int:
    return sum(max(-(-len(row) // max(width - GUTTER, 1)), 1) for row in text[:40_000].split("\n"))
