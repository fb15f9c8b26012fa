"""The app: puts the parts together, and hands on what happens. What one can do is in ``doing``."""

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer

from rawr.errors import RawrError
from rawr.ports.surface import Rawr
from rawr.tui import commands, drafts
from rawr.tui.acting import Acting
from rawr.tui.desk import Desk
from rawr.tui.doing import Doing
from rawr.tui.feed import Feed
from rawr.tui.history import Pages
from rawr.tui.messages import DecisionOpened, Happened, Streamed
from rawr.tui.panels.side import Side
from rawr.tui.rendering.entries import You
from rawr.tui.screens.dialog import Looking
from rawr.tui.themes import DARK, LIGHT
from rawr.tui.widgets.composer import Composer
from rawr.tui.widgets.conversation import Conversation
from rawr.tui.widgets.header import Header
from rawr.tui.widgets.queue_bar import QueueBar
from rawr.tui.widgets.status import Status
from rawr.tui.widgets.threads import Threads
from rawr.views.progress import progress_of
from rawr.views.queue import enter_does, queued_on, sequence_in_words, unread_on

if TYPE_CHECKING:
    from textual.command import Provider

TICK = 1.0
KEEP_AFTER = 1.0
"""Seconds after the last key until a draft is on the disk."""
WIDE = 150
"""Columns from which the plan is beside the conversation at once."""


def _palette() -> "type[Provider]":
    """Loaded when it is opened."""
    from rawr.tui.palette import Commands

    return Commands


