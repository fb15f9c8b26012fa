"""The commands of ``commands.COMMANDS``, as actions of the app: ask for what is missing, then act."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from textual import on, work
from textual.app import App

from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Budgets
from rawr.tui.acting import Acting, budget_problem, budgets_from, missing, order_of
from rawr.tui.desk import Desk
from rawr.tui.messages import Answered
from rawr.tui.panels.side import NAMES, Name, Side
from rawr.tui.screens.dialog import Dialog, Result
from rawr.tui.screens.fields import Field, budget_fields
from rawr.tui.themes import DARK, LIGHT
from rawr.tui.widgets.composer import Composer
from rawr.tui.widgets.conversation import Conversation
from rawr.tui.widgets.queue_bar import QueueBar
from rawr.tui.widgets.threads import Threads
from rawr.views.queue import queued_on

TWICE = 3.0
"""Seconds in which a key that ends something is pressed again."""


class Doing(App[str]):
    """The half of the app that acts; ``app.RawrApp`` is the other."""

    desk: Desk
    acting: Acting
    thread: str
    lost = ""
    """Why nothing more comes from rawr."""
    returns = False
    """Whoever opened it can connect to a host again."""
    _submitting: asyncio.Lock
    _asking = False
    _pressed = ("", 0.0)

    def go_to(self, thread: str) -> None: ...

    def keep(self) -> None: ...

    def look(self) -> None: ...

    async def _state(self) -> ThreadState | None:
        """The thread on the screen. One that rawr does not have in hand is taken up first."""
        state = self.desk.state(self.thread)
        if state is None:
            self.notify("There is no thread yet: write a message to start one here, or press n.", severity="warning")
            return None
        if not self.desk.is_live(state.id) and not await self.acting.take_up(state.id):
            return None
        return self.desk.state(state.id)

    @property
    def _in_dialog(self) -> bool:
        """Keys that were typed quickly must not open one dialog over another."""
        return self._asking or any(isinstance(one, Dialog) for one in self.screen_stack)

    def _sure(self, key: str, words: str) -> bool:
        """Return True when a key is pressed for the second time: a sentence that was meant for the composer begins
        with letters too."""
        now = time.monotonic()
        before, self._pressed = self._pressed, (key, now)
        if before[0] == key and now - before[1] < TWICE:
            self._pressed = ("", 0.0)
            return True
        self.notify(f"{key} again {words}.", severity="warning", timeout=TWICE)
        return False

    # -- looking ----------------------------------------------------------------------------------------------------

    def action_panel(self, name: str) -> None:
        side = self.query_one(Side)
        # The same key closes it again.
        wanted: Name | Literal[""] = next((one for one in NAMES if one == name and one != side.open), "")
        side.show(wanted)
        self.screen.set_class(bool(wanted), "-panel")
        side.look(self.desk, self.desk.state(self.thread))
        # One that is new gets its place first.
        self.call_after_refresh((side.panel or self.query_one(Conversation)).focus)

    def action_threads(self) -> None:
        self.screen.toggle_class("-threads")
        threads = self.query_one(Threads)
        self.call_after_refresh((threads if threads.display else self.query_one(Conversation)).focus)

    def action_next_thread(self, by: int) -> None:
        names = [row.thread for row in self.desk.rows()]
        if names:
            at = names.index(self.thread) if self.thread in names else 0
            self.go_to(names[(at + by) % len(names)])

    def action_help(self) -> None:
        if self._asking and not isinstance(self.screen, Dialog):
            return
        from rawr.tui.screens.help import Help

        self.push_screen(Help(self.screen))

    def action_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_connect(self) -> None:
        """Only when the host is gone."""
        if self.lost and self.returns:
            self.keep()
            self.exit(self.thread)

    def action_help_quit(self) -> None:
        """Ctrl+C, which ends a program elsewhere."""
        self.notify("Ctrl+Q leaves; what is under way goes on.")

    def action_leave(self) -> None:
        """Nothing is stopped, and nothing is lost."""
        self.keep()
        self.exit()

    # -- speaking ---------------------------------------------------------------------------------------------------

    def action_write(self) -> None:
        self.query_one(Composer).focus()

    @on(Composer.Away)
    def _away(self) -> None:
        self.query_one(Conversation).focus()

    @on(Composer.Submitted)
    def _submitted(self, event: Composer.Submitted) -> None:
        self._submit(self.thread, event)

    @work(group="submit")
    async def _submit(self, thread: str, event: Composer.Submitted) -> None:
        async with self._submitting:
            # One after the other: the first message may have started the thread meanwhile.
            thread = thread or self.thread or await self.acting.start_thread(str(Path.cwd()))
            if thread and not self.thread:
                self.go_to(thread)
            sent = bool(thread) and await self.acting.submit(thread, event.text, event.how)
        if not sent:
            self.query_one(Composer).put(event.text)
        elif thread == self.thread:
            self.query_one(Conversation).action_go_last()

    def action_inbox(self) -> None:
        if self._in_dialog:
            return
        from rawr.tui.screens.inbox import Inbox

        self.push_screen(Inbox(lambda: list(self.desk.waiting()), self.desk.now, self.desk.given))

    def on_answered(self, event: Answered) -> None:
        self._answer(event)

    @work(group="answer")
    async def _answer(self, event: Answered) -> None:
        await self.acting.answer(event.thread, event.request, event.answer, words=event.words)

    @on(QueueBar.Pressed)
    def _queue_pressed(self) -> None:
        self.action_queue()

    @work(group="ask")
    async def action_queue(self) -> None:
        state = self.desk.state(self.thread)
        queued = queued_on(state) if state is not None else ()
        if not queued:
            self.notify("No message waits to be sent.")
            return
        if self._in_dialog:
            return
        from rawr.tui.screens.queue import Queue

        thread = self.thread
        while queued:
            picked = await self._waited_for(Queue(queued))
            if picked is None or not await self.acting.withdraw(thread, picked.message.message):
                return
            if picked.what == "edit":
                if thread == self.thread:
                    self.query_one(Composer).put(picked.message.text)
                    self.query_one(Composer).focus()
                return
            state = self.desk.state(thread)
            queued = queued_on(state) if state is not None else ()

    @work(group="act")
    async def action_interrupt(self) -> None:
        if self._sure("x", "interrupts the turn") and await self._state() is not None:
            await self.acting.record(self.thread, facts.InterruptSubmitted())

    async def _asked(
        self,
        title: str,
        words: str,
        fields: tuple[Field, ...],
        *,
        send: str,
        check: Callable[[dict[str, str]], str] = lambda _: "",
    ) -> dict[str, str] | None:
        """What a person wrote into a form; None if they thought better of it."""
        if self._in_dialog:
            return None
        from rawr.tui.screens.form import Form

        return await self._waited_for(Form(title, words, fields, send=send, check=check))

    async def _waited_for(self, dialog: Dialog[Result]) -> Result | None:
        self._asking = True
        try:
            return await self.push_screen_wait(dialog)
        finally:
            self._asking = False

    # -- Full Auto --------------------------------------------------------------------------------------------------

    @work(group="ask")
    async def action_full_auto(self) -> None:
        state = await self._state()
        if state is None:
            return
        run = state.run
        if run is not None and run.active:
            again = run.pause_asked
            fact = facts.RunResumed() if again else facts.RunPauseSubmitted()
            if await self.acting.record(state.id, fact):
                self.notify("Full Auto goes on." if again else "Full Auto pauses when the turn ends.")
        elif run is not None and run.status in ("paused", "stopped", "failed"):
            await self._go_on(state, run)
        else:
            await self._order(state)

    async def _go_on(self, state: ThreadState, run: Run) -> None:
        words = f"{run.id} is {run.status}. It goes on with these budgets; but for the turns, empty means no limit."
        over = run.order.budgets
        fields = budget_fields(over)
        given = await self._asked(
            "Let the run go on", words, fields, send="Go on", check=lambda given: budget_problem(given, over=over)
        )
        budgets = budgets_from(given, over=over) if given is not None else None
        if isinstance(budgets, Budgets):
            await self.acting.record(state.id, facts.RunResumed(budgets=budgets))

    async def _order(self, state: ThreadState) -> None:
        over = Budgets(turns=self.desk.policy.full_auto.max_turns)
        fields = (
            Field("goal", "Goal", self.query_one(Composer).text.strip(), several_lines=True),
            Field("done", "Done when this command passes", hint="such as: make test; empty: the agent says so"),
            *budget_fields(over),
        )
        words = "The agent works turn after turn until the goal is reached, a budget is used up, or a guard stops it."

        def check(given: dict[str, str]) -> str:
            return budget_problem(given, over=over) if given["goal"] else "A run needs a goal."

        given = await self._asked("Full Auto", words, fields, send="Start", check=check)
        budgets = budgets_from(given, over=over) if given is not None else None
        if given is None or not isinstance(budgets, Budgets):
            return
        order = order_of(self.desk.policy, goal=given["goal"], done=given["done"], budgets=budgets)
        if await self.acting.record(state.id, facts.RunSubmitted(order=order)):
            self.query_one(Composer).taken(given["goal"])

    @work(group="act")
    async def action_stop(self) -> None:
        if not self._sure("s", "stops the run") or await self._state() is None:
            return
        if await self.acting.record(self.thread, facts.RunStopSubmitted()):
            self.notify("The run is stopping.")

    @work(group="ask")
    async def action_override(self) -> None:
        state = await self._state()
        if state is None:
            return
        row = self.desk.row(state.id)
        last = f"Last decision: {row.decision}" if row is not None and row.decision else "No decision yet."
        fields = (Field("text", "Tell the agent instead", several_lines=True),)
        given = await self._asked("Override", last, fields, send="Decide")
        if given is not None and given["text"]:
            await self.acting.record(state.id, facts.RunOverridden(text=given["text"]))

    @work(group="ask")
    async def action_budgets(self) -> None:
        state = await self._state()
        if state is None:
            return
        run = state.run
        if run is None:
            self.notify("There is no run on this thread; f starts one.")
        elif run.active:
            self.notify("A run gets new budgets while it rests: f pauses it.")
        else:
            await self._go_on(state, run)

    @work(group="ask")
    async def action_new_thread(self) -> None:
        state = self.desk.state(self.thread)
        folder = state.cwd if state is not None else str(Path.cwd())
        words = "Codex starts a thread there, under its own limits. Then write to it."
        fields = (Field("dir", "Folder", folder),)
        given = await self._asked("New thread", words, fields, send="Start", check=lambda given: missing(given["dir"]))
        if given is not None and given["dir"]:
            thread = await self.acting.start_thread(given["dir"])
            if thread:
                self.go_to(thread)
                self.query_one(Composer).focus()

    # -- the context ------------------------------------------------------------------------------------------------

    @work(group="act")
    async def action_compact(self) -> None:
        if await self._state() is not None and await self.acting.record(self.thread, facts.CompactionSubmitted()):
            self.notify("Compacting on the golden path.")

    @work(group="act")
    async def action_hold(self) -> None:
        state = await self._state()
        if state is None:
            return
        fact = facts.HoldReleased() if state.guards else facts.HoldSubmitted(until="released")
        if await self.acting.record(state.id, fact):
            self.notify("The hold is released." if state.guards else "No compaction until you release it (h).")

    @work(group="ask")
    async def action_phase(self) -> None:
        await self._word("Mark a phase", "The phase that is over", lambda text: facts.PhaseSubmitted(phase=text))

    @work(group="ask")
    async def action_pin(self) -> None:
        await self._word("Pin", "Repeat this in every handoff", lambda text: facts.PinSubmitted(text=text))

    async def _word(self, title: str, label: str, fact: Callable[[str], facts.AnyFact]) -> None:
        state = await self._state()
        if state is None:
            return
        given = await self._asked(title, "", (Field("text", label),), send="Send")
        if given is not None and given["text"] and await self.acting.record(state.id, fact(given["text"])):
            self.notify("It is on record.")