class RawrApp(Doing):
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = [
        "styles/main.tcss",
        "styles/dialogs.tcss",
        "styles/ink.tcss",
    ]
    TITLE = "rawr"
    AUTO_FOCUS = "#conversation"
    """Not the list of threads: whatever it highlights while it has the focus is opened."""
    COMMANDS: ClassVar["set[type[Provider] | Callable[[], type[Provider]]]"] = {_palette}
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as Textual declares it
        (0, "-narrow"),
        (100, "-normal"),
        (WIDE, "-wide"),
    ]
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(one.keys, one.name, one.title, show=False, priority=False) for one in commands.COMMANDS
    ]

    def __init__(
        self,
        rawr: Rawr,
        *,
        thread: str = "",
        opens: Callable[[], str] | None = None,
        problem: str = "",
        now: Callable[[], int] | None = None,
        theme: str = "",
    ) -> None:
        """``thread``: the one to open; empty: the first there is. ``opens``: names it once it is known, and nothing is
        open until then. ``problem``: why no thread can be started. ``now`` in ms, for tests."""
        super().__init__()
        # Over a slow line an animation is only a delay.
        self.animation_level = "none"
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self._kept = drafts.read(rawr.home)
        wanted = theme or self._kept.theme
        self.theme = wanted if wanted in (DARK.name, LIGHT.name) else DARK.name
        self.rawr = rawr
        self.feed = Feed(rawr, self.post_message)
        self.desk = Desk(rawr, self.feed, now=now)
        self.acting = Acting(rawr, lambda text: self.notify(text, severity="warning", markup=False))
        self.acting.problem = problem
        self.thread = thread
        self._opens = opens
        self._remembered = False
        self._submitting = asyncio.Lock()
        self._keeping: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield Threads(id="threads")
            with Vertical(id="center"):
                yield Header(id="header")
                yield Conversation(id="conversation")
                yield QueueBar(id="queued")
                yield Composer(id="composer")
            yield Side(id="side")
        yield Status(id="status")

    def on_mount(self) -> None:
        self.query_one(Threads).border_title = Content("Threads")
        self.query_one(Side).show("plan" if self.size.width >= WIDE else "")
        self._focus_first()
        self.feed.takers.append(self.query_one(Side).take)
        self.feed.open()
        self.set_interval(TICK, self.tick)
        self.look()
        self.run_worker(self._remember(), exclusive=True, group="remember")
        self.run_worker(self._until_lost(), group="lost")
        # What is there by now stays: looking through it for garbage again and again is what makes a key late.
        self.call_after_refresh(gc.freeze)

    def _focus_first(self) -> None:
        """Where nothing is under way one begins by writing; where something is, by looking."""
        state = self.desk.state(self.thread)
        rests = state is None or (state.turn is None and state.sequence is None and state.run is None)
        waits = self._opens is not None or bool(self.rawr.threads and not self.thread)
        (self.query_one(Composer) if rests and not waits else self.query_one(Conversation)).focus()

    def on_descendant_focus(self) -> None:
        self.query_one(Status).refresh()

    async def _remember(self) -> None:
        await self.desk.remember()
        self._remembered = True
        self.look()

    async def _until_lost(self) -> None:
        """Say so for good: what is on the screen would go on looking alive."""
        try:
            await self.rawr.ended()
        except RawrError as error:
            self.lost = error.message
        else:
            self.lost = "rawr has stopped."
        self.look()

    def on_unmount(self) -> None:
        gc.unfreeze()
        self.feed.close()
        self.keep()

    def keep(self) -> None:
        """Drafts and the theme, for the next time."""
        self._kept.theme = self.theme
        drafts.write(self.rawr.home, self._kept)

    @on(Composer.Changed, "#composer")
    def _drafted(self, event: Composer.Changed) -> None:
        """Whatever becomes of this process, what was written a moment ago is kept."""
        if self.thread:
            self._kept.drafts[self.thread] = event.text_area.text
            if self._keeping is not None:
                self._keeping.stop()
            self._keeping = self.set_timer(KEEP_AFTER, self.keep)

    # -- which thread -----------------------------------------------------------------------------------------------

    def go_to(self, thread: str) -> None:
        self._opens = None
        if thread == self.query_one(Conversation).thread:
            return
        composer = self.query_one(Composer)
        if before := self.query_one(Conversation).thread:
            self._kept.drafts[before] = composer.text
        self.thread = thread
        composer.text = self._kept.drafts.get(thread, "")
        composer.move_cursor(composer.document.end)
        self.query_one(Conversation).open(Pages(self.rawr.journal, thread) if thread else None)
        self.look()

    @on(Threads.Picked)
    def _picked(self, event: Threads.Picked) -> None:
        self.go_to(event.thread)
        if event.settled:
            if self.screen.has_class("-narrow"):
                self.screen.remove_class("-threads")
            self.query_one(Conversation).focus()

    @on(Conversation.Loaded)
    def _loaded(self) -> None:
        said = [one.text for one in self.query_one(Conversation).entries if isinstance(one, You)]
        self.query_one(Composer).remember(said)

    # -- what happens -----------------------------------------------------------------------------------------------

    @property
    def _stands(self) -> bool:
        """The parts are on the screen. When the program closes they go first, while things still happen."""
        return self.is_running and bool(self.screen_stack) and bool(self.screen_stack[0].query(Status))

    def on_happened(self, event: Happened) -> None:
        if not self._stands:
            return
        conversation = self.query_one(Conversation)
        if event.missed and conversation.thread:
            conversation.open(Pages(self.rawr.journal, conversation.thread))
        told = tuple(one for one in event.told if one.event.thread == self.thread)
        if told:
            conversation.take(told)
        decided = self.feed.decided.get(self.thread)
        if decided is not None:
            self.query_one(Side).decided(decided)
        self.look()

    def on_streamed(self, event: Streamed) -> None:
        pieces = tuple(one for one in event.pieces if one.thread == self.thread)
        if pieces and self._stands:
            self.query_one(Conversation).stream(pieces)

    def on_decision_opened(self, event: DecisionOpened) -> None:
        from rawr.tui.screens.decision import DecisionScreen

        self.push_screen(DecisionScreen(event.decision, self.rawr.journal))

    # -- what is shown ----------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Show everything as it is now."""
        if not self._stands:
            return
        main = self.screen_stack[0]
        rows = self.desk.rows()
        known = {row.thread for row in rows}
        wanted = self._opens() if self._opens is not None else ""
        if wanted in known:
            self.go_to(wanted)
            return
        if self.thread and self.thread not in known and not self._remembered:
            return  # it may be one of those that are only on record
        if rows and self.thread not in known and self._opens is None:
            self.go_to(rows[0].thread)
            return
        if self.thread and self.thread != main.query_one(Conversation).thread:
            self.go_to(self.thread)
            return
        main.query_one(Threads).show(rows, thread=self.thread)
        state = self.desk.state(self.thread)
        progress = progress_of(state, now=self.desk.now()) if state is not None else None
        main.query_one(Header).show(self.desk.row(self.thread), state, progress, missing=self._missing)
        queued = queued_on(state) if state is not None else ()
        main.query_one(QueueBar).show(queued, unread_on(state) if state is not None else ())
        composer = main.query_one(Composer)
        if state is not None:
            waits = sequence_in_words(state.sequence) if state.sequence is not None else ""
            composer.show(how=enter_does(state), waits_for=waits, queued=len(queued), closed=state.closed)
        else:
            composer.begins(Path.cwd().name)
        composer.disabled = state is None and (bool(self.acting.problem) or self._opens is not None)
        main.query_one(Side).look(self.desk, state)
        if isinstance(self.screen, Looking):
            self.screen.look()
        self.tick()

    @property
    def _missing(self) -> str:
        """What the header says where there is no thread."""
        if self._opens is not None:
            return "Starting…"
        return self.acting.problem

    def tick(self) -> None:
        """Once a second: times run on."""
        if not self._stands:
            return
        if self.lost:
            self.screen_stack[0].query_one(Status).lose(self.lost, returns=self.returns)
            return
        state = self.desk.state(self.thread)
        now = self.desk.now()
        self.screen_stack[0].query_one(Status).show(
            state=state,
            activity=self.desk.activity(self.thread),
            progress=progress_of(state, now=now) if state is not None else None,
            host=self.rawr.host,
            asks=sum(row.asks for row in self.desk.rows()),
            now=now,
        )
